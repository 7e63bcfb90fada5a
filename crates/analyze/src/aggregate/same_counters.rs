//! Results of different kernels that have the same time and hardware counters to the last digit: a replay that measured something else.
//!
//! Such numbers cannot come about by chance, and no conclusion from them holds.

use crate::aggregate::advice::{About, RuleKey, RuleTally, Said};
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::outcome::own;
use rangescope_model::launch::{Launch, LaunchKind, MetricId, Vocabulary};
use rangescope_model::number::count;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many counters that differ from 0 and from each other must be equal.
const LEAST: usize = 8;
/// Different results that are kept in mind; what comes later is compared with these alone.
const MOST: usize = 1 << 16;

/// What is no hardware counter: properties of the launch and the device, what is counted by patched code, clocks.
const NOT_COUNTED: [&str; 12] = [
    "launch__",
    "device__",
    "profiler__",
    "sass__",
    "smsp__sass_",
    "sm__sass_",
    "memory_",
    "derived__",
    "inst_executed",
    "thread_inst_executed",
    "smsp__pcsamp_",
    "pmsampling:",
];
const CONSTANT: [&str; 4] = ["peak_sustained", "time_start", "time_end", "max_rate"];

/// Which metrics are hardware counters, by handle.
pub(crate) fn counters(vocabulary: &Vocabulary) -> Vec<bool> {
    let is_counter = |name: &String| {
        !NOT_COUNTED.iter().any(|stem| name.starts_with(stem))
            // A per cent of a peak is counted, the peak itself is not.
            && !CONSTANT.iter().any(|part| name.contains(part) && !name.contains(".pct_of_"))
    };
    vocabulary.metrics.iter().map(is_counter).collect()
}

/// Results by what was counted in them.
#[derive(Debug, Default)]
pub(crate) struct SameCounters {
    results: FxHashMap<u64, Vec<Counted>>,
}

/// What was said, and the kernels of which.
pub(crate) struct SaidOfKernels {
    pub(crate) key: RuleKey,
    pub(crate) tally: RuleTally,
    pub(crate) kernels: Vec<KernelId>,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    id: u32,
    kernel: KernelId,
    time: f64,
}

impl SameCounters {
    /// Remembers a measured result.
    pub(crate) fn see(
        &mut self,
        counters: &[bool],
        launch: &Launch<'_>,
        (id, kernel, time): (u32, KernelId, f64),
    ) {
        if launch.kind == LaunchKind::Kernel
            && time > 0.0
            && let Some(counted) = fingerprint(counters, launch.numbers)
        {
            self.keep(counted, &[Counted { id, kernel, time }]);
        }
    }

    fn keep(&mut self, counted: u64, results: &[Counted]) {
        if self.results.len() < MOST || self.results.contains_key(&counted) {
            self.results.entry(counted).or_default().extend(results);
        }
    }

    pub(crate) fn merge(&mut self, other: Self, kernels: &[KernelId]) {
        let mut theirs: Vec<_> = other.results.into_iter().collect();
        // What is forgotten must not depend on the order of a hash map.
        theirs.sort_by_key(|(_, results)| results.first().map(|result| result.id));
        for (counted, mut results) in theirs {
            for result in &mut results {
                let number = kernels.get(result.kernel.0 as usize);
                result.kernel = number.copied().unwrap_or(result.kernel);
            }
            self.keep(counted, &results);
        }
    }

    /// What is to be said of results that are the same although their kernels are not.
    pub(crate) fn said(&self, kernels: &KernelTable) -> Option<SaidOfKernels> {
        let outcome = &own::SAME_COUNTERS.outcome;
        let mut tally = RuleTally::default();
        let mut groups: Vec<&Vec<Counted>> =
            self.results.values().filter(|results| different_kernels(results) > 1).collect();
        groups.sort_by_key(|results| results.first().map(|result| result.id));
        for results in groups.iter().copied() {
            let text = format!(
                "{} of {} have the same time and counters to the last digit: the replay measured something else, and what stands here of them is not theirs.",
                count(results.len() as u64, "result", "results"),
                count(different_kernels(results) as u64, "kernel", "kernels")
            );
            let said =
                Said { outcome, name: "", section: "", title: "", text: &text, speedup: None };
            for Counted { id, kernel, time } in results.iter().copied() {
                let name = kernels.key(kernel).map_or("", |key| &key.shown);
                tally.add(&said, About { id, kernel: name, time, left: 0.0, is_beside: false });
            }
        }
        let key = RuleKey {
            rule: "".into(),
            kind: outcome.kind.of_ncu().into(),
            title: "".into(),
            outcome: outcome.id,
        };
        let kernels = groups.into_iter().flatten().map(|result| result.kernel).collect();
        (!tally.is_empty()).then_some(SaidOfKernels { key, tally, kernels })
    }
}

fn different_kernels(results: &[Counted]) -> usize {
    results.iter().map(|result| result.kernel).collect::<FxHashSet<_>>().len()
}

/// The same for equal counters in any order; nothing where too few were measured to tell.
fn fingerprint(counters: &[bool], numbers: &[(MetricId, f64)]) -> Option<u64> {
    let (mut sum, mut different) = (0_u64, FxHashSet::default());
    for &(MetricId(id), value) in numbers {
        let is_counter = counters.get(id as usize) == Some(&true);
        if !is_counter || !value.is_finite() || value == 0.0 {
            continue;
        }
        let bits = value.to_bits();
        if different.len() < LEAST {
            different.insert(bits);
        }
        sum = sum.wrapping_add(mixed(bits ^ mixed(u64::from(id) + 1)));
    }
    (different.len() >= LEAST).then_some(sum)
}

/// Spreads the bits of a number evenly.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
