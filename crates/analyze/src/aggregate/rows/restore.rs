//! From rows to what an analysis would hold had it read the results.

use super::{SAMPLED, mean_cells};
use crate::aggregate::agreement::Agreement;
use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::constituents::KnownLists;
use crate::aggregate::kernels::{KernelTally, Launches, Shape};
use crate::aggregate::partial::{
    BorrowedBucket, BorrowedRule, Partial, add_sorted, bucket_at, mark, rule_id,
};
use crate::aggregate::place::{Placed, place};
use crate::aggregate::ranks::{BorrowedPlace, Cell, CounterSum, RankCounter};
use crate::aggregate::rollup::Rollup;
use crate::aggregate::sampling::Intervals;
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::cells::{LargeCell, Tallies};
use crate::aggregate::tally::numbers::Numbers;
use crate::aggregate::tally::plan::{MeanCell, TallyPlan};
use crate::aggregate::tally::summary::TextRange;
use crate::outcome;
use indexmap::IndexSet;
use rangescope_model::document::Basis;
use rangescope_model::launch::{
    Launch, LaunchKind, MetricId, OpenRanges, SectionId, SectionInfo, Vocabulary,
};
use rangescope_model::partial::{Fact, Group, RuleName, Tally};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Feeds rows to an analysis.
pub struct Restorer<'a> {
    analysis: &'a Analysis<'a>,
    handles: FxHashMap<&'a str, MetricId>,
    sections: IndexSet<SectionInfo, FxBuildHasher>,
    of_metrics: Cells,
    of_kernels: Cells,
    of_brief: Option<Cells>,
    lists: KnownLists,
}

/// Where the numbers of a metric go, in the cells of one plan.
struct Cells {
    sums: FxHashMap<usize, Vec<usize>>,
    extremes: FxHashMap<usize, Vec<usize>>,
    counts: FxHashMap<usize, Vec<usize>>,
    means: FxHashMap<usize, Vec<(String, MeanCell)>>,
}

impl<'a> Restorer<'a> {
    pub fn new(analysis: &'a Analysis<'a>) -> Self {
        let names = analysis.vocabulary.metrics.iter();
        Self {
            analysis,
            handles: (0..).map(MetricId).zip(names).map(|(id, name)| (name.as_str(), id)).collect(),
            sections: IndexSet::default(),
            of_metrics: Cells::new(&analysis.plans.metrics, analysis.vocabulary),
            of_kernels: Cells::new(&analysis.plans.kernels, analysis.vocabulary),
            of_brief: analysis
                .plans
                .brief
                .as_ref()
                .map(|plan| Cells::new(plan, analysis.vocabulary)),
            lists: KnownLists::default(),
        }
    }

    /// The sections that were met, by their handles.
    pub fn sections(&self) -> Vec<SectionInfo> {
        self.sections.iter().cloned().collect()
    }

    /// Gives the regions, the kernel and the place of a group their numbers, because what appears first is listed first. Its rows may come at any time.
    pub fn announce(&self, partial: &mut Partial, process: usize, group: &Group) {
        let domains: Vec<OpenRanges<'_>> = group.domains.iter().map(open_ranges).collect();
        let launch = Self::launch(group, process, &domains);
        let Partial { tree, kernels, regions_of_result: regions, buckets, .. } = partial;
        let cut = tree.cut;
        place(self.analysis, &launch, tree, kernels, regions);
        tree.cut = cut;
        let key = BorrowedBucket {
            basis: basis(group),
            process: self.analysis.process(process),
            device: group.device,
            regions,
        };
        bucket_at(buckets, &key);
    }

