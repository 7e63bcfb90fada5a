//! What both pages say of a result in their fixed columns.

use std::borrow::Cow;

use crate::model::{Metric, Process, ResultData, ResultKind, Value};
use crate::names;

use super::base::Factor;
use super::cells::{NO_DATA, NOT_APPLICABLE};
use super::columns::{Columns, Role};
use super::note::{NoteKind, Notes};
use super::number::Evidence;
use super::nvtx_cells;
use super::split::Cell;
use super::{clock, function};

/// Printed for a result that names no device and no compute capability.
const NO_DEVICE: &str = "255";
const NO_CC: &str = "0.0";

/// A row with what is needed to understand it.
pub(super) struct Row<'r, 't> {
    pub(super) line: usize,
    pub(super) columns: &'r Columns,
    pub(super) cells: &'r [Cell<'t>],
}

impl<'t> Row<'_, 't> {
    /// The text of a column; empty if the row does not have it.
    pub(super) fn text(&self, role: Role) -> Cow<'t, str> {
        self.columns.cell(role, self.cells).map(Cell::text).unwrap_or_default()
    }

    /// The result without metrics, sections and rules.
    pub(super) fn result(&self, notes: &mut Notes) -> ResultData<'static> {
        let owned = |role| Cow::Owned(self.text(role).into_owned());
        let number = |role| self.text(role).trim().parse().ok();
        let mut result = ResultData {
            process: Process {
                pid: number(Role::ProcessId),
                host: owned(Role::HostName),
                executable: owned(Role::ProcessName),
            },
            context: number(Role::Context),
            stream: number(Role::Stream),
            time: clock::parse(&self.text(Role::KernelTime)),
            block: shape(&self.text(Role::BlockSize)),
            grid: shape(&self.text(Role::GridSize)),
            ..ResultData::default()
        };
        self.nvtx(&mut result, notes);
        let shown = self.text(Role::KernelName);
        let name = without_range(&shown, &result);
        if name.len() < shown.len() {
            notes.add_first(self.line, NoteKind::RenamedKernels);
        }
        result.kind = self.kind(name, &result);
        if result.kind == ResultKind::Kernel {
            result.demangled = Cow::Owned(name.to_owned());
            result.function = Cow::Owned(function::bare(name).to_owned());
        } else {
            result.function = Cow::Owned(name.to_owned());
        }
        result
    }

    fn nvtx(&self, result: &mut ResultData<'static>, notes: &mut Notes) {
        let roles = [Role::PushPop, Role::StartStop, Role::RangeName];
        let [push_pop, start_stop, range_name] =
            roles.map(|role| self.columns.place(role).is_some());
        if !(push_pop || start_stop || range_name) {
            return;
        }
        let raw = |role| self.columns.cell(role, self.cells).map_or("", |cell| cell.raw);
        let mut read = nvtx_cells::Read::default();
        read.push_pop(raw(Role::PushPop));
        read.start_stop(raw(Role::StartStop));
        if !(push_pop || start_stop) {
            read.range_name(&self.text(Role::RangeName));
        }
        if let Some(unread) = read.unread {
            notes.add(self.line, NoteKind::UnreadNvtx(unread));
        }
        result.thread = read.thread.unwrap_or(0);
        result.nvtx = Some(read.state);
    }

    /// Ranges, graphs and command lists have no shape. Older pages print no shapes at all, but a range there has no stream.
    fn kind(&self, name: &str, result: &ResultData<'_>) -> ResultKind {
        let streamless = matches!(self.text(Role::Stream).trim(), "" | NOT_APPLICABLE);
        let shapeless = [Role::BlockSize, Role::GridSize]
            .iter()
            .any(|role| self.text(*role).trim() == NOT_APPLICABLE);
        match name {
            _ if result.block.is_some() || result.grid.is_some() => ResultKind::Kernel,
            "range" if streamless => ResultKind::Range,
            "graph"
                if shapeless
                    || (self.columns.is_modern()
                        && self.columns.place(Role::BlockSize).is_none()) =>
            {
                ResultKind::Graph
            }
            _ if shapeless => ResultKind::Cmdlist,
            _ => ResultKind::Kernel,
        }
    }

    /// Fills in from fixed columns what a report holds as metrics, and from metrics what older pages have no columns for.
    pub(super) fn complete(&self, result: &mut ResultData<'static>) {
        let device = self.text(Role::Device);
        let cc = self.text(Role::ComputeCapability);
        let placeholder = device.trim() == NO_DEVICE && cc.trim() == NO_CC;
        if !placeholder {
            add_number(result, names::DEVICE_INDEX, device.trim().parse().ok());
            let (major, minor) = cc.trim().split_once('.').unwrap_or_default();
            add_number(result, names::CC_MAJOR, major.parse().ok());
            add_number(result, names::CC_MINOR, minor.parse().ok());
        }
        if result.kind == ResultKind::Kernel {
            result.grid = result.grid.or_else(|| launch_shape(result, "launch__grid_dim_"));
            result.block = result.block.or_else(|| launch_shape(result, "launch__block_dim_"));
        }
        result.context = result.context.or_else(|| id(result, "launch__context_id"));
        if result.kind != ResultKind::Range {
            result.stream = result.stream.or_else(|| id(result, "launch__stream_id"));
        }
    }
}

