//! What limits each region and what would be worth doing about it, as text.

use std::io::{self, Write};

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::Severity;
use rangescope_model::document::RegionDocument;
use rangescope_model::number::with_unit;
use rangescope_model::text::visible;

/// Writes the facts and the most valuable findings of the main report.
pub fn write(
    document: &RegionDocument,
    insight: &Insight,
    most: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if document.simulated {
        writeln!(out, "SIMULATED: no measurement, the numbers come from a simulated device")?;
    }
    let Some(main) = insight.main_report else {
        return writeln!(out, "nothing was profiled");
    };
    for fact in insight.reports.get(main).into_iter().flat_map(|found| &found.facts) {
        writeln!(out, "- {}", visible(&fact.sentence))?;
    }
    let findings = insight.findings_by_worth(document);
    writeln!(out)?;
    for (region, finding) in findings.iter().take(most) {
        let severity = match finding.severity {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        };
        let name = region.map_or("(all)", |region| region.name.as_str());
        writeln!(out, "{}: {} ({severity})", visible(name), visible(&finding.title))?;
        writeln!(out, "  {}", visible(&finding.text))?;
        // The sentence tells what was counted; metrics are named for those who look them up.
        let metrics = finding.evidence.iter().filter(|number| number.label.contains("__"));
        let numbers: Vec<String> = metrics
            .filter(|number| number.value != 0.0)
            .map(|number| {
                let value = with_unit(number.value, &visible(&number.unit));
                format!("{} {value}", visible(&number.label))
            })
            .collect();
        if !numbers.is_empty() {
            writeln!(out, "  [{}]", numbers.join("; "))?;
        }
    }
    if findings.len() > most {
        writeln!(out, "\n{} more with --top {}", findings.len() - most, findings.len())?;
    }
    writeln!(out, "\nLimiters: {}", visible(&insight.bound_rule))
}
