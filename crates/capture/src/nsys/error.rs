//! Why nsys cannot be used, or no command line can be made for it.

/// Why nsys cannot be used, or no command line can be made for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NsysCommandError {
    /// nsys would refuse an option, or take it for something else.
    #[error("nsys option `{option}`: {problem}")]
    Option {
        /// The key below `pipeline.nsys`.
        option: &'static str,
        /// What is wrong with it.
        problem: String,
        /// What to do about it.
        hint: String,
    },
    /// There is no program to run, or its name cannot be told from an option.
    #[error("nsys cannot run {problem}")]
    Program {
        /// What cannot be run.
        problem: String,
    },
    /// nsys cannot be started, does not end, or does not say which version it is.
    #[error("cannot run `{launcher}`: {cause}")]
    Probe {
        /// What was started.
        launcher: String,
        /// What happened.
        cause: String,
    },
}

impl NsysCommandError {
    pub(super) fn option(
        option: &'static str,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Option { option, problem: problem.into(), hint: hint.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Option { hint, .. } => hint.clone(),
            Self::Program { .. } => {
                "nsys has no `--` before the program: give it by a path such as ./program"
                    .to_owned()
            }
            Self::Probe { .. } => {
                "install Nsight Systems, or set `pipeline.nsys.executable` to the path of nsys"
                    .to_owned()
            }
        }
    }
}
