//! Collapsed stacks: a line for each, its frames joined by `;`, then a space and its GPU time in nanoseconds. What flame graphs are made of.
//!
//! Where several trees show the same results, the first frame names the tree: choose one before adding anything up.

use std::io::{self, BufWriter, Write};

use rangescope_model::document::RegionDocument;

use super::Stacks;
use crate::formats::ExportOptions;

pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stacks = Stacks::of(document);
    let mut out = BufWriter::new(out);
    let several = stacks.profiles.len() > 1;
    for profile in &stacks.profiles {
        for stack in &profile.stacks {
            let Some(ns) = stack.ns.filter(|ns| *ns > 0) else { continue };
            let first = several.then_some(profile.name.as_str());
            let frames = stack.frames.iter().filter_map(|frame| stacks.frames.get_index(*frame));
            let names = first.into_iter().chain(frames.map(|frame| frame.name.as_str()));
            let line: Vec<String> = names.map(|name| name.replace(';', ",")).collect();
            writeln!(out, "{} {ns}", line.join(";"))?;
        }
    }
    out.flush()
}
