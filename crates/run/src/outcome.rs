//! How a run came out.

use rangescope_capture::child::End;
use rangescope_capture::diagnose::{Code, Diagnosis};
use rangescope_capture::execute::{CaptureResult, CaptureStatus};
use rangescope_model::document::RegionDocument;
use serde::{Deserialize, Serialize};

use crate::{NsysOutcome, RunError};

/// How a run ended, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Something was profiled and can be reported.
    Well,
    /// Everything ended well and nothing was profiled.
    NothingProfiled,
    /// The program failed.
    ProgramFailed,
    /// ncu or nsys failed.
    ProfilerFailed,
    /// A report was written and cannot be read.
    Unreadable,
    /// The user interrupted it.
    Interrupted,
}

/// What is wrong with one capture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaptureDiagnosis {
    /// The capture.
    pub capture: String,
    /// How it came out.
    pub status: CaptureStatus,
    /// What is wrong, the likeliest first.
    pub diagnoses: Vec<Diagnosis>,
}

/// How a run came out.
#[derive(Debug)]
pub struct RunOutcome {
    /// How it ended.
    pub end: RunEnd,
    /// What nsys found, if it ran.
    pub nsys: Option<NsysOutcome>,
    /// The captures.
    pub captures: Vec<CaptureResult>,
    /// What is wrong with those that did not come out well.
    pub diagnoses: Vec<CaptureDiagnosis>,
    /// The report; absent if it cannot be made.
    pub document: Option<RegionDocument>,
    /// Why it cannot be made.
    pub report_problem: Option<RunError>,
}

impl RunOutcome {
    /// What is most likely wrong.
    pub fn first_diagnosis(&self) -> Option<&Diagnosis> {
        self.diagnoses.iter().flat_map(|capture| &capture.diagnoses).next()
    }
}

/// How the captures of a run that nobody interrupted ended, taken together.
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
    let failed = |capture: &CaptureResult| {
        capture.outcome.as_ref().is_some_and(|outcome| outcome.end != End::Exited(0))
    };
    if captures.iter().any(failed) {
        return RunEnd::ProgramFailed;
    }
    let profiled = any(CaptureStatus::Complete) || any(CaptureStatus::Reused);
    if profiled { RunEnd::Well } else { RunEnd::NothingProfiled }
}
