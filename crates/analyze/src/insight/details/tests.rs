//! Metrics in, charts out.

use super::model::{Counted, Flow, Place};
use super::{Metrics, details, memory_tables};
use rangescope_model::document::{Method, MetricSummary, Scalar};

fn metrics(values: &[(&str, f64)]) -> Metrics {
    values.iter().map(|(name, value)| ((*name).to_owned(), metric(Some(*value)))).collect()
}

fn metric(value: Option<f64>) -> MetricSummary {
    MetricSummary {
        value: value.map(Scalar::Number),
        unit: String::new(),
        method: Method::Sum,
        exact: true,
        covered: 2,
        of: 2,
        min: None,
        max: None,
        mean: None,
        busiest: None,
        reason: None,
    }
}

#[test]
fn nothing_measured_is_nothing_shown_and_says_what_collects_it() {
    for metrics in [metrics(&[]), metrics(&[("dram__bytes_read.sum", f64::NAN)])] {
        let found = details(&metrics);
        assert_eq!((found.memory, found.stalls, found.occupancy), (None, None, None));
        assert!(found.pipes.is_empty());
        let sections: Vec<&str> =
            found.not_collected.iter().flat_map(|one| &one.sections).map(String::as_str).collect();
        for section in ["MemoryWorkloadAnalysis_Tables", "WarpStateStats", "Occupancy"] {
            assert!(sections.contains(&section), "{section} of {sections:?}");
        }
    }
}

#[test]
fn the_first_source_that_was_collected_counts() {
    let both = [("dram__bytes_read.sum", 64.0), ("dram__sectors_read.sum", 100.0)];
    let read = |metrics: &Metrics| {
        let chart = details(metrics).memory.unwrap();
        let is_read = |from, to| from == Place::DeviceMemory && to == Place::L2;
        let link = chart.links.into_iter().find(|link| is_read(link.from, link.to)).unwrap();
        assert_eq!((link.flow, link.counted), (Flow::Load, Counted::Bytes));
        link.amount.map(|amount| (amount.value, amount.times, amount.metrics))
    };
    let (value, times, names) = read(&metrics(&both)).unwrap();
    assert_eq!((value, times, names.len()), (64.0, 1.0, 1));
    let (value, times, _) = read(&metrics(&both[1..])).unwrap();
    assert_eq!((value, times), (3200.0, 32.0), "sectors are bytes");
    assert_eq!(read(&metrics(&[("dram__bytes_write.sum", 1.0)])), None, "unknown, not zero");
}

#[test]
fn a_sum_needs_all_of_its_parts_and_is_as_exact_as_they_are() {
    let names = [
        "smsp__inst_executed_op_generic_atom_dot_alu.sum",
        "smsp__inst_executed_op_generic_atom_dot_cas.sum",
        "smsp__inst_executed_op_global_red.sum",
    ];
    let mut all = metrics(&names.map(|name| (name, 5.0)));
    all.insert("dram__bytes_read.sum".to_owned(), metric(Some(1.0)));
    let atomics = |metrics: &Metrics| {
        let links = details(metrics).memory.unwrap().links;
        let link = links.into_iter().find(|link| link.flow == Flow::Atomic);
        link.and_then(|link| link.amount).map(|amount| (amount.value, amount.exact, amount.covered))
    };
    assert_eq!(atomics(&all), Some((15.0, true, None)));
    all[names[2]].exact = false;
    all[names[2]].covered = 1;
    assert_eq!(atomics(&all), Some((15.0, false, Some(1))));
    all[names[1]] = metric(None);
    assert_eq!(atomics(&all), None);
}

