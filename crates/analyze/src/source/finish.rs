//! From counts by instruction to lines, functions, kernels and regions.

use super::acc::{Acc, Frame};
use super::counters::{EXECUTED, stall_reason};
use super::tally::{CodeSet, KernelCounts, Launches, SourceTally};
use super::{CodeMap, Place, Spot};
use crate::aggregate::kernels::KernelId;
use crate::aggregate::sampling::shows_samples;
use crate::aggregate::tree::RegionId;
use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::display_name;
use rangescope_model::source::{
    Call, CodeTotals, FunctionCode, InstructionCode, KernelCode, LineAt, LineCode, RegionCode,
    RegionLine, SourceFile, TextOrigin, UnknownCode, Weight,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The parts of a document that the counts decide. Files have no text yet.
#[derive(Debug)]
pub struct Rolled {
    pub ordered_by: Weight,
    pub totals: CodeTotals,
    /// What samples are counted as, where they were taken at different intervals.
    pub sampling: Option<&'static str>,
    pub metrics: Vec<String>,
    pub files: Vec<SourceFile>,
    pub calls: Vec<Call>,
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<KernelCode>,
    pub regions: Vec<RegionCode>,
}

type Lines = BTreeMap<Place, Acc>;
type CallKey = (Place, Option<Arc<str>>, Option<u32>);

impl SourceTally<'_> {
    /// Makes lines, functions, kernels and regions; regions get their `top` hottest lines each.
    pub fn finish(&self, map: &dyn CodeMap, top: usize) -> Rolled {
        let mut launches = Launches::default();
        self.sets.values().for_each(|set| launches.merge(&set.launches));
        let ordered_by = match launches {
            Launches { sampled: 1.., estimated, counted, .. } if estimated == counted => {
                Weight::Time
            }
            Launches { sampled: 1.., .. } => Weight::Samples,
            _ => Weight::Instructions,
        };
        let frame = Frame::new(&self.counters, launches.sampled > 0, launches.estimated > 0);
        let executed = self.counters.get_index_of(EXECUTED);
        let heat = |acc: &Acc| match ordered_by {
            Weight::Time => acc.nanoseconds(),
            Weight::Samples => acc.samples() as f64,
            Weight::Instructions => executed.map_or(0.0, |executed| acc.of(executed) as f64),
        };
        let mut whole = Whole::new(map);
        for ((_, kernel), set) in &self.sets {
            let name: Arc<str> = self.kernels.key(*kernel).map_or("", |key| &*key.shown).into();
            for (&(function, interval), counts) in &set.kernels {
                let spots = self.by_spot(interval, counts);
                whole.add((*kernel, function), &name, &counts.launches, spots);
            }
        }
        let mut total = Total { launches, ..Total::default() };
        whole.kernels.values().for_each(|kernel| total.merge_counts(&kernel.total));
        let all = total.acc.samples();

        let mut order: Vec<(&(KernelId, u32), &Kernel)> = whole.kernels.iter().collect();
        order.sort_by(|(_, left), (_, right)| {
            heat(&right.total.acc).total_cmp(&heat(&left.total.acc))
        });
        let place_of_kernel: FxHashMap<(KernelId, u32), u32> =
            order.iter().zip(0..).map(|((key, _), place)| (**key, place)).collect();

        let (files, number_of_file) = files(&whole, &frame, all, &heat, &place_of_kernel);
        let at =
            |(file, line): Place| Some(LineAt { file: number_of_file.get(&file).copied()?, line });
        let kernels =
            order.iter().map(|(key, kernel)| self.kernel(**key, kernel, &whole, &frame, all, &at));
        let kernels = kernels.collect();
        let calls = whole.calls.iter().filter_map(|(place, function, caller)| {
            let function = function.as_ref().map(ToString::to_string);
            Some(Call { at: at(*place)?, function, caller: *caller })
        });
        let calls = calls.collect();
        let mut functions: Vec<_> = whole.functions.iter().collect();
        functions.sort_by(|(_, left), (_, right)| heat(&right.1).total_cmp(&heat(&left.1)));
        let functions = functions.into_iter().map(|((name, inlined), (own, with))| FunctionCode {
            name: name.to_string(),
            inlined: *inlined,
            exclusive: frame.counts(own, all),
            inclusive: frame.counts(with, all),
        });
        Rolled {
            ordered_by,
            totals: total.shown(map, &frame, all),
            sampling: self.intervals.scale().reason(),
            metrics: sorted_metrics(&self.counters),
            files,
            functions: functions.collect(),
            kernels,
            regions: self.regions(map, &frame, &heat, &at, top),
            calls,
        }
    }

    fn kernel(
        &self,
        (kernel, function): (KernelId, u32),
        code: &Kernel,
        whole: &Whole<'_>,
        frame: &Frame<'_>,
        all: u64,
        at: &dyn Fn(Place) -> Option<LineAt>,
    ) -> KernelCode {
        let key = self.kernels.key(kernel);
        let instruction = |(&(_, own, offset), instruction): (&_, &Instruction)| InstructionCode {
            function: (own != function).then(|| whole.map.name(own).to_string()),
            offset,
            line: whole.map.line(own, offset).and_then(at),
            call: instruction.call,
            sass: whole.map.sass(own, offset),
            ptx: whole.map.ptx(own, offset),
            counts: frame.counts(&instruction.acc, all),
        };
        let instructions: Vec<_> = code.instructions.iter().map(instruction).collect();
        let totals = code.total.shown(whole.map, frame, all);
        let is_placed = !instructions.is_empty();
        let unplaced = totals.unknown.first().filter(|_| !is_placed);
        KernelCode {
            kernel_name: key.map_or_else(String::new, |key| key.shown.to_string()),
            function: key.map_or_else(String::new, |key| key.function.to_string()),
            no_lines: unplaced
                .map(|unknown| unknown.reason.clone())
                .or_else(|| whole.map.no_lines(function)),
            totals,
            instructions,
        }
    }

    fn regions(
        &self,
        map: &dyn CodeMap,
        frame: &Frame<'_>,
        heat: &dyn Fn(&Acc) -> f64,
        at: &dyn Fn(Place) -> Option<LineAt>,
        top: usize,
    ) -> Vec<RegionCode> {
        let mut of_region: BTreeMap<RegionId, (Total, Lines)> = BTreeMap::new();
        for ((innermost, _), set) in &self.sets {
            let around: BTreeSet<RegionId> =
                innermost.iter().flat_map(|region| self.tree.and_above(*region)).collect();
            let (total, lines) = self.of_set(map, set);
            for region in around {
                let (all, rolled) = of_region.entry(region).or_default();
                all.launches.merge(&set.launches);
                all.merge_counts(&total);
                for (place, acc) in &lines {
                    rolled.entry(*place).or_default().merge(acc);
                }
            }
        }
        let region = |(region, (total, lines)): (RegionId, (Total, Lines))| {
            let key = self.tree.key(region)?;
            let all = total.acc.samples();
            let mut hottest: Vec<(Place, Acc)> = lines.into_iter().collect();
            hottest.sort_by(|(_, left), (_, right)| heat(right).total_cmp(&heat(left)));
            hottest.truncate(top);
            let path = self.tree.path(region);
            Some(RegionCode {
                name: display_name(&path),
                path: path.into_iter().map(str::to_owned).collect(),
                domain: self.tree.text(key.domain).to_owned(),
                kind: key.kind,
                totals: total.shown(map, frame, all),
                lines: hottest
                    .into_iter()
                    .filter_map(|(place, acc)| {
                        Some(RegionLine { at: at(place)?, counts: frame.counts(&acc, all) })
                    })
                    .collect(),
            })
        };
        of_region.into_iter().filter_map(region).collect()
    }
}

