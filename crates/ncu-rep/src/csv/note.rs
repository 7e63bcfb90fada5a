//! What the CSV reader has to say: errors that end the reading, and notes on what was skipped or guessed.

use std::fmt;
use std::mem::discriminant;

/// Why a text was not read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    #[error(
        "no table of ncu in {lines} lines: no header line with the columns `ID` and `Kernel Name` was found"
    )]
    NoHeader { lines: usize },
    #[error("line {line} is the header of a summary page, which holds no single results")]
    Summary { line: usize },
}

impl CsvError {
    /// Advice to the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoHeader { .. } => {
                "print the table with `ncu --import <report> --page raw --csv`; a run with `-o` but without `--page` prints no rows"
            }
            Self::Summary { .. } => "print the table without `--print-summary`",
        }
    }
}

/// Something that was skipped or guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvNote {
    /// Counted from 1.
    pub line: usize,
    pub kind: NoteKind,
}

impl fmt::Display for CsvNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// Lines that are not part of the table; only the first of them is pointed at.
    ForeignLines { count: usize },
    /// A warning or an error that the tool printed among the rows.
    ToolMessage(String),
    /// A row that was left out, because its cells do not fit the header.
    DamagedRow { found: usize, expected: usize },
    /// A row that ends before its last column; what is there was taken.
    ShortRow { found: usize, expected: usize },
    /// A row in which a cell holds the separator between cells; the surplus was given back to that cell.
    RejoinedCell { column: String },
    /// The raw page lacks its row of units; values are taken to be in base units.
    NoUnitRow,
    /// A unit that is not known; its values are taken as they are.
    UnknownUnit(String),
    /// A number in which one separator stands before three digits, with nothing in the table to say what the separator means.
    GuessedSeparator { text: String, value: f64 },
    /// Numbers that contradict each other about the meaning of `.` and `,`; the point was taken to begin the decimals.
    ConflictingSeparators,
    /// A column that was left out, because a later one has its name or its name is too long to be a metric's.
    DroppedColumn(String),
    /// Values per instance, which were left out.
    DroppedInstances,
    /// Kernels that ncu had renamed by their innermost range; the range was taken off the name.
    RenamedKernels,
    /// An NVTX cell, or the rest of one, that could not be read.
    UnreadNvtx(String),
    /// Another table of the other page; its results were added.
    OtherPage,
    /// The number of notes of any kind that were not kept.
    More(usize),
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignLines { count } => {
                write!(f, "skipped {count} lines that are not part of the table")
            }
            Self::ToolMessage(text) => write!(f, "the tool says {text}"),
            Self::DamagedRow { found, expected } => {
                write!(f, "skipped a row of {found} cells under a header of {expected}")
            }
            Self::ShortRow { found, expected } => {
                write!(f, "a row of {found} cells under a header of {expected}")
            }
            Self::RejoinedCell { column } => write!(f, "unescaped quotes in the column `{column}`"),
            Self::NoUnitRow => write!(f, "no row of units: values are taken to be in base units"),
            Self::UnknownUnit(unit) => {
                write!(f, "unknown unit `{unit}`: values are taken as they are")
            }
            Self::GuessedSeparator { text, value } => write!(f, "`{text}` was taken for {value}"),
            Self::ConflictingSeparators => {
                write!(f, "numbers use `.` and `,` in contradicting ways")
            }
            Self::DroppedColumn(name) => write!(f, "left out the column `{name}`"),
            Self::DroppedInstances => write!(f, "left out values per instance"),
            Self::RenamedKernels => write!(f, "took the names of ranges off the names of kernels"),
            Self::UnreadNvtx(text) => write!(f, "NVTX state not understood: `{text}`"),
            Self::OtherPage => write!(f, "a table of another page follows"),
            Self::More(count) => write!(f, "and {count} more notes"),
        }
    }
}

const MOST_NOTES: usize = 200;
/// Characters of a text in a note.
const MOST_TEXT: usize = 200;

/// The notes so far. Their number is bounded, and kinds that would repeat for every row are noted once.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<CsvNote>,
    more: usize,
}

impl Notes {
    pub(super) fn add(&mut self, line: usize, kind: NoteKind) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(CsvNote { line, kind });
        } else {
            self.more += 1;
        }
    }

    /// Adds a note unless one of its kind was added before, whatever it said: for what may be true of every row.
    pub(super) fn add_first(&mut self, line: usize, kind: NoteKind) {
        if !self.notes.iter().any(|note| discriminant(&note.kind) == discriminant(&kind)) {
            self.add(line, kind);
        }
    }

    /// Adds a note unless the same was noted before, on whatever line.
    pub(super) fn add_once(&mut self, line: usize, kind: NoteKind) {
        if !self.notes.iter().any(|note| note.kind == kind) {
            self.add(line, kind);
        }
    }

    pub(super) fn into_vec(mut self) -> Vec<CsvNote> {
        self.notes.sort_by_key(|note| note.line);
        if self.more > 0 {
            let line = self.notes.last().map_or(1, |note| note.line);
            self.notes.push(CsvNote { line, kind: NoteKind::More(self.more) });
        }
        self.notes
    }
}

/// A text short enough for a note.
pub(super) fn excerpt(text: &str) -> String {
    let mut excerpt: String = text.chars().take(MOST_TEXT).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}
