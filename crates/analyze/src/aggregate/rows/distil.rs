//! From results to rows.

use super::{SAMPLED, mean_cells};
use crate::aggregate::advice::RuleKey;
use crate::aggregate::analysis::Analysis;
use crate::aggregate::constituents::{KnownLists, Listed};
use crate::aggregate::kernels::{KernelId, KernelTally};
use crate::aggregate::partial::{BorrowedRule, RuleSet, number_of, rule_id};
use crate::aggregate::ranks::{CounterSum, RankCounter};
use crate::aggregate::rollup::{NumberedLaunch, Plans, Rollup, RuleId};
use crate::aggregate::sampling::Intervals;
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::cells::{QuotientCell, Tallies};
use crate::aggregate::tally::plan::{MeanCell, ResultValues};
use indexmap::IndexMap;
use rangescope_model::launch::{Launch, MetricId, SectionInfo, Vocabulary};
use rangescope_model::partial::{DomainRanges, Fact, Group, Tally, Total};
use rangescope_model::select::SelectError;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};

/// A group holds the launches of one kernel.
const KERNEL: KernelId = KernelId(0);

/// Settles how results are distilled.
pub struct Distillery<'a> {
    analysis: Analysis<'a>,
    /// The metric, the key and the cell of each mean.
    means: Vec<(usize, String, MeanCell)>,
    /// Those that are compared over ranks.
    counters: Vec<RankCounter>,
}

/// Results in groups.
#[derive(Debug, Default)]
pub struct Distilled {
    groups: IndexMap<Group, Gathered, FxBuildHasher>,
    rules: RuleSet,
    results: u64,
    scratch: ResultValues,
    lists: KnownLists,
    lists_of_result: Vec<Listed>,
}

#[derive(Debug)]
struct Gathered {
    /// Where the first result is.
    first: u64,
    given_up: u64,
    /// Metrics of the results that were given up.
    seen: BTreeSet<MetricId>,
    rollup: Box<Rollup>,
    /// In the order of the distillery's.
    counters: Vec<CounterSum>,
}

impl<'a> Distillery<'a> {
    pub fn new(vocabulary: &'a Vocabulary) -> Result<Self, SelectError> {
        let analysis = Analysis::complete(vocabulary)?;
        let means = mean_cells(&analysis.plans.metrics, vocabulary);
        let counters = RankCounter::usual(vocabulary);
        Ok(Self { analysis, means, counters })
    }

    pub fn begin(&self) -> Distilled {
        let metrics = self.analysis.vocabulary.metrics.len();
        Distilled { scratch: ResultValues::new(metrics), ..Distilled::default() }
    }

    /// Gives the rows of each group, in the order in which groups appeared.
    pub fn rows<E>(
        &self,
        distilled: &mut Distilled,
        sections: &[SectionInfo],
        mut take: impl FnMut(&Group, &[(Fact, Tally)]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Distilled { groups, rules, scratch, .. } = distilled;
        for (group, gathered) in groups.iter() {
            take(group, &self.rows_of(gathered, rules, sections, scratch))?;
        }
        Ok(())
    }
}

impl Distilled {
    /// Takes one result in, which is the one at this place of all.
    pub fn add(&mut self, distillery: &Distillery<'_>, launch: &Launch<'_>, place: u64) {
        self.results += 1;
        let analysis = &distillery.analysis;
        let gathered =
            self.groups.entry(group_of(analysis.vocabulary, launch)).or_insert_with(|| Gathered {
                first: place,
                given_up: 0,
                seen: BTreeSet::new(),
                rollup: Box::default(),
                counters: vec![CounterSum::default(); distillery.counters.len()],
            });
        self.scratch.load(launch.numbers, launch.large);
        let measured;
        let is_given_up = analysis.given_up.is(&self.scratch, launch);
        let launch = if is_given_up {
            self.scratch.clear(launch.numbers);
            gathered.given_up += 1;
            gathered.seen.extend(launch.numbers.iter().map(|(metric, _)| *metric));
            gathered.seen.extend(launch.texts.iter().map(|(metric, _)| *metric));
            measured = Launch { numbers: &[], large: &[], texts: &[], ..launch.clone() };
            &measured
        } else {
            launch
        };
        let duration = analysis.plans.metrics.duration(&self.scratch);
        for (sum, counter) in gathered.counters.iter_mut().zip(&distillery.counters) {
            let value = counter.of(&self.scratch, duration);
            if !value.is_nan() {
                sum.merge(CounterSum { sum: Sum::of(value), covered: 1 });
            }
        }
        let lists = (&mut self.lists, &mut self.lists_of_result);
        analysis.breakdowns.read(lists.0, &self.scratch, launch.texts, lists.1);
        let numbered = NumberedLaunch {
            launch,
            id: number_of(place),
            is_given_up,
            process: 0,
            kernel: KERNEL,
            kernel_name: "",
            listed: &self.lists_of_result,
        };
        gathered.rollup.add(&analysis.plans, &mut self.scratch, &mut self.rules, numbered);
        self.scratch.clear(launch.numbers);
    }