/// The files, the heaviest first, and the place of each by the map's number.
fn files(
    whole: &Whole<'_>,
    frame: &Frame<'_>,
    all: u64,
    heat: &dyn Fn(&Acc) -> f64,
    place_of_kernel: &FxHashMap<(KernelId, u32), u32>,
) -> (Vec<SourceFile>, FxHashMap<u32, u32>) {
    let mut totals: BTreeMap<u32, Acc> = BTreeMap::new();
    for (&(file, _), (acc, _)) in &whole.lines {
        totals.entry(file).or_default().merge(acc);
    }
    // Frames of inlined calls may be in files that no line of their own stands for.
    for ((file, _), ..) in &whole.calls {
        totals.entry(*file).or_default();
    }
    let mut order: Vec<(u32, Acc)> = totals.into_iter().collect();
    order.sort_by(|(left, this), (right, that)| {
        let by_path = || whole.map.path(*left).cmp(whole.map.path(*right));
        heat(that).total_cmp(&heat(this)).then_with(by_path)
    });
    let numbers = order.iter().zip(0..).map(|((file, _), place)| (*file, place)).collect();
    let files = order.into_iter().map(|(file, total)| {
        let lines = whole.lines.range((file, 0)..=(file, u32::MAX));
        let lines = lines.map(|(&(_, line), (acc, kernels))| LineCode {
            line,
            text: None,
            counts: frame.counts(acc, all),
            kernels: kernels.iter().filter_map(|key| place_of_kernel.get(key).copied()).collect(),
        });
        SourceFile {
            path: whole.map.path(file).to_owned(),
            text: TextOrigin::Absent(String::new()),
            length: None,
            counts: frame.counts(&total, all),
            lines: lines.collect(),
            around: Vec::new(),
        }
    });
    (files.collect(), numbers)
}

