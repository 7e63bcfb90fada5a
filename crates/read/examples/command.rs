//! Prints the command lines for an nsys as JSON: `command NSYS OUTPUT OPTIONS PROGRAM…`, where OPTIONS is a JSON object of options by their names.
//!
//! It is how the tests give real nsys exactly what we would run.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use rangescope_read::nsys::{
    CaptureRange, NsysError, NsysInfo, NsysOptions, export_argv, profile_argv, report_files,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [nsys, output, options, program @ ..] = arguments.as_slice() else {
        let _ = writeln!(std::io::stderr(), "usage: command NSYS OUTPUT OPTIONS PROGRAM...");
        return ExitCode::from(2);
    };
    let options = serde_json::from_str(&options.to_string_lossy()).unwrap_or_default();
    let answer = run(nsys, Path::new(output), &options, program)
        .unwrap_or_else(|error| json!({"error": error.to_string(), "hint": error.hint()}));
    let written = writeln!(std::io::stdout(), "{answer}");
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(
    nsys: &OsString,
    output: &Path,
    given: &Value,
    program: &[OsString],
) -> Result<Value, NsysError> {
    let info = NsysInfo::probe(std::slice::from_ref(nsys))?;
    let options = options(given);
    let sqlite = output.with_extension("sqlite");
    let report = report_files(&options, output);
    let lossy = |argv: Vec<OsString>| {
        argv.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    Ok(json!({
        "version": info.version.text,
        "traces": info.traces,
        "report": report,
        "profile": lossy(profile_argv(&options, &info, output, program)?),
        "export": report.map(|report| lossy(export_argv(&info, &report, &sqlite))),
    }))
}

fn options(given: &Value) -> NsysOptions {
    let text = |name: &str| given[name].as_str().map(str::to_owned);
    let list = |name: &str| {
        let items = given[name].as_array()?.iter();
        Some(items.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
    };
    let default = NsysOptions::default();
    NsysOptions {
        gating_nvtx: given["gating_nvtx"].as_bool().unwrap_or(default.gating_nvtx),
        trace: list("trace").unwrap_or(default.trace),
        sample: text("sample").unwrap_or(default.sample),
        cpuctxsw: text("cpuctxsw").unwrap_or(default.cpuctxsw),
        capture_range: match given["capture_range"].as_str() {
            Some("nvtx") => CaptureRange::Nvtx,
            Some("cudaProfilerApi") => CaptureRange::CudaProfilerApi,
            _ => CaptureRange::None,
        },
        capture_range_end: text("capture_range_end"),
        nvtx_capture: text("nvtx_capture"),
        nvtx_domain_include: list("nvtx_domain_include").unwrap_or_default(),
        nvtx_domain_exclude: list("nvtx_domain_exclude").unwrap_or_default(),
        force_overwrite: given["force_overwrite"].as_bool().unwrap_or(default.force_overwrite),
        extra_args: list("extra_args").unwrap_or_default(),
    }
}
