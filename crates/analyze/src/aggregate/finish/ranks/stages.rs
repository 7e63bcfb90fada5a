//! Which ranks do different things: stages of a pipeline, which are compared each for itself.
//!
//! Two ranks are of one stage if they have a main kernel in common, or each has one in common with a rank of that stage. Main kernels are the heaviest of
//! a rank that make up most of its time: a fill or a copy that all stages launch ties nothing. Collectives tie nothing either, as all ranks launch them.

use super::MOST_STAGES;
use super::members::Members;
use super::sets::OneMember;
use crate::aggregate::finish::ReportContext;
use crate::aggregate::kernels::KernelId;
use crate::aggregate::limit::Threshold;
use crate::aggregate::ranks::{Cell, What};
use rangescope_model::imbalance::Stage;
use rustc_hash::FxHashMap;

pub(super) const MAIN: Threshold = Threshold {
    value: 0.95,
    unit: "of the time of a rank",
    meaning: "The heaviest kernels that make up this are its main ones. Ranks that share none, collectives aside, are different stages and are compared stage by stage.",
};

/// The stage of each member, counted in order of their first members.
pub(super) struct Stages {
    of_member: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Stages {
    pub(super) fn of(context: &ReportContext<'_>, members: &Members) -> Self {
        let mut kernels: Vec<FxHashMap<KernelId, Cell>> =
            vec![FxHashMap::default(); members.all.len()];
        for ((process, what), cell, _) in context.partial.ranks.cells() {
            let What::Kernel(kernel) = what else { continue };
            let member = members.of_process(process).and_then(|member| kernels.get_mut(member));
            if let Some(kernels) = member {
                kernels.entry(kernel).or_default().merge(cell);
            }
        }
        let ties = |kernel: KernelId| {
            context.partial.kernels.key(kernel).is_some_and(|key| !is_collective(&key.function))
        };
        let mut joined: Vec<usize> = (0..members.all.len()).collect();
        let mut first_with: FxHashMap<KernelId, usize> = FxHashMap::default();
        let mut without = Vec::new();
        for (member, kernels) in kernels.into_iter().enumerate() {
            let main = main_kernels(kernels.into_iter().filter(|(kernel, _)| ties(*kernel)));
            if main.is_empty() {
                without.push(member);
            }
            for kernel in main {
                let other = *first_with.entry(kernel).or_insert(member);
                join(&mut joined, member, other);
            }
        }
        // Nothing tells members apart of which only collectives or whole ranges are known.
        for (one, next) in without.iter().zip(without.iter().skip(1)) {
            join(&mut joined, *one, *next);
        }
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut stages = Self { of_member: Vec::new(), members: Vec::new() };
        for member in 0..members.all.len() {
            let stage =
                *numbers.entry(root_of(&mut joined, member)).or_insert(stages.members.len());
            if stage == stages.members.len() {
                stages.members.push(Vec::new());
            }
            stages.of_member.push(stage);
            stages.members.get_mut(stage).into_iter().for_each(|stage| stage.push(member));
        }
        stages
    }

    pub(super) fn members(&self, stage: usize) -> &[usize] {
        self.members.get(stage).map_or(&[], Vec::as_slice)
    }

    /// The stages for the document; none where all members are of one.
    pub(super) fn listed(&self, members: &Members) -> Vec<Stage> {
        let stage = |stage: &Vec<usize>| Stage {
            count: stage.len() as u64,
            first: members.first_of(stage),
        };
        let several = self.members.len() > 1;
        self.members.iter().filter(|_| several).take(MOST_STAGES).map(stage).collect()
    }

    /// What members have, stage by stage.
    pub(super) fn split<'m>(&self, summed: &'m [OneMember]) -> Vec<(usize, Vec<&'m OneMember>)> {
        let mut parts: Vec<Vec<&OneMember>> = vec![Vec::new(); self.members.len()];
        for one in summed {
            let stage = self.of_member.get(one.member);
            if let Some(part) = stage.and_then(|stage| parts.get_mut(*stage)) {
                part.push(one);
            }
        }
        parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()).collect()
    }
}

/// The heaviest kernels of a member that make up most of its time, and those that take as long as the last of them; all where no time is known.
fn main_kernels(kernels: impl Iterator<Item = (KernelId, Cell)>) -> Vec<KernelId> {
    let mut kernels: Vec<(f64, KernelId)> =
        kernels.map(|(kernel, cell)| (cell.time.value(), kernel)).collect();
    kernels.sort_by(|left, right| right.0.total_cmp(&left.0));
    let whole: f64 = kernels.iter().map(|(time, _)| time).sum();
    let mut before = 0.0;
    let mut last = f64::INFINITY;
    for (time, _) in &kernels {
        if before >= MAIN.value * whole && whole > 0.0 {
            break;
        }
        before += time;
        last = *time;
    }
    kernels.iter().take_while(|(time, _)| *time >= last).map(|(_, kernel)| *kernel).collect()
}

fn join(joined: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root_of(joined, one), root_of(joined, other));
    if let Some(parent) = joined.get_mut(one.max(other)) {
        *parent = one.min(other);
    }
}

fn root_of(joined: &mut [usize], member: usize) -> usize {
    let mut root = member;
    while let Some(parent) = joined.get(root).copied().filter(|parent| *parent != root) {
        // Each step halves the way of the next one.
        let above = joined.get(parent).copied().unwrap_or(parent);
        if let Some(slot) = joined.get_mut(root) {
            *slot = above;
        }
        root = above;
    }
    root
}

/// Kernels that ranks run together: `ncclDevKernel_…`, `nvshmem…`, `…all_reduce…`.
fn is_collective(function: &str) -> bool {
    let after = function.split_once("nccl").map(|(_, after)| after);
    let is_nccl =
        after.is_some_and(|after| after.starts_with(|next: char| next.is_ascii_uppercase()));
    let has = |word: &str| function.contains(word);
    is_nccl
        || ["nvshmem", "all_reduce", "allreduce", "AllReduce", "all_gather", "reduce_scatter"]
            .into_iter()
            .any(has)
}
