//! Why no command line can be made.

use rangescope_config::{Since, Version};

/// Why no command line can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is nothing to profile.
    #[error("no program was given")]
    NoProgram,
    /// ncu would take the program for an option.
    #[error("the program `{program}` begins with a dash, so that ncu would take it for an option")]
    ProgramIsOption {
        /// The program.
        program: String,
    },
    /// A text that cannot be an argument of a program.
    #[error("`{argument}` has a zero byte in it")]
    ZeroByte {
        /// The argument.
        argument: String,
    },
    /// This ncu is too old.
    #[error("ncu {version} has no {what}{}", since.map(|since| format!("; {since}")).unwrap_or_default())]
    TooOld {
        /// The option, with its value if that is what is missing.
        what: String,
        /// The version at hand.
        version: Version,
        /// Which version has it.
        since: Option<Since>,
    },
    /// Two things that ncu does not do together.
    #[error("{first} does not go with {second}")]
    Conflict {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Something that has to be given too.
    #[error("{what} needs {needs}")]
    Needs {
        /// What was given.
        what: String,
        /// What is missing.
        needs: String,
    },
    /// A set or section that this ncu does not know.
    #[error("ncu {version} knows no {kind} `{name}`")]
    Unknown {
        /// `set` or `section`.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// The version at hand.
        version: Version,
        /// What it knows.
        known: Vec<String>,
    },
    /// A kernel pattern that is not one.
    #[error("kernel pattern `{pattern}`: {message}")]
    KernelPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// An extra argument that would not do what it looks like.
    #[error("extra argument `{argument}` {problem}")]
    Extra {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl CommandError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoProgram => {
                "write the program behind `--`, or set `pipeline.workload.command`".to_owned()
            }
            Self::ProgramIsOption { program } => format!("write `./{program}`"),
            Self::ZeroByte { .. } => "leave it out".to_owned(),
            Self::TooOld { .. } => "use a newer ncu, or leave the option out".to_owned(),
            Self::Conflict { .. } => "leave one of them out".to_owned(),
            Self::Needs { needs, .. } => format!("add {needs}, or leave it out"),
            Self::Unknown { known, .. } => format!("this ncu knows {}", known.join(", ")),
            Self::KernelPattern { .. } => {
                "a pattern is an exact name, `glob:…` or `regex:…`".to_owned()
            }
            Self::Extra { .. } => {
                "use the key that stands for it, or correct `extra_args`".to_owned()
            }
        }
    }
}