    /// A result as those of the group are, without any values.
    pub fn launch<'g>(
        group: &'g Group,
        process: usize,
        domains: &'g [OpenRanges<'g>],
    ) -> Launch<'g> {
        Launch {
            index: 0,
            is_placed: true,
            kind: group.kind,
            process,
            device: group.device,
            function: &group.function,
            demangled: &group.demangled,
            mangled: &group.mangled,
            grid: group.grid,
            block: group.block,
            domains,
            numbers: &[],
            large: &[],
            texts: &[],
            sections: &[],
            rules: &[],
        }
    }

    /// Takes in a group with all of its rows. `process` is the number of its process in the vocabulary.
    pub fn add(
        &mut self,
        partial: &mut Partial,
        process: usize,
        group: &Group,
        rows: &[(Fact, Tally)],
    ) {
        let find = |wanted: &Fact| rows.iter().find(|(fact, _)| fact == wanted);
        let Some((_, launches)) = find(&Fact::Launches) else { return };
        let results = launches.count;
        partial.results += results;

        let domains: Vec<OpenRanges<'_>> = group.domains.iter().map(open_ranges).collect();
        let launch = Self::launch(group, process, &domains);
        let cut = partial.tree.cut;
        let Partial { tree, kernels, regions_of_result: regions, .. } = &mut *partial;
        let placed = place(self.analysis, &launch, tree, kernels, regions);
        if tree.cut > cut {
            tree.cut += results.saturating_sub(1);
        }
        partial.ranks.see(process);
        let (of_ranks, process) = (process, self.analysis.process(process));
        let basis = basis(group);
        let (device, regions) = (group.device, &*partial.regions_of_result);
        let key = BorrowedBucket { basis, process, device, regions };
        let bucket = bucket_at(&mut partial.buckets, &key);
        bucket.seen += results;
        match &placed.chosen {
            Chosen::No => return,
            Chosen::Yes => {}
            Chosen::ByPredicates(holding) => add_sorted(&mut bucket.predicates, holding),
        }
        bucket.in_regions += results;
        if !placed.kernel_selected {
            return;
        }
        let rollup = self.rollup(partial, process, &launch, &placed, launches, rows);
        if let Some((_, given_up)) = find(&Fact::GivenUp) {
            *partial.given_up.entry(placed.kernel).or_default() += given_up.count;
        }
        let place = BorrowedPlace { basis, device, regions: &partial.regions_of_result };
        let cell = Cell { launches: rollup.results, timed: rollup.timed, time: rollup.time };
        let counters = Self::counters(partial.ranks.counters(), rows);
        partial.ranks.add_cell(of_ranks, &place, placed.kernel, cell, &counters);
        let metrics = rows.iter().filter_map(|(fact, _)| match fact {
            Fact::Value { metric } | Fact::Text { metric } | Fact::Unusable { metric } => {
                self.handles.get(metric.as_str()).copied()
            }
            _ => None,
        });
        mark(&mut partial.metrics_seen, metrics);
        let regions = &*partial.regions_of_result;
        let key = BorrowedBucket { basis, process, device, regions };
        let bucket = bucket_at(&mut partial.buckets, &key);
        bucket.take(&self.analysis.plans, &mut partial.scratch, Some(rollup));
    }

    /// What is compared over ranks, in the order of these counters.
    fn counters(counters: &[RankCounter], rows: &[(Fact, Tally)]) -> Vec<CounterSum> {
        let mut sums = vec![CounterSum::default(); counters.len()];
        for (fact, tally) in rows {
            let (name, is_usual) = match fact {
                Fact::Counter { name } => (name, true),
                Fact::Value { metric } => (metric, false),
                _ => continue,
            };
            let is_meant =
                |counter: &&RankCounter| counter.name == *name && counter.is_usual() == is_usual;
            if let Some(at) = counters.iter().position(|counter| is_meant(&counter))
                && let (Some(sum), Some(total)) = (sums.get_mut(at), tally.sum)
            {
                sum.merge(CounterSum { sum: Sum::of_total(total), covered: tally.count });
            }
        }
        sums
    }

    fn rollup(
        &mut self,
        partial: &mut Partial,
        process: u32,
        launch: &Launch<'_>,
        placed: &Placed<'_>,
        launches: &Tally,
        rows: &[(Fact, Tally)],
    ) -> Rollup {
        let plans = &self.analysis.plans;
        let all = of_launches(launches);
        let mut rollup = Rollup {
            results: all.calls,
            timed: all.timed,
            time: all.time,
            process: Agreement::One(process),
            device: Agreement::One(launch.device),
            numbers: self.of_metrics.numbers(&plans.metrics, &self.handles, rows),
            ..Rollup::default()
        };
        if let (Some(cells), Some(plan)) = (&self.of_brief, &plans.brief) {
            rollup.headline = cells.numbers(plan, &self.handles, rows);
        }
        let mut kernel = KernelTally {
            calls: all.calls,
            timed: all.timed,
            time: all.time,
            shortest: launches.min.unwrap_or(f64::INFINITY),
            longest: launches.max.unwrap_or(f64::NEG_INFINITY),
            device: Agreement::One(launch.device),
            metrics: self.of_kernels.numbers(&plans.kernels, &self.handles, rows),
            ..KernelTally::new()
        };
        let shape: Shape = (launch.grid, launch.block);
        for (fact, tally) in rows {
            match fact {
                Fact::Text { metric } => {
                    let texts = tally.first.as_deref().zip(tally.last.as_deref());
                    if let (Some(id), Some((first, last))) =
                        (self.handles.get(metric.as_str()), texts)
                    {
                        let (first, last) = (first.into(), last.into());
                        let range = TextRange { covered: tally.count, first, last };
                        rollup.texts.insert(*id, range);
                    }
                }
                Fact::Unusable { metric } => {
                    if let Some(id) = self.handles.get(metric.as_str()) {
                        *rollup.unusable.entry(*id).or_default() += tally.count;
                    }
                }
                Fact::Section(section) => {
                    let index = self.sections.get_index_of(section);
                    let index =
                        index.unwrap_or_else(|| self.sections.insert_full(section.clone()).0);
                    let id = SectionId(u32::try_from(index).unwrap_or(u32::MAX));
                    *rollup.sections.entry(id).or_default() += tally.count;
                }
                Fact::Limit { limit, unit } => {
                    let limit = plans.limits.named(*limit, unit.as_deref());
                    kernel.shapes.entry((shape, limit)).or_default().merge(&of_launches(tally));
                }
                Fact::Counters { throughput, listed } => {
                    let Some(&id) = self.handles.get(throughput.as_str()) else { continue };
                    let breakdowns = &self.analysis.breakdowns;
                    let (complete, explained) = (tally.count, tally.part);
                    let lists = &mut self.lists;
                    let listed = breakdowns.restored(lists, listed, complete, explained);
                    if plans.kernels.metric(id).is_some() {
                        kernel.constituents.entry(id).or_default().merge(&listed);
                    }
                    rollup.constituents.entry(id).or_default().merge(&listed);
                }
                Fact::Rule(rule)
                | Fact::Concerned(rule)
                | Fact::Estimate { rule, .. }
                | Fact::Message { rule, .. } => {
                    let RuleName { rule, kind, title, outcome } = rule;
                    let outcome = outcome::known(outcome).id;
                    let told = BorrowedRule { rule, kind, title, outcome };
                    let id = rule_id(&mut partial.rules, told);
                    let said = kernel.rules.entry(id).or_default();
                    said.restore(placed.kernel_name, fact, tally);
                }
                Fact::Launches
                | Fact::GivenUp
                | Fact::Value { .. }
                | Fact::Large { .. }
                | Fact::Mean { .. }
                | Fact::Counter { .. } => {}
            }
        }
        rollup.kernels.insert(placed.kernel, kernel);
        rollup
    }
}

