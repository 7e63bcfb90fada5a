//! The code of kernels, as far as counts at instructions need it: which kinds of instructions there are, and the lines that they come from.
//!
//! The kernels of the sample have a source text and a module with a line table. Kernels that a program announces have one too if it says where they are in its
//! text (`announced`); of others nothing of the kind is known: they have one instruction of each kind, and no lines.

pub(crate) mod announced;
pub(crate) mod counts;
mod guess;
mod programs;

use std::borrow::Cow;
use std::collections::BTreeMap;

use ncu_rep::source::{LoadedFunction, Source};
use ncu_rep::write::module::{WrittenFunction, WrittenRow, module};

use crate::kernel::KernelName;
use programs::{ANNOUNCED, PROGRAMS};

/// The number of the sample's module.
pub(crate) const MODULE: u64 = 1;
/// Bytes of an instruction.
const INSTRUCTION: u32 = 16;
/// Where a function begins in the memory of the device; the next one is this far away.
const FIRST_ADDRESS: u64 = 0x3_2710_0000;
const FUNCTION_DISTANCE: u64 = 0x1000;

/// What modules are said to be made for.
const COMPUTE_CAPABILITY: (u32, u32) = (8, 6);

const PATH: &str = "/opt/sample/kernels.cu";
const TEXT: &str = include_str!("kernels.cu");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Load,
    Store,
    SharedLoad,
    SharedStore,
    /// Fused multiply-adds of any precision.
    Math,
    Tensor,
    Control,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    kind: Kind,
    /// How often it runs, beside others of its kind.
    weight: f64,
    /// The share of its sectors that neighbouring threads would do with if they accessed neighbouring words.
    ideal: f64,
    /// Fragments of the lines it comes from: in the kernel, then in each function that was inlined.
    at: &'static [&'static str],
}

/// A function in the memory of the device.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Cow<'static, [Instruction]>,
    start: u64,
    /// The module that it is in, by number.
    pub(crate) module: Option<u64>,
}

impl Code {
    /// A kernel of which only the work is known.
    pub(crate) const ANNOUNCED: Self =
        Self { instructions: Cow::Borrowed(ANNOUNCED), start: FIRST_ADDRESS, module: None };

    /// A kernel of the sample.
    pub(crate) fn of_sample(function: &str) -> Self {
        let found = (1_u64..).zip(PROGRAMS).find(|(_, (name, _))| *name == function);
        found.map_or(Self::ANNOUNCED, |(number, (_, instructions))| Self {
            instructions: Cow::Borrowed(instructions),
            start: FIRST_ADDRESS + number * FUNCTION_DISTANCE,
            module: Some(MODULE),
        })
    }

    fn addresses(&self) -> impl Iterator<Item = u64> {
        let start = self.start;
        (0_u64..).map(move |number| start + number * u64::from(INSTRUCTION))
    }
}

/// The module of the sample with the text that it would have been made from.
pub(crate) fn sample_module() -> Source {
    let function = |&(name, instructions): &(&str, &[Instruction])| {
        written(KernelName::mangled(name), instructions.iter().map(|one| frames(name, one.at)))
    };
    let loaded = |(symbol, &(name, _)): (u32, &(&str, &[Instruction]))| LoadedFunction {
        name: KernelName::mangled(name),
        address: Code::of_sample(name).start,
        symbol,
    };
    Source {
        reference: MODULE,
        cubin: module(
            &PROGRAMS.iter().map(function).collect::<Vec<_>>(),
            &[(PATH.to_owned(), TEXT.len() as u64)],
        ),
        compute_capability: COMPUTE_CAPABILITY,
        files: vec![(PATH.to_owned(), TEXT.to_owned())],
        loaded: (1..).zip(PROGRAMS).map(loaded).collect(),
        ..Source::default()
    }
}

/// A line that an instruction comes from, and the inlined function that it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    line: u32,
    inlined: Option<String>,
}

/// A function of a module with one file, by the frames of its instructions: of each in the kernel first, then in what was inlined.
fn written(name: String, instructions: impl Iterator<Item = Vec<Frame>>) -> WrittenFunction {
    let mut rows: Vec<WrittenRow> = Vec::new();
    // As compilers do it, a call has one row, at the first instruction that comes from it.
    let mut calls: BTreeMap<Vec<Frame>, u32> = BTreeMap::new();
    let mut offset = 0;
    for frames in instructions {
        let mut call = None;
        for depth in 1..=frames.len() {
            let chain = frames.get(..depth).unwrap_or_default();
            let known = calls.get(chain).filter(|_| depth < frames.len());
            call = known.copied().or_else(|| {
                let Frame { line, inlined } = chain.last()?;
                let inlined = inlined.as_deref().map(KernelName::mangled).zip(call);
                rows.push(WrittenRow { offset, file: 0, line: *line, inlined });
                let row = u32::try_from(rows.len()).ok()?;
                calls.entry(chain.to_vec()).or_insert(row);
                Some(row)
            });
        }
        offset += INSTRUCTION;
    }
    WrittenFunction { name, size: offset, rows }
}

/// The frames of an instruction of the sample.
fn frames(function: &str, fragments: &[&str]) -> Vec<Frame> {
    // A kernel's own lines may look like those of another one.
    let places = std::iter::once(kernel_start(function)).chain(std::iter::repeat(0));
    let frame = |(number, (fragment, start)): (usize, (&&str, usize))| {
        let line = line_of(fragment, start);
        Frame { line, inlined: (number > 0).then(|| inlined_at(line).to_owned()) }
    };
    fragments.iter().zip(places).enumerate().map(frame).collect()
}

/// Where the definition of a kernel begins in the text.
fn kernel_start(function: &str) -> usize {
    TEXT.find(&format!("__global__ void {function}(")).unwrap_or(0)
}

/// The first line at or behind a place that has this fragment, counted from 1; 0 if there is none, as compilers write what they do not know.
fn line_of(fragment: &str, start: usize) -> u32 {
    let found = TEXT.get(start..).and_then(|text| text.find(fragment));
    let before = found.and_then(|at| TEXT.get(..start + at));
    before.map_or(0, |text| u32::try_from(text.matches('\n').count() + 1).unwrap_or(0))
}

/// The inlined function that a line is in.
fn inlined_at(line: u32) -> &'static str {
    let before = TEXT.lines().take(line as usize);
    let head = before.filter(|line| line.starts_with("__device__")).last();
    let name = head.and_then(|head| head.split_once('(')?.0.rsplit(' ').next());
    name.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncu_rep::source::{Module, demangled};

    #[test]
    fn every_instruction_has_the_lines_that_its_fragments_name() {
        let source = sample_module();
        let module = Module::parse(&source.cubin, &source.loaded).unwrap();
        let lines: Vec<&str> = TEXT.lines().collect();
        for (name, instructions) in PROGRAMS {
            let function = module.function(&KernelName::mangled(name)).unwrap();
            for (number, instruction) in (0_u32..).zip(*instructions) {
                let mut frames = function.frames(number * INSTRUCTION);
                frames.reverse();
                assert_eq!(frames.len(), instruction.at.len(), "{name} {number}");
                for (frame, fragment) in frames.iter().zip(instruction.at) {
                    let line = lines[frame.line.line as usize - 1];
                    assert!(line.contains(fragment), "{name} {number}: {line}");
                }
                let names: Vec<_> =
                    frames.iter().map(|f| module.inlined(*f).map(demangled)).collect();
                assert_eq!(names[0], None);
                assert!(
                    names[1..].iter().all(|name| name.as_ref().is_some_and(|n| TEXT.contains(n)))
                );
            }
        }
    }
}
