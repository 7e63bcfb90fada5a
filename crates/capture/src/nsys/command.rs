//! The command lines of nsys. Pure: they are made, not run.
//!
//! nsys trusts what it is given: a range that never opens, a wrong domain or a missing output folder end with exit code 0 and no report, or with one
//! elsewhere. What can be seen beforehand is an error here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rangescope_config::settings::{CaptureRange, Nsys, Written};
use rangescope_model::words::Word;

use super::{NsysCommandError, NsysInfo, extra};
use crate::files::NSYS_REPORT;
use crate::shell::{operand, without_macros};

/// Without this in the program's environment, nsys looks only at registered messages for its capture range.
const MATCH_ALL_MESSAGES: (&str, &str) = ("NSYS_NVTX_PROFILER_REGISTER_ONLY", "0");
const CAPTURE_ENDS: &str = "none, stop, stop-shutdown, repeat, repeat:N, repeat-shutdown:N";

/// The event that starts the recording.
enum Gate<'a> {
    Open,
    Nvtx(&'a str),
    CudaProfilerApi,
}

impl<'a> Gate<'a> {
    fn range(&self) -> Option<CaptureRange> {
        match self {
            Self::Open => None,
            Self::Nvtx(_) => Some(CaptureRange::Nvtx),
            Self::CudaProfilerApi => Some(CaptureRange::CudaProfilerApi),
        }
    }

    fn message(&self) -> Option<&'a str> {
        match self {
            Self::Nvtx(message) => Some(message),
            _ => None,
        }
    }
}

/// nsys adds `.nsys-rep` to `output`.
pub fn profile_argv(
    options: &Nsys,
    info: &NsysInfo,
    output: &Path,
    program: &[OsString],
) -> Result<Vec<OsString>, NsysCommandError> {
    check_program(program)?;
    let gate = gate(options)?;
    let domains = domains(options)?;
    let mut given: Vec<(&'static str, OsString)> = Vec::new();
    for (key, value) in options.written() {
        let Some(option) = &key.option else { continue };
        let value = match option.name {
            "trace" => Some(trace(options, info)?),
            "capture-range" => gate.range().map(|range| range.as_str().to_owned()),
            "nvtx-capture" => gate.message().map(str::to_owned),
            "capture-range-end" if gate.range().is_some() => {
                Some(capture_range_end(options)?.to_owned())
            }
            "capture-range-end" => None,
            "nvtx-domain-include" | "nvtx-domain-exclude" => domains
                .as_ref()
                .filter(|(name, _)| *name == option.name)
                .map(|(_, text)| text.clone()),
            _ => match value {
                Written::Nothing => None,
                Written::Switch(on) => Some(on.to_string()),
                Written::Values(values) => Some(values.join(",")),
                Written::Usual(value) => Some(value),
            },
        };
        given.extend(value.map(|value| (option.name, value.into())));
        if option.name == "force-overwrite" {
            given.push(("output", without_macros(output.as_os_str())));
        }
    }
    let (extra, mut variables) = extra::take_variables(&options.extra_args)?;
    let (name, value) = MATCH_ALL_MESSAGES;
    let is_set = variables.iter().any(|variable| variable.split('=').next() == Some(name));
    if gate.message().is_some() && !is_set {
        variables.insert(0, format!("{name}={value}"));
    }
    // nsys takes this option once.
    if !variables.is_empty() {
        given.push(("env-var", variables.join(",").into()));
    }
    extra::check(&extra, &given)?;

    let mut argv = info.launcher.clone();
    argv.push("profile".into());
    argv.extend(given.into_iter().map(|(name, value)| option(name, &value)));
    argv.extend(extra.into_iter().map(OsString::from));
    argv.extend_from_slice(program);
    Ok(argv)
}

/// The word that names the report of a recording, of a path that ends as nsys would end it.
pub(crate) fn output_option(report: &Path) -> Option<OsString> {
    let is_nsys = report.extension().is_some_and(|extension| extension == NSYS_REPORT);
    is_nsys.then(|| option("output", &without_macros(report.with_extension("").as_os_str())))
}

/// Replaces the SQLite file if it exists.
pub fn export_argv(info: &NsysInfo, report: &Path, sqlite: &Path) -> Vec<OsString> {
    let mut argv = info.launcher.clone();
    argv.push("export".into());
    argv.extend([
        option("quiet", OsStr::new("true")),
        option("force-overwrite", OsStr::new("true")),
        option("type", OsStr::new("sqlite")),
        // Leaves empty tables out; nsys announces that its default will change.
        option("lazy", OsStr::new("true")),
        option("output", sqlite.as_os_str()),
        operand(report),
    ]);
    argv
}

/// The report that [`profile_argv`] makes; `None` if it may make several, called `OUTPUT.1.nsys-rep` and so on.
pub fn report_files(options: &Nsys, output: &Path) -> Option<PathBuf> {
    let is_gated = gate(options).is_ok_and(|gate| gate.range().is_some());
    let repeats = |end: &String| end.starts_with("repeat");
    if is_gated && options.capture_range_end.as_ref().is_some_and(repeats) {
        return None;
    }
    let mut report = output.as_os_str().to_owned();
    report.push(".");
    report.push(NSYS_REPORT);
    Some(report.into())
}

fn option(name: &str, value: &OsStr) -> OsString {
    let mut option = OsString::from(format!("--{name}="));
    option.push(value);
    option
}

fn check_program(program: &[OsString]) -> Result<(), NsysCommandError> {
    let problem = match program.first() {
        None => "without a program".to_owned(),
        Some(name) if name.is_empty() => "a program without a name".to_owned(),
        Some(name) if name.as_bytes().starts_with(b"-") => {
            format!("`{}`: it looks like an option", name.display())
        }
        Some(_) => return Ok(()),
    };
    Err(NsysCommandError::Program { problem })
}

fn trace(options: &Nsys, info: &NsysInfo) -> Result<String, NsysCommandError> {
    for name in &options.trace {
        let is_word =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_known = info.traces.is_empty() || info.traces.contains(name);
        if name.is_empty() || !is_word || !is_known {
            let hint = if info.traces.is_empty() {
                "`nsys profile --help` lists what can be traced".to_owned()
            } else {
                format!("nsys {} traces {}", info.version, info.traces.join(", "))
            };
            return Err(NsysCommandError::option(
                "trace",
                format!("there is no `{name}` to trace"),
                hint,
            ));
        }
    }
    // nsys takes an empty list for its default.
    Ok(if options.trace.is_empty() { "none".to_owned() } else { options.trace.join(",") })
}

fn gate(options: &Nsys) -> Result<Gate<'_>, NsysCommandError> {
    let range = options.nvtx_capture.as_deref();
    if range.is_some_and(|range| range.is_empty() || range.starts_with('@')) {
        return Err(NsysCommandError::option(
            "nvtx_capture",
            "the range has no name",
            "write range, range@domain or range@*",
        ));
    }
    match (options.capture_range, range) {
        (CaptureRange::CudaProfilerApi, Some(_)) if options.gating_nvtx => {
            Err(NsysCommandError::option(
                "nvtx_capture",
                "the recording is bound to cudaProfilerStart and not to a range",
                "set `capture_range` to nvtx, or leave `nvtx_capture` out",
            ))
        }
        (CaptureRange::CudaProfilerApi, _) => Ok(Gate::CudaProfilerApi),
        (_, Some(range)) if options.gating_nvtx => Ok(Gate::Nvtx(range)),
        (CaptureRange::Nvtx, None) if options.gating_nvtx => Err(NsysCommandError::option(
            "capture_range",
            "the recording would wait for a range that has no name",
            "set `nvtx_capture` to the range that starts the recording, for example prefill@*",
        )),
        (CaptureRange::None, None) if options.capture_range_end.is_some() => {
            Err(NsysCommandError::option(
                "capture_range_end",
                "there is no range whose end it could wait for",
                "set `nvtx_capture`, or leave `capture_range_end` out",
            ))
        }
        _ => Ok(Gate::Open),
    }
}

