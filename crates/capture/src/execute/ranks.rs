//! What the ranks of a capture have left in its folder, and what that says of the capture as a whole.
//!
//! Ranks run on other machines, and a folder is all that is shared with them: a rank that has no file never began, and one whose file does not say how it ended was killed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rangescope_config::Secrets;
use rangescope_model::rank::{RankRecord, file_prefix, file_stem};

use super::{CaptureStatus, MOST_LOG};
use crate::child::{End, Limit, Outcome};
use crate::files::{is_report, make_private, read_ends};
use crate::plan::Capture;
use crate::rank::{last_line, limit_of, log_path, own_host, read_record};

/// A network file system may show what others wrote a little later.
const LATER: Duration = Duration::from_secs(2);
/// A launcher may end before its ranks, which still write down what they have when they are asked to end.
const ENDING: Duration = Duration::from_secs(12);
/// A launcher that is said to have started more has not.
const MOST_RANKS: u32 = 1 << 20;

#[derive(Clone, Debug)]
pub struct RankResult {
    pub rank: u32,
    /// What it said of itself; none if it never began.
    pub record: Option<RankRecord>,
    pub report: Option<PathBuf>,
    /// The middle is left out if it is long.
    pub log: String,
    /// What it printed last, without secrets.
    pub last_line: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankState {
    /// There is a report.
    Profiled,
    /// It ran without a profiler, as was asked for.
    Unprofiled,
    NothingProfiled,
    Failed,
    TimedOut,
    /// It began, and nobody knows how it ended.
    Lost,
    /// It never began.
    Missing,
}

impl RankResult {
    pub fn state(&self) -> RankState {
        let Some(record) = &self.record else { return RankState::Missing };
        let Some(ended) = &record.ended else { return RankState::Lost };
        let ended_well = ended.exit_code == Some(0);
        if self.report.is_some() {
            RankState::Profiled
        } else if ended.timed_out.is_some() {
            RankState::TimedOut
        } else if !ended_well {
            RankState::Failed
        } else if record.profiled {
            RankState::NothingProfiled
        } else {
            RankState::Unprofiled
        }
    }

    /// How it ended, if it said so.
    pub fn end(&self) -> Option<End> {
        let ended = self.record.as_ref()?.ended.as_ref()?;
        let signalled = ended.signal.map(End::Signalled);
        ended.exit_code.map(End::Exited).or(signalled)
    }

    pub fn timed_out(&self) -> Option<Limit> {
        limit_of(self.record.as_ref()?.ended.as_ref()?.timed_out.as_deref()?)
    }

    /// The signal that the launcher ended it with.
    pub fn interrupted(&self) -> Option<i32> {
        self.record.as_ref()?.ended.as_ref()?.interrupted
    }

    /// Of a process on another machine nothing can be known.
    fn may_live(&self, host: &str) -> bool {
        let lives = |pid: u32| Path::new("/proc").join(pid.to_string()).exists();
        self.record.as_ref().is_some_and(|record| record.host != host || lives(record.pid))
    }

    /// It did all that was asked of it.
    pub fn is_well(&self) -> bool {
        let ended_well = self.end() == Some(End::Exited(0)) && self.timed_out().is_none();
        ended_well && matches!(self.state(), RankState::Profiled | RankState::Unprofiled)
    }
}

/// The files of all ranks of a capture; none of one that has no ranks.
pub(super) fn files_of(capture: &Capture) -> Vec<PathBuf> {
    let entries = capture.report.parent().filter(|_| capture.inside).map(fs_err::read_dir);
    let Some(Ok(entries)) = entries else { return Vec::new() };
    let prefix = file_prefix(&capture.name);
    let is_of_rank = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(&prefix))
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_of_rank).collect();
    files.sort();
    files
}

/// The reports that a capture has so far.
pub(super) fn reports_of(capture: &Capture) -> Vec<PathBuf> {
    if !capture.inside {
        return capture.report.exists().then(|| capture.report.clone()).into_iter().collect();
    }
    let ending = format!(".{}", extension(capture));
    let partial = format!(".partial{ending}");
    let mut files = files_of(capture);
    files.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(&ending) && !name.ends_with(&partial)
    });
    files
}

fn extension(capture: &Capture) -> String {
    capture.report.extension().unwrap_or_default().to_string_lossy().into_owned()
}

