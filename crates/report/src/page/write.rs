//! Putting the page together.

use std::io::{self, Write};

use rangescope_analyze::insight::Insight;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;

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
    write_parts(document, Some(&Difference::of(comparison, document)), options, out)
}

fn write_parts(
    document: &RegionDocument,
    difference: Option<&Difference<'_>>,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let insight = Insight::of(document);
    let model = PageModel::of(document, &insight, options);
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
