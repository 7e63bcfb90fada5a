//! Runs of the real ncu without a GPU: that its kernel filter means the same, and what runs that profile nothing look like.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::real::{plan_of, real_ncus, texts};
use ncu_rep::write::ReportWriter;
use ncu_rep::{Metric, Process, ResultData, Value};
use rangescope_capture::child::{ChildSpec, End, Stdin, quick, run as run_child};
use rangescope_capture::diagnose::{Code, Facts, diagnose};
use rangescope_capture::execute::{CaptureStatus, ExecuteOptions, execute};
use rangescope_capture::ncu::{NcuInfo, kernel_filter};
use rangescope_config::settings::NcuOptions;

const KERNELS: [&str; 8] =
    ["gemm", "sgemm_128", "memcpy_kernel", "conv<int>", "memset", "a.b", "conv2d_s8", "größe"];

fn write_kernels(path: &Path) {
    let mut writer = ReportWriter::new(fs_err::File::create(path).unwrap()).unwrap();
    for (number, name) in KERNELS.iter().enumerate() {
        let result = ResultData {
            process: Process {
                pid: Some(7),
                host: "localhost".into(),
                executable: "/bin/prog".into(),
            },
            api_call: number as u64,
            function: (*name).into(),
            demangled: (*name).into(),
            mangled: (*name).into(),
            grid: Some([1, 1, 1]),
            block: Some([1, 1, 1]),
            metrics: vec![Metric {
                name: "gpu__time_duration.sum".into(),
                value: Some(Value::F64(1.0)),
                instances: Vec::new(),
            }],
            ..ResultData::default()
        };
        writer.result(&result).unwrap();
    }
    writer.finish().unwrap();
}

/// What a pattern means, said independently of the code that is tested.
fn matches(pattern: &str, name: &str) -> bool {
    let whole = |expression: String| {
        regex::Regex::new(&format!("(?s)^(?:{expression})$")).unwrap().is_match(name)
    };
    if let Some(expression) = pattern.strip_prefix("regex:") {
        regex::Regex::new(expression).unwrap().is_match(name)
    } else if let Some(wildcards) = pattern.strip_prefix("glob:") {
        whole(regex::escape(wildcards).replace(r"\*", ".*").replace(r"\?", "."))
    } else {
        pattern == name
    }
}

#[test]
fn kernel_filters_mean_the_same_to_ncu() {
    let lists: [(&[&str], &[&str]); 13] = [
        (&["gemm"], &[]),
        (&["gemm", "memset"], &[]),
        (&["glob:*gemm*"], &[]),
        (&["glob:?emm", "glob:gr??e", "glob:a.?"], &[]),
        (&["regex:gemm", "a.b"], &[]),
        (&["regex:^conv"], &["regex:s8$"]),
        (&[], &["regex:memcpy.*", "regex:memset.*"]),
        (&[], &["gemm", "glob:conv*"]),
        (&["regex:m"], &["glob:mem*", "sgemm_128"]),
        (&["regex:[a-c]\\.b|<int>"], &[]),
        (&["regex:gr.{2}e"], &["regex:^x{0,3}y"]),
        (&["conv<int>"], &["nothing"]),
        (&[], &["regex:^.*$"]),
    ];
    let row = regex::Regex::new(r#"(?m)^"([0-9]+)","7","prog""#).unwrap();
    for ncu in real_ncus("kernel filters") {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("kernels.ncu-rep");
        write_kernels(&report);
        for (include, exclude) in lists {
            let options = NcuOptions {
                kernel_include: texts(include),
                kernel_exclude: texts(exclude),
                ..NcuOptions::default()
            };
            let filter = kernel_filter(&options).unwrap();
            assert!(filter.filters.after.is_empty(), "{filter:?}");
            let value = filter.value.unwrap();
            let mut argv = ncu.launcher.clone();
            argv.extend(["--import".into(), report.clone().into_os_string()]);
            argv.extend(
                ["--csv", "--page", "raw", "--kernel-name-base", "demangled", "-k", &value]
                    .map(OsString::from),
            );
            let answer = quick(argv, Vec::new(), Duration::from_secs(60)).unwrap();
            let taken: Vec<usize> =
                row.captures_iter(&answer.stdout).map(|found| found[1].parse().unwrap()).collect();
            let any = |patterns: &[&str], name: &str| {
                patterns.iter().any(|pattern| matches(pattern, name))
            };
            let wanted: Vec<usize> = (0..KERNELS.len())
                .filter(|number| include.is_empty() || any(include, KERNELS[*number]))
                .filter(|number| !any(exclude, KERNELS[*number]))
                .collect();
            assert_eq!(taken, wanted, "{include:?} but not {exclude:?}: {value}");
        }
    }
}

#[test]
fn a_program_without_cuda_is_diagnosed() {
    for ncu in real_ncus("a run without CUDA") {
        let folder = tempfile::tempdir().unwrap();
        let options = NcuOptions { nvtx_include: texts(&["decode*"]), ..NcuOptions::default() };
        let plan = plan_of(
            &options,
            &ncu,
            &folder.path().join("ncu"),
            &["sh", "-c", "echo working; exit 0"],
        );
        let how = ExecuteOptions {
            child: ChildSpec { stdin: Stdin::Null, ..ChildSpec::default() },
            ..ExecuteOptions::default()
        };
        let run = execute(&plan.captures, &how, &mut run_child, &mut |_| {}).unwrap();
        let capture = &run.captures[0];
        assert_eq!(capture.status, CaptureStatus::NothingProfiled, "{}", capture.log);
        assert!(
            capture.log.contains("working") && capture.log.contains("No kernels were profiled")
        );
        assert_eq!(
            code_of(&options, &ncu, capture.outcome.as_ref().unwrap().end, &capture.log),
            Code::NoCuda
        );
    }
}

#[test]
fn other_failures_are_diagnosed() {
    for ncu in real_ncus("failing runs") {
        let folder = tempfile::tempdir().unwrap();
        let options = NcuOptions::default();
        let run = |program: &[&str]| {
            let plan = plan_of(&options, &ncu, folder.path(), program);
            let answer =
                quick(plan.captures[0].argv.clone(), Vec::new(), Duration::from_secs(60)).unwrap();
            let log = format!("{}{}", answer.stdout, answer.stderr);
            (code_of(&options, &ncu, answer.outcome.end, &log), answer.outcome.end)
        };
        assert_eq!(run(&["sh", "-c", "exit 7"]), (Code::ProgramFailed, End::Exited(7)));
        assert_eq!(run(&["/nonexistent/program"]).0, Code::ProgramNotFound);
        fs_err::write(folder.path().join("kernel.partial.ncu-rep"), "").unwrap();
        assert_eq!(run(&["/bin/true"]).0, Code::ReportExists);
    }
}

fn code_of(options: &NcuOptions, ncu: &NcuInfo, end: End, log: &str) -> Code {
    let selectors = rangescope_model::select::RegionSelector::parse(&options.nvtx_include).unwrap();
    let found = diagnose(&Facts {
        end,
        timed_out: None,
        log,
        has_report: false,
        replay_mode: options.replay_mode,
        target_processes: options.target_processes,
        selectors: &selectors,
        ranges: None,
        main_process: None,
        kernel_filters: &[],
        ncu: Some(ncu.version),
    });
    found[0].code
}
