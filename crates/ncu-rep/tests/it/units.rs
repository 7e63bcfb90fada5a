//! Units against what NVIDIA's readers state: the table of names and units, and the unit rows of pages printed by older tools.

use std::collections::{BTreeMap, BTreeSet};

use ncu_rep::units::{MetricName, Rollup, legacy_unit, parse_unit, unit_of};

/// Names for which the rules say something else than every row of the table. The rules are right about some of them; the others are single exceptions.
const DISAGREEING: &[&str] = &[
    // Other derived rates have no unit, and `byte` is not one of a rate.
    "derived__lts__lts2xbar_bytes.sum.peak_sustained",
    "derived__lts__lts2xbar_bytes.sum.per_second",
    // The only count of wavefronts with a unit.
    "l1tex__data_pipe_lsu_wavefronts.avg.peak_sustained_elapsed.per_second",
    // Lists of names have no unit.
    r"regex:all\.(sum|min|max|avg|pct|ratio|max_rate)$",
    r"regex:sm__inst_executed\.(sum|min|max|avg|pct|ratio)$",
    r"regex:sm__sass_inst_executed_op_ld\.(sum|min|max|avg|pct|ratio)$",
    r"regex:sm__sass_inst_executed_op_st\.(sum|min|max|avg|pct|ratio)$",
    // A percentage of the first versions that lost its unit.
    "sm__active_warps_avg_per_active_cycle_pct",
    // Requests in cycles.
    "sm__icc_requests.sum",
    "smsp__imc_requests.sum",
    // Samples of warps in branches; ncu 2022 and 2024 say `warp`.
    "smsp__pcsamp_warps_issue_stalled_branch_resolving",
    "smsp__pcsamp_warps_issue_stalled_branch_resolving_not_issued",
    // The same name without `sass_` has the unit.
    "smsp__sass_inst_executed_memdesc_explicit_evict_type",
];

