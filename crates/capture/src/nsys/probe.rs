//! Which nsys this is, and what it can trace.

use std::ffi::OsString;
use std::time::Duration;

use super::NsysCommandError;
use crate::child::{beginning, quick};
use crate::shell::command_line;

const LIMIT: Duration = Duration::from_secs(30);
/// The newest nsys whose options were tried; none of them depends on the version.
const NEWEST_KNOWN: &str = "2023.4.4";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NsysInfo {
    /// nsys, perhaps with something before it.
    pub launcher: Vec<OsString>,
    /// As nsys prints it, such as `2023.4.4.54-234433681190v0`.
    pub version: String,
    /// Empty if that is not known.
    pub traces: Vec<String>,
}

impl NsysInfo {
    pub fn probe(launcher: &[OsString]) -> Result<Self, NsysCommandError> {
        Self::probe_within(launcher, LIMIT)
    }

    /// For an nsys that is not at hand.
    pub fn newest_known(launcher: Vec<OsString>) -> Self {
        Self { launcher, version: NEWEST_KNOWN.to_owned(), traces: Vec::new() }
    }

    /// With so much time for each question.
    pub(super) fn probe_within(
        launcher: &[OsString],
        limit: Duration,
    ) -> Result<Self, NsysCommandError> {
        let failed =
            |cause: String| NsysCommandError::Probe { launcher: command_line(launcher), cause };
        if let Some(name) = launcher.first().filter(|name| !name.as_encoded_bytes().contains(&b'/'))
            && which::which(name).is_err()
        {
            return Err(NsysCommandError::NotFound { name: name.to_string_lossy().into_owned() });
        }
        let said = ask(launcher, &["--version"], limit).map_err(failed)?;
        let version = version(&said)
            .ok_or_else(|| failed(format!("it is not nsys, it says {:?}", beginning(&said))))?;
        // An nsys whose help looks different is not refused: less is known of it.
        let help = ask(launcher, &["profile", "--help"], limit).unwrap_or_default();
        Ok(Self { launcher: launcher.to_vec(), version, traces: traces(&help) })
    }
}

pub(super) fn version(said: &str) -> Option<String> {
    if !said.contains("Nsight Systems") {
        return None;
    }
    let text = said.split_whitespace().skip_while(|&word| word != "version").nth(1)?;
    text.starts_with(|first: char| first.is_ascii_digit()).then(|| text.to_owned())
}

fn ask(launcher: &[OsString], question: &[&str], limit: Duration) -> Result<String, String> {
    let words = question.iter().map(OsString::from);
    let argv = launcher.iter().cloned().chain(words).collect();
    let answer = quick(argv, Vec::new(), limit).map_err(|error| error.to_string())?;
    if answer.outcome.timed_out.is_some() {
        return Err(format!("it does not answer `{}`", question.join(" ")));
    }
    if !answer.outcome.success() {
        return Err(format!("{}: {}", answer.outcome.end, beginning(&answer.stderr)));
    }
    Ok(answer.stdout)
}

/// The words in quotes in the first sentence about `--trace`.
pub(super) fn traces(help: &str) -> Vec<String> {
    let mut lines = help.lines().skip_while(|line| !line.trim_end().ends_with("--trace=")).skip(1);
    let mut words = Vec::new();
    for line in lines.by_ref().skip_while(|line| line.trim().is_empty()) {
        words.extend(line.split('\'').skip(1).step_by(2).map(str::to_owned));
        if line.trim().is_empty() || line.trim_end().ends_with('.') {
            break;
        }
    }
    words
}
