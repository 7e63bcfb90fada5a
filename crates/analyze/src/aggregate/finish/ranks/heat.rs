//! The heat map: times by members and rows, with neighbours taken together where members are many.

use super::members::Members;
use super::sets::OneMember;
use super::verdict::mean;
use rangescope_model::imbalance::{HeatBin, HeatMap, HeatRow};

/// Columns; more members share them.
const MOST_BINS: usize = 256;

pub(super) struct HeatMaker<'m> {
    members: &'m Members,
    bins: usize,
    rows: Vec<HeatRow>,
}

impl<'m> HeatMaker<'m> {
    pub(super) fn new(members: &'m Members) -> Self {
        Self { members, bins: members.all.len().min(MOST_BINS), rows: Vec::new() }
    }

    /// Adds what the members have of the row at a position.
    pub(super) fn add(&mut self, row: usize, summed: &[OneMember]) {
        let mut times: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.bins];
        for one in summed {
            let bin = self.bin(one.member);
            if let (Some(times), Some(ms)) = (times.get_mut(bin), one.milliseconds()) {
                times.push((one.member, ms));
            }
        }
        let mean_of =
            |times: &Vec<(usize, f64)>| mean(&times.iter().map(|(_, ms)| *ms).collect::<Vec<_>>());
        let max_of = |times: &Vec<(usize, f64)>| {
            let longest = times.iter().reduce(|most, one| if one.1 > most.1 { one } else { most });
            longest.map(|(member, ms)| (*ms, self.number(*member)))
        };
        let is_binned = self.bins < self.members.all.len();
        self.rows.push(HeatRow {
            row: u32::try_from(row).unwrap_or(u32::MAX),
            mean_ms: times.iter().map(mean_of).collect(),
            max: if is_binned { times.iter().map(max_of).collect() } else { Vec::new() },
        });
    }

    pub(super) fn finish(self) -> HeatMap {
        let mut bins: Vec<HeatBin> = Vec::new();
        let mut last_bin = None;
        for (at, member) in self.members.all.iter().enumerate() {
            let bin = Some(self.bin(at));
            match bins.last_mut().filter(|_| last_bin == bin) {
                Some(known) => {
                    known.members += 1;
                    known.last = Some(member.clone());
                }
                None => bins.push(HeatBin { first: member.clone(), last: None, members: 1 }),
            }
            last_bin = bin;
        }
        HeatMap { bins, rows: self.rows }
    }

    /// Bins differ by one member at most.
    fn bin(&self, member: usize) -> usize {
        member * self.bins / self.members.all.len().max(1)
    }

    fn number(&self, member: usize) -> Option<u32> {
        self.members.all.get(member)?.number(self.members.kind)
    }
}
