//! The simulator's log in the form of ncu's: on standard output, standard error or in a file, and nowhere with `--quiet`.

use std::fs::File;
use std::io::{self, Write};

use super::parse::Parsed;
use super::refusal::Refusal;

pub(super) enum Log {
    Nowhere,
    Stdout,
    Stderr,
    File(File),
}

impl Log {
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

    pub(super) fn progress(&mut self, text: &str) {
        self.write(&format!("==PROF== {text}\n"));
    }

    pub(super) fn warning(&mut self, text: &str) {
        self.write(&format!("==WARNING== {text}\n"));
    }

    pub(super) fn error(&mut self, text: &str) {
        self.write(&format!("==ERROR== {text}\n"));
    }

    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        for warning in &refusal.warnings {
            self.warning(warning);
        }
        for line in &refusal.lines {
            self.error(line);
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
