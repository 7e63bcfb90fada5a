//! Putting the page together.

use std::borrow::Cow;
use std::io::{self, Write};

use rangescope_analyze::folded;
use rangescope_analyze::insight::Insight;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::{RegionDocument, ScopeReport};
use rangescope_model::region::RegionRef;
use rustc_hash::FxHashSet;

use crate::formats::ExportOptions;
use crate::page::assets::{FRAME, SCRIPT, STYLE, policy};
use crate::page::escape::write_json;
use crate::page::model::{Difference, PageModel};

/// Writes the page of a document.
pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_parts(document, None, options, out)
}

/// Writes the page of a comparison: the report of the new side, of its first run if there are several, with the differences from the base.
pub fn write_comparison(
    comparison: &Comparison,
    new: &[RegionDocument],
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(document) = new.first() else {
        let message = "a page needs at least one run on the new side of the comparison";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    };
    let document = compared_families(document, comparison);
    write_parts(&document, Some(&Difference::of(comparison, &document)), options, out)
}

/// The document without families unless they were compared: a family without a difference would hide those of its members.
fn compared_families<'d>(
    document: &'d RegionDocument,
    comparison: &Comparison,
) -> Cow<'d, RegionDocument> {
    let regions = comparison.scopes.iter().flat_map(|scope| &scope.regions);
    let compared: FxHashSet<RegionRef<'_>> = regions
        .map(|one| RegionRef { domain: &one.domain, kind: one.kind, path: &one.path })
        .collect();
    let mut families = document.reports.iter().flat_map(|report| &report.families);
    if families.all(|family| compared.contains(&family.key())) {
        return Cow::Borrowed(document);
    }
    let without = |report: &ScopeReport| ScopeReport { families: Vec::new(), ..report.clone() };
    let reports = document.reports.iter().map(without).collect();
    Cow::Owned(RegionDocument { reports, ..document.clone() })
}

fn write_parts(
    document: &RegionDocument,
    difference: Option<&Difference<'_>>,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let seen = folded(document);
    let folded_insight = Insight::of(&seen);
    // Where nothing is folded both are the same.
    let insight = match &seen {
        Cow::Borrowed(_) => None,
        Cow::Owned(_) => Some(Insight::of(document)),
    };
    let exact = insight.as_ref().unwrap_or(&folded_insight);
    let model = PageModel::of((document, exact), (&seen, &folded_insight), options);
    fill(FRAME, out, |mark, out| match mark {
        "policy" => out.write_all(policy(&STYLE, &SCRIPT).as_bytes()),
        "style" => out.write_all(STYLE.as_bytes()),
        "script" => out.write_all(SCRIPT.as_bytes()),
        "report" => write_json(&model, out),
        "comparison" => write_json(&difference, out),
        _ => Ok(()),
    })
}

/// Writes a frame with its marks `{{name}}` replaced.
fn fill(
    frame: &str,
    out: &mut dyn Write,
    mut part: impl FnMut(&str, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((mark, after)) = after.split_once("}}") else { break };
        out.write_all(before.as_bytes())?;
        part(mark, out)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}