    /// Takes over the results of another one, which come after those in here.
    pub fn merge(&mut self, distillery: &Distillery<'_>, other: Self) {
        let plans: &Plans = &distillery.analysis.plans;
        let rules: Vec<RuleId> = other
            .rules
            .iter()
            .map(|RuleKey { rule, kind, title, outcome }| {
                rule_id(&mut self.rules, BorrowedRule { rule, kind, title, outcome })
            })
            .collect();
        for (group, theirs) in other.groups {
            let rollup = theirs.rollup.renumbered(plans, &mut self.scratch, &[KERNEL], &rules);
            match self.groups.get_mut(&group) {
                Some(ours) => {
                    ours.given_up += theirs.given_up;
                    ours.seen.extend(theirs.seen);
                    ours.rollup.merge(plans, &mut self.scratch, &rollup);
                    for (ours, theirs) in ours.counters.iter_mut().zip(theirs.counters) {
                        ours.merge(theirs);
                    }
                }
                None => {
                    let rollup = Box::new(rollup);
                    self.groups.insert(group, Gathered { rollup, ..theirs });
                }
            }
        }
        self.results += other.results;
    }
}

fn group_of(vocabulary: &Vocabulary, launch: &Launch<'_>) -> Group {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    // The ids differ from launch to launch; only their order matters.
    let mut ids: Vec<u64> =
        launch.domains.iter().flat_map(|open| open.start_end.iter().map(|(id, _)| *id)).collect();
    ids.sort_unstable();
    ids.dedup();
    let place = |id: u64| ids.partition_point(|other| *other < id) as u64;
    let domains = launch.domains.iter().map(|open| {
        let started = open.start_end.iter().map(|(id, name)| (place(*id), (*name).to_owned()));
        DomainRanges {
            domain: open.domain.to_owned(),
            nth: open.nth,
            push_pop: texts(&open.push_pop),
            start_end: started.collect(),
        }
    });
    Group {
        process: vocabulary.processes.get(launch.process).cloned(),
        device: launch.device,
        kind: launch.kind,
        function: launch.function.to_owned(),
        demangled: launch.demangled.to_owned(),
        mangled: launch.mangled.to_owned(),
        grid: launch.grid,
        block: launch.block,
        domains: domains.collect(),
    }
}

impl Distillery<'_> {
    fn rows_of(
        &self,
        gathered: &Gathered,
        rules: &RuleSet,
        sections: &[SectionInfo],
        scratch: &mut ResultValues,
    ) -> Vec<(Fact, Tally)> {
        let rollup = &gathered.rollup;
        let plans = &self.analysis.plans;
        let counted = |count: u64| Tally { count, ..Tally::default() };
        let launches = rollup.kernels.get(&KERNEL);
        let is_timed = |_: &f64| rollup.timed > 0;
        let first = Tally {
            part: rollup.timed,
            sum: Some(rollup.time.total()),
            min: launches.map(|kernel| kernel.shortest).filter(is_timed),
            max: launches.map(|kernel| kernel.longest).filter(is_timed),
            first: Some(format!("{:020}", gathered.first)),
            ..counted(rollup.results)
        };
        let mut rows = vec![(Fact::Launches, first)];
        if gathered.given_up > 0 {
            rows.push((Fact::GivenUp, counted(gathered.given_up)));
        }
        let tallies = rollup.numbers.tallies(&plans.metrics, scratch);
        self.numbers(&tallies, &gathered.seen, &mut rows);
        for (sum, counter) in gathered.counters.iter().zip(&self.counters) {
            if sum.covered > 0 {
                let tally = Tally { sum: Some(sum.sum.total()), ..counted(sum.covered) };
                rows.push((Fact::Counter { name: counter.name.clone() }, tally));
            }
        }
        for (metric, texts) in &rollup.texts {
            let (first, last) = (Some(texts.first.to_string()), Some(texts.last.to_string()));
            let fact = Fact::Text { metric: self.name(metric.0 as usize) };
            rows.push((fact, Tally { first, last, ..counted(texts.covered) }));
        }
        for (metric, count) in &rollup.unusable {
            let fact = Fact::Unusable { metric: self.name(metric.0 as usize) };
            rows.push((fact, counted(*count)));
        }
        for (throughput, listed) in &rollup.constituents {
            let fact = Fact::Counters {
                throughput: self.name(throughput.0 as usize),
                listed: listed.names().to_owned(),
            };
            rows.push((fact, Tally { part: listed.explained, ..counted(listed.complete) }));
        }
        for (section, count) in &rollup.sections {
            let section = sections.get(section.0 as usize).cloned();
            rows.extend(section.map(|section| (Fact::Section(section), counted(*count))));
        }
        for (limit, launches) in launches.into_iter().flat_map(KernelTally::limits) {
            let (limit, unit) = plans.limits.names(limit);
            let sum = Some(launches.time.total());
            let tally = Tally { part: launches.timed, sum, ..counted(launches.calls) };
            rows.push((Fact::Limit { limit, unit: unit.map(str::to_owned) }, tally));
        }
        for (rule, tally) in launches.into_iter().flat_map(|kernel| &kernel.rules) {
            let key = rules.get_index(rule.0 as usize);
            rows.extend(key.into_iter().flat_map(|key| tally.rows(key)));
        }
        rows
    }

