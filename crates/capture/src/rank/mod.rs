//! What a launcher starts in place of the program: one rank, which starts ncu or nsys with the program, or the program alone.
//!
//! A folder that all ranks can write to is all that they share with whoever started the launcher: each rank writes down who it is before it begins and how it ended. It ends with
//! success whatever its program did, because launchers take the failure of one rank for a reason to kill the others; whoever reads the files decides.

mod arguments;
mod devices;
mod identity;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rangescope_model::rank::{RankEnd, RankRecord, file_stem};

use crate::child::{self, ChildError, ChildEvent, ChildSpec, End, Limit, Outcome};
use crate::files::{PRIVATE, is_report, make_private, read_ends, write_whole};
use crate::launch::Launcher;
use crate::nsys::output_option;
use crate::shell::{operand, without_macros};
pub(crate) use arguments::RankArguments;
pub(crate) use identity::{own_host, read_record};

/// How much of a log is looked at for its last line.
const MOST_LOG: u64 = 64 * 1024;
/// The longest last line that is kept, in characters.
const MOST_LINE: usize = 500;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    #[error("{0}; this verb is for launchers: `rangescope profile -- mpirun …` starts it")]
    Arguments(&'static str),
    #[error("this process does not know its rank: none of {} is set", variables.join(", "))]
    NoRank { variables: Vec<&'static str> },
    #[error("there are two processes that say that they are rank {rank}: one on {host}")]
    Twice { rank: u32, host: String },
    #[error("cannot write `{}`: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error(transparent)]
    Child(#[from] ChildError),
}

/// Runs one rank to its end: the words of this verb, and a callback for what the rank prints.
pub fn run(words: &[OsString], tell: &mut dyn FnMut(ChildEvent<'_>)) -> Result<(), RankError> {
    let mut arguments = RankArguments::parse(words)?;
    let launcher = Launcher::named(&arguments.launcher);
    let mut record = identity::identity(launcher, |name| std::env::var(name).ok())?;
    record.devices = devices::of(|name| std::env::var(name).ok(), &devices::gpus(Path::new("/")));
    arguments.tell_local_rank(record.local_rank);
    record.profiled = arguments.ranks.has(record.rank, record.local_rank);
    let files = Files::new(&arguments, record.rank);
    if let Ok(other) = read_record(&files.record)
        && other.ended.is_none()
    {
        return Err(RankError::Twice { rank: record.rank, host: other.host });
    }
    files.write(&record)?;
    let spec = ChildSpec {
        argv: if record.profiled {
            files.profiler(&arguments, &record)
        } else {
            arguments.program()
        },
        stdout_log: Some(files.log("stdout")),
        stderr_log: Some(files.log("stderr")),
        silence_limit: arguments.silence_limit,
        ..ChildSpec::default()
    };
    let outcome = child::run(&spec, tell);
    let report = if record.profiled { files.keep_report() } else { None };
    record.ended = Some(match &outcome {
        Ok(outcome) => ended(outcome, report, files.last_line()),
        Err(error) => RankEnd {
            at: jiff::Timestamp::now().to_string(),
            duration_s: 0.0,
            exit_code: None,
            signal: None,
            timed_out: None,
            interrupted: None,
            report,
            last_line: Some(error.to_string()),
        },
    });
    files.write(&record)?;
    Ok(outcome.map(drop)?)
}

fn ended(outcome: &Outcome, report: Option<String>, last_line: Option<String>) -> RankEnd {
    let (exit_code, signal) = match outcome.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
    };
    RankEnd {
        at: jiff::Timestamp::now().to_string(),
        duration_s: outcome.duration.as_secs_f64(),
        exit_code,
        signal,
        timed_out: outcome.timed_out.map(|limit| limit_word(limit).to_owned()),
        interrupted: outcome.interrupted,
        report,
        last_line,
    }
}

const LIMITS: [(Limit, &str); 2] = [(Limit::Silence, "silence"), (Limit::Time, "time")];

fn limit_word(limit: Limit) -> &'static str {
    LIMITS.iter().find(|(known, _)| *known == limit).map_or("", |(_, word)| word)
}

/// The limit that a record names.
pub(crate) fn limit_of(word: &str) -> Option<Limit> {
    LIMITS.iter().find(|(_, known)| *known == word).map(|(limit, _)| *limit)
}

/// The files of one rank.
struct Files {
    record: PathBuf,
    report: PathBuf,
    partial: PathBuf,
}

impl Files {
    fn new(arguments: &RankArguments, rank: u32) -> Self {
        let stem = file_stem(&arguments.capture, rank);
        let file = |ending: &str| arguments.folder.join(format!("{stem}.{ending}"));
        let extension = &arguments.extension;
        Self {
            record: file("json"),
            report: file(extension),
            partial: file(&format!("partial.{extension}")),
        }
    }

    fn log(&self, stream: &str) -> PathBuf {
        log_path(&self.record, stream)
    }

    fn write(&self, record: &RankRecord) -> Result<(), RankError> {
        let fail = |cause| RankError::Write { path: self.record.clone(), cause };
        let text = serde_json::to_string_pretty(record).map_err(|error| fail(error.into()))?;
        write_whole(&self.record, format!("{text}\n").as_bytes(), PRIVATE).map_err(fail)
    }

    /// The words of ncu or nsys and the program, with the report of this rank.
    fn profiler(&self, arguments: &RankArguments, record: &RankRecord) -> Vec<OsString> {
        let mut words = arguments.words.clone();
        if let Some(report) = words.get_mut(arguments.report_at) {
            *report = output_option(&self.partial)
                .unwrap_or_else(|| without_macros(&operand(&self.partial)));
        }
        if let Some(size) = record.size.filter(|_| arguments.peers) {
            let peers = ["--communicator-tcp-num-peers".into(), OsString::from(size.to_string())];
            let before = arguments.report_at.saturating_sub(1);
            words.splice(before..before, peers);
        }
        words
    }

    /// Gives a report its final name, if there is one that can be read.
    fn keep_report(&self) -> Option<String> {
        let written = self.written()?;
        make_private(&written);
        if !is_report(&written) {
            return None;
        }
        fs_err::rename(written, &self.report).ok()?;
        Some(self.report.file_name()?.to_string_lossy().into_owned())
    }

    /// Where ncu wrote its report: with a communicator it adds a number of its own to the name.
    fn written(&self) -> Option<PathBuf> {
        if self.partial.is_file() {
            return Some(self.partial.clone());
        }
        let (stem, extension) =
            (self.partial.file_stem()?.to_str()?, self.partial.extension()?.to_str()?);
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_ours = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(rest) = name.strip_prefix(stem) else { return false };
            // Before the extension, or behind it and then with another one.
            let rest = rest.strip_suffix(&format!(".{extension}")).unwrap_or(rest);
            let rest = rest.strip_prefix(&format!(".{extension}")).unwrap_or(rest);
            is_number(rest.trim_start_matches(['.', '_', '-']))
        };
        let entries = fs_err::read_dir(self.partial.parent()?).ok()?;
        let mut found: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_ours).collect();
        found.sort();
        found.into_iter().next()
    }

    /// What was printed last, by the program if it printed anything.
    fn last_line(&self) -> Option<String> {
        let text = |stream| read_ends(&self.log(stream), MOST_LOG).unwrap_or_default();
        last_line(&text("stderr"), &text("stdout"))
    }
}

pub(crate) fn last_line(stderr: &str, stdout: &str) -> Option<String> {
    let lines = || stderr.lines().rev().chain(stdout.lines().rev()).map(str::trim);
    let said = || lines().filter(|line| !line.is_empty());
    let line = said().find(|line| !line.starts_with("==")).or_else(|| said().next())?;
    Some(line.chars().take(MOST_LINE).collect())
}

/// Where what a rank prints is kept, beside its record.
pub(crate) fn log_path(record: &Path, stream: &str) -> PathBuf {
    record.with_extension(format!("{stream}.log"))
}

#[cfg(test)]
mod tests;
