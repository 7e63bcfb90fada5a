//! What is written down about a capture that is over, so that a later run knows whether it has to be done again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CaptureStatus, ExecuteError, write};
use crate::child::{End, Outcome};
use crate::plan::{Capture, command_line};

const SCHEMA_VERSION: &str = "1.0";

/// Kept beside the report, for `--resume`.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    schema_version: &'static str,
    name: String,
    /// One text, so that arguments of any bytes compare.
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
            command_line: command_line(&capture.argv),
            status,
            begun_at: begun.to_string(),
            duration_s: outcome.duration.as_secs_f64(),
            exit_code,
            signal,
            timed_out: outcome.timed_out.is_some(),
            interrupted: outcome.interrupted.is_some(),
            report_bytes: size(&capture.report).filter(|_| status == CaptureStatus::Complete),
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
    pub(super) fn matches(capture: &Capture) -> bool {
        let Ok(text) = fs_err::read_to_string(Self::path(capture)) else { return false };
        let Ok(done) = serde_json::from_str::<Done>(&text) else { return false };
        done.status == "complete"
            && done.command_line == command_line(&capture.argv)
            && done.report_bytes.is_some()
            && done.report_bytes == size(&capture.report)
    }
}

fn size(path: &Path) -> Option<u64> {
    fs_err::metadata(path).ok().map(|found| found.len())
}
