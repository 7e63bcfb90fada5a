//! Command lines for several versions, and what is refused.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use rangescope_config::Version;
use rangescope_config::settings::{
    ClockControl, Communicator, FilterMode, GraphProfiling, NcuOptions, Pinned, PipelineBoostState,
    ReportKind,
};
use rangescope_model::ReplayMode;

use super::{CaptureTarget, build_ncu_cmd};
use crate::ncu::{HelpOption, NcuInfo};

fn version(text: &str) -> NcuInfo {
    NcuInfo::of_version(vec!["ncu".into()], text.parse().unwrap())
}

fn line_of(options: &NcuOptions, ncu: &NcuInfo, include: &[&str]) -> String {
    let include: Vec<String> = include.iter().map(|text| (*text).to_owned()).collect();
    let target =
        CaptureTarget { report: Path::new("run.ncu-rep"), include: &include, exclude: &[] };
    let program = [OsString::from("./app"), OsString::from("--steps=3")];
    match build_ncu_cmd(options, ncu, &target, &program) {
        Ok(command) => {
            let words: Vec<String> =
                command.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            words.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

fn line(options: &NcuOptions, ncu: &str) -> String {
    line_of(options, &version(ncu), &[])
}

#[test]
fn defaults_that_changed_are_given() {
    assert_eq!(
        line(&NcuOptions::default(), "2022.3"),
        "ncu --target-processes all --replay-mode kernel --cache-control all --clock-control base --nvtx \
         --export run.ncu-rep ./app --steps=3"
    );
    assert_eq!(
        line(&NcuOptions::default(), "2026.3"),
        "ncu --config-file off --target-processes all --replay-mode kernel --cache-control all --clock-control base \
         --rename-kernels off --pipeline-boost-state stable --nvtx --export run.ncu-rep ./app --steps=3"
    );
    let left_to_ncu = NcuOptions { rename_kernels: Pinned(None), ..NcuOptions::default() };
    assert!(!line(&left_to_ncu, "2026.3").contains("--rename-kernels"));
    let application = NcuOptions { replay_mode: ReplayMode::Application, ..NcuOptions::default() };
    assert!(line(&application, "2024.1.1").contains(" --app-replay-mode strict "));
}

#[test]
fn the_usual_set_is_named_when_nothing_else_is_asked_for() {
    let mut ncu = version("2024.1.1");
    ncu.sets = ["basic", "full"].map(str::to_owned).into();
    assert!(line_of(&NcuOptions::default(), &ncu, &[]).contains(" --set basic "));
    let metrics =
        NcuOptions { metrics: vec!["a.sum".into(), "b.sum".into()], ..NcuOptions::default() };
    assert!(line_of(&metrics, &ncu, &[]).contains(" --nvtx --metrics a.sum,b.sum --export"));
    ncu.sections = ["Occupancy".to_owned()].into();
    let unknown = |sections: &[&str], set: Option<&str>| {
        let sections = sections.iter().map(|text| (*text).to_owned()).collect();
        let options = NcuOptions { sections, set: set.map(str::to_owned), ..NcuOptions::default() };
        line_of(&options, &ncu, &[])
    };
    assert_eq!(unknown(&["Occupancy", "Ocupancy"], None), "ncu 2024.1.1 has no section `Ocupancy`");
    assert_eq!(unknown(&[], Some("default")), "ncu 2024.1.1 has no set `default`");
    assert!(unknown(&["regex:.*"], Some("full")).contains(" --set full --section regex:.* "));
}

#[test]
fn filters_are_passed_on() {
    let options = NcuOptions {
        kernel_name: Some("regex:.*conv.*".into()),
        launch_skip: Some(2),
        launch_count: Some(5),
        filter_mode: Some(FilterMode::PerGpu),
        devices: vec!["0".into(), "2".into()],
        force_overwrite: true,
        ..NcuOptions::default()
    };
    let line = line_of(&options, &version("2024.1.1"), &["regex:.*@A/", "-odd"]);
    assert!(line.contains(" --nvtx --nvtx-include regex:.*@A/ --nvtx-include=-odd "), "{line}");
    assert!(
        line.contains(
            " --kernel-name-base demangled --kernel-name regex:.*conv.* --launch-skip 2 --launch-count 5 \
             --filter-mode per-gpu --devices 0,2 --force-overwrite --export run.ncu-rep ./app"
        ),
        "{line}"
    );
}

#[test]
fn what_an_ncu_lacks_is_refused_with_the_version_that_has_it() {
    let check =
        |options: NcuOptions, ncu: &str, expected: &str| assert_eq!(line(&options, ncu), expected);
    check(
        NcuOptions { range_filter: Some(":1:".into()), ..NcuOptions::default() },
        "2022.3",
        "ncu 2022.3.0 has no `--range-filter`; ncu 2024.1 and later have it",
    );
    check(
        NcuOptions { replay_mode: ReplayMode::AppRange, ..NcuOptions::default() },
        "2022.3",
        "ncu 2022.3.0 has no `--replay-mode app-range`; ncu 2024.1 and later have it",
    );
    check(
        NcuOptions { clock_control: ClockControl::Boost, ..NcuOptions::default() },
        "2025.4",
        "ncu 2025.4.0 has no `--clock-control boost`; it came with ncu 2026.1",
    );
    check(
        NcuOptions { report_format: ReportKind::Repz, ..NcuOptions::default() },
        "2026.2",
        "ncu 2026.2.0 has no `--export ncu-repz`; it came with ncu 2026.3",
    );
    check(
        NcuOptions { rename_kernels: Pinned(Some(true)), ..NcuOptions::default() },
        "2024.1.1",
        "ncu 2024.1.1 has no `--rename-kernels`; it came with ncu 2025.2",
    );
    check(
        NcuOptions {
            pipeline_boost_state: Pinned(Some(PipelineBoostState::Dynamic)),
            ..NcuOptions::default()
        },
        "2024.1.1",
        "ncu 2024.1.1 has no `--pipeline-boost-state`; ncu 2025.2 and later have it",
    );
    let scoped = NcuOptions { nvtx_push_pop_scope: Some("process"), ..NcuOptions::default() };
    assert!(line(&scoped, "2025.2").contains(" --nvtx-push-pop-scope process "));
    check(
        scoped,
        "2024.1.1",
        "ncu 2024.1.1 has no `--nvtx-push-pop-scope`; ncu 2025.2 and later have it",
    );
}

#[test]
fn the_help_of_an_ncu_counts_more_than_its_version() {
    let mut ncu = version("2023.2");
    let described = |text: &str| HelpOption {
        takes_value: true,
        description: text.into(),
        ..HelpOption::default()
    };
    ncu.options =
        ["target-processes", "replay-mode", "cache-control", "clock-control", "nvtx", "export"]
            .map(|name| (name.to_owned(), described("kernel app-range")))
            .into();
    let options = NcuOptions { replay_mode: ReplayMode::AppRange, ..NcuOptions::default() };
    assert!(line_of(&options, &ncu, &[]).contains("--replay-mode app-range"));
    ncu.options.remove("cache-control");
    assert_eq!(line_of(&options, &ncu, &[]), "ncu 2023.2.0 has no `--cache-control`");
    ncu.options = BTreeMap::new();
    assert_eq!(ncu.version, Version::new(2023, 2, 0));
    for option in NcuOptions::keys().iter().filter_map(|key| key.option) {
        let newer = option.newer_values.iter().map(|(_, since)| *since);
        let oldest = Version::new(2022, 3, 0);
        assert!(newer.chain(option.since).all(|since| since.version > oldest), "{option:?}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let with = |change: fn(&mut NcuOptions)| {
        let mut options = NcuOptions::default();
        change(&mut options);
        line(&options, "2026.3")
    };
    assert_eq!(
        with(|options| {
            options.replay_mode = ReplayMode::Range;
            options.graph_profiling = Some(GraphProfiling::Graph);
        }),
        "`graph_profiling=graph` cannot be combined with `replay_mode=range`"
    );
    assert_eq!(
        with(|options| options.range_replay_options = vec!["enable-greedy-sync"]),
        "`range_replay_options` needs `replay_mode=range`"
    );
    assert_eq!(with(|options| options.kill = Some(true)), "`kill` needs `launch_count`");
    assert!(with(|options| options.kill = Some(false)).contains(" --kill off "));
    assert_eq!(
        with(|options| options.app_replay_match = Some("grid")),
        "`app_replay_match` needs `replay_mode=application`"
    );
    assert_eq!(
        with(|options| {
            options.communicator = Some(Communicator::Shmem);
            options.communicator_tcp_port = Some(1);
        }),
        "`communicator_tcp_port` needs `communicator=tcp`"
    );
    assert_eq!(
        with(|options| options.source_folders = vec!["src".into()]),
        "`source_folders` needs `import_source=true`"
    );
    assert_eq!(
        with(|options| {
            options.communicator = Some(Communicator::None);
            options.lockstep_kernel_launch = true;
        }),
        "`lockstep_kernel_launch` needs `communicator`"
    );
    assert_eq!(
        with(|options| options.lockstep_nvtx_include = vec!["A".into()]),
        "`lockstep_nvtx_include` needs `lockstep_kernel_launch=true`"
    );
    assert_eq!(
        with(|options| options.range_filter = Some("no:1:2".into())),
        "`range_filter` needs `nvtx.include`"
    );
    assert_eq!(
        with(|options| options.lockstep_kernel_launch = true),
        "`lockstep_kernel_launch` needs `communicator`"
    );
    assert_eq!(
        with(|options| {
            options.communicator = Some(Communicator::Shmem);
            options.replay_mode = ReplayMode::Application;
        }),
        "`communicator=shmem` cannot be combined with `replay_mode=application`"
    );
}

#[test]
fn several_processes_and_call_stacks() {
    let options = NcuOptions {
        communicator: Some(Communicator::Tcp),
        communicator_tcp_num_peers: Some(8),
        communicator_tcp_port: Some(5000),
        lockstep_kernel_launch: true,
        lockstep_nvtx_include: vec!["regex:NCCL@.+/".into()],
        call_stack_type: vec!["native", "python"],
        import_sass: Some(false),
        ..NcuOptions::default()
    };
    let text = line(&options, "2026.1");
    assert!(
        text.contains(
            " --communicator tcp --communicator-tcp-num-peers 8 --communicator-tcp-port 5000 --lockstep-kernel-launch \
             --lockstep-nvtx-include regex:NCCL@.+/ --import-sass off --call-stack-type native --call-stack-type python "
        ),
        "{text}"
    );
    assert!(
        line(&options, "2025.4")
            .starts_with("ncu 2025.4.0 has no `--communicator`; it came with ncu 2026.1")
    );
}

#[test]
fn extra_arguments_are_looked_at() {
    let mut ncu = version("2024.1.1");
    let option = |short, takes_value| HelpOption { short, takes_value, description: String::new() };
    let known = [
        ("target-processes", None, true),
        ("replay-mode", None, true),
        ("cache-control", None, true),
        ("clock-control", None, true),
        ("nvtx", None, false),
        ("nvtx-include", None, true),
        ("export", Some('o'), true),
        ("kill", None, true),
        ("verbose", None, false),
    ];
    ncu.options = known.map(|(name, short, value)| (name.to_owned(), option(short, value))).into();
    let with = |extra: &[&str]| {
        let extra_args = extra.iter().map(|text| (*text).to_owned()).collect();
        line_of(&NcuOptions { extra_args, ..NcuOptions::default() }, &ncu, &[])
    };
    assert!(
        with(&["--kill", "yes", "--verbose"])
            .ends_with("--export run.ncu-rep --kill yes --verbose ./app --steps=3")
    );
    assert!(
        with(&["--nvtx-include=A/", "--kill=no"])
            .ends_with(" --nvtx-include=A/ --kill=no ./app --steps=3")
    );
    assert_eq!(
        with(&["--"]),
        "extra argument `--` is refused by ncu, which needs nothing before the program"
    );
    assert_eq!(
        with(&["stray"]),
        "extra argument `stray` is not an option, and ncu would take it for the program"
    );
    assert_eq!(
        with(&["--verbose", "yes"]),
        "extra argument `yes` is not an option, and ncu would take it for the program"
    );
    assert_eq!(
        with(&["-o", "x"]),
        "extra argument `-o` is already given by another key, and ncu takes it only once"
    );
    assert_eq!(with(&["--kill"]), "extra argument `--kill` lacks its value");
    assert_eq!(
        with(&["--kil", "x"]),
        "extra argument `--kil` is not an option of this ncu (options have to be written out)"
    );
}

#[test]
fn paths_and_programs_mean_what_they_are() {
    let ncu = version("2024.1.1");
    let build = |report: &str, program: &[&str]| {
        let program: Vec<OsString> = program.iter().map(OsString::from).collect();
        let target = CaptureTarget { report: Path::new(report), include: &[], exclude: &[] };
        build_ncu_cmd(&NcuOptions::default(), &ncu, &target, &program)
            .map(|command| {
                command.argv.iter().rev().nth(program.len()).unwrap().to_string_lossy().into_owned()
            })
            .map_err(|error| error.to_string())
    };
    assert_eq!(build("50%/r%p.ncu-rep", &["a"]).unwrap(), "50%%/r%%p.ncu-rep");
    assert_eq!(build("-r.ncu-rep", &["a", "-b"]).unwrap(), "./-r.ncu-rep");
    assert_eq!(build("r.ncu-rep", &[]).unwrap_err(), "no program was given");
    assert_eq!(
        build("r.ncu-rep", &["-x"]).unwrap_err(),
        "the program `-x` begins with a dash, and ncu would take it for an option"
    );
    assert_eq!(build("r.ncu-rep", &["a\0"]).unwrap_err(), "`a\0` contains a zero byte");
}

#[test]
fn ncu_may_be_started_by_several_words() {
    let mut ncu = version("2024.1.1");
    ncu.launcher = ["/usr/bin/rangescope", "simulate-ncu"].map(OsString::from).to_vec();
    let line = line_of(&NcuOptions::default(), &ncu, &[]);
    assert!(line.starts_with("/usr/bin/rangescope simulate-ncu --config-file off "), "{line}");
}

#[test]
fn arguments_that_are_no_text_stay_as_they_are() {
    use std::os::unix::ffi::OsStringExt;
    let odd = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let report = odd(b"r\xff%.ncu-rep");
    let target = CaptureTarget { report: Path::new(&report), include: &[], exclude: &[] };
    let program = [odd(b"./a\xfe"), odd(b"\xfd")];
    let command = build_ncu_cmd(&NcuOptions::default(), &version("2024.1.1"), &target, &program);
    let argv = command.unwrap().argv;
    assert_eq!(argv[argv.len() - 3..], [odd(b"r\xff%%.ncu-rep"), odd(b"./a\xfe"), odd(b"\xfd")]);
}
