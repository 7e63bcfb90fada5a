//! Kernels in groups that every sum is made from: same regions, same thread, same name, same device.
//!
//! A kernel's duration is kept once, in its group; a region is a list of groups. So deep nesting costs no memory per kernel.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Grouping, KernelRow, RangeLabel, RegionKernelRow, region_name};
use crate::nsys::attribute::Attribution;
use crate::nsys::error::NsysError;
use crate::nsys::identity::GlobalThread;
use crate::nsys::names::NameId;
use crate::nsys::regions::RegionId;
use crate::nsys::statistics::{Statistics, duration};
use crate::nsys::trace::Trace;
use rangescope_model::region::RangeKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RowKey {
    Path(RegionId),
    Name(NameId, RangeKind, NameId),
    Outside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KernelKey {
    pub(crate) name: NameId,
    pub(crate) base_name: NameId,
    device: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    place: usize,
    thread: Option<GlobalThread>,
    kernel: KernelKey,
}

/// Groups of kernels and their durations.
pub(crate) struct Groups {
    grouping: Grouping,
    attribution: Attribution,
    durations: IndexMap<GroupKey, Vec<u64>, FxBuildHasher>,
}

/// Durations that are added up, group by group.
#[derive(Default)]
pub(crate) struct Members(Vec<usize>);

/// Kernels with their groups.
type ByKernel = IndexMap<KernelKey, Members, FxBuildHasher>;

impl Groups {
    pub(crate) fn of(trace: &Trace, grouping: Grouping) -> Result<Self, NsysError> {
        let attribution = trace.attribute(grouping.start_end)?;
        let mut durations: IndexMap<GroupKey, Vec<u64>, FxBuildHasher> = IndexMap::default();
        for (index, kernel) in trace.kernels.iter().enumerate() {
            let thread = kernel.call.map(|call| call.thread).filter(|_| grouping.per_thread);
            let device = kernel.device.filter(|_| grouping.per_device);
            let key = GroupKey {
                place: attribution.place(index),
                thread,
                kernel: KernelKey { name: kernel.name, base_name: kernel.base_name, device },
            };
            durations.entry(key).or_default().push(duration(kernel.start, kernel.end));
        }
        Ok(Self { grouping, attribution, durations })
    }

    /// Every kernel with its groups. `is_chosen` says which places count.
    pub(crate) fn by_kernel(&self, is_chosen: impl Fn(&[RegionId]) -> bool) -> ByKernel {
        let mut kernels = ByKernel::default();
        for (index, group) in self.durations.keys().enumerate() {
            if is_chosen(self.attribution.regions(group.place)) {
                kernels.entry(group.kernel).or_default().0.push(index);
            }
        }
        kernels
    }

    pub(crate) fn sum(&self, members: &Members) -> (u64, Statistics) {
        let durations = members.0.iter().filter_map(|&index| self.durations.get_index(index));
        let mut all: Vec<u64> = durations.flat_map(|(_, durations)| durations).copied().collect();
        (all.len() as u64, Statistics::of(&mut all))
    }

    /// The innermost regions of each of the groups.
    pub(crate) fn places<'a>(
        &'a self,
        members: &'a Members,
    ) -> impl Iterator<Item = (&'a [RegionId], u64)> {
        let of_group = |(key, durations): (&GroupKey, &Vec<u64>)| {
            (self.attribution.regions(key.place), total(durations))
        };
        members.0.iter().filter_map(|&index| self.durations.get_index(index)).map(of_group)
    }

    pub(crate) fn kernels(&self, trace: &Trace) -> Vec<KernelRow> {
        self.rows(trace, self.by_kernel(|_| true))
    }

    pub(crate) fn kernels_by_region(&self, trace: &Trace) -> Vec<RegionKernelRow> {
        let mut regions: IndexMap<(RowKey, Option<GlobalThread>), ByKernel, FxBuildHasher> =
            IndexMap::default();
        let mut keys_of_place: FxHashMap<usize, Vec<RowKey>> = FxHashMap::default();
        for (index, group) in self.durations.keys().enumerate() {
            let keys = keys_of_place
                .entry(group.place)
                .or_insert_with(|| self.region_keys(trace, group.place, self.grouping.by_name));
            for &key in keys.iter() {
                let kernels = regions.entry((key, group.thread)).or_default();
                kernels.entry(group.kernel).or_default().0.push(index);
            }
        }
        let named = |((key, thread), kernels)| (region_name(trace, key), thread, kernels);
        let mut regions: Vec<_> = regions.into_iter().map(named).collect();
        // Kernels outside of all regions come last.
        regions.sort_by(|a, b| (a.0.is_none(), &a.0, a.1).cmp(&(b.0.is_none(), &b.0, b.1)));
        let mut rows = Vec::new();
        for (region, thread, kernels) in regions {
            rows.extend(self.rows(trace, kernels).into_iter().map(|kernel| RegionKernelRow {
                region: region.clone(),
                process_id: thread.map(GlobalThread::pid),
                thread_id: thread.map(GlobalThread::tid),
                kernel,
            }));
        }
        rows
    }

    /// Rows of kernels, longest in total first; shares are of their sum.
    fn rows(&self, trace: &Trace, kernels: ByKernel) -> Vec<KernelRow> {
        let row = |(kernel, members): (KernelKey, Members)| {
            let (calls, time) = self.sum(&members);
            KernelRow {
                name: trace.name(kernel.name).to_owned(),
                base_name: trace.name(kernel.base_name).to_owned(),
                device: kernel.device,
                calls,
                time,
                share: 0.0,
            }
        };
        let mut rows: Vec<KernelRow> = kernels.into_iter().map(row).collect();
        let all: u128 = rows.iter().map(|row| u128::from(row.time.total_ns)).sum();
        for row in rows.iter_mut().filter(|_| all > 0) {
            row.share = row.time.total_ns as f64 / all as f64;
        }
        rows.sort_by(|a, b| {
            let by_time = b.time.total_ns.cmp(&a.time.total_ns);
            let by_name =
                || (&a.name, &a.base_name, a.device).cmp(&(&b.name, &b.base_name, b.device));
            by_time.then_with(by_name)
        });
        rows
    }

    /// Kernels that were launched inside ranges of a label, with their time.
    pub(super) fn inside_ranges(&self, trace: &Trace) -> FxHashMap<RangeLabel, (u64, u64)> {
        let mut inside: FxHashMap<RangeLabel, (u64, u64)> = FxHashMap::default();
        for (group, durations) in &self.durations {
            for key in self.region_keys(trace, group.place, true) {
                if let RowKey::Name(domain, kind, name) = key {
                    let (kernels, gpu_ns) = inside.entry((domain, kind, name)).or_default();
                    *kernels += durations.len() as u64;
                    *gpu_ns = gpu_ns.saturating_add(total(durations));
                }
            }
        }
        inside
    }

    /// The regions of a place and all around them, each once.
    fn region_keys(&self, trace: &Trace, place: usize, by_name: bool) -> Vec<RowKey> {
        let innermost = self.attribution.regions(place).iter();
        let regions = innermost.flat_map(|&region| trace.regions.with_ancestors(region));
        let key = |region| {
            if !by_name {
                return Some(RowKey::Path(region));
            }
            trace.regions.label(region).map(|(domain, kind, name)| RowKey::Name(domain, kind, name))
        };
        let mut keys: Vec<RowKey> = regions.filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            keys.push(RowKey::Outside);
        }
        keys
    }
}

fn total(durations: &[u64]) -> u64 {
    durations.iter().fold(0, |sum, &duration| sum.saturating_add(duration))
}