#[test]
fn stalls_are_ordered_by_worth_under_one_name() {
    let found = details(&metrics(&[
        ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1.0),
        ("smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 5.0),
        ("smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", 3.0),
        ("smsp__average_warps_issue_stalled_some_day_per_issue_active.ratio", 1.0),
        ("smsp__pcsamp_warps_issue_stalled_no_instructions", 30.0),
        ("smsp__pcsamp_warps_issue_stalled_no_instructions_not_issued", 7.0),
    ]));
    let states = found.stalls.unwrap().states;
    let order: Vec<&str> = states.iter().map(|state| state.reason.as_str()).collect();
    assert_eq!(order, ["no_instruction", "some_day", "wait", "selected"]);
    assert_eq!(states[0].share, Some(0.3));
    assert_eq!(states[0].samples.as_ref().map(|samples| samples.value), Some(30.0));
    assert_eq!((states[1].name.as_str(), states[1].meaning.as_str()), ("some day", ""));
    assert!(!states[3].is_stall && !states[2].meaning.is_empty());
}

#[test]
fn samples_alone_make_shares_too() {
    let found = details(&metrics(&[
        ("smsp__pcsamp_warps_issue_stalled_wait", 1.0),
        ("smsp__pcsamp_warps_issue_stalled_barrier", 3.0),
    ]));
    let states = found.stalls.unwrap().states;
    assert_eq!((states[0].reason.as_str(), states[0].share), ("barrier", Some(0.75)));
    let none = details(&metrics(&[("smsp__pcsamp_warps_issue_stalled_wait", 0.0)]));
    assert_eq!(none.stalls.unwrap().states[0].share, None, "nothing was sampled");
}

#[test]
fn a_pipe_is_told_of_active_cycles_before_all_cycles() {
    let found = details(&metrics(&[
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", 10.0),
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 20.0),
        ("sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed", 30.0),
        ("sm__inst_executed_pipe_new_one.avg.pct_of_peak_sustained_active", 1.0),
    ]));
    let shown: Vec<(&str, f64)> =
        found.pipes.iter().map(|pipe| (pipe.name.as_str(), pipe.busiest())).collect();
    assert_eq!(
        shown,
        [("LSU (load/store)", 30.0), ("FMA (32-bit floating point)", 20.0), ("new one", 1.0)]
    );
}

#[test]
fn what_limits_occupancy_is_the_tightest() {
    let mut all = metrics(&[
        ("launch__occupancy_limit_registers", 4.0),
        ("launch__occupancy_limit_warps", 4.0),
        ("launch__occupancy_limit_blocks", 32.0),
    ]);
    let varies = MetricSummary { min: Some(1.0), max: Some(5.0), ..metric(None) };
    all.insert("launch__waves_per_multiprocessor".to_owned(), varies);
    let found = details(&all).occupancy.unwrap();
    assert_eq!(found.limited_by, ["registers", "warps per block"]);
    assert_eq!(found.waves.map(|waves| (waves.least, waves.most)), Some((1.0, 5.0)));
    assert_eq!(found.achieved, None);
}

#[test]
fn tables_have_rows_for_what_was_measured() {
    let tables = memory_tables(&metrics(&[
        ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 10.0),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 40.0),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 10.0),
        ("sass__inst_executed_local_loads", 3.0),
    ]));
    let [table] = tables.as_slice() else { panic!("{tables:?}") };
    let [row] = table.rows.as_slice() else { panic!("instructions alone make no row: {table:?}") };
    let cell = |column: &str| {
        let at = table.columns.iter().position(|name| name == column).unwrap();
        row.cells[at].as_ref().map(|cell| cell.value)
    };
    assert_eq!(cell("sectors/request"), Some(4.0));
    assert_eq!((cell("hit rate"), cell("bytes")), (Some(25.0), Some(1280.0)));
    assert_eq!(cell("wavefronts"), None);
}

#[test]
fn the_metrics_of_charts_suffice_for_them() {
    let all = metrics(&[
        ("dram__bytes_read.sum", 64.0),
        ("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", 5.0),
        ("lts__t_sector_hit_rate.pct", 70.0),
        ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 2.0),
        ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 40.0),
        ("smsp__something_else.sum", 1.0),
    ]);
    let charts = details(&all);
    let named: Vec<&str> = charts.metrics().collect();
    assert!(!named.contains(&"smsp__something_else.sum"));
    let only: Metrics =
        all.into_iter().filter(|(name, _)| named.contains(&name.as_str())).collect();
    assert_eq!(only.len(), 5);
    assert_eq!(details(&only), charts);
}
