//! What a program did while it was recorded, as plain data: the steps of each process in order of time. Everything after this knows nothing of recorders.

use ncu_rep::NvtxRange;

/// The processes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// The processes in order of their beginning.
    pub processes: Vec<ProcessRecord>,
    /// What was lost or could not be read.
    pub notes: Vec<String>,
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessRecord {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent.
    pub parent: u32,
    /// Path of the executable.
    pub executable: String,
    /// Host name.
    pub host: String,
    /// The rank that a launcher gave it.
    pub rank: Option<u32>,
    /// What it did, in order of time.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The thread.
    pub thread: u32,
    /// When, in nanoseconds since 1970.
    pub time_ns: u64,
    /// What it did.
    pub action: Action,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Pushed a range.
    Push {
        /// The domain's name.
        domain: String,
        /// The range.
        range: NvtxRange<'static>,
    },
    /// Popped the innermost range of the thread and domain.
    Pop {
        /// The domain's name.
        domain: String,
    },
    /// Started a range, whose id is in it.
    Start {
        /// The domain's name.
        domain: String,
        /// The range.
        range: NvtxRange<'static>,
    },
    /// Ended the range of that id.
    End {
        /// The id.
        id: u64,
    },
    /// Announced a launch: a mark in the reserved domain.
    Announce {
        /// The text of the mark.
        message: String,
    },
}
