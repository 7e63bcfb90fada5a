//! Why nsys cannot be used, or no command line can be made for it.

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NsysCommandError {
    /// nsys would refuse an option, or misread it.
    #[error("nsys option `{option}`: {problem}")]
    Option {
        /// The key below `pipeline.nsys`.
        option: &'static str,
        problem: String,
        hint: String,
    },
    /// There is no program to run, or its name looks like an option.
    #[error("nsys cannot run {problem}")]
    Program { problem: String },
    #[error("`{name}` was not found on the path")]
    NotFound { name: String },
    /// nsys cannot be started, does not end, or does not say its version.
    #[error("cannot run `{launcher}`: {cause}")]
    Probe { launcher: String, cause: String },
}

impl NsysCommandError {
    pub(super) fn option(
        option: &'static str,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Option { option, problem: problem.into(), hint: hint.into() }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::Option { hint, .. } => hint.clone(),
            Self::Program { .. } => {
                "nsys has no `--` before the program: write its path, such as ./program".to_owned()
            }
            Self::NotFound { .. } | Self::Probe { .. } => {
                "install Nsight Systems, or set `pipeline.nsys.executable` to the path of nsys"
                    .to_owned()
            }
        }
    }
}
