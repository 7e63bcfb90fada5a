//! `rangescope advice`: what limits each region, and what would be worth doing about it.

use std::io::Write;

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{Finding, Severity};
use rangescope_model::document::RegionDocument;
use rangescope_model::text::visible;

use super::compare::load;
use crate::args::{AdviceArgs, PlanFormat};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &AdviceArgs, ui: &Ui) -> Result<(), Failure> {
    let document = load(&args.path, ui)?;
    let insight = Insight::of(&document);
    let mut out = Ui::raw_data();
    match args.format {
        PlanFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &insight).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        PlanFormat::Text => text(&document, &insight, args.top, &mut out)?,
    }
    out.flush()?;
    Ok(())
}

fn text(
    document: &RegionDocument,
    insight: &Insight,
    most: usize,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    if document.simulated {
        writeln!(out, "SIMULATED: no measurement, the numbers come from a simulated device")?;
    }
    let Some(main) = insight.main_report else {
        return writeln!(out, "nothing was profiled");
    };
    let (Some(found), Some(report)) = (insight.reports.get(main), document.reports.get(main))
    else {
        return Ok(());
    };
    for fact in &found.facts {
        writeln!(out, "- {}", visible(&fact.sentence))?;
    }
    let of_regions = found.regions.iter().zip(&report.regions).flat_map(|(found, region)| {
        found.findings.iter().map(move |finding| (region.name.as_str(), finding))
    });
    let whole = found.findings.iter().map(|finding| ("(all)", finding));
    let mut findings: Vec<(&str, &Finding)> = whole.chain(of_regions).collect();
    findings.sort_by(|(_, left), (_, right)| worth(right).total_cmp(&worth(left)));
    writeln!(out)?;
    for (name, finding) in findings.iter().take(most) {
        let severity = match finding.severity {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        };
        writeln!(out, "{}: {} ({severity})", visible(name), visible(&finding.title))?;
        writeln!(out, "  {}", visible(&finding.text))?;
        let numbers = finding.evidence.iter().map(|number| {
            format!("{} {:.4} {}", visible(&number.label), number.value, visible(&number.unit))
        });
        let numbers: Vec<String> = numbers.map(|text| text.trim_end().to_owned()).collect();
        writeln!(out, "  [{}]", numbers.join("; "))?;
    }
    if findings.len() > most {
        writeln!(out, "\n{} more with --top {}", findings.len() - most, findings.len())?;
    }
    writeln!(out, "\nLimiters: {}", visible(&insight.bound_rule))
}

/// The share of the run that could be gained, else that it concerns at a tenth: what has an estimate comes first.
fn worth(finding: &Finding) -> f64 {
    finding.gain.as_ref().map_or(finding.run_share / 10.0, |gain| gain.run)
}
