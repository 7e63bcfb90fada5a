//! The simulator's log in the form of ncu's: on standard output, standard error or in a file, and nowhere with `--quiet`.

use std::fs::File;
use std::io::{self, Write};

use super::parse::Parsed;
use super::refusal::Refusal;

/// The mark at the beginning of a line.
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

pub(super) enum Log {
    Nowhere,
    Stdout,
    Stderr,
    File(File),
}

impl Log {
    /// Opens the log that a command line asks for.
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

    pub(super) fn line(&mut self, channel: Channel, text: &str) {
        self.write(&format!("{} {text}\n", channel.mark()));
    }

    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        for warning in &refusal.warnings {
            self.line(Channel::Warning, warning);
        }
        for line in &refusal.lines {
            self.line(Channel::Error, line);
        }
    }

    /// Writes at once, because others wait for it. A log that cannot be written stops nothing.
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
