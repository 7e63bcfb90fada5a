//! From counts by instruction to lines, functions, kernels and regions.

use super::acc::{Acc, Frame};
use super::counters::{EXECUTED, stall_reason};
use super::tally::{CodeSet, FunctionCounts, Launches, SourceTally};
use super::{CodeMap, Place};
use crate::aggregate::kernels::KernelId;
use crate::aggregate::tree::RegionId;
use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::display_name;
use rangescope_model::source::{
    Call, CodeTotals, Counts, FunctionCode, InstructionCode, KernelCode, LineAt, LineCode,
    RegionCode, RegionLine, SourceFile, TextOrigin, Weight,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The parts of a document that the counts decide. Files have no text yet.
#[derive(Debug)]
pub struct Rolled {
    pub ordered_by: Weight,
    pub totals: CodeTotals,
    pub metrics: Vec<String>,
    pub files: Vec<SourceFile>,
    pub calls: Vec<Call>,
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<KernelCode>,
    /// For each of them the function that it is, by the number of the map.
    pub kernel_functions: Vec<u32>,
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
            Weight::Samples => frame.samples(acc) as f64,
            Weight::Instructions => executed.map_or(0.0, |executed| acc.of(executed) as f64),
        };
        let mut whole = Whole::new(map);
        for ((_, kernel), set) in &self.sets {
            let name: Arc<str> = self.kernels.key(*kernel).map_or("", |key| &*key.shown).into();
            for (&function, counts) in &set.functions {
                whole.add((*kernel, function), &name, counts);
            }
        }
        let mut total = Acc::default();
        whole.kernels.values().for_each(|kernel| total.merge(&kernel.total));
        let all = frame.samples(&total);

        let mut order: Vec<(&(KernelId, u32), &Kernel)> = whole.kernels.iter().collect();
        order.sort_by(|(_, left), (_, right)| heat(&right.total).total_cmp(&heat(&left.total)));
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
            totals: totals(&launches, frame.counts(&total, all)),
            metrics: sorted_metrics(&self.counters),
            files,
            functions: functions.collect(),
            kernel_functions: order.iter().map(|((_, function), _)| *function).collect(),
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
        let instructions = code.instructions.iter().map(|(&offset, instruction)| InstructionCode {
            offset,
            line: whole.map.line(function, offset).and_then(at),
            call: instruction.call,
            sass: None,
            ptx: whole.map.ptx(function, offset),
            counts: frame.counts(&instruction.acc, all),
        });
        KernelCode {
            kernel_name: key.map_or_else(String::new, |key| key.shown.to_string()),
            function: key.map_or_else(String::new, |key| key.function.to_string()),
            totals: totals(&code.launches, frame.counts(&code.total, all)),
            no_lines: whole.map.no_lines(function),
            samples_outside: code.samples_outside,
            instructions: instructions.collect(),
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
        let mut of_region: BTreeMap<RegionId, (Launches, Acc, Lines)> = BTreeMap::new();
        for ((innermost, _), set) in &self.sets {
            let around: BTreeSet<RegionId> =
                innermost.iter().flat_map(|region| self.tree.and_above(*region)).collect();
            let (total, lines) = of_set(map, set);
            for region in around {
                let (launches, all, rolled) = of_region.entry(region).or_default();
                launches.merge(&set.launches);
                all.merge(&total);
                for (place, acc) in &lines {
                    rolled.entry(*place).or_default().merge(acc);
                }
            }
        }
        let region = |(region, (launches, total, lines)): (RegionId, (Launches, Acc, Lines))| {
            let key = self.tree.key(region)?;
            let all = frame.samples(&total);
            let mut hottest: Vec<(Place, Acc)> = lines.into_iter().collect();
            hottest.sort_by(|(_, left), (_, right)| heat(right).total_cmp(&heat(left)));
            hottest.truncate(top);
            let path = self.tree.path(region);
            Some(RegionCode {
                name: display_name(&path),
                path: path.into_iter().map(str::to_owned).collect(),
                domain: self.tree.text(key.domain).to_owned(),
                kind: key.kind,
                totals: totals(&launches, frame.counts(&total, all)),
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

/// The counts of a set, all together and by line.
fn of_set(map: &dyn CodeMap, set: &CodeSet) -> (Acc, Lines) {
    let (mut total, mut lines) = (Acc::default(), Lines::new());
    for (&function, counts) in &set.functions {
        for (offset, acc) in instructions(counts) {
            total.merge(&acc);
            if let Some(place) = map.line(function, offset) {
                lines.entry(place).or_default().merge(&acc);
            }
        }
    }
    (total, lines)
}

fn instructions(counts: &FunctionCounts) -> BTreeMap<u32, Acc> {
    let mut instructions: BTreeMap<u32, Acc> = BTreeMap::new();
    for (&counter, cells) in &counts.cells {
        for (&offset, &value) in cells {
            instructions.entry(offset).or_default().count(counter, value);
        }
    }
    for (&offset, &time) in &counts.time {
        instructions.entry(offset).or_default().time(time);
    }
    instructions
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
    launches: Launches,
    total: Acc,
    samples_outside: u64,
    instructions: BTreeMap<u32, Instruction>,
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

    fn add(&mut self, key: (KernelId, u32), name: &Arc<str>, counts: &FunctionCounts) {
        let (_, function) = key;
        let kernel = self.kernels.entry(key).or_default();
        kernel.launches.merge(&counts.launches);
        kernel.samples_outside = kernel.samples_outside.saturating_add(counts.samples_outside);
        for (offset, acc) in instructions(counts) {
            if let Some(place) = self.map.line(function, offset) {
                let (line, kernels) = self.lines.entry(place).or_default();
                line.merge(&acc);
                kernels.insert(key);
            }
            let frames = self.map.frames(function, offset);
            // An instruction without lines is the kernel's own.
            let outermost = (name.clone(), false);
            let inlined = frames.iter().filter_map(|(_, name)| Some((name.clone()?, true)));
            let on_the_way: IndexSet<(Arc<str>, bool)> = inlined.chain([outermost]).collect();
            for (depth, function) in on_the_way.into_iter().enumerate() {
                let (own, with) = self.functions.entry(function).or_default();
                if depth == 0 {
                    own.merge(&acc);
                }
                with.merge(&acc);
            }
            kernel.total.merge(&acc);
            let instruction = kernel.instructions.entry(offset).or_default();
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

fn totals(launches: &Launches, counts: Counts) -> CodeTotals {
    CodeTotals {
        launches: launches.all,
        counted: launches.counted,
        sampled: launches.sampled,
        total_ms: (launches.timed > 0).then(|| launches.time.value() / 1e6),
        counts,
    }
}

fn sorted_metrics(counters: &IndexSet<String, FxBuildHasher>) -> Vec<String> {
    let mut metrics: Vec<String> =
        counters.iter().filter(|name| stall_reason(name).is_none()).cloned().collect();
    metrics.sort_unstable();
    metrics
}
