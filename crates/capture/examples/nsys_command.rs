//! Prints the command lines for an nsys as JSON: `nsys_command NSYS OUTPUT OPTIONS PROGRAM…`, where OPTIONS is a JSON object of keys below `pipeline.nsys`.
//!
//! It is how the tests give real nsys exactly what we would run.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use rangescope_capture::nsys::{NsysInfo, export_argv, profile_argv, report_files};
use rangescope_config::settings::Nsys;
use rangescope_config::{CONFIG_NAME, Context, OverrideArg, Settings, Tree, compose, quoted};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [nsys, output, options, program @ ..] = arguments.as_slice() else {
        let _ = writeln!(std::io::stderr(), "usage: nsys_command NSYS OUTPUT OPTIONS PROGRAM...");
        return ExitCode::from(2);
    };
    let options = serde_json::from_str(&options.to_string_lossy()).unwrap_or_default();
    let answer = run(nsys, Path::new(output), &options, program)
        .unwrap_or_else(|error| json!({"error": error.to_string()}));
    let written = writeln!(std::io::stdout(), "{answer}");
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(
    nsys: &OsString,
    output: &Path,
    given: &Value,
    program: &[OsString],
) -> Result<Value, Box<dyn Error>> {
    let info = NsysInfo::probe(std::slice::from_ref(nsys))?;
    let options = options(given)?;
    let sqlite = output.with_extension("sqlite");
    let report = report_files(&options, output);
    let lossy = |argv: Vec<OsString>| {
        argv.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    Ok(json!({
        "version": info.version,
        "traces": info.traces,
        "report": report,
        "profile": lossy(profile_argv(&options, &info, output, program)?),
        "export": report.map(|report| lossy(export_argv(&info, &report, &sqlite))),
    }))
}

/// The settings with these keys set, as a user would set them.
fn options(given: &Value) -> Result<Nsys, Box<dyn Error>> {
    let written = |value: &Value| match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| quoted(item.as_str().unwrap_or_default())).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    };
    let overrides: Vec<String> = given
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("pipeline.nsys.{name}={}", written(value)))
        .collect();
    let overrides = OverrideArg::list(overrides.iter().map(String::as_str));
    let context = Context { env: &|_| None, now: jiff::civil::DateTime::MIN, cwd: String::new() };
    let composed = compose(&Tree::embedded(), CONFIG_NAME, &overrides, &context)?;
    Ok(Settings::new(&composed, &context)?.nsys)
}