/// What the ranks have left when the launcher has ended. Those that may still write are waited for.
pub(super) fn collect(capture: &Capture, secrets: &Secrets, outcome: &Outcome) -> Vec<RankResult> {
    let asked = Instant::now();
    let host = own_host();
    loop {
        let ranks = found(capture, secrets);
        let may_come = |rank: &RankResult| match rank.state() {
            RankState::Missing => outcome.success() && asked.elapsed() < LATER,
            RankState::Lost => rank.may_live(&host) && asked.elapsed() < ENDING,
            _ => false,
        };
        if !ranks.iter().any(may_come) {
            return with_what_is_left(capture, ranks);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A rank that was killed may have left a report that can be read, or ncu did when it outlived it.
fn with_what_is_left(capture: &Capture, mut ranks: Vec<RankResult>) -> Vec<RankResult> {
    let Some(folder) = capture.report.parent() else { return ranks };
    for rank in ranks.iter_mut().filter(|rank| rank.state() == RankState::Lost) {
        let file = |part: &str| {
            let stem = file_stem(&capture.name, rank.rank);
            folder.join(format!("{stem}.{part}{}", extension(capture)))
        };
        let (partial, report) = (file("partial."), file(""));
        if rank.report.is_none() && is_report(&partial) && fs_err::rename(&partial, &report).is_ok()
        {
            make_private(&report);
            rank.report = Some(report);
        }
    }
    ranks
}

/// What the ranks have left, and which are missing.
pub(super) fn found(capture: &Capture, secrets: &Secrets) -> Vec<RankResult> {
    let Some(folder) = capture.report.parent().filter(|_| capture.inside) else {
        return Vec::new();
    };
    let records = files_of(capture).into_iter().filter_map(|path| {
        let record =
            path.extension().filter(|ending| *ending == "json").and(read_record(&path).ok())?;
        let is_named_so = path.file_stem()? == file_stem(&capture.name, record.rank).as_str();
        is_named_so.then(|| of_record(&path, record, capture, secrets))
    });
    let mut ranks: Vec<RankResult> = records.collect();
    let sizes = ranks.iter().filter_map(|rank| rank.record.as_ref()?.size);
    let size = sizes.max().unwrap_or(0).min(MOST_RANKS);
    let known: std::collections::BTreeSet<u32> = ranks.iter().map(|rank| rank.rank).collect();
    let missing = (0..size).filter(|rank| !known.contains(rank));
    ranks.extend(missing.map(|rank| RankResult {
        rank,
        record: None,
        report: None,
        log: read_log(&folder.join(file_stem(&capture.name, rank))),
        last_line: None,
    }));
    ranks.sort_by_key(|rank| rank.rank);
    ranks
}

fn of_record(path: &Path, record: RankRecord, capture: &Capture, secrets: &Secrets) -> RankResult {
    let report = path.with_extension(extension(capture));
    let log = read_log(path);
    let last_line = match &record.ended {
        Some(ended) => ended.last_line.clone(),
        None => last_line("", &log),
    };
    RankResult {
        rank: record.rank,
        record: Some(record),
        report: report.is_file().then_some(report),
        log,
        last_line: last_line.map(|line| secrets.mask(&line).into_owned()),
    }
}

fn read_log(record: &Path) -> String {
    ["stdout", "stderr"]
        .map(|stream| read_ends(&log_path(record, stream), MOST_LOG).unwrap_or_default())
        .concat()
}

/// What the ranks make of the capture: as with several captures, one that failed is a failure, whatever the others have.
pub(super) fn status(ranks: &[RankResult], outcome: &Outcome) -> CaptureStatus {
    let any = |states: &[RankState]| ranks.iter().any(|rank| states.contains(&rank.state()));
    if outcome.interrupted.is_some() {
        CaptureStatus::Interrupted
    } else if outcome.timed_out.is_some() || any(&[RankState::TimedOut]) {
        CaptureStatus::TimedOut
    } else if any(&[RankState::Failed, RankState::Lost, RankState::Missing]) {
        CaptureStatus::Failed
    } else if any(&[RankState::Profiled]) {
        CaptureStatus::Complete
    } else if outcome.end == End::Exited(0) {
        CaptureStatus::NothingProfiled
    } else {
        CaptureStatus::Failed
    }
}
