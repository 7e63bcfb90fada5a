//! What was counted at the instructions of kernels, by line, instruction, function and region: plain data.
//!
//! A metric that a row does not name is 0 there, because only metrics that were counted at instructions are in the document at all.

use crate::document::{Note, Tool};
use crate::region::RangeKind;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the contract; raised when a field changes its meaning or disappears.
pub const SOURCE_SCHEMA_VERSION: &str = "2.0";

/// Where the time of some kernels goes, down to the line and the instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceDocument {
    pub schema_version: String,
    pub tool: Tool,
    /// True when any of the data comes from a simulated device.
    pub simulated: bool,
    pub notes: Vec<Note>,
    /// What lines, instructions, functions and kernels are ordered by.
    pub ordered_by: Weight,
    pub totals: CodeTotals,
    /// The metrics that were counted at instructions, without the samples by stall reason.
    pub metrics: Vec<String>,
    /// Source files, the heaviest first. References by number are positions in this list.
    pub files: Vec<SourceFile>,
    /// Places from which inlined code was called; a chain of them leads from an instruction to its kernel.
    pub calls: Vec<Call>,
    /// Functions: the kernels themselves, those that they call and those that were inlined; the heaviest first.
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<KernelCode>,
    /// Regions in the order of the report, each with its hottest lines.
    pub regions: Vec<RegionCode>,
}

/// What rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The estimated time; every launch was sampled and has a duration.
    Time,
    Samples,
    /// Instructions executed; nothing was sampled.
    Instructions,
}

/// Launches, and how much of them is known by instruction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeTotals {
    /// Launches that were selected.
    pub launches: u64,
    /// Launches of which anything was counted at instructions.
    pub counted: u64,
    /// Launches that were sampled.
    pub sampled: u64,
    /// GPU time of the launches that have a duration; null if none has.
    pub total_ms: Option<f64>,
    /// Everything that was counted, wherever it was.
    #[serde(flatten)]
    pub counts: Counts,
    /// The part of it that is at no known instruction, by reason.
    pub unknown: Vec<UnknownCode>,
}

/// What was counted at addresses of which the instruction is not known. No line, function or instruction has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownCode {
    pub reason: String,
    pub counts: Counts,
}

/// What was counted in a set of instructions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Samples of warps; null where nothing was sampled.
    pub samples: Option<u64>,
    /// Share of all samples of the set that the row belongs to (document, region), 0 to 1; those at no known instruction are among them.
    pub share: Option<f64>,
    /// Half the width of the interval of 95 % around `share`, as if samples were independent.
    pub share_error: Option<f64>,
    /// An estimate: of every sampled launch with a duration, the part of its time that is the part of all its samples.
    pub time_ms: Option<f64>,
    /// Bytes that accesses to global memory move and do not use; absent where there are none, or they were not counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub excess_bytes: Option<u64>,
    /// The time that moving them costs at most: their part of the time in which L2, or L1 where that is more, was busy in each launch. Absent where that cannot be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub excess_ms: Option<f64>,
    /// Samples by what the warp was waiting for, most first.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    pub stalls: IndexMap<String, u64>,
    /// Counters, summed over launches.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    pub metrics: IndexMap<String, u64>,
}

/// Samples in which the warp was not waiting: it issued an instruction.
pub const ISSUING: &str = "selected";

impl Counts {
    /// What most samples waited for, with its share of the samples.
    pub fn dominant_stall(&self) -> Option<(&str, f64)> {
        let samples = self.samples.filter(|&samples| samples > 0)?;
        let (reason, count) = self.stalls.iter().find(|(reason, _)| *reason != ISSUING)?;
        Some((reason, *count as f64 / samples as f64))
    }

    pub fn metric(&self, name: &str) -> u64 {
        self.metrics.get(name).copied().unwrap_or(0)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFile {
    /// As the compiler was given it.
    pub path: String,
    pub text: TextOrigin,
    /// Lines of the text; null without a text.
    pub length: Option<u64>,
    pub counts: Counts,
    /// Lines with code, ascending.
    pub lines: Vec<LineCode>,
    /// Lines without code near those with, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub around: Vec<TextLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextLine {
    pub line: u32,
    pub text: String,
}

/// Where the text of a source file comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextOrigin {
    /// The report holds it.
    Report,
    /// Read from this path.
    Disk(String),
    /// There is none, for this reason.
    Absent(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineCode {
    pub line: u32,
    pub text: Option<String>,
    pub counts: Counts,
    /// Kernels with code from this line, as positions in `kernels`.
    pub kernels: Vec<u32>,
}

/// A place in the source, by number of the file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct LineAt {
    pub file: u32,
    pub line: u32,
}

/// A place that code comes from, and the place that called it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    #[serde(flatten)]
    pub at: LineAt,
    /// The inlined function that the place is in; null for the function itself that the instruction is in.
    pub function: Option<String>,
    /// Position in `calls` of the place that called it.
    pub caller: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCode {
    pub name: String,
    /// Whether it was inlined. Others are kernels, and functions that kernels call.
    pub inlined: bool,
    /// In its own code.
    pub exclusive: Counts,
    /// With what was inlined into it; of a kernel, with what its launches called.
    pub inclusive: Counts,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelCode {
    pub kernel_name: String,
    pub function: String,
    #[serde(flatten)]
    pub totals: CodeTotals,
    /// Why there are no lines; null where there are.
    pub no_lines: Option<String>,
    /// Instructions at which anything was counted, be it 0, in the order of the code; those of called functions behind its own.
    pub instructions: Vec<InstructionCode>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionCode {
    /// The function that the kernel called and that it is in; null in the kernel's own code.
    pub function: Option<String>,
    /// Bytes from the beginning of the kernel, or of that function.
    pub offset: u32,
    pub line: Option<LineAt>,
    /// The innermost place that it comes from, as a position in `calls`.
    pub call: Option<u32>,
    /// The instruction in words, where a disassembler was at hand.
    pub sass: Option<String>,
    /// The line of PTX that it was made from, where the report holds it.
    pub ptx: Option<String>,
    pub counts: Counts,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionCode {
    /// Name for people.
    pub name: String,
    pub path: Vec<String>,
    pub domain: String,
    pub kind: RangeKind,
    #[serde(flatten)]
    pub totals: CodeTotals,
    /// Its hottest lines, with shares of the region's own samples.
    pub lines: Vec<RegionLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionLine {
    #[serde(flatten)]
    pub at: LineAt,
    pub counts: Counts,
}