fn basis(group: &Group) -> Basis {
    if group.kind == LaunchKind::Range { Basis::Range } else { Basis::Kernel }
}

fn open_ranges(domain: &rangescope_model::partial::DomainRanges) -> OpenRanges<'_> {
    OpenRanges {
        domain: &domain.domain,
        nth: domain.nth,
        push_pop: domain.push_pop.iter().map(String::as_str).collect(),
        start_end: domain.start_end.iter().map(|(id, name)| (*id, name.as_str())).collect(),
    }
}

fn of_launches(tally: &Tally) -> Launches {
    Launches {
        calls: tally.count,
        // Whoever counts what has no duration subtracts.
        timed: tally.part.min(tally.count),
        time: Sum::of_total(tally.sum.unwrap_or_default()),
    }
}

impl Cells {
    fn new(plan: &TallyPlan, vocabulary: &Vocabulary) -> Self {
        let by_metric = |metrics: &[usize]| {
            let mut cells: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
            for (cell, metric) in metrics.iter().enumerate() {
                cells.entry(*metric).or_default().push(cell);
            }
            cells
        };
        let mut means: FxHashMap<usize, Vec<(String, MeanCell)>> = FxHashMap::default();
        for (metric, by, cell) in mean_cells(plan, vocabulary) {
            means.entry(metric).or_default().push((by, cell));
        }
        Self {
            sums: by_metric(&plan.sums),
            extremes: by_metric(&plan.extremes),
            counts: by_metric(&plan.counts),
            means,
        }
    }

