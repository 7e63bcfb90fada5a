//! The plan for people: what each capture looks at, and its command line to copy and paste.
//!
//! Names of regions come from programs and earlier runs; nothing in them may act on the terminal.

use std::fmt::Write as _;

use super::{Capture, Plan};
use crate::shell::{command_line, quoted};
use rangescope_model::text::visible;

impl Plan {
    /// For people, with command lines to copy.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let count = self.captures.len();
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "{count} capture{} by {} replay",
            if count == 1 { "" } else { "s" },
            self.replay_mode
        );
        for capture in &self.captures {
            capture.write_text(&mut out);
        }
        for note in &self.notes {
            let _ = writeln!(out, "\nnote: {}", visible(note));
        }
        out
    }
}

impl Capture {
    fn write_text(&self, out: &mut String) {
        let _ = writeln!(out, "\n{} → {}", self.name, quoted(self.report.as_os_str()));
        if !self.regions.is_empty() {
            let regions: Vec<_> = self.regions.iter().map(|region| visible(region)).collect();
            let _ = writeln!(out, "  regions: {}", regions.join(", "));
        }
        for filter in &self.filters.at_capture {
            let pattern = visible(&filter.pattern);
            let _ = writeln!(out, "  at capture: {} {pattern}", filter.kind.as_str());
        }
        for filter in &self.filters.after {
            let pattern = visible(&filter.pattern);
            let reason =
                filter.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let _ = writeln!(out, "  afterwards: {} {pattern}{reason}", filter.kind.as_str());
        }
        let _ = writeln!(out, "  {}", command_line(&self.argv));
        if !self.outside_argv.is_empty() {
            let _ = writeln!(out, "  with --outside: {}", command_line(&self.outside_argv));
        }
    }
}
