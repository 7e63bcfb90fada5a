//! What is written down beside the report of one rank: which rank it is of whose job, and how it ended.
//!
//! A report of ncu holds a host and process numbers but no rank, so whoever starts ncu writes it. The file is there as soon as the rank begins and is replaced when it ends:
//! one that never says how the rank ended is of a rank that was killed.

use serde::{Deserialize, Serialize};

/// What the file says it is; the number before the dot changes with what old readers cannot read.
pub const RANK_FORMAT: &str = "rangescope-rank 1.1";
/// Longer files are none of ours.
pub const MOST_BYTES: u64 = 64 * 1024;

/// One rank of a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankRecord {
    /// [`RANK_FORMAT`].
    pub format: String,
    /// Number of the process among all.
    pub rank: u32,
    /// How many ranks there are, if the launcher tells.
    pub size: Option<u32>,
    /// Number among the ranks of its host.
    pub local_rank: Option<u32>,
    pub host: String,
    /// Number of the host, if the launcher gives them numbers.
    pub node: Option<u32>,
    /// The devices that were given to it, as `CUDA_VISIBLE_DEVICES` has them: numbers or UUIDs.
    pub visible_devices: Option<String>,
    /// What is known of the devices that it may use, in the order of whatever names them; none where nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<RankDevice>,
    /// The launcher by its name in the table.
    pub launcher: Option<String>,
    /// Of the batch system or the launcher.
    pub job_id: Option<String>,
    /// The process that started ncu.
    pub pid: u32,
    /// Whether this rank was to be profiled.
    pub profiled: bool,
    pub begun_at: String,
    /// Absent while the rank runs, and of one that was killed.
    #[serde(default)]
    pub ended: Option<RankEnd>,
}

/// A device that a rank may use; what is not known of it is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankDevice {
    /// Its number as whatever names it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Of the device, or of a part of it (`MIG-…`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Domain, bus, device and function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// What says so: the variable that names it, and the driver's files where they complete it.
    pub known_by: String,
}

/// How a rank ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankEnd {
    pub at: String,
    pub duration_s: f64,
    /// Of ncu, which gives the program's; of the program where it was not profiled.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// `silence` or `time`, if a limit ended it.
    pub timed_out: Option<String>,
    /// The signal that was passed on to it.
    pub interrupted: Option<i32>,
    /// The name of its report, in the folder of this file.
    pub report: Option<String>,
    /// What it printed last.
    pub last_line: Option<String>,
}

impl RankRecord {
    /// Whether a file with this beginning is such a record that this version can read.
    pub fn is_ours(&self) -> bool {
        let major = |format: &str| format.split('.').next().map(str::to_owned);
        major(&self.format) == major(RANK_FORMAT)
    }
}

/// The beginning of the names of all files of a rank, of which the number has a width so that names sort as ranks do.
pub fn file_stem(capture: &str, rank: u32) -> String {
    format!("{}{rank:05}", file_prefix(capture))
}

/// What the names of the files of all ranks of a capture begin with.
pub fn file_prefix(capture: &str) -> String {
    format!("{capture}.rank-")
}
