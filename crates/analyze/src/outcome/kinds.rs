//! The words that outcomes are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a message of a rule says.
#[derive(Debug)]
pub struct Outcome {
    /// Stable and unique.
    pub id: &'static str,
    pub kind: FindingKind,
    /// Of advice what to do and what was seen, of a note what was seen; empty where only ncu's own words are shown.
    pub title: &'static str,
    /// None where following the advice takes no work off any unit: latency, occupancy, balance, the shape of the launch.
    pub relieves: Option<Unit>,
    pub cause: Option<Cause>,
}

impl Outcome {
    pub(super) const fn note(id: &'static str, title: &'static str) -> Self {
        Self { id, kind: FindingKind::Note, title, relieves: None, cause: None }
    }

    pub(super) const fn advice(id: &'static str, title: &'static str, cause: Cause) -> Self {
        Self { id, kind: FindingKind::Advice, title, relieves: None, cause: Some(cause) }
    }

    pub(super) const fn relieves(self, unit: Unit) -> Self {
        Self { relieves: Some(unit), ..self }
    }
}

/// What a finding is: something to do, or something to know.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    Advice,
    Note,
}

impl FindingKind {
    /// The kind of message that ncu would give it.
    pub(crate) fn of_ncu(self) -> &'static str {
        match self {
            Self::Advice => "optimization",
            Self::Note => "ok",
        }
    }
}

/// The unit that following an advice takes work off.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// The multiprocessors as a whole: fewer instructions of any kind.
    Compute,
    /// The slots that schedulers issue instructions in.
    Issue,
    Alu,
    Fma,
    Fp16,
    Fp64,
    Tensor,
    /// Special functions and conversions.
    Xu,
    Uniform,
    /// Loads and stores, as instructions.
    Lsu,
    /// Texture and surface accesses, as instructions.
    Tex,
    /// The whole hierarchy: fewer bytes or requests at every level.
    Memory,
    /// L1/TEX, shared memory included.
    L1,
    L2,
    Dram,
}

impl Unit {
    /// Whether it moves data rather than computes.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Memory | Self::L1 | Self::L2 | Self::Dram)
    }

    /// Whether work is taken off the unit of this name in limits, which is of the same side; nameless is what nobody could tell apart.
    pub(crate) fn relieves(self, busiest: &str) -> bool {
        let is_whole = matches!(self, Self::Compute | Self::Memory);
        is_whole || busiest.is_empty() || busiest.starts_with(self.as_str())
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Issue => "issue",
            Self::Alu => "alu",
            Self::Fma => "fma",
            Self::Fp16 => "fp16",
            Self::Fp64 => "fp64",
            Self::Tensor => "tensor",
            Self::Xu => "xu",
            Self::Uniform => "uniform",
            Self::Lsu => "lsu",
            Self::Tex => "tex",
            Self::Memory => "memory",
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::Dram => "dram",
        }
    }
}

/// Findings of one cause are said once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The launch is too small for the device.
    TooLittleWork,
    /// The last wave of blocks leaves SMs empty.
    PartialWave,
    /// Threads of a block's last warp do not exist.
    PartialWarps,
    /// Fewer warps fit on an SM than it could hold.
    OccupancyLimit,
    /// Fewer warps are resident than fit.
    OccupancyGap,
    /// Schedulers find no warp that could go on: idle issue slots, stalls, idle pipes.
    FewReadyWarps,
    BusyPipe,
    DoublePrecision,
    UnfusedFloat,
    Divergence,
    Imbalance,
    ExcessSectors,
    BankConflicts,
    /// Local memory: registers that did not suffice, and arrays of single threads.
    Spills,
    Compression,
    /// Data that is not in the memory of the device.
    FarMemory,
    /// How a kernel written in tiles is cut.
    TileShape,
}