/// Launches with everything that was counted in them, and what of it is at no known instruction, by reason.
#[derive(Default)]
struct Total {
    launches: Launches,
    acc: Acc,
    unknown: BTreeMap<u32, Acc>,
}

impl Total {
    fn add(&mut self, spot: Spot, acc: &Acc) {
        self.acc.merge(acc);
        if let Spot::Unknown { reason } = spot {
            self.unknown.entry(reason).or_default().merge(acc);
        }
    }

    fn merge_counts(&mut self, other: &Self) {
        self.acc.merge(&other.acc);
        for (&reason, acc) in &other.unknown {
            self.unknown.entry(reason).or_default().merge(acc);
        }
    }

    fn shown(&self, map: &dyn CodeMap, frame: &Frame<'_>, all: u64) -> CodeTotals {
        let Self { launches, acc, unknown } = self;
        let unknown = unknown.iter().map(|(&reason, acc)| UnknownCode {
            reason: map.reason(reason),
            counts: frame.counts(acc, all),
        });
        CodeTotals {
            launches: launches.all,
            counted: launches.counted,
            sampled: launches.sampled,
            total_ms: (launches.timed > 0).then(|| launches.time.value() / 1e6),
            counts: frame.counts(acc, all),
            unknown: unknown.collect(),
        }
    }
}

impl SourceTally<'_> {
    /// The counts of a set, all together and by line.
    fn of_set(&self, map: &dyn CodeMap, set: &CodeSet) -> (Total, Lines) {
        let (mut total, mut lines) = (Total::default(), Lines::new());
        let of_kernel =
            |(&(_, interval), counts): (&(u32, u64), &KernelCounts)| self.by_spot(interval, counts);
        for (spot, acc) in set.kernels.iter().flat_map(of_kernel) {
            total.add(spot, &acc);
            if let Spot::Instruction { function, offset } = spot
                && let Some(place) = map.line(function, offset)
            {
                lines.entry(place).or_default().merge(&acc);
            }
        }
        (total, lines)
    }

    /// Counts by place; samples are counted as if all had been taken at one interval.
    fn by_spot(&self, interval: u64, counts: &KernelCounts) -> BTreeMap<Spot, Acc> {
        let factor = self.intervals.scale().factor(f64::from_bits(interval));
        let mut spots: BTreeMap<Spot, Acc> = BTreeMap::new();
        for (&counter, cells) in &counts.cells {
            let name = self.counters.get_index(counter as usize).map_or("", String::as_str);
            let factor = if shows_samples(name) { factor } else { 1.0 };
            for (&spot, &value) in cells {
                spots.entry(spot).or_default().count(counter, scaled(value, factor));
            }
        }
        for (&spot, &samples) in &counts.samples {
            spots.entry(spot).or_default().sample(scaled(samples, factor));
        }
        for (&spot, &time) in &counts.time {
            spots.entry(spot).or_default().time(time);
        }
        for (&spot, &time) in &counts.excess {
            spots.entry(spot).or_default().excess(time);
        }
        spots
    }
}

