//! The header line: which column holds what.
//!
//! Names are the same from 2019 to 2026; versions differ in which columns there are. Names are compared without regard to case and blanks around them, because files are edited by hand.

use rustc_hash::FxHashMap;

use super::note::{self, NoteKind, Notes};
use super::split::{self, Cell, Dialect};

pub(super) const ID: &str = "ID";
pub(super) const PROCESS_ID: &str = "Process ID";
pub(super) const PROCESS_NAME: &str = "Process Name";
pub(super) const HOST_NAME: &str = "Host Name";
pub(super) const PUSH_POP: &str =
    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";
pub(super) const START_STOP: &str =
    "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";
pub(super) const KERNEL_NAME: &str = "Kernel Name";
pub(super) const KERNEL_TIME: &str = "Kernel Time";
pub(super) const CONTEXT: &str = "Context";
pub(super) const STREAM: &str = "Stream";
pub(super) const BLOCK_SIZE: &str = "Block Size";
pub(super) const GRID_SIZE: &str = "Grid Size";
pub(super) const DEVICE: &str = "Device";
pub(super) const CC: &str = "CC";

/// The longest name that a metric may have. Real ones have up to 130 bytes; every result gets a copy, so that longer ones would let a small file ask for much memory.
const LONGEST_METRIC: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Id,
    ProcessId,
    ProcessName,
    HostName,
    PushPop,
    StartStop,
    KernelName,
    KernelTime,
    Context,
    Stream,
    BlockSize,
    GridSize,
    Device,
    ComputeCapability,
    /// One range by name: no column of ncu's, but scripts make it.
    RangeName,
    SectionName,
    BodyItemLabel,
    MetricName,
    MetricUnit,
    MetricValue,
    RuleName,
    RuleType,
    RuleDescription,
    SpeedupType,
    Speedup,
    /// A metric of the raw page.
    Metric,
    /// Not read.
    Other,
}

const ROLES: [(&str, Role); 31] = [
    (ID, Role::Id),
    (PROCESS_ID, Role::ProcessId),
    (PROCESS_NAME, Role::ProcessName),
    (HOST_NAME, Role::HostName),
    (PUSH_POP, Role::PushPop),
    (START_STOP, Role::StartStop),
    (KERNEL_NAME, Role::KernelName),
    ("Demangled Name", Role::KernelName),
    ("Function Name", Role::KernelName),
    (KERNEL_TIME, Role::KernelTime),
    (CONTEXT, Role::Context),
    (STREAM, Role::Stream),
    (BLOCK_SIZE, Role::BlockSize),
    (GRID_SIZE, Role::GridSize),
    (DEVICE, Role::Device),
    (CC, Role::ComputeCapability),
    ("NVTX Range Name", Role::RangeName),
    ("Range Name", Role::RangeName),
    ("NVTX Range", Role::RangeName),
    ("Range", Role::RangeName),
    ("Section Name", Role::SectionName),
    ("Body Item Label", Role::BodyItemLabel),
    ("Metric Name", Role::MetricName),
    ("Metric Unit", Role::MetricUnit),
    ("Metric Value", Role::MetricValue),
    ("Rule Name", Role::RuleName),
    ("Rule Type", Role::RuleType),
    ("Rule Description", Role::RuleDescription),
    ("Estimated Speedup Type", Role::SpeedupType),
    ("Estimated Speedup", Role::Speedup),
    ("Invocations", Role::Other),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// One row per result, one column per metric.
    Raw,
    /// One row per metric or rule of a result.
    Details,
}

#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) page: Page,
    pub(super) dialect: Dialect,
    /// Role and name of every column, in order.
    pub(super) list: Vec<(Role, String)>,
    places: FxHashMap<Role, usize>,
}

#[derive(Debug)]
pub(super) enum Header {
    Table(Columns),
    Summary,
    None,
}

impl Header {
    /// Looks at one line.
    pub(super) fn of(line: &str) -> Self {
        // Most lines are no headers and are dismissed here.
        if !["Name", "name", "NAME"].iter().any(|part| line.contains(part)) {
            return Self::None;
        }
        let mut cells = Vec::new();
        let quoted = line.starts_with('"') && split::split(line, Dialect::Quoted, &mut cells);
        let dialect = if quoted { Dialect::Quoted } else { Dialect::Plain };
        if !quoted && !split::split(line, Dialect::Plain, &mut cells) {
            return Self::None;
        }
        let has = |name: &str| cells.iter().any(|cell| cell.raw.trim().eq_ignore_ascii_case(name));
        let kernel = ROLES.iter().any(|(name, role)| *role == Role::KernelName && has(name));
        match kernel && has(ID) {
            true => Self::Table(Columns::new(&cells, dialect)),
            false if kernel && has("Invocations") && has("Metric Name") => Self::Summary,
            false => Self::None,
        }
    }
}

impl Columns {
    fn new(cells: &[Cell<'_>], dialect: Dialect) -> Self {
        let role_of = |name: &str| {
            let known = ROLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            known.map(|(_, role)| *role)
        };
        let names: Vec<String> = cells.iter().map(|cell| cell.text().trim().to_owned()).collect();
        let has = |role| names.iter().any(|name| role_of(name) == Some(role));
        let page =
            if has(Role::MetricName) && has(Role::MetricValue) { Page::Details } else { Page::Raw };

        let mut places = FxHashMap::default();
        let mut list = Vec::with_capacity(names.len());
        for (place, name) in names.into_iter().enumerate() {
            let role = match role_of(&name) {
                // Of two columns for one thing the first counts.
                Some(role) if places.contains_key(&role) => Role::Other,
                Some(role) => role,
                None if page == Page::Raw && (1..=LONGEST_METRIC).contains(&name.len()) => {
                    Role::Metric
                }
                None => Role::Other,
            };
            if role != Role::Metric && role != Role::Other {
                places.insert(role, place);
            }
            list.push((role, name));
        }
        Self { page, dialect, list, places }
    }

    pub(super) fn place(&self, role: Role) -> Option<usize> {
        self.places.get(&role).copied()
    }

    /// The cell of a column, if the row has it.
    pub(super) fn cell<'t>(&self, role: Role, cells: &[Cell<'t>]) -> Option<Cell<'t>> {
        cells.get(self.place(role)?).copied()
    }

    /// Sets metric columns aside that come again further right, because the last entry of a metric counts, and says which.
    pub(super) fn drop_unusable(&mut self, line: usize, notes: &mut Notes) {
        let mut last = FxHashMap::default();
        for (place, (role, name)) in self.list.iter().enumerate() {
            if *role == Role::Metric {
                last.insert(name.clone(), place);
            }
        }
        for (place, (role, name)) in self.list.iter_mut().enumerate() {
            let repeated = *role == Role::Metric && last.get(name) != Some(&place);
            if repeated || (*role == Role::Other && name.len() > LONGEST_METRIC) {
                *role = Role::Other;
                notes.add(line, NoteKind::DroppedColumn(note::excerpt(name)));
            }
        }
    }

    /// The least number of cells of a row: on the details page a row may end after the value.
    pub(super) fn fewest_cells(&self) -> usize {
        match self.page {
            Page::Raw => self.list.len(),
            Page::Details => {
                self.place(Role::MetricValue).map_or(self.list.len(), |place| place + 1)
            }
        }
    }

    /// The table has the columns that came with ncu 2023, by which kernels are told from other kinds of results.
    pub(super) fn is_modern(&self) -> bool {
        self.place(Role::ComputeCapability).is_some() || self.place(Role::BlockSize).is_some()
    }
}
