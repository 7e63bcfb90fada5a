//! Who is compared: ranks where the rank of every process is known, else processes.

use super::MOST_NAMED;
use crate::aggregate::finish::ReportContext;
use rangescope_model::imbalance::{Extreme, Member, MemberKind};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::number::{count, thousands};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Members {
    pub(super) kind: MemberKind,
    /// Ranks ascending, or processes in the order of the inputs.
    pub(super) all: Vec<Member>,
    pub(super) hosts: usize,
    of_process: FxHashMap<u32, usize>,
}

impl Members {
    /// Nothing if there are fewer than two.
    pub(super) fn of(context: &ReportContext<'_>) -> Option<Self> {
        let info = |process: u32| context.analysis.process_info(process);
        let mut seen: Vec<(Option<u32>, u32)> = context
            .partial
            .ranks
            .seen
            .iter()
            .map(|process| (info(*process).and_then(|info| info.rank), *process))
            .collect();
        let kind = if seen.iter().all(|(rank, _)| rank.is_some()) {
            seen.sort_unstable();
            MemberKind::Ranks
        } else {
            MemberKind::Processes
        };
        let mut members =
            Self { kind, all: Vec::new(), hosts: 0, of_process: FxHashMap::default() };
        let mut last = None;
        for (rank, process) in seen {
            if kind == MemberKind::Processes || last != rank {
                members.all.push(member(info(process)));
            }
            last = rank;
            members.of_process.insert(process, members.all.len() - 1);
        }
        let hosts: FxHashSet<&str> =
            members.all.iter().filter_map(|member| member.host.as_deref()).collect();
        members.hosts = hosts.len();
        (members.all.len() > 1).then_some(members)
    }

    pub(super) fn of_process(&self, process: u32) -> Option<usize> {
        self.of_process.get(&process).copied()
    }

    pub(super) fn extreme(&self, (member, value): (usize, f64)) -> Option<Extreme> {
        Some(Extreme { value, member: self.all.get(member)?.clone() })
    }

    pub(super) fn host(&self, member: usize) -> Option<&str> {
        self.all.get(member)?.host.as_deref()
    }

    /// The first of some members.
    pub(super) fn first_of(&self, members: &[usize]) -> Vec<Member> {
        let first = members.iter().take(MOST_NAMED);
        first.filter_map(|member| self.all.get(*member)).cloned().collect()
    }

    /// `8 ranks`.
    pub(super) fn count(&self, number: u64) -> String {
        let (one, many) = self.kind.words();
        count(number, one, many)
    }

    /// The first of some members by number: `3, 7 and 2 more`.
    pub(super) fn listed(&self, members: &[usize]) -> String {
        let named = members.iter().take(MOST_NAMED).filter_map(|member| self.all.get(*member));
        let number = |member: &Member| {
            let number = member.number(self.kind);
            number.map_or_else(|| "unknown".to_owned(), |number| number.to_string())
        };
        let mut text = named.map(number).collect::<Vec<_>>().join(", ");
        if let Some(more) = members.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            text.extend([" and ", &thousands(more as u64), " more"]);
        }
        text
    }
}

fn member(info: Option<&ProcessInfo>) -> Member {
    let host = info.map(|info| info.host.clone()).filter(|host| !host.is_empty());
    Member {
        rank: info.and_then(|info| info.rank),
        process_id: info.and_then(|info| info.pid),
        host,
    }
}
