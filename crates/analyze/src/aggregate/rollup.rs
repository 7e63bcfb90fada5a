//! Everything that is known about a set of results: the results in one bucket, in one region, or in a whole scope.
//!
//! Sets are only ever made by adding results and merging sets, and the outcome does not depend on the order of either.

use crate::aggregate::advice::{About, Said};
use crate::aggregate::agreement::Agreement;
use crate::aggregate::causes::{COUNTED_KIND, CausePlan, OneLaunch};
use crate::aggregate::constituents::{Constituents, Listed};
use crate::aggregate::kernels::{KernelId, KernelTally, Launches};
use crate::aggregate::limit::{LaunchLimit, LimitPlan};
use crate::aggregate::partial::{BorrowedRule, RuleSet, rule_id};
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::numbers::Numbers;
use crate::aggregate::tally::plan::{ResultValues, TallyPlan};
use crate::aggregate::tally::summary::TextRange;
use crate::outcome::Unit;
use indexmap::IndexMap;
use indexmap::map::Entry;
use rangescope_model::document::Limit;
use rangescope_model::launch::{DeviceId, Launch, MetricId, SectionId};
use rustc_hash::FxBuildHasher;

type Map<K, V> = IndexMap<K, V, FxBuildHasher>;

/// A set of results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rollup {
    pub(crate) results: u64,
    /// Results that have a duration.
    pub(crate) timed: u64,
    /// GPU time in nanoseconds.
    pub(crate) time: Sum,
    /// Results of which nobody knows whether a range was open, and their time.
    pub(crate) unplaced: (u64, Sum),
    pub(crate) process: Agreement<u32>,
    pub(crate) device: Agreement<Option<DeviceId>>,
    /// By the plan for all metrics; by the brief one if the set is brief.
    pub(crate) numbers: Numbers,
    /// By the brief plan, for a brief set that is made of this one.
    pub(super) headline: Numbers,
    /// It has times, kernels and few metrics, and nothing else.
    pub(crate) is_brief: bool,
    pub(crate) texts: Map<MetricId, TextRange>,
    /// Results that have a metric without a finite number.
    pub(crate) unusable: Map<MetricId, u64>,
    /// By throughput: the counters of which it is the largest.
    pub(crate) constituents: Map<MetricId, Constituents>,
    /// Results that hold a section.
    pub(crate) sections: Map<SectionId, u64>,
    pub(crate) kernels: Map<KernelId, KernelTally>,
}

/// Number of a rule and kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RuleId(pub(crate) u32);

/// The plans that sets follow: one for all metrics, one for the key metrics of kernels, one for limits.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    pub(crate) metrics: TallyPlan,
    pub(crate) kernels: TallyPlan,
    pub(crate) limits: LimitPlan,
    pub(crate) causes: CausePlan,
    /// The few metrics of single processes, where these are too many to have all.
    pub(crate) brief: Option<TallyPlan>,
}

impl Plans {
    /// The plan that the numbers of a set follow.
    pub(crate) fn of(&self, is_brief: bool) -> &TallyPlan {
        self.brief.as_ref().filter(|_| is_brief).unwrap_or(&self.metrics)
    }
}

/// A result with what was found out about it.
#[derive(Clone, Copy)]
pub(crate) struct NumberedLaunch<'l> {
    pub(crate) launch: &'l Launch<'l>,
    /// Its number among the results of all files.
    pub(crate) id: u32,
    pub(crate) is_given_up: bool,
    pub(crate) process: u32,
    pub(crate) kernel: KernelId,
    pub(crate) kernel_name: &'l str,
    pub(crate) listed: &'l [Listed],
}

