//! What is written down about a capture that is over, so that a later run knows whether it has to be done again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rangescope_config::Secrets;
use serde::{Deserialize, Serialize};

use super::ranks::reports_of;
use super::{CaptureStatus, ExecuteError, write};
use crate::child::{End, Outcome};
use crate::plan::{Capture, command_line};
use crate::shell::{operand, without_macros};

const SCHEMA_VERSION: &str = "1.1";

/// What makes a capture the same one wherever the run folder, ncu and this program lie: the options and the program, the report by its name alone, and secrets masked.
/// One text, so that arguments of any bytes compare.
fn what_matters(capture: &Capture, secrets: &Secrets) -> String {
    let report = without_macros(&operand(&capture.partial_report));
    let folder = capture.report.parent().filter(|_| capture.inside);
    let own = std::env::current_exe().unwrap_or_default();
    let mut words = capture.argv.clone();
    words.drain(capture.ncu_at..words.len().min(capture.ncu_at + capture.launcher));
    let words: Vec<OsString> = secrets
        .mask_arguments(&words)
        .into_iter()
        .map(|word| match &word {
            word if *word == report => {
                capture.partial_report.file_name().unwrap_or_default().into()
            }
            word if *word == own => "rangescope".into(),
            word if folder.is_some_and(|folder| folder == word) => ".".into(),
            _ => word,
        })
        .collect();
    command_line(&words)
}

/// Kept beside the report, for `--resume`.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    schema_version: &'static str,
    name: String,
    /// See [`what_matters`].
    command_line: String,
    status: CaptureStatus,
    begun_at: String,
    duration_s: f64,
    exit_code: Option<i32>,
    signal: Option<i32>,
    timed_out: bool,
    interrupted: bool,
    report_bytes: Option<u64>,
}

/// All that has to agree for a capture to count as done.
#[derive(Debug, Deserialize)]
struct Done {
    command_line: String,
    status: String,
    report_bytes: Option<u64>,
}

impl Record {
    pub(super) fn new(
        capture: &Capture,
        secrets: &Secrets,
        status: CaptureStatus,
        outcome: &Outcome,
        begun: jiff::Timestamp,
    ) -> Self {
        let (exit_code, signal) = match outcome.end {
            End::Exited(code) => (Some(code), None),
            End::Signalled(signal) => (None, Some(signal)),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            name: capture.name.clone(),
            command_line: what_matters(capture, secrets),
            status,
            begun_at: begun.to_string(),
            duration_s: outcome.duration.as_secs_f64(),
            exit_code,
            signal,
            timed_out: outcome.timed_out.is_some(),
            interrupted: outcome.interrupted.is_some(),
            report_bytes: size(capture).filter(|_| status == CaptureStatus::Complete),
        }
    }

    pub(super) fn path(capture: &Capture) -> PathBuf {
        capture.report.with_file_name(format!("{}.capture.json", capture.name))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), ExecuteError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| ExecuteError::Write { path: path.to_owned(), cause: error.into() })?;
        write(path, format!("{text}\n").as_bytes())
    }

    /// The capture is complete and would be run in just the same way.
    pub(super) fn matches(capture: &Capture, secrets: &Secrets) -> bool {
        let text = ncu_rep::file::read_text(&Self::path(capture), ncu_rep::limits::SMALL_FILE);
        let Ok(text) = text else { return false };
        let Ok(done) = serde_json::from_str::<Done>(&text) else { return false };
        done.status == "complete"
            && done.command_line == what_matters(capture, secrets)
            && done.report_bytes.is_some()
            && done.report_bytes == size(capture)
    }
}

/// Of all reports of a capture together; `None` if there is none.
fn size(capture: &Capture) -> Option<u64> {
    let reports = reports_of(capture);
    let size = |path: &PathBuf| fs_err::metadata(path).map_or(0, |found| found.len());
    (!reports.is_empty()).then(|| reports.iter().map(size).sum())
}
