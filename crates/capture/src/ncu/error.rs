//! Why no command line can be made.

use rangescope_config::{Since, Version};
use rangescope_model::nearest::nearest;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    #[error("no program was given")]
    NoProgram,
    #[error("the program `{program}` begins with a dash, and ncu would take it for an option")]
    ProgramIsOption { program: String },
    #[error("`{argument}` contains a zero byte")]
    ZeroByte { argument: String },
    #[error("ncu {version} has no {what}{}", since.map(|since| format!("; {since}")).unwrap_or_default())]
    TooOld {
        /// The option, with its value if only that is missing.
        what: String,
        version: Version,
        since: Option<Since>,
    },
    #[error("{first} cannot be combined with {second}")]
    Conflict { first: String, second: String },
    #[error("{what} needs {needs}")]
    Needs { what: String, needs: String },
    #[error("ncu {version} has no {kind} `{name}`")]
    Unknown {
        /// `set` or `section`.
        kind: &'static str,
        name: String,
        version: Version,
        known: Vec<String>,
    },
    #[error("kernel pattern `{pattern}`: {message}")]
    KernelPattern { pattern: String, message: String },
    #[error("extra argument `{argument}` {problem}")]
    Extra { argument: String, problem: &'static str },
}

impl CommandError {
    pub fn hint(&self) -> String {
        match self {
            Self::NoProgram => {
                "write the program after `--`, or set `pipeline.workload.command`".to_owned()
            }
            Self::ProgramIsOption { program } => format!("write `./{program}`"),
            Self::ZeroByte { .. } => "leave it out".to_owned(),
            Self::TooOld { .. } => "use a newer ncu, or leave the option out".to_owned(),
            Self::Conflict { .. } => "leave one of them out".to_owned(),
            Self::Needs { needs, .. } => format!("add {needs}, or leave it out"),
            Self::Unknown { name, known, .. } => {
                let meant = nearest(name, known.iter().map(String::as_str));
                let meant = meant.map(|meant| format!("did you mean `{meant}`? "));
                format!("{}this ncu has {}", meant.unwrap_or_default(), known.join(", "))
            }
            Self::KernelPattern { .. } => {
                "a pattern is an exact name, `glob:…` or `regex:…`".to_owned()
            }
            Self::Extra { .. } => {
                "use the key that stands for it, or correct `extra_args`".to_owned()
            }
        }
    }
}
