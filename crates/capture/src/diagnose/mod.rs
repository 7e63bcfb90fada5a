//! Why a capture came out empty or failed, and what to do about it.
//!
//! ncu says little and ends with success when nothing was profiled. From its exit code, what was printed, whether there is a report, and what is known of the program's ranges
//! this makes diagnoses, the likeliest first, each with the lines that speak for it. Pure: nothing is looked up. Lines and names are kept as they were:
//! whoever shows them makes them fit for a terminal.

mod code;
mod empty;
mod expression;
mod log;
mod program;
mod refused;
mod rules;
mod selectors;

use rangescope_config::Version;
use rangescope_config::settings::TargetProcesses;
use rangescope_model::ReplayMode;
use rangescope_model::observed::ObservedRange;
use rangescope_model::select::RegionSelector;
use serde::{Deserialize, Serialize};

use crate::applied::AppliedFilter;
use crate::child::{End, Limit};
pub use code::Code;
pub use selectors::{FailedRule, SelectorFinding};

/// All that is known of a capture that is over.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub end: End,
    pub timed_out: Option<Limit>,
    pub log: &'a str,
    pub has_report: bool,
    pub replay_mode: ReplayMode,
    pub target_processes: TargetProcesses,
    pub selectors: &'a [RegionSelector],
    /// `None` if they were not observed.
    pub ranges: Option<&'a [ObservedRange]>,
    /// Ranges of any other process were opened by a child of the program.
    pub main_process: Option<u32>,
    pub kernel_filters: &'a [AppliedFilter],
    pub ncu: Option<Version>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    pub code: Code,
    pub title: String,
    pub explanation: String,
    pub fix: String,
    /// Lines of the log.
    pub evidence: Vec<String>,
    /// When nothing matched.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub selectors: Vec<SelectorFinding>,
    /// The most frequent first, when nothing matched and they are known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ranges: Vec<ObservedRange>,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_ranges: usize,
}

impl Diagnosis {
    fn new(
        code: Code,
        explanation: impl Into<String>,
        fix: impl Into<String>,
        evidence: Vec<String>,
    ) -> Self {
        Self {
            code,
            title: code.title().to_owned(),
            explanation: explanation.into(),
            fix: fix.into(),
            evidence,
            selectors: Vec::new(),
            ranges: Vec::new(),
            more_ranges: 0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The diagnosis of a capture that has a report with results in which nothing was measured; `what` says which, as the report does.
pub fn given_up(what: &str) -> Diagnosis {
    let fix = "collect fewer metrics or sections at a time, so that fewer passes are needed; give ncu more memory to save and restore what a kernel writes (a smaller input), \
        or use `replay_mode=application`, which saves nothing. The log of ncu may name the reason.";
    Diagnosis::new(Code::GivenUp, what, fix, Vec::new())
}

/// The diagnosis of a rank that began and was gone when the launcher ended; with what it printed last.
pub fn rank_lost(host: &str, last_line: Option<&str>) -> Diagnosis {
    let explanation = format!(
        "it was killed on host {host}, by the system for want of memory, by the launcher because another rank failed, by the batch system, or with its machine. What it had not finished is lost; what other ranks have is used."
    );
    let fix = "look at what it printed last, in its log beside the reports, and at the log of the batch system; with less to collect (`--preset quick`, `launch_count`) ncu needs less memory";
    Diagnosis::new(
        Code::RankLost,
        explanation,
        fix,
        last_line.map(str::to_owned).into_iter().collect(),
    )
}

/// The diagnosis of a rank that did not end by itself.
pub fn rank_ended(signal: i32, has_report: bool) -> Diagnosis {
    let kept = if has_report {
        "Its report has what was profiled until then."
    } else {
        "It has no report."
    };
    let explanation = format!(
        "it was sent signal {signal}, which launchers do when another rank has failed. {kept}"
    );
    Diagnosis::new(Code::RankEnded, explanation, "see what happened to the other ranks", Vec::new())
}

/// The diagnosis of a program that ran without ncu and failed; with what it printed last.
pub fn program_failed(end: &str, last_line: Option<&str>) -> Diagnosis {
    let fix = "run the program without rangescope first; what it printed is in the log";
    let explanation = format!("the program, which was not profiled there, ended {end}.");
    Diagnosis::new(
        Code::ProgramFailed,
        explanation,
        fix,
        last_line.map(str::to_owned).into_iter().collect(),
    )
}

/// The diagnosis of a rank of which there is no sign.
pub fn rank_missing() -> Diagnosis {
    let fix = "check that the run folder is one that every machine can write to, and that rangescope is there under the same path on all of them; the log of the launcher may say more";
    Diagnosis::new(
        Code::RankMissing,
        "the launcher said that there are more ranks than have written down that they began.",
        fix,
        Vec::new(),
    )
}

/// The diagnoses of a capture, the likeliest first; none if it came out well.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Diagnosis> {
    let mut found = rules::by_message(facts);
    found.extend(refused::refused_option(facts));
    found.extend(program::hang(facts));
    found.extend(program::failed_program(facts));
    // One of those explains well enough that nothing was profiled.
    if found.is_empty() {
        found.extend(program::killed(facts));
    }
    if found.is_empty() && !facts.has_report {
        found.push(empty::nothing_profiled(facts));
    }
    found
}
