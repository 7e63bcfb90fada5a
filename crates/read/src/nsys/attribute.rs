//! Which regions a kernel belongs to: those that were open on the CPU during the whole of the call that launched it.
//!
//! When the kernel ran plays no part, so one that runs after its region was closed still belongs to it. Ranges and calls are sorted by time and walked through
//! once, with one stack per thread and domain for push/pop ranges. Start/end ranges belong to the whole process.

use std::cmp::Reverse;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::nsys::identity::{GlobalProcess, GlobalThread};
use crate::nsys::kernels::{Call, Kernel};
use crate::nsys::ranges::{Range, Stack};
use crate::nsys::regions::RegionId;
use rangescope_model::region::RangeKind;

/// More steps than any real trace needs by far; a file that asks for more is made to keep us busy.
const MOST_STEPS: u64 = 1 << 32;

/// Whose calls belong to a start/end range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartEndScope {
    /// Those of all threads of the process, as in NVTX and ncu.
    #[default]
    Process,
    /// Those of the thread that opened the range, if the same thread ended it, as in the reports of `nsys stats`.
    Thread,
}

/// The innermost regions of every kernel: at most one per domain, and the start/end regions. Regions around them are not listed.
#[derive(Debug, Default)]
pub(crate) struct Attribution {
    places: IndexSet<Box<[RegionId]>, FxBuildHasher>,
    of_kernel: Vec<usize>,
}

impl Attribution {
    /// The place of a kernel, as a number.
    pub(crate) fn place(&self, kernel: usize) -> usize {
        self.of_kernel.get(kernel).copied().unwrap_or(0)
    }

    /// The regions of a place.
    pub(crate) fn regions(&self, place: usize) -> &[RegionId] {
        self.places.get_index(place).map_or(&[], |regions| regions)
    }
}

/// The start/end regions that are open: each until when, at the latest.
type OpenRegions = IndexMap<RegionId, i64, FxBuildHasher>;

struct Sweep {
    scope: StartEndScope,
    stacks: Vec<Stack>,
    /// The stacks that each thread has used so far.
    stacks_of: FxHashMap<GlobalThread, IndexSet<usize, FxBuildHasher>>,
    by_process: FxHashMap<GlobalProcess, OpenRegions>,
    by_thread: FxHashMap<GlobalThread, OpenRegions>,
    steps: u64,
}

/// Places all kernels; nothing if that would take unreasonably long. `ranges` are in order of time.
pub(crate) fn attribute(
    ranges: &[Range],
    kernels: &[Kernel],
    scope: StartEndScope,
) -> Option<Attribution> {
    let stacks = ranges.iter().map(|range| range.stack as usize + 1).max().unwrap_or(0);
    let mut sweep = Sweep {
        scope,
        stacks: vec![Stack::default(); stacks],
        stacks_of: FxHashMap::default(),
        by_process: FxHashMap::default(),
        by_thread: FxHashMap::default(),
        steps: 0,
    };
    let mut attribution = Attribution::default();
    let nowhere = attribution.places.insert_full(Box::default()).0;
    attribution.of_kernel = vec![nowhere; kernels.len()];

    let mut calls: Vec<(usize, Call)> = kernels
        .iter()
        .enumerate()
        .filter_map(|(index, kernel)| Some((index, kernel.call?)))
        .collect();
    calls.sort_by_key(|&(index, call)| (call.start, Reverse(call.end), index));
    let mut next = 0;
    let mut place = Vec::new();
    for (kernel, call) in calls {
        while let Some(range) = ranges.get(next).filter(|range| range.start <= call.start) {
            sweep.open(next, range);
            next += 1;
        }
        place.clear();
        sweep.regions_around(call, ranges, &mut place);
        if sweep.steps > MOST_STEPS {
            return None;
        }
        place.sort_unstable();
        place.dedup();
        attribution.of_kernel[kernel] = match attribution.places.get_index_of(place.as_slice()) {
            Some(known) => known,
            None => attribution.places.insert_full(place.as_slice().into()).0,
        };
    }
    Some(attribution)
}

impl Sweep {
    fn open(&mut self, index: usize, range: &Range) {
        let open = match (range.kind, self.scope) {
            (RangeKind::PushPop, _) => {
                let stack = range.stack as usize;
                self.stacks[stack].push(index, range.end);
                self.stacks_of.entry(range.thread).or_default().insert(stack);
                return;
            }
            (RangeKind::StartEnd, StartEndScope::Process) => {
                self.by_process.entry(range.thread.process()).or_default()
            }
            (RangeKind::StartEnd, StartEndScope::Thread) if range.end_thread.is_none() => {
                self.by_thread.entry(range.thread).or_default()
            }
            _ => return,
        };
        let until = open.entry(range.region).or_insert(range.end);
        *until = range.end.max(*until);
    }

    fn regions_around(&mut self, call: Call, ranges: &[Range], regions: &mut Vec<RegionId>) {
        for &stack in self.stacks_of.get(&call.thread).into_iter().flatten() {
            self.steps += 1;
            let innermost = self.stacks[stack].innermost(call.start, call.end);
            regions.extend(innermost.map(|index| ranges[index].region));
        }
        let open = match self.scope {
            StartEndScope::Process => self.by_process.get_mut(&call.thread.process()),
            StartEndScope::Thread => self.by_thread.get_mut(&call.thread),
        };
        if let Some(open) = open {
            self.steps += open.len() as u64;
            open.retain(|_, until| *until >= call.start);
            regions.extend(open.iter().filter(|&(_, &until)| until >= call.end).map(|(&id, _)| id));
        }
    }
}
