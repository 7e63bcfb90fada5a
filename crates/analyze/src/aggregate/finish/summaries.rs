//! What a set of results adds up to, in the words of the report: metrics, kernels, sections and rules.

use super::ReportContext;
use crate::aggregate::advice::{RuleKey, RuleTally, by_gain};
use crate::aggregate::analysis::HEADLINE_METRICS;
use crate::aggregate::bounds::OTHERS;
use crate::aggregate::kernels::{KernelId, KernelKey, KernelTally};
use crate::aggregate::rollup::{Rollup, RuleId};
use crate::aggregate::rules::Combine;
use crate::aggregate::same_counters::SaidOfKernels;
use crate::aggregate::tally::cells::Tallies;
use crate::aggregate::tally::plan::{MetricPlan, ResultValues};
use crate::aggregate::tally::summary::{Evidence, takes_texts};
use indexmap::IndexMap;
use rangescope_model::document::{
    KernelSummary, MetricSummary, Metrics, ResultSet, RuleSummary, SectionMetricSummary,
    SectionSummary, Unplaced,
};
use rangescope_model::launch::{MetricId, SectionId, SectionInfo};
use rangescope_model::words::Word as _;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Cow;

const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;
/// Kernels that a region of a brief scope lists.
const LISTED_IN_BRIEF: usize = 4;

/// A set of results with its metric values ready to be read.
pub(super) struct Readable<'g> {
    rollup: &'g Rollup,
    tallies: Cow<'g, Tallies>,
}

