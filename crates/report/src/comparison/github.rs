//! A step summary for GitHub Actions: the verdict and the gates first, the largest differences below, the rest folded away.
//!
//! GitHub refuses summaries above a mebibyte; the limits here keep far below that.

use super::escape::{html, markdown};
use super::markdown::{write_gates, write_kernels, write_notes, write_regions};
use super::rows;
use crate::formats::ExportOptions;
use rangescope_model::comparison::{Comparison, GateStatus};
use rangescope_model::document::RegionDocument;
use std::io::{self, Write};

/// Regions and kernels that are shown at most.
const MOST_ROWS: usize = 20;

/// Scopes that are shown at most.
const MOST_SCOPES: usize = 8;

/// Writes the summary.
pub(crate) fn write(
    comparison: &Comparison,
    _new: &[RegionDocument],
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sign = comparison.gates.as_ref().map_or("", |gates| {
        let is_open = gates
            .gates
            .iter()
            .any(|gate| matches!(gate.status, GateStatus::NotJudged | GateStatus::Missing));
        match (gates.failed, is_open) {
            (true, _) => "❌ ",
            (false, true) => "⚠️ ",
            (false, false) => "✅ ",
        }
    });
    let verdict =
        comparison.gates.as_ref().map_or_else(|| rows::overall(comparison), rows::gate_verdict);
    writeln!(out, "## {sign}rangescope: {}", markdown(&verdict))?;
    if comparison.gates.is_some() {
        writeln!(out)?;
        writeln!(out, "{}", markdown(&rows::overall(comparison)))?;
    }
    write_notes(comparison, out)?;
    if let Some(gates) = &comparison.gates {
        writeln!(out)?;
        write_gates(gates, out)?;
    }
    let options = ExportOptions {
        max_regions: options.max_regions.min(MOST_ROWS),
        max_changed_kernels: options.max_changed_kernels.min(MOST_ROWS),
        ..options.clone()
    };
    for scope in comparison.scopes.iter().take(MOST_SCOPES) {
        writeln!(out)?;
        writeln!(out, "<details><summary>{}</summary>", html(&rows::scope_name(scope)))?;
        writeln!(out)?;
        write_regions(scope, &options, out)?;
        write_kernels(scope, &options, out)?;
        writeln!(out)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{} → {}. {}",
        markdown(&rows::side(&comparison.base)),
        markdown(&rows::side(&comparison.new)),
        markdown(&comparison.noise_rule)
    )
}
