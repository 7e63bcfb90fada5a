use super::*;

const HELP: &str = "\n\t-s, --sample=\n\n\t   Possible values are 'process-tree' or 'none'.\n\n\t-t, --trace=\n\n\t   Possible values are 'cuda', 'nvtx', \n\t   'osrt' or 'none'.\n\t   If '<api>-annotations' is selected, more.\n";

fn info() -> NsysInfo {
    let version = NsysVersion::parse("NVIDIA Nsight Systems version 2023.4.4.54-2344v0\n").unwrap();
    NsysInfo { launcher: vec!["nsys".into()], version, traces: probe::traces(HELP) }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The command line as one text, or the error and its hint.
fn line(options: &NsysOptions) -> String {
    match profile_argv(options, &info(), Path::new("out/run"), &["./a b".into(), "-x".into()]) {
        Ok(argv) => {
            let argv: Vec<_> = argv.iter().map(|arg| arg.display().to_string()).collect();
            argv.join(" ")
        }
        Err(error) => format!("{error} ({})", error.hint().unwrap()),
    }
}

fn with(change: impl FnOnce(&mut NsysOptions)) -> String {
    let mut options = NsysOptions::default();
    change(&mut options);
    line(&options)
}

#[test]
fn versions_and_help_are_understood() {
    let info = info();
    assert_eq!(info.version.release, (2023, 4));
    assert_eq!(info.version.to_string(), "2023.4.4.54-2344v0");
    assert_eq!(info.traces, ["cuda", "nvtx", "osrt", "none"]);
    assert_eq!(NsysVersion::parse("NVIDIA (R) Nsight Compute version 2023.4"), None);
    assert!(NsysVersion::parse("Nsight Systems version x.y").is_none());
    assert!(traces_of("no such option").is_empty());
}

fn traces_of(help: &str) -> Vec<String> {
    probe::traces(help)
}

#[test]
fn everything_that_matters_is_pinned() {
    assert_eq!(
        with(|_| ()),
        "nsys profile --trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none --force-overwrite=true --output=out/run ./a b -x"
    );
    assert!(with(|options| options.trace.clear()).contains("--trace=none "));
}

#[test]
fn a_gate_matches_every_message_and_leaves_the_program_alive() {
    let gated = with(|options| {
        options.nvtx_capture = Some("A@*".to_owned());
        options.extra_args = words(&["-e", "X=1", "--env-var=Y=2", "--wait=primary"]);
    });
    assert!(gated.ends_with(
        "--capture-range=nvtx --nvtx-capture=A@* --capture-range-end=stop --env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0,X=1,Y=2 --wait=primary ./a b -x"
    ), "{gated}");
    let own = with(|options| {
        options.nvtx_capture = Some("A".to_owned());
        options.extra_args = words(&["--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=1"]);
        options.capture_range_end = Some("repeat:3".to_owned());
    });
    assert!(own.contains("--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=1 "), "{own}");
    assert!(own.contains("--capture-range-end=repeat:3"));
    let open = with(|options| {
        options.gating_nvtx = false;
        options.capture_range = CaptureRange::Nvtx;
        options.nvtx_capture = Some("A".to_owned());
        options.capture_range_end = Some("stop".to_owned());
    });
    assert_eq!(open, with(|_| ()));
    let by_call = with(|options| options.capture_range = CaptureRange::CudaProfilerApi);
    assert!(by_call.contains("--capture-range=cudaProfilerApi --capture-range-end=stop "));
}

#[test]
fn what_nsys_would_refuse_is_refused_with_a_hint() {
    let cases: Vec<(&str, String)> = vec![
        ("`foo` to trace (nsys 2023.4", with(|o| o.trace = words(&["foo"]))),
        ("` cuda` to trace", with(|o| o.trace = words(&["nvtx", " cuda"]))),
        ("`sample`: there is no `cpu`", with(|o| o.sample = "cpu".to_owned())),
        ("`cpuctxsw`: there is no `x`", with(|o| o.cpuctxsw = "x".to_owned())),
        ("set `nvtx_capture`", with(|o| o.capture_range = CaptureRange::Nvtx)),
        ("the range has no name", with(|o| o.nvtx_capture = Some("@*".to_owned()))),
        ("no range whose end", with(|o| o.capture_range_end = Some("stop".to_owned()))),
        (
            "there is no `repeat:0`",
            with(|o| {
                o.nvtx_capture = Some("A".to_owned());
                o.capture_range_end = Some("repeat:0".to_owned());
            }),
        ),
        (
            "there is no `repeat-shutdown`",
            with(|o| {
                o.nvtx_capture = Some("A".to_owned());
                o.capture_range_end = Some("repeat-shutdown".to_owned());
            }),
        ),
        (
            "bound to cudaProfilerStart",
            with(|o| {
                o.nvtx_capture = Some("A".to_owned());
                o.capture_range = CaptureRange::CudaProfilerApi;
            }),
        ),
        (
            "at the same time",
            with(|o| {
                o.nvtx_domain_include = words(&["a"]);
                o.nvtx_domain_exclude = words(&["b"]);
            }),
        ),
        ("set `sample` instead", with(|o| o.extra_args = words(&["--sample=none"]))),
        ("set `trace` instead", with(|o| o.extra_args = words(&["-tcuda"]))),
        ("`-e` has no value", with(|o| o.extra_args = words(&["-e"]))),
        ("`--` is no option", with(|o| o.extra_args = words(&["--"]))),
    ];
    for (expected, line) in cases {
        assert!(line.contains(expected), "{expected}: {line}");
    }
}

#[test]
fn names_are_passed_as_they_are() {
    let domains = with(|options| options.nvtx_domain_include = words(&["default", "a,b"]));
    assert!(domains.contains("--nvtx-domain-include=default,a\\,b "));
    let program: Vec<OsString> = vec!["p".into()];
    let argv =
        profile_argv(&NsysOptions::default(), &info(), Path::new("a%p b"), &program).unwrap();
    assert!(argv.contains(&"--output=a%%p b".into()));
    for program in [vec![], vec!["-x".into()], vec!["".into()]] {
        let error = profile_argv(&NsysOptions::default(), &info(), Path::new("a"), &program);
        assert!(matches!(error, Err(NsysError::Program { .. })));
    }
    let export = export_argv(&info(), Path::new("-a%.nsys-rep"), Path::new("b%.sqlite"));
    let export: Vec<_> = export.iter().map(|arg| arg.display().to_string()).collect();
    assert_eq!(
        export.join(" "),
        "nsys export --quiet=true --force-overwrite=true --type=sqlite --lazy=true --output=b%.sqlite ./-a%.nsys-rep"
    );
}

#[test]
fn several_reports_have_no_single_name() {
    let mut options = NsysOptions { nvtx_capture: Some("A".to_owned()), ..NsysOptions::default() };
    assert_eq!(report_files(&options, Path::new("x/run.a")), Some("x/run.a.nsys-rep".into()));
    options.capture_range_end = Some("repeat:2".to_owned());
    assert_eq!(report_files(&options, Path::new("x/run")), None);
}
