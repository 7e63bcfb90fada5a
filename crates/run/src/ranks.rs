//! What is wrong with single ranks of a capture; ranks that failed in the same way are said together.

use rangescope_capture::child::{End, Limit};
use rangescope_capture::diagnose::{self, Code, Diagnosis};
use rangescope_capture::execute::{CaptureResult, CaptureStatus, RankResult, RankState};
use rangescope_capture::launch::RankSelection;

use crate::outcome::CaptureDiagnosis;

/// Finds what is wrong from how something ended, the limit that ended it, its log, and whether there is a report.
type Diagnose<'a> = &'a dyn Fn(End, Option<Limit>, &str, bool) -> Vec<Diagnosis>;

pub(crate) fn diagnoses(result: &CaptureResult, diagnosed: Diagnose<'_>) -> Vec<CaptureDiagnosis> {
    let mut groups: Vec<(Vec<u32>, CaptureStatus, Vec<Diagnosis>)> = Vec::new();
    for rank in result.ranks.iter().filter(|rank| !rank.is_well()) {
        let (status, found) = of_rank(rank, diagnosed);
        let alike = |(_, known, others): &&mut (Vec<u32>, CaptureStatus, Vec<Diagnosis>)| {
            *known == status && said(others) == said(&found)
        };
        match groups.iter_mut().find(alike) {
            Some((ranks, ..)) => ranks.push(rank.rank),
            None => groups.push((vec![rank.rank], status, found)),
        }
    }
    let named = |(ranks, status, diagnoses): (Vec<u32>, CaptureStatus, Vec<Diagnosis>)| {
        let ranks_word = if ranks.len() == 1 { "rank" } else { "ranks" };
        let capture = format!("{}, {ranks_word} {}", result.name, RankSelection::of(&ranks));
        CaptureDiagnosis { capture, status, diagnoses }
    };
    // What the launcher ended is the consequence of something else.
    groups.sort_by_key(|(_, _, found)| found.iter().any(|found| found.code == Code::RankEnded));
    groups.into_iter().filter(|(_, _, found)| !found.is_empty()).map(named).collect()
}

/// What makes two diagnoses the same to a reader; each rank has lines of its own.
fn said(diagnoses: &[Diagnosis]) -> Vec<(&str, &str)> {
    diagnoses.iter().map(|found| (found.code.as_str(), found.explanation.as_str())).collect()
}

fn of_rank(rank: &RankResult, diagnosed: Diagnose<'_>) -> (CaptureStatus, Vec<Diagnosis>) {
    let record = rank.record.as_ref();
    let last_line = rank.last_line.as_deref();
    let found = || {
        let end = rank.end().unwrap_or(End::Exited(0));
        diagnosed(end, rank.timed_out(), &rank.log, rank.report.is_some())
    };
    if let Some(signal) = rank.interrupted() {
        let has_report = rank.report.is_some();
        let status = if has_report { CaptureStatus::Complete } else { CaptureStatus::Interrupted };
        return (status, vec![diagnose::rank_ended(signal, has_report)]);
    }
    match rank.state() {
        RankState::Lost => {
            let host = record.map_or("", |record| record.host.as_str());
            (CaptureStatus::Failed, vec![diagnose::rank_lost(host, last_line)])
        }
        RankState::Missing => (CaptureStatus::Failed, vec![diagnose::rank_missing()]),
        RankState::TimedOut => (CaptureStatus::TimedOut, found()),
        RankState::NothingProfiled => (CaptureStatus::NothingProfiled, found()),
        RankState::Profiled => (CaptureStatus::Complete, found()),
        RankState::Failed if record.is_some_and(|record| record.profiled) => {
            (CaptureStatus::Failed, found())
        }
        // There is no ncu that says so.
        RankState::Failed | RankState::Unprofiled => {
            let end = rank
                .end()
                .map_or_else(|| "without an exit code".to_owned(), |end| format!("with {end}"));
            (CaptureStatus::Failed, vec![diagnose::program_failed(&end, last_line)])
        }
    }
}
