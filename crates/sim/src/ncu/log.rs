//! Where the simulator talks: ncu's lines, on the standard output, the standard error or a file; nothing at all with `--quiet`.

use std::fs::File;
use std::io::{self, Write};

use super::parse::Parsed;
use super::refusal::Refusal;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Progress,
    Warning,
    Error,
}

impl Channel {
    fn mark(self) -> &'static str {
        match self {
            Self::Progress => "==PROF==",
            Self::Warning => "==WARNING==",
            Self::Error => "==ERROR==",
        }
    }
}

/// Where lines go.
pub(super) enum Log {
    Nowhere,
    Stdout,
    Stderr,
    File(File),
}

impl Log {
    /// Where a command line sends them.
    pub(super) fn open(parsed: &Parsed) -> Result<Self, Refusal> {
        if parsed.has("quiet") {
            return Ok(Self::Nowhere);
        }
        Ok(match parsed.path("log-file") {
            None => Self::Stdout,
            Some(path) if path == "stdout" => Self::Stdout,
            Some(path) if path == "stderr" => Self::Stderr,
            Some(path) => Self::File(File::create(path).map_err(|_| {
                Refusal::new(format!("'{}' cannot be used as the output log file", path.display()))
            })?),
        })
    }

    /// Says a line.
    pub(super) fn line(&mut self, channel: Channel, text: &str) {
        self.write(&format!("{} {text}\n", channel.mark()));
    }

    /// Says a refusal.
    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        for warning in &refusal.warnings {
            self.line(Channel::Warning, warning);
        }
        for line in &refusal.lines {
            self.line(Channel::Error, line);
        }
    }

    /// Writes at once, because others wait for it. A log that cannot be written does not stop anything.
    pub(super) fn write(&mut self, text: &str) {
        let _ = match self {
            Self::Nowhere => Ok(()),
            Self::Stdout => put(&mut io::stdout().lock(), text),
            Self::Stderr => put(&mut io::stderr().lock(), text),
            Self::File(file) => put(file, text),
        };
    }
}

fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}
