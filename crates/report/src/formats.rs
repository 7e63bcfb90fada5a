//! Every output format in one table, which the command line, the configuration and the run folder read.
//!
//! A writer turns a document into bytes and knows nothing else: no files, no clock, no terminal detection.
//! A new format is a file beside the others and a row of [`FORMATS`].

use std::io::{self, Write};
use std::sync::Arc;

use rangescope_analyze::View;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_model::source::SourceDocument;

use crate::page::KernelCharts;
use crate::{comparison, page};

pub mod csv;
pub mod json;
pub mod markdown;
pub mod sections;
pub mod stacks;
pub mod terminal;

/// One output format.
#[derive(Debug)]
pub struct Format {
    /// The word that chooses it on the command line and in the configuration.
    pub name: &'static str,
    /// Usual ending of its files, without the dot.
    pub extension: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Its text holds escape codes for colours, which the caller strips unless a terminal shows them.
    pub coloured: bool,
    /// It shows what single results hold (lines, instructions, samples, charts of kernels); only then are they read again for it.
    pub shows_results: bool,
    /// Writes a region document.
    pub report: Option<ReportWriter>,
    /// Writes a comparison.
    pub comparison: Option<ComparisonWriter>,
    /// Its files in a run folder.
    pub folder: Option<FolderFiles>,
}

/// Writes a region document in one format.
pub type ReportWriter = fn(&RegionDocument, &ExportOptions, &mut dyn Write) -> io::Result<()>;

/// Writes a comparison in one format; the documents are those of the new side, of which a page shows the first.
pub type ComparisonWriter =
    fn(&Comparison, &[RegionDocument], &ExportOptions, &mut dyn Write) -> io::Result<()>;

/// The files of a format in a run folder.
#[derive(Debug)]
pub struct FolderFiles {
    /// Who decides that they are written.
    pub written: Written,
    /// The report of the whole run; further paths hold it again.
    pub run: &'static [&'static str],
    /// The file in the folder of each region.
    pub region: Option<&'static str>,
    /// It is for people, so drawings are made to go with it.
    pub with_drawings: bool,
}

/// Who decides that the files of a format are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nobody: the other formats can be made from them.
    Always,
    /// The configuration; without one they are written.
    ByDefault,
    /// The configuration; without one they are not written.
    OnRequest,
}

/// Limits and looks; each format heeds those that concern it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Regions in a table for people.
    pub max_regions: usize,
    /// Metrics of each region in Markdown; none means all.
    pub max_metrics: Option<usize>,
    /// Kernels of each region in Markdown; CSV and JSON have all.
    pub max_kernels: usize,
    /// Kernels in a comparison for people.
    pub max_changed_kernels: usize,
    /// Values in a page of metrics that are neither key metrics nor in a section's header; the heaviest regions get them first.
    pub max_page_metrics: usize,
    /// Rows of kernels in a page; beyond this, regions keep only their heaviest kernels.
    pub max_page_kernels: usize,
    /// What is shown of the tree on the terminal and in Markdown.
    pub view: View,
    /// Drawings that Markdown shows at its end, by relative path.
    pub drawings: Vec<String>,
    /// Lines and instructions, for formats that show them; none where they were not looked for.
    pub source: Option<Arc<SourceDocument>>,
    /// What the charts of single kernels are made from, likewise.
    pub charts: Option<Arc<KernelCharts>>,
    /// Times are those between the beginnings and ends of ranges, and not those of kernels on the GPU.
    pub ranges_are_timed: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            width: 100,
            max_regions: 40,
            max_metrics: Some(40),
            max_kernels: 10,
            max_changed_kernels: 15,
            max_page_metrics: 600_000,
            max_page_kernels: 200_000,
            view: View::default(),
            drawings: Vec::new(),
            source: None,
            charts: None,
            ranges_are_timed: false,
        }
    }
}