    fn numbers(
        &self,
        plan: &TallyPlan,
        handles: &FxHashMap<&str, MetricId>,
        rows: &[(Fact, Tally)],
    ) -> Numbers {
        let mut tallies = Tallies::new(plan);
        let mut is_empty = true;
        for (fact, tally) in rows {
            let (Fact::Value { metric } | Fact::Large { metric } | Fact::Mean { metric, .. }) =
                fact
            else {
                continue;
            };
            let Some(metric) = handles.get(metric.as_str()).map(|id| id.0 as usize) else {
                continue;
            };
            is_empty = false;
            match fact {
                Fact::Mean { by, .. } => self.add_mean(&mut tallies, metric, by, tally),
                Fact::Large { .. } => {
                    let counter = |text: &Option<String>| text.as_ref()?.parse().ok();
                    if let (Some(min), Some(max)) = (counter(&tally.first), counter(&tally.last)) {
                        let lost = tally.sum.unwrap_or_default().whole;
                        let lost = i64::try_from(lost).unwrap_or_default();
                        tallies.add_large(metric, LargeCell { lost, min, max });
                    }
                }
                _ => self.add_value(&mut tallies, metric, tally),
            }
        }
        if is_empty { Numbers::None } else { Numbers::Many(Box::new(tallies)) }
    }

    fn add_value(&self, tallies: &mut Tallies, metric: usize, tally: &Tally) {
        let places = |cells: &'_ FxHashMap<usize, Vec<usize>>| {
            cells.get(&metric).cloned().unwrap_or_default()
        };
        for place in places(&self.sums) {
            if let Some(cell) = tallies.sums.get_mut(place) {
                cell.covered += tally.count;
                cell.sum.merge(Sum::of_total(tally.sum.unwrap_or_default()));
            }
        }
        for place in places(&self.extremes) {
            if let Some(cell) = tallies.extremes.get_mut(place) {
                cell.covered += tally.count;
                cell.min = cell.min.min(tally.min.unwrap_or(f64::INFINITY));
                cell.max = cell.max.max(tally.max.unwrap_or(f64::NEG_INFINITY));
            }
        }
        for place in places(&self.counts) {
            if let Some(count) = tallies.counts.get_mut(place) {
                *count += tally.count;
            }
        }
    }

    fn add_mean(&self, tallies: &mut Tallies, metric: usize, by: &str, tally: &Tally) {
        if by == SAMPLED {
            tallies.intervals.merge(Intervals {
                sampled: tally.count,
                known: tally.part.min(tally.count),
                min: tally.min.unwrap_or(f64::INFINITY),
                max: tally.max.unwrap_or(f64::NEG_INFINITY),
            });
        }
        let cells = self.means.get(&metric).map_or(&[][..], Vec::as_slice);
        for (_, cell) in cells.iter().filter(|(key, _)| key == by) {
            let cell = match *cell {
                MeanCell::Mean(place) => tallies.means.get_mut(place),
                MeanCell::Pair(place) => tallies.pairs.get_mut(place),
            };
            if let Some(cell) = cell {
                cell.covered += tally.count;
                cell.above.merge(Sum::of_total(tally.sum.unwrap_or_default()));
                cell.below.merge(Sum::of_total(tally.weight.unwrap_or_default()));
            }
        }
    }
}
