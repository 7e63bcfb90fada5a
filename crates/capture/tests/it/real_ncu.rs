//! Against the real ncu, without a GPU: what it says of itself, and that it takes every command line that is built for it. Where it is absent the tests say so; on CI it must be there.

use std::ffi::OsString;
use std::time::Duration;

use crate::real::{plan_of, real_ncus, texts};
use rangescope_capture::child::{End, quick};
use rangescope_capture::ncu::NcuInfo;
use rangescope_config::settings::{
    CacheControl, ClockControl, FilterMode, GraphProfiling, NcuOptions,
};
use rangescope_model::KernelNameBase;
use rangescope_model::ReplayMode;
use rangescope_model::words::Word;

#[test]
fn ncu_says_what_it_can_do() {
    for ncu in real_ncus("probing ncu") {
        assert!(ncu.version.year >= 2022);
        for option in
            ["nvtx", "nvtx-include", "kernel-name", "export", "replay-mode", "set", "metrics"]
        {
            assert!(ncu.has_option(option), "{option}");
        }
        assert_eq!(ncu.options["kernel-name"].short, Some('k'));
        assert!(ncu.options["kernel-name"].takes_value && !ncu.options["nvtx"].takes_value);
        let is_new = ncu.version.year >= 2024;
        assert_eq!(ncu.has_option("range-filter"), is_new);
        assert_eq!(ncu.has_value("replay-mode", "app-range"), is_new);
        assert!(!ncu.has_option("communicator") && !ncu.has_value("clock-control", "boost"));
        assert_eq!(ncu.sets.contains("basic"), is_new);
        assert!(
            ncu.sections.contains("SpeedOfLight") && ncu.sections.len() >= 20,
            "{:?}",
            ncu.sections
        );
    }
}

/// Options that together use every key that both versions have, and the newer ones where they are there.
fn many_options(mode: ReplayMode, ncu: &NcuInfo) -> Vec<NcuOptions> {
    let base = NcuOptions { replay_mode: mode, force_overwrite: true, ..NcuOptions::default() };
    let is_new = ncu.version.year >= 2024;
    let mut list = vec![
        base.clone(),
        NcuOptions { set: Some("full".into()), ..base.clone() },
        NcuOptions {
            sections: texts(&["SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy"]),
            ..base.clone()
        },
        NcuOptions {
            metrics: texts(&["gpu__time_duration.sum", "regex:^sm__cycles"]),
            ..base.clone()
        },
        NcuOptions { kernel_name: Some("regex:.*conv.*".into()), ..base.clone() },
        NcuOptions { kernel_exclude: texts(&["regex:memcpy.*", "regex:memset.*"]), ..base.clone() },
        NcuOptions { kernel_include: texts(&["glob:*gemm?", "a, b@c/[d]"]), ..base.clone() },
        NcuOptions {
            launch_skip: Some(1),
            launch_count: Some(2),
            filter_mode: Some(FilterMode::PerGpu),
            ..base.clone()
        },
        NcuOptions {
            cache_control: CacheControl::None,
            clock_control: ClockControl::None,
            ..base.clone()
        },
        NcuOptions {
            kernel_name: Some("k".into()),
            kernel_name_base: KernelNameBase::Mangled,
            ..base.clone()
        },
        // Range replay takes no source files.
        NcuOptions {
            devices: texts(&["0"]),
            import_source: Some(!mode.is_range()).filter(|on| *on),
            ..base.clone()
        },
        NcuOptions {
            extra_args: texts(&["--apply-rules", "no", "--check-exit-code=yes"]),
            ..base.clone()
        },
    ];
    for include in [
        "*",
        "A;B;A::A1",
        "decode*",
        "LLM@*",
        "a/**/b",
        r"x\@y@[a]/b\/c",
        "regex:l[0-9]+",
        "ncu:A/*/B]",
        "größe",
    ] {
        let mut options = base.clone();
        options.nvtx_include = texts(&[include]);
        options.nvtx_exclude = texts(&["warmup"]);
        options.range_filter = is_new.then(|| ":[1-2]:1|3".to_owned());
        list.push(options);
    }
    if mode == ReplayMode::Range {
        list.push(NcuOptions { range_replay_options: vec!["enable-greedy-sync"], ..base.clone() });
    }
    if mode == ReplayMode::Kernel && is_new {
        list.push(NcuOptions { graph_profiling: Some(GraphProfiling::Graph), ..base.clone() });
        list.push(NcuOptions { filter_mode: Some(FilterMode::PerLaunchConfig), ..base });
    }
    list
}

/// The presets of the configuration, for this way of replaying.
fn presets(mode: ReplayMode) -> Vec<NcuOptions> {
    let read = |preset| {
        crate::table::options(&[
            preset,
            format!("pipeline.ncu.ncu_cli.replay_mode={mode}"),
            "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'".to_owned(),
        ])
    };
    crate::table::presets().into_iter().map(read).collect()
}

/// Every row of the table that this ncu has, one at a time; and what some of them need, without them.
fn every_row(ncu: &NcuInfo) -> Vec<NcuOptions> {
    let has = |row: &crate::table::Row| {
        let name = row.key.option.unwrap().name;
        let value = row.with.last().unwrap().rsplit('=').next().unwrap();
        // A folder of sections replaces ncu's own, and the presets' sections are not in any folder of ours.
        let finds_sections = !name.starts_with("section-folder");
        finds_sections && ncu.has_option(name) && ncu.has_value(name, value)
    };
    let rows = crate::table::rows().into_iter().filter(has);
    let options: Vec<NcuOptions> = rows
        .flat_map(|row| [row.without, row.with])
        .map(|row| crate::table::options(&row))
        .collect();
    assert!(options.len() > 70, "{}", options.len());
    options
}

/// What ncu says against a command line.
fn refusal(argv: &[OsString]) -> Option<String> {
    let answer = quick(argv.to_vec(), Vec::new(), Duration::from_secs(60)).unwrap();
    let said = format!("{}{}", answer.stdout, answer.stderr);
    // ncu says this of application replay without any CUDA call, and ends well.
    let refused = said.replace("==ERROR== Failed to create report.", "").contains("==ERROR==");
    let is_fine = answer.outcome.end == End::Exited(0) && !refused;
    (!is_fine).then(|| format!("{argv:?}: {said}\n"))
}

#[test]
fn ncu_takes_every_command_line() {
    let check = |ncu: &NcuInfo| -> String {
        let folder = tempfile::tempdir().unwrap();
        // ncu reads macros in the names of reports; these are meant as they are.
        let odd = folder.path().join("100%p %q{NONE}");
        fs_err::create_dir_all(&odd).unwrap();
        let modes = ReplayMode::ALL.iter().map(|(mode, _)| *mode);
        let modes = modes.filter(|mode| ncu.has_value("replay-mode", mode.as_str()));
        let options = modes.flat_map(|mode| [many_options(mode, ncu), presets(mode)].concat());
        let options = options.chain(every_row(ncu));
        let plans = options.map(|options| plan_of(&options, ncu, &odd, &["/bin/true"]));
        plans.flat_map(|plan| plan.captures).filter_map(|capture| refusal(&capture.argv)).collect()
    };
    let ncus = real_ncus("command lines");
    let refusals: String = std::thread::scope(|scope| {
        let threads: Vec<_> = ncus.iter().map(|ncu| scope.spawn(|| check(ncu))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(refusals.is_empty(), "{refusals}");
}
