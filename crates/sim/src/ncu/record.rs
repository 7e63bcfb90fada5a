//! What a program did while it was recorded, as plain data: the steps of each process in order of time. Everything after this knows nothing of recorders.

use ncu_rep::NvtxRange;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// In order of their start.
    pub processes: Vec<ProcessRecord>,
    /// Complaints about what was lost or could not be read.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessRecord {
    pub pid: u32,
    pub parent: u32,
    pub executable: String,
    pub host: String,
    pub rank: Option<u32>,
    /// In order of time.
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The system's id of the thread.
    pub thread: u32,
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Push {
        domain: String,
        range: NvtxRange<'static>,
    },
    Pop {
        domain: String,
    },
    Start {
        domain: String,
        range: NvtxRange<'static>,
    },
    End {
        id: u64,
    },
    /// A launch: a mark in the reserved domain.
    Announce {
        message: String,
    },
}
