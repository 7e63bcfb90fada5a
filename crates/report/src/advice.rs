//! What limits each region and what would be worth doing about it, as text.

use std::io::{self, Write};

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::Severity;
use rangescope_analyze::outcome::FindingKind;
use rangescope_model::document::RegionDocument;
use rangescope_model::number::{count, with_unit};
use rangescope_model::region::RegionRef;
use rangescope_model::text::{visible, wrap};
use rustc_hash::FxHashMap;

/// The narrowest screen that lines are made for.
const NARROWEST: usize = 50;

/// The order of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The most valuable first.
    ByWorth,
    /// Those about the whole run, then region by region as the document has them; the most valuable of each first.
    ByRegion,
}

/// Which findings are written.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub order: Order,
    pub most: usize,
    /// Minor ones too.
    pub all: bool,
}

/// Writes the facts and the first findings of the main report in lines of at most so many columns (50 at least).
pub fn write(
    document: &RegionDocument,
    insight: &Insight,
    Shown { order, most, all }: Shown,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = columns.max(NARROWEST);
    let put = |out: &mut dyn Write, first: &str, further: &str, text: &str| {
        for (at, line) in wrap(text, columns.saturating_sub(first.len())).iter().enumerate() {
            writeln!(out, "{}{line}", if at == 0 { first } else { further })?;
        }
        Ok::<(), io::Error>(())
    };
    if document.simulated {
        let text = "SIMULATED: no measurement, the numbers come from a simulated device";
        put(out, "", "", text)?;
    }
    let Some(main) = insight.main_report else {
        return writeln!(out, "nothing was profiled");
    };
    for fact in insight.reports.get(main).into_iter().flat_map(|found| &found.facts) {
        put(out, "- ", "  ", &visible(&fact.sentence))?;
    }
    let mut findings = insight.findings(document, all);
    if order == Order::ByRegion {
        let regions = document.reports.get(main).into_iter().flat_map(|report| &report.regions);
        let places: FxHashMap<RegionRef<'_>, usize> =
            regions.zip(0..).map(|(region, place)| (region.key(), place)).collect();
        findings.sort_by_key(|(region, _)| region.and_then(|region| places.get(&region.key())));
    }
    writeln!(out)?;
    for (region, finding) in findings.iter().take(most) {
        let severity = match finding.severity {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        };
        let name = region.map_or("(all)", |region| region.name.as_str());
        let word = match finding.kind {
            FindingKind::Advice => severity,
            FindingKind::Note => "note",
        };
        put(out, "", "", &format!("{}: {} ({word})", visible(name), visible(&finding.title)))?;
        if let Some(amount) = finding.amount().filter(|_| finding.gain.is_none()) {
            put(out, "  ", "  ", &format!("{}.", capital(&amount)))?;
        }
        put(out, "  ", "  ", &visible(&finding.text))?;
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
            put(out, "  ", "  ", &format!("[{}]", numbers.join("; ")))?;
        }
    }
    if findings.len() > most {
        writeln!(out, "\n{} more with --top {}", findings.len() - most, findings.len())?;
    }
    let minor = insight.findings(document, true).len() - insight.findings(document, false).len();
    if !all && minor > 0 {
        let findings = count(minor as u64, "finding is", "findings are");
        put(
            out,
            "",
            "",
            &format!("{findings} worth less than 0.5 % of the run, or only remarked by ncu: --all"),
        )?;
    }
    writeln!(out)?;
    put(out, "", "", &format!("Limiters: {}", visible(&insight.bound_rule)))
}

/// The same with a large first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
