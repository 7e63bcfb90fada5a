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

/// What is known of a capture that is over.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// How ncu ended.
    pub end: End,
    /// The limit that it was ended for, if it was.
    pub timed_out: Option<Limit>,
    /// What ncu and the program printed.
    pub log: &'a str,
    /// Whether there is a report.
    pub has_report: bool,
    /// How ncu collected what does not fit into one pass.
    pub replay_mode: ReplayMode,
    /// Which processes were profiled.
    pub target_processes: TargetProcesses,
    /// The regions that were asked for.
    pub selectors: &'a [RegionSelector],
    /// The ranges that the program opened, if that is known.
    pub ranges: Option<&'a [ObservedRange]>,
    /// The process of the program itself where those ranges were observed, if known: others are its children.
    pub main_process: Option<u32>,
    /// The kernel filters.
    pub kernel_filters: &'a [AppliedFilter],
    /// The version of ncu, if known.
    pub ncu: Option<Version>,
}

/// What is wrong, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// A short fixed name.
    pub code: Code,
    /// What is wrong, in a few words.
    pub title: String,
    /// Why that is so.
    pub explanation: String,
    /// What to do.
    pub fix: String,
    /// Lines of the log that speak for it.
    pub evidence: Vec<String>,
    /// What is wrong with each selector, when nothing matched.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub selectors: Vec<SelectorFinding>,
    /// Ranges that the program opened, the most frequent first, when nothing matched and they are known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ranges: Vec<ObservedRange>,
    /// How many more there are.
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

/// The diagnoses of a capture, the likeliest first; none if it came out well.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Diagnosis> {
    let mut found = rules::by_message(facts);
    found.extend(refused::refused_option(facts));
    found.extend(program::hang(facts));
    found.extend(program::failed_program(facts));
    // With one of those, that nothing was profiled needs no other explanation.
    if found.is_empty() && !facts.has_report {
        found.push(empty::nothing_profiled(facts));
    }
    found
}