    fn numbers(&self, tallies: &Tallies, seen: &BTreeSet<MetricId>, rows: &mut Vec<(Fact, Tally)>) {
        let plan = &self.analysis.plans.metrics;
        let mut values: BTreeMap<usize, Tally> = BTreeMap::new();
        for metric in seen {
            values.entry(metric.0 as usize).or_default();
        }
        for (cell, metric) in tallies.extremes.iter().zip(&plan.extremes) {
            if cell.covered > 0 {
                let value = values.entry(*metric).or_default();
                value.count = cell.covered;
                (value.min, value.max) = (Some(cell.min), Some(cell.max));
            }
        }
        for (cell, metric) in tallies.sums.iter().zip(&plan.sums) {
            if let Some(value) = values.get_mut(metric).filter(|_| cell.covered > 0) {
                value.sum = Some(cell.sum.total());
            }
        }
        for (metric, tally) in values {
            rows.push((Fact::Value { metric: self.name(metric) }, tally));
        }
        for (metric, large) in &tallies.large {
            let whole = i128::from(large.lost);
            let tally = Tally {
                sum: Some(Total { whole, ..Total::default() }),
                first: Some(format!("{:020}", large.min)),
                last: Some(format!("{:020}", large.max)),
                ..Tally::default()
            };
            rows.push((Fact::Large { metric: self.name(*metric) }, tally));
        }
        let Intervals { sampled, known, min, max } = tallies.intervals;
        if let Some(sampling) = plan.sampling.as_ref().filter(|_| sampled > 0) {
            let fact = Fact::Mean { metric: self.name(sampling.interval), by: SAMPLED.to_owned() };
            let is_known = known > 0;
            let (min, max) = (is_known.then_some(min), is_known.then_some(max));
            rows.push((fact, Tally { count: sampled, part: known, min, max, ..Tally::default() }));
        }
        for (metric, by, cell) in &self.means {
            let cell = match cell {
                MeanCell::Mean(cell) => tallies.means.get(*cell),
                MeanCell::Pair(cell) => tallies.pairs.get(*cell),
            };
            let Some(QuotientCell { covered, above, below }) = cell.copied() else { continue };
            if covered > 0 {
                let total = |sum: Sum| Some(sum.total());
                let (sum, weight) = (total(above), total(below));
                let fact = Fact::Mean { metric: self.name(*metric), by: by.clone() };
                rows.push((fact, Tally { count: covered, sum, weight, ..Tally::default() }));
            }
        }
    }

    fn name(&self, metric: usize) -> String {
        self.analysis.vocabulary.metrics.get(metric).cloned().unwrap_or_default()
    }
}
