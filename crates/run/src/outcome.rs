//! How a run came out.

use rangescope_capture::diagnose::{Code, Diagnosis};
use rangescope_capture::execute::{CaptureResult, CaptureStatus};
use rangescope_model::document::RegionDocument;
use serde::{Deserialize, Serialize};

use crate::{NsysOutcome, RunError};

/// Decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Something was profiled and can be reported.
    Well,
    /// Everything ended well and nothing was profiled.
    NothingProfiled,
    ProgramFailed,
    ProfilerFailed,
    /// A report was written and cannot be read.
    Unreadable,
    /// Everything was captured, and the reports cannot be written.
    NotWritten,
    Interrupted,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaptureDiagnosis {
    pub capture: String,
    pub status: CaptureStatus,
    /// The likeliest first.
    pub diagnoses: Vec<Diagnosis>,
}

#[derive(Debug)]
pub struct RunOutcome {
    pub end: RunEnd,
    pub nsys: Option<NsysOutcome>,
    pub captures: Vec<CaptureResult>,
    pub diagnoses: Vec<CaptureDiagnosis>,
    /// The report; absent if it cannot be made.
    pub document: Option<RegionDocument>,
    /// Why it cannot be made.
    pub report_problem: Option<RunError>,
}

impl RunOutcome {
    pub fn first_diagnosis(&self) -> Option<&Diagnosis> {
        self.diagnoses.iter().flat_map(|capture| &capture.diagnoses).next()
    }
}

/// The end of a run that nobody interrupted, from all its captures.
pub(crate) fn end_of(captures: &[CaptureResult], diagnoses: &[CaptureDiagnosis]) -> RunEnd {
    let any = |status: CaptureStatus| captures.iter().any(|capture| capture.status == status);
    let codes = || diagnoses.iter().filter_map(|capture| capture.diagnoses.first());
    let is_program = |code: Code| matches!(code, Code::ProgramFailed | Code::ProgramNotFound);
    if any(CaptureStatus::Failed) || any(CaptureStatus::TimedOut) {
        let by_program = codes().any(|diagnosis| is_program(diagnosis.code));
        return if by_program { RunEnd::ProgramFailed } else { RunEnd::ProfilerFailed };
    }
    if any(CaptureStatus::Unreadable) {
        return RunEnd::Unreadable;
    }
    if captures.iter().any(CaptureResult::ended_badly) {
        return RunEnd::ProgramFailed;
    }
    let profiled = any(CaptureStatus::Complete) || any(CaptureStatus::Reused);
    if profiled { RunEnd::Well } else { RunEnd::NothingProfiled }
}