impl Format {
    /// The format of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The formats of a run folder that nobody configured.
    pub fn of_folders() -> Vec<&'static Self> {
        let is_usual = |files: &FolderFiles| files.written != Written::OnRequest;
        FORMATS.iter().filter(|format| format.folder.as_ref().is_some_and(is_usual)).collect()
    }
}

/// All formats, in the order in which they are offered.
pub static FORMATS: &[Format] = &[
    Format {
        name: "terminal",
        extension: "txt",
        about: "the answer on one screen",
        coloured: true,
        shows_results: false,
        report: Some(terminal::write),
        comparison: Some(comparison::terminal::write),
        folder: None,
    },
    Format {
        name: "markdown",
        extension: "md",
        about: "everything for people who read files",
        coloured: false,
        shows_results: false,
        report: Some(markdown::write),
        comparison: Some(comparison::markdown::write),
        folder: Some(FolderFiles {
            written: Written::ByDefault,
            run: &["report.md", "ncu/regions/report.md"],
            region: Some("report.md"),
            with_drawings: true,
        }),
    },
    Format {
        name: "json",
        extension: "json",
        about: "everything for programs, see `rangescope schema`",
        coloured: false,
        shows_results: false,
        report: Some(json::write),
        comparison: Some(json::write_comparison),
        folder: Some(FolderFiles {
            written: Written::Always,
            run: &["report.json", "ncu/regions/report.json"],
            region: Some("report.json"),
            with_drawings: false,
        }),
    },
    Format {
        name: "html",
        extension: "html",
        about: "a page that opens in a browser: one file, no network",
        coloured: false,
        shows_results: true,
        report: Some(page::write),
        comparison: Some(page::write_comparison),
        folder: Some(FolderFiles {
            written: Written::ByDefault,
            run: &["report.html"],
            region: None,
            with_drawings: true,
        }),
    },
    Format {
        name: "csv",
        extension: "csv",
        about: "one row per region and kernel, with launch shapes and key metrics",
        coloured: false,
        shows_results: false,
        report: Some(csv::write),
        comparison: None,
        folder: Some(FolderFiles {
            written: Written::ByDefault,
            run: &[],
            region: Some("kernels.csv"),
            with_drawings: false,
        }),
    },
    Format {
        name: "sections",
        extension: "txt",
        about: "the sections of each region, laid out as on ncu's details page",
        coloured: false,
        shows_results: false,
        report: Some(sections::write),
        comparison: None,
        folder: Some(FolderFiles {
            written: Written::Always,
            run: &["ncu/sections_report.txt"],
            region: Some("sections.txt"),
            with_drawings: false,
        }),
    },
    Format {
        name: "collapsed",
        extension: "folded",
        about: "GPU time by stack of regions, for flame graphs",
        coloured: false,
        shows_results: false,
        report: Some(stacks::collapsed::write),
        comparison: None,
        folder: None,
    },
    Format {
        name: "speedscope",
        extension: "json",
        about: "the same for speedscope",
        coloured: false,
        shows_results: false,
        report: Some(stacks::speedscope::write),
        comparison: None,
        folder: None,
    },
    Format {
        name: "perfetto",
        extension: "json",
        about: "the same as trace events, for Perfetto and chrome://tracing",
        coloured: false,
        shows_results: false,
        report: Some(stacks::perfetto::write),
        comparison: None,
        folder: None,
    },
    Format {
        name: "pprof",
        extension: "pb",
        about: "the same with launches and bytes, for `go tool pprof`",
        coloured: false,
        shows_results: false,
        report: Some(stacks::pprof::write),
        comparison: None,
        folder: None,
    },
    Format {
        name: "junit",
        extension: "xml",
        about: "the gates as test cases, for CI systems",
        coloured: false,
        shows_results: false,
        report: None,
        comparison: Some(comparison::junit::write),
        folder: None,
    },
    Format {
        name: "github",
        extension: "md",
        about: "a step summary for GitHub Actions",
        coloured: false,
        shows_results: false,
        report: None,
        comparison: Some(comparison::github::write),
        folder: None,
    },
];
