//! What is to be drawn.

use crate::headline;

/// A kind of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Measured work against what the device could do.
    Roofline,
    /// The region tree: width is inclusive time, colour a metric.
    Icicle,
    /// The heaviest kernels as bars.
    Kernels,
    /// How long kernels last.
    Histogram,
    /// Traffic between the units of the memory system.
    Memory,
    /// What warps waited for.
    Stalls,
    /// How busy the pipes of the multiprocessors were.
    Pipes,
    /// Counters over the time of one launch.
    PmSampling,
}

impl Kind {
    /// Those that tell about a whole run, in the order in which they should be offered.
    pub const ALL: [Self; 4] = [Self::Roofline, Self::Icicle, Self::Kernels, Self::Histogram];

    /// Those that tell about one kernel or region, likewise.
    pub const OF_KERNELS: [Self; 4] = [Self::Memory, Self::Stalls, Self::Pipes, Self::PmSampling];

    /// The name under which a user asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Roofline => "roofline",
            Self::Icicle => "icicle",
            Self::Kernels => "kernels",
            Self::Histogram => "histogram",
            Self::Memory => "memory",
            Self::Stalls => "stalls",
            Self::Pipes => "pipes",
            Self::PmSampling => "pm-sampling",
        }
    }
}

/// The percentage that colours blocks and bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColourMetric {
    /// Throughput of the SMs.
    #[default]
    Sm,
    /// Throughput of device memory.
    Dram,
    /// Achieved occupancy.
    Occupancy,
    /// Whatever a drawing colours by its own percentages.
    Busy,
}

impl ColourMetric {
    /// All of them, in the order in which they should be offered.
    pub const ALL: [Self; 3] = [Self::Sm, Self::Dram, Self::Occupancy];

    /// The name under which a user asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sm => "sm",
            Self::Dram => "dram",
            Self::Occupancy => "occupancy",
            Self::Busy => "busy",
        }
    }

    /// The words of a legend.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Sm => "SM throughput",
            Self::Dram => "DRAM throughput",
            Self::Occupancy => "Achieved occupancy",
            Self::Busy => "Of what is possible",
        }
    }

    /// The metrics that state it, under their names on different chips.
    pub(crate) fn metrics(self) -> &'static [&'static str] {
        match self {
            Self::Sm => headline::SM,
            Self::Dram => headline::DRAM,
            Self::Occupancy => &["sm__warps_active.avg.pct_of_peak_sustained_active"],
            Self::Busy => &[],
        }
    }
}

/// What is to be drawn, of which part of a document, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotRequest {
    /// The drawing.
    pub kind: Kind,
    /// The scope by its identity (`aggregate`, `device:0`, …); without one the scope that answers for the whole run.
    pub scope: Option<String>,
    /// The region by its name; without one the whole scope.
    pub region: Option<String>,
    /// The metric that colours blocks and bars.
    pub colour_metric: ColourMetric,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels; without one as high as the content needs.
    pub height: Option<u32>,
    /// Light on dark instead of dark on light.
    pub dark: bool,
}

impl PlotRequest {
    /// The drawing of a whole run in the usual size.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            scope: None,
            region: None,
            colour_metric: ColourMetric::default(),
            width: 960,
            height: None,
            dark: false,
        }
    }
}
