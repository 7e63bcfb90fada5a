//! ncu's rule results rolled up per region.

use super::{About, evidence, severity};
use crate::insight::model::{Finding, Gain};
use crate::insight::words::{LONGEST_NAME, list};
use rangescope_model::document::{NCUProfileRegion, RuleSummary};
use rangescope_model::number::{count, rounded_percent, time};
use rangescope_model::text::shorten_kernel;

/// Longer messages are cut at a sentence; the report holds them in full.
const LONGEST_TEXT: usize = 600;

/// One finding per rule that asks for something.
pub(super) fn of_region(region: &NCUProfileRegion, about: &About<'_>) -> Vec<Finding> {
    let asks = |rule: &&RuleSummary| matches!(rule.kind.as_str(), "optimization" | "warning");
    region.rules.iter().filter(asks).map(|rule| of_rule(rule, about)).collect()
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
        text: text(rule, gain.as_ref(), about),
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

fn text(rule: &RuleSummary, gain: Option<&Gain>, about: &About<'_>) -> String {
    let mut sentences = Vec::new();
    if let Some(gain) = gain {
        let parts = [
            format!("{} of {}", rounded_percent(gain.region), about.name),
            format!("{} of the run", rounded_percent(gain.run)),
        ];
        let local = if gain.kind == "local" {
            ", as far as the unit that the rule is about is what holds the kernels up"
        } else {
            ""
        };
        sentences.push(format!("At most {} ({}){local}.", list(&parts), time(gain.ms)));
    }
    let kernel = shorten_kernel(&rule.kernel_name, LONGEST_NAME);
    sentences.push(match rule.results {
        1 => format!("Concerns {kernel}."),
        results => format!("Concerns {}, foremost {kernel}.", count(results, "result", "results")),
    });
    sentences.push(beginning(&rule.message).to_owned());
    sentences.join(" ").trim_end().to_owned()
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
