//! What is worth doing first, in a line each; `rangescope advice` says why.

use std::io::{self, Write};

use rangescope_analyze::insight::Insight;
use rangescope_model::document::RegionDocument;

use super::HEADING;
use rangescope_model::text::{visible, visible_name, wrap};

/// Findings shown.
const MOST: usize = 3;

/// Writes the most valuable findings; nothing where no finding concerns any time.
pub(super) fn write(
    document: &RegionDocument,
    insight: &Insight,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = insight.worth_doing_first(document, MOST);
    if first.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{HEADING}Worth doing first{HEADING:#}")?;
    for (region, finding) in first {
        let place = region.map_or("the run".into(), |region| visible_name(&region.name));
        let amount = finding.amount().map_or_else(String::new, |amount| format!("; {amount}"));
        let line = format!("{} ({place}{amount})", visible(&finding.title));
        for (at, part) in wrap(&line, screen.saturating_sub(2)).iter().enumerate() {
            writeln!(out, "{}{part}", if at == 0 { "- " } else { "  " })?;
        }
    }
    Ok(())
}
