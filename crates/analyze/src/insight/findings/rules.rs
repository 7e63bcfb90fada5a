//! ncu's rule results rolled up over a set of results.

use super::{About, evidence, severity};
use crate::insight::model::{Finding, Gain};
use crate::insight::words::LONGEST_NAME;
use rangescope_model::document::RuleSummary;
use rangescope_model::number::count;
use rangescope_model::text::shorten_kernel;

/// Longer messages are cut at a sentence; the report holds them in full.
const LONGEST_TEXT: usize = 600;

/// What rules ask for, in our words; ncu's titles name what was found.
const ACTIONS: [(&str, &str); 14] = [
    ("AchievedOccupancy", "Even out the work of warps and blocks"),
    ("CPIStall", "Shorten what warps wait for"),
    ("FPInstructions", "Fuse multiplications and additions"),
    ("HighPipeUtilization", "Take work off the busiest pipe"),
    ("IssueSlotUtilization", "Give the schedulers more ready warps"),
    ("LaunchConfiguration", "Choose a grid that fills the device evenly"),
    ("MemoryCacheAccessPattern", "Let neighbouring threads access neighbouring addresses"),
    ("Occupancy", "Allow more warps per SM"),
    ("SharedMemoryConflicts", "Spread shared memory accesses over its banks"),
    ("TheoreticalOccupancy", "Allow more warps per SM"),
    ("ThreadDivergence", "Keep the threads of a warp together"),
    ("UncoalescedGlobalAccess", "Let neighbouring threads access neighbouring addresses"),
    ("UncoalescedSharedAccess", "Spread shared memory accesses over its banks"),
    ("WorkloadImbalance", "Spread the work evenly over the units"),
];

/// Rules that say the same of several units: the message that is worth most is enough.
const ONE_CAUSE: [&str; 1] = ["WorkloadImbalance"];

/// One finding per rule that asks for something.
pub(super) fn of_set(rules: &[RuleSummary], about: &About<'_>) -> Vec<Finding> {
    let asks = |rule: &&RuleSummary| {
        // Without an estimate ncu's bottleneck rule says what the limits say, and those say it per launch.
        let is_limit = rule.rule == "SOLBottleneck" && rule.region_speedup_pct.is_none();
        matches!(rule.kind.as_str(), "optimization" | "warning") && !is_limit
    };
    let mut findings: Vec<Finding> = Vec::new();
    for rule in rules.iter().filter(asks) {
        let finding = of_rule(rule, about);
        let is_told = || findings.iter().any(|told| told.code == finding.code);
        if !(ONE_CAUSE.contains(&rule.rule.as_str()) && is_told()) {
            findings.push(finding);
        }
    }
    findings
}

fn of_rule(rule: &RuleSummary, about: &About<'_>) -> Finding {
    let gain = rule.region_speedup_pct.filter(|gain| gain.is_finite() && *gain > 0.0).map(|gain| {
        let region = (gain / 100.0).min(1.0);
        Gain {
            region,
            run: region * about.run_share,
            ms: region * about.total_ms,
            kind: rule.speedup_kind.clone().unwrap_or_else(|| "unknown".to_owned()),
        }
    });
    let listed = || rule.kernels.iter().map(|place| *place as usize);
    let foremost = about.kernels.iter().position(|kernel| kernel.kernel_name == rule.kernel_name);
    let title = [&rule.title, &rule.name, &rule.rule]
        .into_iter()
        .find(|title| !title.is_empty())
        .map_or_else(String::new, Clone::clone);
    let title = match ACTIONS.iter().find(|(id, _)| *id == rule.rule) {
        Some((_, action)) => format!("{action}: {title}"),
        None => title,
    };
    // How much of the time the rule speaks of is not in the report; the share of results is, and for one kernel its share of time.
    let region_share = match foremost.and_then(|at| about.kernels.get(at)) {
        Some(kernel) if rule.results <= kernel.calls => {
            super::share(kernel.total_ms, about.total_ms)
        }
        _ => super::share(rule.results as f64, about.results as f64),
    };
    let mut numbers = Vec::new();
    numbers.extend(evidence("results with this message", rule.results as f64, "results"));
    if let Some(gain) = &gain {
        numbers.extend(evidence("estimated gain of the region", gain.region * 100.0, "%"));
        numbers.extend(evidence("estimated gain of the run", gain.run * 100.0, "%"));
        numbers.extend(evidence("estimated gain", gain.ms, "ms"));
    }
    if let Some(largest) = rule.max_speedup_pct {
        numbers.extend(evidence("largest estimate for one result", largest, "%"));
    }
    Finding {
        code: format!("rule:{}", rule.rule),
        severity: match &gain {
            Some(gain) => severity(gain.run, 0.10, 0.03),
            None => severity(0.0, 1.0, 1.0),
        },
        title,
        text: text(rule),
        evidence: numbers,
        kernels: if rule.kernels.is_empty() {
            foremost.into_iter().collect()
        } else {
            listed().filter(|at| *at < about.kernels.len()).collect()
        },
        section: (!rule.section.is_empty()).then(|| rule.section.clone()),
        region_share,
        run_share: region_share * about.run_share,
        gain,
    }
}

fn text(rule: &RuleSummary) -> String {
    let kernel = shorten_kernel(&rule.kernel_name, LONGEST_NAME);
    let concerned = match rule.results {
        1 => format!("Concerns {kernel}."),
        results => format!("Concerns {}, foremost {kernel}.", count(results, "result", "results")),
    };
    // ncu breaks lines in messages, which are sentences here.
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{concerned} {}", beginning(&message)).trim_end().to_owned()
}

/// The text up to the end of the last sentence that fits.
fn beginning(text: &str) -> &str {
    let Some((limit, _)) = text.char_indices().nth(LONGEST_TEXT) else { return text };
    let head = text.get(..limit).unwrap_or(text);
    match head.rfind(". ") {
        Some(end) => head.get(..=end).unwrap_or(head),
        None => head,
    }
}
