//! The findings of a report in the order in which they are given, for scripts: each says what it is about by itself, without positions in another document.

use super::findings::WORTH;
use super::model::{Evidence, Finding, Insight, Severity};
use crate::outcome::{FindingKind, Unit};
use rangescope_model::document::{Region, RegionDocument, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "1.0";

/// What is worth doing, and what one should know before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AdviceReport {
    /// Version of this contract.
    pub schema_version: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// True when any of the data comes from a simulated device.
    pub simulated: bool,
    /// The scope that it is about, as in reports; null when nothing was profiled.
    pub scope: Option<String>,
    /// GPU time of that scope in milliseconds; null if none is known.
    pub run_ms: Option<f64>,
    /// Advice that is worth less of the run than this is left out unless all findings were asked for.
    pub least: f64,
    /// Findings that were left out.
    pub left_out: u64,
    /// In the order in which they are given.
    pub findings: Vec<AdviceFinding>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AdviceFinding {
    /// Something to do, or something to know.
    pub kind: FindingKind,
    /// One line.
    pub title: String,
    /// The explanation.
    pub text: String,
    /// The path of the region that it is about, with `*` for the members of a family; null for the whole run.
    pub place: Option<Vec<String>>,
    /// The domain of that region.
    pub domain: Option<String>,
    /// ncu's identifier of the rule that said it; null for what the counters say.
    pub rule: Option<String>,
    /// What was said, by its identifier in docs/advice.md.
    pub outcome: String,
    /// The results that it is about, counted over all files from 0 as `dump` counts those of one; null for what is about the report itself, or where single results are not known.
    pub launches: Option<Vec<u32>>,
    /// Their part of the run's time, 0 to 1; null if unknown.
    pub share: Option<f64>,
    /// The part of the run's time that could be gained at most, 0 to 1; null if unknown.
    pub gain: Option<f64>,
    /// The unit that following it takes work off; null for none.
    pub relieves: Option<Unit>,
    pub severity: Severity,
    /// The numbers that support it.
    pub evidence: Vec<Evidence>,
}

impl AdviceReport {
    /// The findings of the main report; with minor ones if all are asked for.
    pub fn of(document: &RegionDocument, insight: &Insight, all: bool) -> Self {
        let main = insight.main_report.and_then(|main| document.reports.get(main));
        let everything = insight.findings(document, true).len();
        let given = insight.findings(document, all);
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            tool: document.tool.clone(),
            simulated: document.simulated,
            scope: main.map(|report| report.scope.id.clone()),
            run_ms: main.and_then(|report| report.totals.total_ms),
            least: WORTH,
            left_out: (everything - given.len()) as u64,
            findings: given.into_iter().map(|(region, finding)| of(region, finding)).collect(),
        }
    }
}

fn of(region: Option<&Region>, finding: &Finding) -> AdviceFinding {
    AdviceFinding {
        kind: finding.kind,
        title: finding.title.clone(),
        text: finding.text.clone(),
        place: region.map(|region| region.path.clone()),
        domain: region.map(|region| region.domain.clone()),
        rule: finding.rule.clone(),
        outcome: finding.outcome.clone(),
        launches: finding.launches.as_ref().map(|launches| launches.iter().collect()),
        share: finding.run_share,
        gain: finding.gain.as_ref().map(|gain| gain.run),
        relieves: finding.relieves,
        severity: finding.severity,
        evidence: finding.evidence.clone(),
    }
}
