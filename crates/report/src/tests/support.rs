//! Exporters as functions from a document to text.

use rangescope_model::document::RegionDocument;

use crate::formats::{ExportOptions, ReportWriter};

/// What an exporter writes with the default options.
pub(super) fn exported(exporter: ReportWriter, document: &RegionDocument) -> String {
    exported_with(exporter, document, &ExportOptions::default())
}

/// What an exporter writes.
pub(super) fn exported_with(
    exporter: ReportWriter,
    document: &RegionDocument,
    options: &ExportOptions,
) -> String {
    let mut bytes = Vec::new();
    exporter(document, options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The text without colours, and without the blanks that only colours would show.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    shown.push_str(rest);
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