impl<'v> ReportContext<'v> {
    pub(super) fn readable<'g>(
        &self,
        scratch: &mut ResultValues,
        rollup: &'g Rollup,
    ) -> Readable<'g> {
        let plan = self.analysis.plans.of(rollup.is_brief);
        Readable { rollup, tallies: rollup.numbers.tallies(plan, scratch) }
    }

    /// What a set adds up to that may be empty.
    pub(super) fn totals(&self, scratch: &mut ResultValues, rollup: Option<&Rollup>) -> ResultSet {
        match rollup {
            Some(rollup) => self.set(scratch, rollup),
            None => ResultSet { total_ms: Some(0.0), ..ResultSet::default() },
        }
    }

    pub(super) fn set(&self, scratch: &mut ResultValues, rollup: &Rollup) -> ResultSet {
        let readable = self.readable(scratch, rollup);
        let (rules, causes) = self.said(rollup);
        ResultSet {
            total_ms: milliseconds(rollup),
            kernel_count: rollup.results,
            timed_count: rollup.timed,
            metrics: self.metrics(&readable),
            sections: self.sections(&readable),
            kernels: self.kernels(scratch, rollup),
            rules,
            causes,
            limits: self.analysis.plans.limits.shares(rollup.limits()),
        }
    }

    /// The metrics to show, by name.
    pub(super) fn metrics(&self, readable: &Readable<'_>) -> Metrics {
        let asked = &self.analysis.metrics;
        let plans = self.analysis.plans.of(readable.rollup.is_brief).metrics.iter();
        let shown = plans.filter(|plan| {
            if readable.rollup.is_brief {
                plan.is_shown
            } else if asked.is_empty() {
                is_shown_unasked(readable, plan)
            } else {
                let name = self.metric_name(plan.id);
                asked.names(name) || HEADLINE_METRICS.contains(&name)
            }
        });
        let summaries: Vec<(&str, MetricSummary)> = shown
            .filter_map(|plan| Some((self.metric_name(plan.id), self.metric(readable, plan)?)))
            .collect();
        let mut metrics = Metrics::with_capacity(summaries.len());
        metrics.extend(summaries.into_iter().map(|(name, summary)| (name.to_owned(), summary)));
        metrics
    }

    fn metric(&self, readable: &Readable<'_>, plan: &MetricPlan) -> Option<MetricSummary> {
        let rollup = readable.rollup;
        let evidence = Evidence {
            plan,
            plans: self.analysis.plans.of(rollup.is_brief),
            tallies: &readable.tallies,
            texts: rollup.texts.get(&plan.id),
            unusable: rollup.unusable.get(&plan.id).copied().unwrap_or(0),
            constituents: rollup.constituents.get(&plan.id),
            results: rollup.results,
            vocabulary: self.analysis.vocabulary,
        };
        evidence.summary()
    }

    /// The kernels, heaviest first.
    pub(super) fn kernels(
        &self,
        scratch: &mut ResultValues,
        rollup: &Rollup,
    ) -> Vec<KernelSummary> {
        let time = rollup.time.value();
        let Listed { own, others } = self.listed_kernels(rollup);
        let known = |id: &KernelId| Some((self.partial.kernels.key(*id)?, rollup.kernels.get(id)?));
        let mut kernels: Vec<KernelSummary> = own
            .iter()
            .filter_map(known)
            .map(|(key, tally)| self.kernel(scratch, key, tally, (time, rollup.is_brief)))
            .collect();
        let mut together: Option<KernelTally> = None;
        for tally in others.iter().filter_map(|id| rollup.kernels.get(id)) {
            match &mut together {
                Some(known) => known.merge(&self.analysis.plans.kernels, scratch, tally),
                None => together = Some(tally.clone()),
            }
        }
        kernels.extend(together.map(|tally| {
            let of = (time, rollup.is_brief);
            self.kernel(scratch, &KernelKey::others(OTHERS), &tally, of)
        }));
        kernels
    }

    /// The kernels that get a row of their own, and those that are too many for that.
    fn listed_kernels(&self, rollup: &Rollup) -> Listed {
        let mut own = self.ranked_kernels(rollup);
        let most = if rollup.is_brief { LISTED_IN_BRIEF } else { self.most_listed };
        if own.len() <= most {
            return Listed { own, others: Vec::new() };
        }
        let mut others = own.split_off(most.saturating_sub(1));
        let known = self.partial.kernels.others().map(|(others, _)| others);
        if let Some(at) = own.iter().position(|id| Some(*id) == known) {
            others.push(own.remove(at));
        }
        Listed { own, others }
    }

    /// The numbers of the kernels in the order in which they are listed.
    fn ranked_kernels(&self, rollup: &Rollup) -> Vec<KernelId> {
        let mut ranked: Vec<(f64, &KernelKey, KernelId)> = rollup
            .kernels
            .iter()
            .filter_map(|(id, tally)| {
                let milliseconds = tally.time.value() / NANOSECONDS_PER_MILLISECOND;
                Some((milliseconds, self.partial.kernels.key(*id)?, *id))
            })
            .collect();
        ranked.sort_by(|(left_ms, left, _), (right_ms, right, _)| {
            right_ms
                .total_cmp(left_ms)
                .then_with(|| left.shown.cmp(&right.shown))
                .then_with(|| left.function.cmp(&right.function))
                .then_with(|| left.kind.as_str().cmp(right.kind.as_str()))
        });
        ranked.into_iter().map(|(_, _, id)| id).collect()
    }

    fn kernel(
        &self,
        scratch: &mut ResultValues,
        key: &KernelKey,
        tally: &KernelTally,
        (region_time, is_brief): (f64, bool),
    ) -> KernelSummary {
        let plans = &self.analysis.plans.kernels;
        let tallies = tally.metrics.tallies(plans, scratch);
        let summary = |plan: &MetricPlan| {
            let evidence = Evidence {
                plan,
                plans,
                tallies: &tallies,
                texts: None,
                unusable: 0,
                constituents: tally.constituents.get(&plan.id),
                results: tally.calls,
                vocabulary: self.analysis.vocabulary,
            };
            Some((self.metric_name(plan.id).to_owned(), evidence.summary()?))
        };
        let time = tally.time.value();
        let if_timed = |nanoseconds: f64| {
            (tally.timed > 0).then_some(nanoseconds / NANOSECONDS_PER_MILLISECOND)
        };
        KernelSummary {
            kernel_name: key.shown.to_string(),
            function: key.function.to_string(),
            kind: key.kind,
            calls: tally.calls,
            total_ms: if_timed(time),
            mean_ms: if_timed(time / tally.timed.max(1) as f64),
            min_ms: if_timed(tally.shortest),
            max_ms: if_timed(tally.longest),
            share: share(tally.timed, time, region_time),
            device: tally.device.value().flatten().map(|device| device.index),
            launch_shapes: tally.launch_shapes(&self.analysis.plans.limits),
            metrics: plans
                .metrics
                .iter()
                .filter(|plan| plan.is_shown && !is_brief)
                .filter_map(summary)
                .collect(),
            limits: self.analysis.plans.limits.shares(tally.limits()),
            rules: Vec::new(),
        }
    }

    /// The sections that results hold. Sections of one identifier are one section, whose header has the metrics of all of them.
    pub(super) fn sections(&self, readable: &Readable<'_>) -> Vec<SectionSummary> {
        let rollup = readable.rollup;
        if rollup.is_brief {
            return Vec::new();
        }
        let info = |section: &SectionId| self.sections.get(section.0 as usize);
        let mut held: Vec<(&SectionInfo, u64)> = rollup
            .sections
            .iter()
            .filter_map(|(section, covered)| Some((info(section)?, *covered)))
            .collect();
        // Which thread met a section first decides its number, and must not decide what is shown.
        held.sort_unstable();
        let mut merged: IndexMap<&str, Merged<'_>> = IndexMap::new();
        for (info, covered) in held {
            if !self.analysis.sections.is_empty()
                && !self.analysis.sections.names(&info.id)
                && !self.analysis.sections.names(&info.name)
            {
                continue;
            }
            let known = merged.entry(&info.id).or_insert_with(|| Merged {
                name: &info.name,
                order: info.order,
                covered: 0,
                header: IndexMap::new(),
            });
            known.order = known.order.min(info.order);
            known.covered += covered;
            for (metric, label) in &info.header {
                known.header.entry(metric).or_insert(label);
            }
        }
        merged.sort_by(|left_id, left, right_id, right| {
            (left.order, left_id).cmp(&(right.order, right_id))
        });
        let summary = |(id, section): (&str, Merged<'_>)| SectionSummary {
            id: id.to_owned(),
            name: section.name.to_owned(),
            covered: section.covered.min(rollup.results),
            metrics: section
                .header
                .into_iter()
                .filter_map(|(name, label)| self.section_metric(readable, name, label))
                .collect(),
        };
        merged.into_iter().map(summary).collect()
    }

    fn section_metric(
        &self,
        readable: &Readable<'_>,
        name: &str,
        label: &str,
    ) -> Option<SectionMetricSummary> {
        let plans = &self.analysis.plans.metrics.metrics;
        let position = plans.binary_search_by(|plan| self.metric_name(plan.id).cmp(name)).ok()?;
        let summary = self.metric(readable, plans.get(position)?)?;
        let label = if label.is_empty() { name } else { label };
        Some(SectionMetricSummary { label: label.to_owned(), name: name.to_owned(), summary })
    }

    /// What rules said, by what following them might gain, and what the counters say.
    pub(super) fn said(&self, rollup: &Rollup) -> (Vec<RuleSummary>, Vec<RuleSummary>) {
        let time = rollup.time.value();
        let Listed { own, others } = self.listed_kernels(rollup);
        let last = u32::try_from(own.len()).unwrap_or(u32::MAX);
        let of_others = others.into_iter().map(|id| (id, last));
        let positions: FxHashMap<KernelId, u32> =
            own.into_iter().zip(0..).chain(of_others).collect();
        let position = |id: &KernelId| positions.get(id).copied();
        let mut said: IndexMap<RuleId, (RuleTally, Vec<u32>), FxBuildHasher> = IndexMap::default();
        for (kernel, tally) in &rollup.kernels {
            for (rule, tally) in &tally.rules {
                let (known, kernels) = said.entry(*rule).or_default();
                known.merge(tally);
                kernels.extend(position(kernel));
            }
        }
        let mut rules: Vec<RuleSummary> = said
            .into_iter()
            .filter_map(|(rule, (tally, kernels))| {
                Some(tally.summary(self.rule_key(rule)?, time, kernels))
            })
            .collect();
        let same = self.same_counters.iter().filter(|_| rollup.results == self.all_results);
        rules.extend(same.map(|SaidOfKernels { key, tally, kernels }| {
            tally.summary(key, time, kernels.iter().filter_map(position).collect())
        }));
        rules.sort_by(by_gain);
        rules.into_iter().partition(|rule| !rule.rule.is_empty())
    }

    /// Tells the kernels of a set what ncu's rules said of each of them alone.
    pub(super) fn tell_kernels(&self, set: &mut ResultSet, rollup: &Rollup) {
        let listed = self.listed_kernels(rollup).own;
        for (kernel, id) in set.kernels.iter_mut().zip(listed) {
            kernel.rules =
                rollup.kernels.get(&id).map_or(Vec::new(), |tally| self.said_of_kernel(tally));
        }
    }

    /// What ncu's rules said of the launches of one kernel.
    fn said_of_kernel(&self, tally: &KernelTally) -> Vec<RuleSummary> {
        let of_ncu = tally.rules.iter().filter_map(|(rule, said)| {
            let key = self.rule_key(*rule).filter(|key| !key.rule.is_empty())?;
            Some(said.summary(key, tally.time.value(), Vec::new()))
        });
        let mut rules: Vec<RuleSummary> = of_ncu.collect();
        rules.sort_by(by_gain);
        rules
    }

    fn rule_key(&self, rule: RuleId) -> Option<&RuleKey> {
        self.partial.rules.get_index(rule.0 as usize)
    }

    fn metric_name(&self, metric: MetricId) -> &'v str {
        self.analysis.vocabulary.metrics.get(metric.0 as usize).map_or("", String::as_str)
    }
}