fn capture_range_end(options: &Nsys) -> Result<&str, NsysCommandError> {
    // The default of nsys ends the program together with the recording.
    let end = options.capture_range_end.as_deref().unwrap_or("stop");
    let is_count = |text: &str| text.parse::<u32>().is_ok_and(|count| count > 0);
    let is_known = match end.split_once(':') {
        None => ["none", "stop", "stop-shutdown", "repeat"].contains(&end),
        Some(("repeat" | "repeat-shutdown", count)) => is_count(count),
        Some(_) => false,
    };
    if is_known {
        return Ok(end);
    }
    let hint = format!("choose one of {CAPTURE_ENDS}, where N is 1 or more");
    Err(NsysCommandError::option("capture_range_end", format!("there is no `{end}`"), hint))
}

fn domains(options: &Nsys) -> Result<Option<(&'static str, String)>, NsysCommandError> {
    let (include, exclude) = (&options.nvtx_domain_include, &options.nvtx_domain_exclude);
    let (field, name, domains) = match (include.is_empty(), exclude.is_empty()) {
        (true, true) => return Ok(None),
        (false, true) => ("nvtx_domain_include", "nvtx-domain-include", include),
        (true, false) => ("nvtx_domain_exclude", "nvtx-domain-exclude", exclude),
        (false, false) => {
            return Err(NsysCommandError::option(
                "nvtx_domain_exclude",
                "domains cannot be included and excluded at the same time",
                "keep one of `nvtx_domain_include` and `nvtx_domain_exclude`",
            ));
        }
    };
    if domains.iter().any(String::is_empty) {
        return Err(NsysCommandError::option(
            field,
            "a domain has no name",
            "the default domain is called default",
        ));
    }
    let escaped: Vec<String> = domains.iter().map(|domain| domain.replace(',', "\\,")).collect();
    Ok(Some((name, escaped.join(","))))
}
