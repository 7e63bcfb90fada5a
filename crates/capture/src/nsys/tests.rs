//! Command lines of nsys, and what is refused.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use rangescope_config::settings::{CaptureRange, Nsys};

use super::probe::{self, NsysInfo};
use super::{NsysCommandError, export_argv, profile_argv, report_files};

const HELP: &str = "\n\t-s, --sample=\n\n\t   Possible values are 'process-tree' or 'none'.\n\n\t-t, --trace=\n\n\t   Possible values are 'cuda', 'nvtx', \n\t   'osrt' or 'none'.\n\t   If '<api>-annotations' is selected, more.\n";

fn info() -> NsysInfo {
    let version = probe::version("NVIDIA Nsight Systems version 2023.4.4.54-2344v0\n").unwrap();
    NsysInfo { launcher: vec!["nsys".into()], version, traces: probe::traces(HELP) }
}

/// The default preset.
fn options() -> Nsys {
    Nsys {
        gating_nvtx: true,
        trace: words(&["cuda", "nvtx", "osrt"]),
        force_overwrite: true,
        ..Nsys::default()
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The command line as one text, or the error and its hint.
fn line(options: &Nsys) -> String {
    match profile_argv(options, &info(), Path::new("out/run"), &["./a b".into(), "-x".into()]) {
        Ok(argv) => {
            let argv: Vec<_> = argv.iter().map(|arg| arg.display().to_string()).collect();
            argv.join(" ")
        }
        Err(error) => format!("{error} ({})", error.hint()),
    }
}

fn with(change: impl FnOnce(&mut Nsys)) -> String {
    let mut options = options();
    change(&mut options);
    line(&options)
}

#[test]
fn versions_and_help_are_understood() {
    let info = info();
    assert_eq!(info.version, "2023.4.4.54-2344v0");
    assert_eq!(info.traces, ["cuda", "nvtx", "osrt", "none"]);
    assert_eq!(probe::version("NVIDIA (R) Nsight Compute version 2023.4"), None);
    assert!(probe::version("Nsight Systems version x.y").is_none());
    assert!(probe::traces("no such option").is_empty());
}

#[test]
fn an_nsys_that_does_not_answer_is_not_waited_for() {
    let launcher = ["sh", "-c", "sleep 60"].map(OsString::from);
    let error = NsysInfo::probe_within(&launcher, Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.to_string(), "cannot run `sh -c 'sleep 60'`: it does not answer `--version`");
    let failing = ["sh", "-c", "echo broken >&2; exit 3"].map(OsString::from);
    let error = NsysInfo::probe(&failing).unwrap_err().to_string();
    assert!(error.ends_with(": exit code 3: broken"), "{error}");
    let other = ["sh", "-c", "echo GNU"].map(OsString::from);
    let error = NsysInfo::probe(&other).unwrap_err().to_string();
    assert!(error.ends_with("it is not nsys, it says \"GNU\""), "{error}");
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
        ("nsys has no option `--`", with(|o| o.extra_args = words(&["--"]))),
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
    let argv = profile_argv(&options(), &info(), Path::new("a%p b"), &program).unwrap();
    assert!(argv.contains(&"--output=a%%p b".into()));
    for program in [vec![], vec!["-x".into()], vec!["".into()]] {
        let error = profile_argv(&options(), &info(), Path::new("a"), &program);
        assert!(matches!(error, Err(NsysCommandError::Program { .. })));
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
    let mut options = Nsys { nvtx_capture: Some("A".to_owned()), ..options() };
    assert_eq!(report_files(&options, Path::new("x/run.a")), Some("x/run.a.nsys-rep".into()));
    options.capture_range_end = Some("repeat:2".to_owned());
    assert_eq!(report_files(&options, Path::new("x/run")), None);
}
