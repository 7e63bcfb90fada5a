//! What can be wrong with a filter expression, where, and how to write it instead.

/// An expression that ncu refuses (or crashes on), or that this crate cannot run safely.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid NVTX filter `{expression}` at position {position}: {problem}; {}", problem.hint())]
pub struct FilterError {
    /// Shortened if it is very long.
    pub expression: String,
    /// A byte offset from the start of the expression.
    pub position: usize,
    pub problem: FilterProblem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterProblem {
    /// `@range/`.
    #[error("the part before `@` is empty")]
    EmptyDomain,
    /// `domain@`.
    #[error("the part after `@` is empty")]
    EmptyRanges,
    /// `a@b@range/`.
    #[error("there is a second `@`")]
    SecondAt,
    /// `\@name/`, which ncu takes for an empty domain.
    #[error("ncu does not see the backslash at the start of the expression")]
    EscapedAtFirst,
    /// `/`, which makes ncu crash.
    #[error("there is no name beside the `/`")]
    NoName,
    /// `*/name`.
    #[error("the quantifier `{0}` comes first")]
    LeadingQuantifier(char),
    #[error("the expression has {length} bytes, more than {limit}")]
    TooLong { length: usize, limit: usize },
    /// More regular expressions than a stack can be deep in practice.
    #[error("the expression has {count} regular expressions, more than {limit}")]
    TooManyRegexes { count: usize, limit: usize },
    /// Not a regular expression, for ncu neither.
    #[error("{0}")]
    BadRegex(String),
    /// A regular expression that ncu may take but that is not supported here.
    #[error("{0} not supported here")]
    UnsupportedRegex(&'static str),
    #[error("the regular expression needs more than {limit} bytes of memory")]
    RegexTooBig { limit: usize },
}

impl FilterProblem {
    /// Advice to the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::EmptyDomain => "write `<default domain>@…`, or leave out the `@`",
            Self::EmptyRanges => {
                "write a range after it, such as `domain@name/` for push/pop or `domain@name` for start/end, or `\\@` if it belongs to a name"
            }
            Self::SecondAt => "write `\\@` for one that belongs to a name",
            Self::EscapedAtFirst => "write the domain too, as in `<default domain>@\\@name/`",
            Self::NoName => "write `name/` for a push/pop range, or `\\/` if it belongs to a name",
            Self::LeadingQuantifier(_) => {
                "put a name before it, as in `name/*/other`, or write a backslash before it if it is a name"
            }
            Self::TooLong { .. } => "write several shorter expressions",
            Self::TooManyRegexes { .. } => {
                "write a shorter chain, or use `*` for any number of ranges"
            }
            Self::BadRegex(_) => {
                "correct the regular expression, or drop `regex:` to match the name as it is"
            }
            Self::UnsupportedRegex(_) => "use plain groups, classes and repetitions",
            Self::RegexTooBig { .. } => "use smaller repetition counts",
        }
    }
}
