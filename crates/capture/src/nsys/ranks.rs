//! A recording in which every rank of a launcher has an nsys of its own.

use std::ffi::OsString;
use std::path::Path;

use rangescope_config::settings::Nsys;
use rangescope_model::rank::file_prefix;

use super::{NsysCommandError, NsysInfo, output_option, profile_argv};
use crate::applied::AppliedFilters;
use crate::files::NSYS_REPORT;
use crate::plan::{Capture, Inside};

/// The capture of this name; `outside` is what one nsys around the launcher would be.
pub fn capture_of_ranks(
    name: &str,
    options: &Nsys,
    info: &NsysInfo,
    folder: &Path,
    inside: &Inside<'_>,
    outside: Vec<OsString>,
) -> Result<Capture, NsysCommandError> {
    let prefix = file_prefix(name);
    let [report, partial_report] =
        ["", "partial."].map(|part| folder.join(format!("{prefix}*.{part}{NSYS_REPORT}")));
    let output = partial_report.with_extension("");
    let words = profile_argv(options, info, &output, &inside.launch.program)?;
    let word = output_option(&partial_report);
    let report_at = words.iter().position(|own| Some(own) == word.as_ref()).unwrap_or(0);
    let (argv, ncu_at) = inside.wrap(folder, name, NSYS_REPORT, words, report_at);
    Ok(Capture {
        name: name.to_owned(),
        argv,
        launcher: info.launcher.len(),
        ncu_at,
        inside: true,
        outside_argv: outside,
        report,
        partial_report,
        regions: Vec::new(),
        filters: AppliedFilters::default(),
    })
}
