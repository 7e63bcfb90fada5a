//! The formats, one file each, and the table that lists them.
//!
//! An exporter reads the document, writes bytes and nothing else: no files, no clock, no terminal detection.
//! A new format is a new file and a new row of [`FORMATS`].

use std::io::{self, Write};

use rangescope_model::document::RegionDocument;

pub mod json;
pub mod kernels_csv;
pub mod markdown;
pub mod sections_txt;
pub mod terminal;

/// What a caller can choose; each format looks only at what concerns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// How many regions the terminal shows.
    pub max_regions: usize,
    /// How many metrics of each region Markdown shows; none means all.
    pub max_metrics: Option<usize>,
    /// How many kernels of each region Markdown shows; the others are in `kernels.csv` and in the JSON.
    pub max_kernels: usize,
    /// JSON without line breaks and indentation.
    pub compact_json: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            width: 100,
            max_regions: 40,
            max_metrics: Some(40),
            max_kernels: 10,
            compact_json: false,
        }
    }
}

/// The function that writes a format.
pub type Exporter = fn(&RegionDocument, &ExportOptions, &mut dyn Write) -> io::Result<()>;

/// One format that a document can be written in.
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
        about: "the answer on one screen: region tree, heaviest kernels, notes",
        write: terminal::write,
    },
    Format {
        name: "markdown",
        extension: "md",
        about: "the whole report for people: every region with metrics, sections, kernels and rules",
        write: markdown::write,
    },
    Format {
        name: "json",
        extension: "json",
        about: "the whole report for programs, as its JSON Schema describes it",
        write: json::write,
    },
    Format {
        name: "csv",
        extension: "csv",
        about: "one row per region and kernel, with launch shapes and key metrics",
        write: kernels_csv::write,
    },
    Format {
        name: "sections",
        extension: "txt",
        about: "the sections of each region, laid out as on ncu's details page",
        write: sections_txt::write,
    },
];