/// Reads the cell of a metric. There is no metric for a cell that is empty or says that the metric was not to be had.
pub(super) fn metric(
    name: &str,
    text: &str,
    factor: Factor,
    evidence: Evidence,
    line: usize,
    notes: &mut Notes,
) -> Option<Metric<'static>> {
    let value = match text.trim() {
        "" | NOT_APPLICABLE => return None,
        NO_DATA => None,
        _ => Some(value(text, factor, evidence, line, notes)),
    };
    Some(Metric { name: Cow::Owned(name.to_owned()), value, instances: Vec::new() })
}

fn value(
    text: &str,
    factor: Factor,
    evidence: Evidence,
    line: usize,
    notes: &mut Notes,
) -> Value<'static> {
    let exponent = match factor {
        Factor::Power(exponent) => exponent,
        Factor::Times(_) => 0,
    };
    let number = evidence.parse(text, exponent).or_else(|| {
        // With `--print-metric-instances` the instances follow in parentheses.
        let (total, _) = text.strip_suffix(')')?.split_once(" (")?;
        let number = evidence.parse(total, exponent)?;
        notes.add_first(line, NoteKind::DroppedInstances);
        Some(number)
    });
    let Some(number) = number else { return Value::Text(Cow::Owned(text.to_owned())) };
    if number.guessed {
        notes.add_first(
            line,
            NoteKind::GuessedSeparator { text: text.to_owned(), value: number.value },
        );
    }
    match (factor, number.integer) {
        (Factor::Times(factor), _) => Value::F64(number.value * factor),
        (Factor::Power(0), Some(integer)) => Value::U64(integer),
        (Factor::Power(_), _) => Value::F64(number.value),
    }
}

/// Takes off what `--print-nvtx-rename kernel` puts before a kernel's name: its innermost push/pop range.
fn without_range<'t>(name: &'t str, result: &ResultData<'_>) -> &'t str {
    let domains = result.nvtx.iter().flat_map(|nvtx| &nvtx.domains);
    let innermost = domains.filter_map(|domain| domain.push_pop.last());
    let mut names =
        innermost.filter_map(|range| name.strip_prefix(range.name.as_ref())?.strip_prefix('/'));
    names.next().filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// `(256, 1, 1)`, or the same with other separators.
fn shape(text: &str) -> Option<[u64; 3]> {
    let mut shape = [1; 3];
    let mut numbers =
        text.split(|char: char| !char.is_ascii_digit()).filter(|number| !number.is_empty());
    let mut found = false;
    for slot in &mut shape {
        let Some(number) = numbers.next() else { break };
        *slot = number.parse().ok()?;
        found = true;
    }
    (found && numbers.next().is_none()).then_some(shape)
}

fn id(result: &ResultData<'_>, name: &str) -> Option<u32> {
    match result.metric(name)?.value {
        Some(Value::U64(id)) => u32::try_from(id).ok(),
        _ => None,
    }
}

fn launch_shape(result: &ResultData<'_>, prefix: &str) -> Option<[u64; 3]> {
    let mut shape = [0; 3];
    for (slot, axis) in shape.iter_mut().zip(["x", "y", "z"]) {
        let number = result.metric(&format!("{prefix}{axis}"))?.value.as_ref()?.as_f64()?;
        // Column units may have made a float of it.
        *slot = format!("{number:.0}").parse().ok()?;
    }
    Some(shape)
}

fn add_number(result: &mut ResultData<'static>, name: &'static str, number: Option<u64>) {
    if let Some(number) = number
        && result.metric(name).is_none()
    {
        let value = Some(Value::U64(number));
        result.metrics.push(Metric { name: Cow::Borrowed(name), value, instances: Vec::new() });
    }
}