/// Intervals are powers of two, so that this is whole.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the factor is at least 1, and a cast ends at the largest number"
)]
fn scaled(count: u64, factor: f64) -> u64 {
    // Not every count fits into a float.
    if factor > 1.0 { (count as f64 * factor).round() as u64 } else { count }
}

/// Everything that was selected.
struct Whole<'m> {
    map: &'m dyn CodeMap,
    kernels: IndexMap<(KernelId, u32), Kernel, FxBuildHasher>,
    lines: BTreeMap<Place, (Acc, BTreeSet<(KernelId, u32)>)>,
    calls: IndexSet<CallKey, FxBuildHasher>,
    /// By name and whether it was inlined: its own code, and with what was inlined into it.
    functions: IndexMap<(Arc<str>, bool), (Acc, Acc), FxBuildHasher>,
}

#[derive(Default)]
struct Kernel {
    total: Total,
    /// By whether it was called, the function and the offset.
    instructions: BTreeMap<(bool, u32, u32), Instruction>,
}

#[derive(Default)]
struct Instruction {
    acc: Acc,
    call: Option<u32>,
}

impl<'m> Whole<'m> {
    fn new(map: &'m dyn CodeMap) -> Self {
        Self {
            map,
            kernels: IndexMap::default(),
            lines: BTreeMap::new(),
            calls: IndexSet::default(),
            functions: IndexMap::default(),
        }
    }

    fn add(
        &mut self,
        key: (KernelId, u32),
        name: &Arc<str>,
        launches: &Launches,
        counts: BTreeMap<Spot, Acc>,
    ) {
        let kernel = self.kernels.entry(key).or_default();
        kernel.total.launches.merge(launches);
        for (spot, acc) in counts {
            kernel.total.add(spot, &acc);
            let Spot::Instruction { function, offset } = spot else { continue };
            if let Some(place) = self.map.line(function, offset) {
                let (line, kernels) = self.lines.entry(place).or_default();
                line.merge(&acc);
                kernels.insert(key);
            }
            let frames = self.map.frames(function, offset);
            let is_called = function != key.1;
            let inlined = frames.iter().filter_map(|(_, name)| Some((name.clone()?, true)));
            let called = is_called.then(|| (self.map.name(function), false));
            // An instruction without lines is the function's own.
            let outermost = (name.clone(), false);
            let on_the_way: IndexSet<(Arc<str>, bool)> =
                inlined.chain(called).chain([outermost]).collect();
            for (depth, function) in on_the_way.into_iter().enumerate() {
                let (own, with) = self.functions.entry(function).or_default();
                if depth == 0 {
                    own.merge(&acc);
                }
                with.merge(&acc);
            }
            let instruction = kernel.instructions.entry((is_called, function, offset)).or_default();
            instruction.acc.merge(&acc);
            let mut caller = None;
            for (place, name) in frames.into_iter().rev() {
                let (number, _) = self.calls.insert_full((place, name, caller));
                caller = u32::try_from(number).ok();
            }
            instruction.call = caller;
        }
    }
}

fn sorted_metrics(counters: &IndexSet<String, FxBuildHasher>) -> Vec<String> {
    let mut metrics: Vec<String> =
        counters.iter().filter(|name| stall_reason(name).is_none()).cloned().collect();
    metrics.sort_unstable();
    metrics
}
