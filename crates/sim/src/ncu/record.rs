//! What a program did while it was recorded, as plain data: the steps of each process in order of time. Everything after this knows nothing of recorders.

use ncu_rep::NvtxRange;

/// A run's processes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// In order of their start.
    pub processes: Vec<ProcessRecord>,
    /// Complaints about what was lost or could not be read.
    pub notes: Vec<String>,
}

/// A process and its steps.
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
    /// In order of time.
    pub steps: Vec<Step>,
}

/// A step of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The system's id of the thread.
    pub thread: u32,
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// What happened.
    pub action: Action,
}

/// What a step can be.
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