/// The kernels of a set, heaviest first.
struct Listed {
    own: Vec<KernelId>,
    others: Vec<KernelId>,
}

/// Sections of one identifier.
struct Merged<'s> {
    name: &'s str,
    order: u32,
    covered: u64,
    /// Metric name to label.
    header: IndexMap<&'s str, &'s str>,
}

/// Whether a metric is shown when none was asked for: if a number can be made of it, or if it is a text that can be compared.
fn is_shown_unasked(readable: &Readable<'_>, plan: &MetricPlan) -> bool {
    plan.row.combine != Combine::Nothing
        || (takes_texts(plan) && readable.rollup.texts.contains_key(&plan.id))
}

/// GPU time in milliseconds; nothing if no result has a duration.
pub(super) fn milliseconds(rollup: &Rollup) -> Option<f64> {
    (rollup.timed > 0).then(|| rollup.time.value() / NANOSECONDS_PER_MILLISECOND)
}

/// Results of a set whose place is not known.
pub(super) fn unplaced(rollup: Option<&Rollup>) -> Unplaced {
    let (kernel_count, time) = rollup.map(|rollup| rollup.unplaced).unwrap_or_default();
    Unplaced { kernel_count, total_ms: time.value() / NANOSECONDS_PER_MILLISECOND }
}

/// The share that `timed` results have of a whole; nothing if no duration is known.
pub(super) fn share(timed: u64, part: f64, whole: f64) -> Option<f64> {
    (timed > 0 && whole > 0.0).then(|| part / whole)
}
