//! Ranges and kernels with the times at which they were, as recordings and exports of Nsight Systems have them.

use crate::launch::ProcessInfo;
use crate::region::RegionKey;

/// Everything that has a time, of one file or folder.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    pub processes: Vec<ProcessInfo>,
    pub tracks: Vec<Track>,
    /// The regions that spans refer to.
    pub regions: Vec<RegionKey>,
    /// The kernels that spans refer to.
    pub kernels: Vec<KernelName>,
    /// In order of tracks, then of time, an outer one before those inside of it.
    pub spans: Vec<Span>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A line of a timeline: the spans on it lie beside or inside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Index of its process.
    pub process: usize,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelName {
    /// With templates and arguments.
    pub demangled: String,
    pub function: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Index of its track.
    pub track: usize,
    pub start_ns: u64,
    pub end_ns: u64,
    pub what: What,
}

/// What a span is, by index of its region or kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Range {
        region: usize,
    },
    Kernel {
        kernel: usize,
        device: Option<u32>,
        /// The innermost regions around the call that launched it, at most one for each tree; nothing where the trace does not have that call.
        within: Option<Vec<usize>>,
    },
}

impl Timeline {
    /// Whether there are kernels, so that times are those of the GPU.
    pub fn has_kernels(&self) -> bool {
        !self.kernels.is_empty()
    }
}
