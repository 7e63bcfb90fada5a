//! What can be wrong with a selection.

/// A selection that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A region selector is malformed.
    #[error("region selector `{selector}`, position {position}: {problem}")]
    Selector {
        /// The selector.
        selector: String,
        /// Position in it, in characters from 0.
        position: usize,
        problem: SelectorProblem,
    },
    /// A regular expression is malformed.
    #[error("regular expression `{pattern}` of the {what}{}: {message}", at(*position))]
    Regex {
        /// What it was given for, for example `kernel pattern`.
        what: &'static str,
        /// The expression.
        pattern: String,
        /// Position in it, in characters from 0, if known.
        position: Option<usize>,
        message: String,
    },
    /// An `ncu:` selector whose expression ncu would refuse.
    #[error("ncu expression `{expression}`: {message}")]
    NcuExpression {
        /// The expression.
        expression: String,
        message: String,
    },
    /// An `ncu:` selector where ncu's language is not at hand.
    #[error(
        "ncu expression `{expression}` cannot be used here: no compiler for ncu's filter language was given"
    )]
    NcuUnavailable {
        /// The expression.
        expression: String,
    },
    /// A scope that does not exist.
    #[error("`{scope}` is not a scope")]
    Scope {
        /// The text.
        scope: String,
    },
    /// A rank, or a range of them, of which nothing was read.
    #[error("there is no rank {wanted}")]
    Rank {
        wanted: String,
        /// The ranks that there are.
        known: String,
    },
    /// A selection of ranks where nothing tells the rank of every process.
    #[error("ranks {wanted} cannot be selected: no rank is known")]
    NoRanks { wanted: String },
    /// A rank that is no single process, where only one will do.
    #[error("rank {rank} has {processes} processes, which cannot be compared as one")]
    RankProcesses { rank: u32, processes: usize },
    /// A normalisation preset that does not exist.
    #[error(
        "`{name}` is neither a normalisation preset nor a rule of the form `PATTERN=>REPLACEMENT`"
    )]
    Normalisation {
        /// The text.
        name: String,
        /// The presets that there are.
        presets: &'static [&'static str],
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorProblem {
    /// Nothing was written.
    #[error("it is empty")]
    Empty,
    /// Nothing stands before or behind the `@`.
    #[error("nothing stands on one side of `@`")]
    EmptyDomain,
    /// More than one `@`.
    #[error("a second `@`")]
    SecondDomain,
    /// Two `/` in a row, or one at the beginning or end.
    #[error("an empty segment")]
    EmptySegment,
}

impl SelectError {
    pub fn hint(&self) -> String {
        match self {
            Self::Selector { problem: SelectorProblem::Empty, .. } => "write `*` to select every region, or leave the selector out".to_owned(),
            Self::Selector { problem: SelectorProblem::EmptyDomain, .. } => {
                "write `domain@name`, or only `name` for any domain; `\\@` is an `@` in a name".to_owned()
            }
            Self::Selector { problem: SelectorProblem::SecondDomain, .. } => "write `\\@` for an `@` that belongs to a name".to_owned(),
            Self::Selector { problem: SelectorProblem::EmptySegment, selector, .. } => format!(
                "segments are separated by one `/` with none at the ends, `\\/` is a `/` in a name; ncu's own expressions are written `ncu:{selector}`"
            ),
            Self::Regex { .. } => "correct the expression, or leave `regex:` out to match text as it is".to_owned(),
            Self::NcuExpression { .. } => "see ncu's `--nvtx-include`; without `ncu:` the pattern is rangescope's own, with `*` and `?` as wildcards".to_owned(),
            Self::NcuUnavailable { .. } => "write the selector without `ncu:`".to_owned(),
            Self::Scope { .. } => "write `process`, `device`, `aggregate`, `process:<pid>`, `process:<pid>@<host>`, `rank:<n>` or `device:<id>`".to_owned(),
            Self::Rank { known, .. } => format!("the results are of ranks {known}"),
            Self::NoRanks { .. } => {
                "ranks are known in the folders of runs under a launcher, and of reports that still have their `X.json` beside them; see docs/ranks.md".to_owned()
            }
            Self::RankProcesses { .. } => {
                "report each side with `--ranks` and `--format json --out`, and compare the two documents".to_owned()
            }
            Self::Normalisation { presets, .. } => format!("presets are {}", presets.iter().map(|preset| format!("`{preset}`")).collect::<Vec<_>>().join(", ")),
        }
    }

    /// Wraps what the regular-expression engine says; its message draws the position with a caret, which is read off here.
    pub fn regex(what: &'static str, pattern: &str, error: &regex::Error) -> Self {
        let text = error.to_string();
        let mut lines: Vec<&str> = text.lines().collect();
        let message = lines.pop().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        let caret = lines
            .iter()
            .find(|line| line.contains('^') && line.trim().bytes().all(|byte| byte == b'^'));
        // Pattern and caret are both indented by four blanks.
        let position =
            caret.and_then(|line| line.find('^')).and_then(|column| column.checked_sub(4));
        Self::Regex { what, pattern: pattern.to_owned(), position, message }
    }
}

fn at(position: Option<usize>) -> String {
    position.map_or_else(String::new, |position| format!(", position {position}"))
}
