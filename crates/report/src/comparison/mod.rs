//! The formats of a comparison, one file each, and the table that lists them.
//!
//! An exporter reads the comparison, writes bytes and nothing else: no files, no clock, no terminal detection.
//! A new format is a new file and a new row of [`FORMATS`].

mod escape;
pub mod github;
pub mod json;
pub mod junit;
pub mod markdown;
mod rows;
pub mod terminal;

use rangescope_model::comparison::Comparison;
use std::io::{self, Write};

/// What a caller can choose; each format looks only at what concerns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether the terminal may use colours; meaning is never in the colour alone.
    pub colour: bool,
    /// How many regions a table for people shows.
    pub max_regions: usize,
    /// How many kernels a table for people shows.
    pub max_kernels: usize,
    /// JSON without line breaks and indentation.
    pub compact_json: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { width: 100, colour: false, max_regions: 40, max_kernels: 15, compact_json: false }
    }
}

/// The function that writes a format.
pub type Exporter = fn(&Comparison, &ExportOptions, &mut dyn Write) -> io::Result<()>;

/// One format that a comparison can be written in.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What the user writes to choose it.
    pub name: &'static str,
    /// How its files usually end, without the dot.
    pub extension: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// Writes it.
    pub write: Exporter,
}

impl Format {
    /// The format of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[
    Format {
        name: "terminal",
        extension: "txt",
        about: "what changed, on one screen: regions, kernels, metrics, gates",
        write: terminal::write,
    },
    Format {
        name: "markdown",
        extension: "md",
        about: "the same for people, with every metric of the regions that changed",
        write: markdown::write,
    },
    Format {
        name: "json",
        extension: "json",
        about: "the whole comparison for programs, as its JSON Schema describes it",
        write: json::write,
    },
    Format {
        name: "junit",
        extension: "xml",
        about: "the gates as test cases, for CI systems",
        write: junit::write,
    },
    Format {
        name: "github",
        extension: "md",
        about: "a step summary for GitHub Actions: the verdict, the gates, the largest differences",
        write: github::write,
    },
];