/// Names for which unit rows of ncu 2022.3 or 2024.1 differ from the rules, with what those say (scales taken off). Their table is older than the one that the rules follow.
const DISAGREEING_OLDER: &[(&str, &str)] = &[
    ("derived__memory_l1_conflicts_shared_nway", "byte"),
    ("derived__memory_l1_wavefronts_shared_excessive", "byte"),
    ("derived__memory_l2_theoretical_sectors_global_excessive", "byte"),
    ("derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2", "thread"),
    ("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", "thread"),
    ("derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", "thread"),
    ("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "thread"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request"),
    ("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request"),
    ("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request"),
    ("l1tex__t_requests_pipe_tex_mem_surface_op_atom.sum", "request"),
    ("l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "request"),
    ("l1tex__t_requests_pipe_tex_mem_surface_op_red.sum", "request"),
    ("l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "request"),
    ("l1tex__t_requests_pipe_tex_mem_texture.sum", "request"),
    ("launch__persisting_l2_cache_size", ""),
    ("launch__uses_blocks_as_clusters", "block"),
    // Before 2024 passes had no unit.
    ("profiler__replayer_passes", ""),
    ("profiler__replayer_passes_type_warmup", ""),
    ("sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_elapsed", "cycle"),
    ("sm__pipe_tensor_cycles_active_v2.max.pct_of_peak_sustained_elapsed", "cycle"),
    ("sm__pipe_tensor_cycles_active_v2.min.pct_of_peak_sustained_elapsed", "cycle"),
    ("sm__pipe_tensor_cycles_active_v2.sum.pct_of_peak_sustained_elapsed", "cycle"),
    ("sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", "request"),
    ("sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "request"),
    ("sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum", "request"),
    ("smsp__branch_targets_threads_divergent", ""),
    ("smsp__pcsamp_aggregated_passes", ""),
    ("smsp__sass_branch_targets_threads_divergent.avg", ""),
    ("smsp__sass_branch_targets_threads_divergent.max", ""),
    ("smsp__sass_branch_targets_threads_divergent.min", ""),
    ("smsp__sass_branch_targets_threads_divergent.sum", ""),
    ("smsp__sass_inst_executed_memdesc_explicit_evict_type", ""),
];

/// The table: every unit that a reader stated for a name. Some have two, because chips have tables of their own.
fn table(what: &str) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let path = crate::support::shared(what)?.join("cases/units.tsv");
    let text = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    let mut table: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split('\t');
        let (name, unit) = (cells.next().unwrap(), cells.next().unwrap());
        table.entry(name.to_owned()).or_default().insert(unit.to_owned());
    }
    Some(table)
}

#[test]
fn units_agree_with_the_table() {
    let Some(table) = table("units against NVIDIA's table") else { return };
    let disagreeing: Vec<&str> = table
        .iter()
        .filter(|(name, units)| !units.contains(unit_of(name)))
        .map(|(name, _)| name.as_str())
        .collect();
    let agreement = 1.0 - disagreeing.len() as f64 / table.len() as f64;
    eprintln!(
        "{} of {} names agree ({:.2} %)",
        table.len() - disagreeing.len(),
        table.len(),
        100.0 * agreement
    );
    assert!(agreement >= 0.98, "only {agreement} agree");
    assert_eq!(disagreeing, DISAGREEING);
}

#[test]
fn families_that_the_table_lacks_have_the_units_of_the_newest_reader_that_knows_them() {
    for (name, unit) in [
        ("smsp__threads_launched.sum", "thread"),
        ("smsp__threads_launched.avg.per_cycle_elapsed", "thread/cycle"),
        ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request"),
        ("nvlrx__bytes.sum.per_second", "byte/s"),
        ("lrc__ilc_input_sectors.sum.per_second", "sector/s"),
        ("smsp__sass_branch_targets_threads_divergent.sum", "branches"),
    ] {
        assert_eq!(unit_of(name), unit, "{name}");
    }
}

#[test]
fn units_agree_with_pages_of_older_tools() {
    let Some(shared) = crate::support::shared("units against pages of older tools") else { return };
    let mut pages: Vec<_> = std::fs::read_dir(shared.join("corpus/csv"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.retain(|path| {
        path.file_name()
            .unwrap()
            .to_str()
            .is_some_and(|name| name.starts_with("derived__") && name.contains(".raw"))
    });
    assert!(!pages.is_empty());
    let mut disagreeing = BTreeSet::new();
    for page in &pages {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(page).unwrap();
        let mut rows = reader.byte_records().map(|row| {
            row.unwrap()
                .iter()
                .map(|cell| String::from_utf8_lossy(cell).into_owned())
                .collect::<Vec<_>>()
        });
        let (names, units) = (rows.next().unwrap(), rows.next().unwrap());
        for (name, printed) in names.into_iter().zip(units).filter(|(name, _)| {
            name.contains("__") || name.starts_with("memory_") || name.ends_with("inst_executed")
        }) {
            let (base, _) = parse_unit(&printed).unwrap();
            if base != unit_of(&name) {
                disagreeing.insert((name, base.into_owned()));
            }
        }
    }
    let disagreeing: Vec<(&str, &str)> =
        disagreeing.iter().map(|(name, unit)| (name.as_str(), unit.as_str())).collect();
    assert_eq!(disagreeing, DISAGREEING_OLDER);
}

#[test]
fn every_unit_of_the_table_can_be_read_in_both_spellings() {
    let Some(table) = table("spellings of units") else { return };
    for unit in table.values().flatten() {
        assert_eq!(parse_unit(unit).unwrap(), (unit.into(), 1.0));
        assert_eq!(parse_unit(legacy_unit(unit)).unwrap(), (unit.into(), 1.0));
        assert!(!legacy_unit(unit).ends_with("/s"), "{unit} has no older spelling");
    }
}

#[test]
fn printed_units_become_base_units() {
    let read = |text| parse_unit(text).map(|(base, factor)| format!("{factor:e} {base}"));
    let expected = [
        ("", "1e0 "),
        ("%", "1e0 %"),
        ("ns", "1e0 ns"),
        ("us", "1e3 ns"),
        ("usecond", "1e3 ns"),
        ("msecond", "1e6 ns"),
        ("ms", "1e6 ns"),
        ("s", "1e9 ns"),
        ("second", "1e9 ns"),
        ("Kbyte", "1e3 byte"),
        ("Mbyte", "1e6 byte"),
        ("Pbyte", "1e15 byte"),
        ("Gbyte/second", "1e9 byte/s"),
        ("Tbyte/s", "1e12 byte/s"),
        ("Kbyte/cycle", "1e3 byte/cycle"),
        ("cycle/second", "1e0 hz"),
        ("cycle/nsecond", "1e9 hz"),
        ("Ghz", "1e9 hz"),
        ("MHz", "1e6 hz"),
        ("sector/usecond", "1e6 sector/s"),
        ("%/Kbyte", "1e-3 %/byte"),
        ("%/", "1e0 %"),
        ("register/thread", "1e0 register/thread"),
        ("SM", "1e0 SM"),
        ("branches", "1e0 branches"),
    ];
    for (text, base) in expected {
        assert_eq!(read(text).as_deref(), Some(base), "{text}");
    }
    for text in ["/", "/s", "a b", "a/b/c", "ns/s", "1,5"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn names_are_taken_apart() {
    let shown = |text| {
        let MetricName { prefix, unit, counter, rollup, submetric } = MetricName::parse(text);
        format!(
            "{} | {unit} | {counter} | {} | {}",
            prefix.unwrap_or("-"),
            rollup.map_or("-", Rollup::as_str),
            submetric.unwrap_or("-")
        )
    };
    let expected = [
        ("gpu__time_duration.sum", "- | gpu | time_duration | sum | -"),
        (
            "sm__cycles_active.avg.peak_sustained_elapsed.per_second",
            "- | sm | cycles_active | avg | peak_sustained_elapsed.per_second",
        ),
        ("lts__t_sector_hit_rate.pct", "- | lts | t_sector_hit_rate | - | pct"),
        ("pmsampling:sm__ctas_launched.sum", "pmsampling | sm | ctas_launched | sum | -"),
        ("SM_A.TriageAC.sm__cycles_active.avg", "SM_A.TriageAC | sm | cycles_active | avg | -"),
        (
            "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
            "breakdown | sm | throughput | avg | pct_of_peak_sustained_elapsed",
        ),
        ("launch__grid_size", "- | launch | grid_size | - | -"),
        (
            "derived__sm__inst_executed_pipe_tensor_x512",
            "- | derived | sm__inst_executed_pipe_tensor_x512 | - | -",
        ),
        ("inst_executed", "- |  | inst_executed | - | -"),
        ("", "- |  |  | - | -"),
        ("a.b", "- |  | a | - | b"),
        ("x:__.sum.", "x |  |  | sum | "),
    ];
    for (text, parts) in expected {
        assert_eq!(shown(text), parts, "{text}");
    }
}
