//! Kernels that ran on a device, and the calls on the CPU that launched them.
//!
//! Call and kernel carry the same correlation number, which is the process' own. Copies and fills of memory are kept in other tables and are no kernels.

use rustc_hash::FxHashMap;

use crate::nsys::database::Database;
use crate::nsys::error::NsysError;
use crate::nsys::identity::{GlobalProcess, GlobalThread};
use crate::nsys::names::{NameId, Names};
use crate::nsys::strings::{Message, Strings};

/// A call on the CPU that launched kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub thread: GlobalThread,
    /// When it began, in nanoseconds of the trace.
    pub start: i64,
    pub end: i64,
}

#[derive(Clone, Debug)]
pub struct Kernel {
    /// The number of its row in the table.
    pub row: i64,
    /// The demangled name with templates and arguments.
    pub name: NameId,
    /// The name of the function alone.
    pub base_name: NameId,
    /// The device, if the row has one.
    pub device: Option<u32>,
    /// The process that launched it, if the row has one.
    pub process: Option<GlobalProcess>,
    /// When it began to run, in nanoseconds of the trace.
    pub start: i64,
    pub end: i64,
    pub call: Option<Call>,
}

struct RawKernel {
    row: i64,
    name: i64,
    base_name: Option<i64>,
    device: Option<u32>,
    start: i64,
    end: i64,
    process: Option<GlobalProcess>,
    /// The number that it shares with its call.
    correlation: Option<i64>,
}

/// The rows of the table of kernels, before strings are known.
#[derive(Default)]
pub(crate) struct RawKernels {
    kernels: Vec<RawKernel>,
    /// The calls that launched them.
    calls: FxHashMap<(GlobalProcess, i64), Option<Call>>,
    /// Rows that lack what every kernel has.
    pub(crate) skipped: u64,
    /// The latest time of a kernel or its call.
    pub(crate) latest: Option<i64>,
}

impl RawKernels {
    pub(crate) fn read(database: &Database) -> Result<Self, NsysError> {
        let mut raw = Self::default();
        let columns = [
            "start",
            "end",
            "demangledName",
            "shortName",
            "deviceId",
            "correlationId",
            "globalPid",
        ];
        database.rows("CUPTI_ACTIVITY_KIND_KERNEL", &columns, 3, |cells| {
            let (Some(start), Some(end), Some(name)) =
                (cells.integer(0), cells.integer(1), cells.integer(2))
            else {
                raw.skipped += 1;
                return;
            };
            let process = cells.integer(6).map(GlobalProcess::new);
            let correlation = cells.integer(5);
            raw.calls.extend(process.zip(correlation).map(|launch| (launch, None)));
            raw.latest = raw.latest.max(Some(end));
            raw.kernels.push(RawKernel {
                row: cells.row_number(),
                name,
                base_name: cells.integer(3),
                device: cells.integer(4).and_then(|device| u32::try_from(device).ok()),
                start,
                end,
                process,
                correlation,
            });
        })?;
        if raw.calls.is_empty() {
            return Ok(raw);
        }
        let columns = ["start", "end", "globalTid", "correlationId"];
        database.rows("CUPTI_ACTIVITY_KIND_RUNTIME", &columns, 4, |cells| {
            let (Some(start), Some(end), Some(thread), Some(correlation)) =
                (cells.integer(0), cells.integer(1), cells.integer(2), cells.integer(3))
            else {
                return;
            };
            let thread = GlobalThread::new(thread);
            let Some(call) = raw.calls.get_mut(&(thread.process(), correlation)) else { return };
            raw.latest = raw.latest.max(Some(end));
            // The first one is the outermost, should there be several.
            if call.is_none_or(|known| start < known.start) {
                *call = Some(Call { thread, start, end: end.max(start) });
            }
        })?;
        Ok(raw)
    }

    /// The numbers of the strings that are needed.
    pub(crate) fn registered(&self) -> impl Iterator<Item = i64> {
        self.kernels.iter().flat_map(|kernel| [Some(kernel.name), kernel.base_name]).flatten()
    }

    /// Kernels with their names and calls.
    pub(crate) fn resolve(self, names: &mut Names, strings: &Strings) -> Vec<Kernel> {
        let resolve = |raw: RawKernel| {
            let name = strings.name(Message::Registered(raw.name), names);
            Kernel {
                row: raw.row,
                name,
                base_name: raw
                    .base_name
                    .map_or(name, |id| strings.name(Message::Registered(id), names)),
                device: raw.device,
                process: raw.process,
                start: raw.start,
                end: raw.end,
                call: raw
                    .process
                    .zip(raw.correlation)
                    .and_then(|launch| self.calls.get(&launch).copied().flatten()),
            }
        };
        self.kernels.into_iter().map(resolve).collect()
    }
}
