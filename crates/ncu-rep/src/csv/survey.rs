//! The first look at the results of a raw page, and the columns that do not depend on metrics.

use std::collections::BTreeMap;

use crate::model::{Metric, NvtxState, ResultData, ResultKind, Value};
use crate::names;

use super::cells::NOT_APPLICABLE;
use super::write::{Layout, Line};
use super::{cells, clock, columns, nvtx_text};

/// Metrics that ncu stores but does not print.
const HIDDEN: [&str; 3] = ["group:", "breakdown:", "regex:"];
/// The device that ncu prints where the result does not name one.
const NO_DEVICE: f64 = 255.0;

#[derive(Default)]
pub(super) struct Survey {
    /// Metric names in the order of the columns, with the largest value.
    pub(super) largest: BTreeMap<String, f64>,
    /// Results by host and process, in this order, by which ncu numbers them.
    pub(super) groups: BTreeMap<(String, u32), Group>,
    has_ranges: bool,
    has_kernels: bool,
}

pub(super) struct Group {
    /// The executable's base name as the first result has it.
    name: String,
    /// The chip of the first result, if it names one.
    chip: Option<u32>,
    pub(super) members: Vec<usize>,
}

impl Survey {
    pub(super) fn add(&mut self, number: usize, result: &ResultData<'_>) {
        self.has_kernels |= result.kind == ResultKind::Kernel;
        self.has_ranges |= result.nvtx.as_ref().is_some_and(has_ranges);
        for metric in result.metrics.iter().filter(|metric| is_shown(&metric.name)) {
            let value = number_of(metric).unwrap_or(0.0);
            match self.largest.get_mut(metric.name.as_ref()) {
                // A comparison and not `max`: a NaN must not count, and neither must numbers below zero.
                Some(largest) if value > *largest => *largest = value,
                Some(_) => {}
                None => {
                    self.largest
                        .insert(metric.name.to_string(), if value > 0.0 { value } else { 0.0 });
                }
            }
        }
        let key = (result.process.host.to_string(), result.process.pid.unwrap_or(0));
        let group = self.groups.entry(key).or_insert_with(|| Group {
            name: base_name(&result.process.executable).to_owned(),
            chip: chip(result),
            members: Vec::new(),
        });
        group.members.push(number);
    }

    /// The first result that is printed must name its chip, whatever the others do.
    pub(super) fn has_units(&self) -> bool {
        self.chip().is_some()
    }

    /// The chip of the first result that is printed, whose table the units are taken from.
    pub(super) fn chip(&self) -> Option<u32> {
        self.groups.values().next()?.chip
    }

    pub(super) fn fixed_columns(&self, layout: Layout) -> impl Iterator<Item = &'static str> {
        let process = [columns::ID, columns::PROCESS_ID, columns::PROCESS_NAME, columns::HOST_NAME];
        let nvtx = [columns::PUSH_POP, columns::START_STOP].into_iter().filter(|_| self.has_ranges);
        let time = [columns::KERNEL_TIME].into_iter().filter(move |_| layout == Layout::V2022_3);
        let shape = [columns::BLOCK_SIZE, columns::GRID_SIZE]
            .into_iter()
            .filter(move |_| layout == Layout::V2024_1 && self.has_kernels);
        let device =
            [columns::DEVICE, columns::CC].into_iter().filter(move |_| layout == Layout::V2024_1);
        let launch = [columns::CONTEXT, columns::STREAM];
        process
            .into_iter()
            .chain(nvtx)
            .chain([columns::KERNEL_NAME])
            .chain(time)
            .chain(launch)
            .chain(shape)
            .chain(device)
    }

    pub(super) fn fixed_cells(
        &self,
        id: usize,
        ((host, pid), group): (&(String, u32), &Group),
        result: &ResultData<'_>,
        layout: Layout,
        line: &mut Line,
    ) {
        let named = |name: &str, number: Option<u32>| match number {
            _ if !name.is_empty() => name.to_owned(),
            Some(number) => number.to_string(),
            None => NOT_APPLICABLE.to_owned(),
        };
        line.cell(&id.to_string());
        line.cell(&pid.to_string());
        line.cell(&group.name);
        line.cell(host);
        if self.has_ranges {
            line.cell(
                &result
                    .nvtx
                    .as_ref()
                    .map(|nvtx| nvtx_text::push_pop(result.thread, nvtx))
                    .unwrap_or_default(),
            );
            line.cell(&result.nvtx.as_ref().map(nvtx_text::start_end).unwrap_or_default());
        }
        line.cell(kernel_name(result));
        if layout == Layout::V2022_3 {
            line.cell(&clock::print(result.time));
        }
        line.cell(&named(&result.context_name, result.context));
        line.cell(&named(&result.stream_name, result.stream));
        if layout == Layout::V2024_1 {
            if self.has_kernels {
                for shape in [result.block, result.grid] {
                    line.cell(
                        &shape.map_or(NOT_APPLICABLE.to_owned(), |[x, y, z]| {
                            format!("({x}, {y}, {z})")
                        }),
                    );
                }
            }
            let attribute = |name| result.metric(name).and_then(number_of);
            line.cell(&cells::plain(attribute(names::DEVICE_INDEX).unwrap_or(NO_DEVICE), false));
            let [major, minor] = [names::CC_MAJOR, names::CC_MINOR]
                .map(|name| attribute(name).unwrap_or(0.0).trunc());
            line.cell(&format!("{}.{}", cells::plain(major, false), cells::plain(minor, false)));
        }
    }
}

fn is_shown(name: &str) -> bool {
    !HIDDEN.iter().any(|prefix| name.starts_with(prefix))
}

pub(super) fn number_of(metric: &Metric<'_>) -> Option<f64> {
    metric.value.as_ref().and_then(Value::as_f64)
}

/// The chip by which ncu chooses its table of units, or only if no chip is named the architecture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number that is no chip's has no row in any table"
)]
pub(super) fn chip(result: &ResultData<'_>) -> Option<u32> {
    let named = result.metric(names::CHIP).or_else(|| result.metric(names::ARCHITECTURE))?;
    number_of(named).map(|number| number as u32)
}

fn has_ranges(state: &NvtxState<'_>) -> bool {
    state.domains.iter().any(|domain| !domain.push_pop.is_empty() || !domain.start_end.is_empty())
}

/// The name that ncu shows: of a kernel the demangled one, else the mangled one.
fn kernel_name<'a>(result: &'a ResultData<'_>) -> &'a str {
    let names = [&result.demangled, &result.mangled];
    let names =
        names.into_iter().filter(|name| !name.is_empty() && result.kind == ResultKind::Kernel);
    names.chain([&result.function]).next().map_or("", AsRef::as_ref)
}

/// The part of a path after the last separator of either system.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