impl Rollup {
    /// Adds a result whose numbers lie in the scratch space.
    pub(crate) fn add(
        &mut self,
        plans: &Plans,
        scratch: &mut ResultValues,
        rules: &mut RuleSet,
        numbered: NumberedLaunch<'_>,
    ) {
        let launch = numbered.launch;
        let duration = plans.metrics.duration(scratch);
        self.results += 1;
        if !duration.is_nan() {
            self.timed += 1;
            self.time.add(duration);
        }
        if !launch.is_placed {
            self.unplaced.0 += 1;
            self.unplaced.1.add(if duration.is_nan() { 0.0 } else { duration });
        }
        self.process.see(numbered.process);
        self.device.see(launch.device);
        let kernel = self.kernels.entry(numbered.kernel).or_insert_with(KernelTally::new);
        let load = plans.limits.load(scratch);
        let limit = plans.limits.limit(&load, scratch);
        kernel.add(duration, launch.device, (launch.grid, launch.block), limit);
        let one = OneLaunch {
            launch,
            scratch,
            load,
            limit: limit.limit,
            unit: limit.unit,
            duration,
            is_given_up: numbered.is_given_up,
        };
        let causes = plans.causes.seen(&plans.limits, &one);
        plans.kernels.prepare(scratch);
        kernel.metrics.add(&plans.kernels, scratch, launch);
        for listed in numbered.listed {
            if plans.kernels.metric(listed.throughput).is_some() {
                kernel.constituents.entry(listed.throughput).or_default().add(listed);
            }
            self.constituents.entry(listed.throughput).or_default().add(listed);
        }
        if let Some(brief) = &plans.brief {
            brief.prepare(scratch);
            self.headline.add(brief, scratch, launch);
        }
        plans.metrics.prepare(scratch);
        self.numbers.add(&plans.metrics, scratch, launch);
        for &(metric, number) in launch.numbers {
            if !number.is_finite() && scratch.knows(metric) {
                *self.unusable.entry(metric).or_default() += 1;
            }
        }
        for &(metric, text) in launch.texts.iter().filter(|(metric, _)| scratch.knows(*metric)) {
            match self.texts.get_mut(&metric) {
                Some(range) => range.add(text),
                None => {
                    self.texts.insert(metric, TextRange::new(text));
                }
            }
        }
        for section in launch.sections {
            *self.sections.entry(*section).or_default() += 1;
        }
        let busiest_unit = limit.unit.map_or("", |unit| plans.limits.unit_name(unit));
        let about = |said: &Said<'_>| About {
            id: numbered.id,
            kernel: numbered.kernel_name,
            time: duration,
            left: (load.left(&plans.limits, said.outcome.relieves)).min(plans.causes.most(
                said.outcome,
                &plans.limits,
                scratch,
            )),
            is_beside: is_beside(limit.limit, busiest_unit, said.outcome.relieves),
        };
        let filling = plans.limits.filling(scratch);
        for message in launch.rules {
            let mut said = Said::by_ncu(message);
            said.outcome = plans.causes.retold(said.outcome, &causes, &filling, scratch);
            if said.speedup.is_none() {
                let counted = plans.causes.counted(said.outcome, &plans.limits, scratch);
                said.speedup = counted.map(|percent| (percent, COUNTED_KIND));
            }
            let (rule, kind, title) = (message.rule, message.kind, message.title);
            let told = BorrowedRule { rule, kind, title, outcome: said.outcome.id };
            kernel.rules.entry(rule_id(rules, told)).or_default().add(&said, about(&said));
        }
        for cause in &causes {
            let said = Said::by_counters(cause);
            let (rule, kind, title) = ("", said.outcome.kind.of_ncu(), &*cause.title);
            let told = BorrowedRule { rule, kind, title, outcome: said.outcome.id };
            kernel.rules.entry(rule_id(rules, told)).or_default().add(&said, about(&said));
        }
    }

    /// Leaves a brief set and gives the whole one.
    pub(crate) fn make_brief(&mut self) -> Self {
        let brief = Self {
            results: self.results,
            timed: self.timed,
            time: self.time,
            unplaced: self.unplaced,
            process: self.process,
            device: self.device,
            numbers: std::mem::take(&mut self.headline),
            is_brief: true,
            kernels: self.kernels.iter().map(|(id, tally)| (*id, tally.brief())).collect(),
            ..Self::default()
        };
        std::mem::replace(self, brief)
    }

    /// What limits the launches, kernel by kernel.
    pub(crate) fn limits(&self) -> impl Iterator<Item = (LaunchLimit, &Launches)> {
        self.kernels.values().flat_map(KernelTally::limits)
    }

    /// Adds another set.
    pub(crate) fn merge(&mut self, plans: &Plans, scratch: &mut ResultValues, other: &Self) {
        self.results += other.results;
        self.timed += other.timed;
        self.time.merge(other.time);
        self.unplaced.0 += other.unplaced.0;
        self.unplaced.1.merge(other.unplaced.1);
        self.process.merge(other.process);
        self.device.merge(other.device);
        self.numbers.merge(plans.of(self.is_brief), scratch, &other.numbers);
        if let Some(brief) = &plans.brief {
            self.headline.merge(brief, scratch, &other.headline);
        }
        for (metric, texts) in &other.texts {
            match self.texts.get_mut(metric) {
                Some(range) => range.merge(texts),
                None => {
                    self.texts.insert(*metric, texts.clone());
                }
            }
        }
        for (metric, count) in &other.unusable {
            *self.unusable.entry(*metric).or_default() += count;
        }
        for (throughput, constituents) in &other.constituents {
            self.constituents.entry(*throughput).or_default().merge(constituents);
        }
        for (section, count) in &other.sections {
            *self.sections.entry(*section).or_default() += count;
        }
        for (kernel, tally) in &other.kernels {
            match self.kernels.get_mut(kernel) {
                Some(known) => known.merge(&plans.kernels, scratch, tally),
                None => {
                    self.kernels.insert(*kernel, tally.clone());
                }
            }
        }
    }

    /// The same set with kernels and rules numbered anew; several kernels may become one.
    pub(crate) fn renumbered(
        mut self,
        plans: &Plans,
        scratch: &mut ResultValues,
        kernels: &[KernelId],
        rules: &[RuleId],
    ) -> Self {
        let of_kernel = |old: KernelId| kernels.get(old.0 as usize).copied().unwrap_or(old);
        for (old, mut tally) in std::mem::take(&mut self.kernels) {
            tally.renumber_rules(rules);
            match self.kernels.entry(of_kernel(old)) {
                Entry::Occupied(mut known) => {
                    known.get_mut().merge(&plans.kernels, scratch, &tally);
                }
                Entry::Vacant(new) => {
                    new.insert(tally);
                }
            }
        }
        self
    }
}

/// Whether advice that takes work off a unit is beside what limits a launch: what computes where memory is the limit, or the other way round, or another level of
/// memory. What takes work off none is beside the limit where a unit is one.
fn is_beside(limit: Limit, busiest: &str, relieves: Option<Unit>) -> bool {
    match relieves {
        Some(unit) if unit.is_memory() => {
            limit == Limit::Compute || limit == Limit::Memory && !unit.relieves(busiest)
        }
        Some(_) => limit == Limit::Memory,
        None => matches!(limit, Limit::Compute | Limit::Memory | Limit::Balanced),
    }
}
