//! Diagnoses for people. Lines of logs and names of ranges are other people's; nothing in them may act on the terminal.

use std::fmt::Write as _;

use super::selectors::described;
use super::{Diagnosis, ObservedRange};
use crate::visible::visible;

impl Diagnosis {
    /// The diagnosis for people, in several lines.
    pub fn to_text(&self) -> String {
        // Writing to a text cannot fail.
        let mut out = String::new();
        let _ = writeln!(out, "{} [{}]", self.title, self.code.as_str());
        let _ = writeln!(out, "  {}", visible(&self.explanation));
        for finding in &self.selectors {
            let (selector, why) = (visible(&finding.selector), visible(&finding.explanation));
            let _ = writeln!(out, "  selector `{selector}`: {why}");
            if let Some(option) = &finding.corrected {
                let _ = writeln!(out, "    write: {}", visible(option));
            }
        }
        if !self.ranges.is_empty() {
            let _ = writeln!(out, "  the program opened:");
        }
        for range in &self.ranges {
            let _ = writeln!(out, "    {}{}", visible(&described(range)), place(range));
        }
        if self.more_ranges > 0 {
            let _ = writeln!(out, "    and {} more", self.more_ranges);
        }
        for line in &self.evidence {
            let _ = writeln!(out, "  > {}", visible(line));
        }
        let _ = writeln!(out, "  fix: {}", visible(&self.fix));
        out
    }
}

/// Where a range was opened and what was launched in it, as far as it is known.
fn place(range: &ObservedRange) -> String {
    let mut text = String::new();
    if let Some(thread) = range.thread {
        let _ = write!(text, " on thread {thread}");
    }
    if let Some(process) = range.process {
        let _ = write!(text, " of process {process}");
    }
    if let Some(launches) = range.launches {
        let _ = write!(text, ", {launches} launch{}", if launches == 1 { "" } else { "es" });
    }
    text
}
