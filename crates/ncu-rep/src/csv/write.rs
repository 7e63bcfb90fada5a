//! The raw page, cell for cell as ncu prints it in the C locale.
//!
//! The page needs two looks at every result: the first finds the columns and their largest values, the second prints. Results are asked for by number, so that a large report is
//! never held as a whole. Quotes are not escaped, because ncu does not escape them; whoever wants a well-formed table should not use this page.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::io;

use rustc_hash::FxHashMap;

use crate::model::{Metric, NvtxState, ResultData, ResultKind, Value};
use crate::names;

use super::{base, cells, clock, columns, nvtx_text, scale};

/// How the raw page is to be printed. The default is what ncu 2024.1 prints on import when only `--csv --page raw` is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawOptions {
    /// The units of the metric columns.
    pub units: Units,
    /// The fixed columns.
    pub layout: Layout,
    /// Whether integers are printed with decimals too (`--print-fp`).
    pub fp: bool,
}

/// The units of the metric columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// `--print-units base`: values as stored.
    Base,
    /// `--print-units auto`: per column a multiple of the unit that suits the largest value. This is what ncu does when nothing is asked for.
    #[default]
    Auto,
}

/// The fixed columns, which depend on the version of ncu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As ncu 2022.3: with the time of the launch, without shapes and device.
    V2022_3,
    /// As ncu 2024.1: with shapes and device, without the time.
    #[default]
    V2024_1,
}

/// Metrics that ncu stores but does not print.
const HIDDEN: [&str; 3] = ["group:", "breakdown:", "regex:"];
/// What ncu prints for a metric that has neither a value nor instances.
const NO_DATA: &str = "no data";
/// What ncu prints for a number that a kind of result does not have.
const NOT_APPLICABLE: &str = "n/a";
/// The device that ncu prints where the result does not name one.
const NO_DEVICE: f64 = 255.0;

/// Prints the raw page of `count` results.
///
/// `result` gives the result of a number below `count`, or nothing for one that cannot be decoded, which is then left out. It is called twice for each number: of a
/// [`Report`](crate::Report) it may decode anew each time, of a slice it may give references. Units are those that [`crate::units`] infers.
pub fn write_raw<'a, R: Borrow<ResultData<'a>>>(
    count: usize,
    result: impl Fn(usize) -> Option<R>,
    options: RawOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    write_raw_with_units(count, result, &|metric| base::column_unit(metric).into(), options, out)
}

/// Like [`write_raw`], with units from elsewhere: ncu's own table of units differs between versions, and this prints the page of any of them.
///
/// `unit_of` gives the base unit of a metric in the spelling of the page, such as `nsecond` and `byte/second`.
pub fn write_raw_with_units<'a, R: Borrow<ResultData<'a>>>(
    count: usize,
    result: impl Fn(usize) -> Option<R>,
    unit_of: &dyn Fn(&str) -> Cow<'static, str>,
    options: RawOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut survey = Survey::default();
    for number in 0..count {
        if let Some(result) = result(number) {
            survey.add(number, result.borrow());
        }
    }
    let columns: Vec<Column> = survey
        .largest
        .iter()
        .map(|(name, largest)| Column::new(name, unit_of(name), *largest, survey.has_units, options.units))
        .collect();

    let mut line = Line::default();
    survey.fixed_columns(options.layout).for_each(|name| line.cell(name));
    columns.iter().for_each(|column| line.cell(&column.name));
    line.end(out)?;

    survey.fixed_columns(options.layout).for_each(|_| line.cell(""));
    columns.iter().for_each(|column| line.cell(&column.unit));
    line.end(out)?;

    let mut id = 0_usize;
    for group in &survey.groups {
        for number in &group.members {
            let Some(result) = result(*number) else { continue };
            let result = result.borrow();
            survey.fixed_cells(id, group, result, options.layout, &mut line);
            metric_cells(result, &columns, options, &mut line);
            line.end(out)?;
            id += 1;
        }
    }
    Ok(())
}

/// What the first look at the results finds.
#[derive(Default)]
struct Survey {
    /// Metric names in the order of the columns, with the largest value.
    largest: BTreeMap<String, f64>,
    /// Results by process and host, in order of first appearance; ncu numbers them in this order.
    groups: Vec<Group>,
    group_of: FxHashMap<(u32, String), usize>,
    has_ranges: bool,
    has_kernels: bool,
    /// Whether the very first result names its chip, without which ncu knows no units.
    has_units: bool,
}

/// The results of one process.
struct Group {
    pid: u32,
    host: String,
    /// The executable's base name as the first result has it.
    name: String,
    members: Vec<usize>,
}

impl Survey {
    fn add(&mut self, number: usize, result: &ResultData<'_>) {
        if self.groups.is_empty() {
            self.has_units = knows_chip(result);
        }
        self.has_kernels |= result.kind == ResultKind::Kernel;
        self.has_ranges |= result.nvtx.as_ref().is_some_and(has_ranges);
        for metric in result.metrics.iter().filter(|metric| is_shown(&metric.name)) {
            let value = number_of(metric).unwrap_or(0.0);
            match self.largest.get_mut(metric.name.as_ref()) {
                // A comparison and not `max`: a NaN must not count, and neither must numbers below zero.
                Some(largest) if value > *largest => *largest = value,
                Some(_) => {}
                None => {
                    self.largest.insert(metric.name.to_string(), if value > 0.0 { value } else { 0.0 });
                }
            }
        }
        let pid = result.process.pid.unwrap_or(0);
        let host = result.process.host.to_string();
        let place = *self.group_of.entry((pid, host)).or_insert_with_key(|(pid, host)| {
            let name = base_name(&result.process.executable).to_owned();
            self.groups.push(Group { pid: *pid, host: host.clone(), name, members: Vec::new() });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(place) {
            group.members.push(number);
        }
    }

    fn fixed_columns(&self, layout: Layout) -> impl Iterator<Item = &'static str> {
        let process = [columns::ID, columns::PROCESS_ID, columns::PROCESS_NAME, columns::HOST_NAME];
        let nvtx = [columns::PUSH_POP, columns::START_STOP].into_iter().filter(|_| self.has_ranges);
        let time = [columns::KERNEL_TIME].into_iter().filter(move |_| layout == Layout::V2022_3);
        let shape = [columns::BLOCK_SIZE, columns::GRID_SIZE]
            .into_iter()
            .filter(move |_| layout == Layout::V2024_1 && self.has_kernels);
        let device = [columns::DEVICE, columns::CC].into_iter().filter(move |_| layout == Layout::V2024_1);
        let launch = [columns::CONTEXT, columns::STREAM];
        process.into_iter().chain(nvtx).chain([columns::KERNEL_NAME]).chain(time).chain(launch).chain(shape).chain(device)
    }

    fn fixed_cells(&self, id: usize, group: &Group, result: &ResultData<'_>, layout: Layout, line: &mut Line) {
        let number = |number: Option<u32>| number.map_or(NOT_APPLICABLE.to_owned(), |number| number.to_string());
        line.cell(&id.to_string());
        line.cell(&group.pid.to_string());
        line.cell(&group.name);
        line.cell(&group.host);
        if self.has_ranges {
            line.cell(&result.nvtx.as_ref().map(|nvtx| nvtx_text::push_pop(result.thread, nvtx)).unwrap_or_default());
            line.cell(&result.nvtx.as_ref().map(nvtx_text::start_end).unwrap_or_default());
        }
        line.cell(kernel_name(result));
        if layout == Layout::V2022_3 {
            line.cell(&clock::print(result.time));
        }
        line.cell(&number(result.context));
        line.cell(&number(result.stream));
        if layout == Layout::V2024_1 {
            if self.has_kernels {
                let shapes = (result.kind == ResultKind::Kernel).then_some([result.block, result.grid]);
                for shape in shapes.unwrap_or_default() {
                    line.cell(&shape.map_or(NOT_APPLICABLE.to_owned(), |[x, y, z]| format!("({x}, {y}, {z})")));
                }
            }
            let attribute = |name| result.metric(name).and_then(number_of);
            line.cell(&cells::plain(attribute(names::DEVICE_INDEX).unwrap_or(NO_DEVICE), false));
            let [major, minor] = [names::CC_MAJOR, names::CC_MINOR].map(|name| attribute(name).unwrap_or(0.0).trunc());
            line.cell(&format!("{}.{}", cells::plain(major, false), cells::plain(minor, false)));
        }
    }
}

/// One metric column.
struct Column {
    name: String,
    /// The metric's unit, whether the column has it or not.
    base: Cow<'static, str>,
    /// The unit as printed.
    unit: String,
    /// What values in the base unit are multiplied by; nothing if the column has no unit or base units are wanted, and values are printed as they are.
    factor: Option<f64>,
}

impl Column {
    fn new(name: &str, base: Cow<'static, str>, largest: f64, has_units: bool, units: Units) -> Self {
        let name = name.to_owned();
        if !has_units || base.is_empty() || units == Units::Base {
            let unit = if has_units { base.to_string() } else { String::new() };
            return Self { name, base, unit, factor: None };
        }
        let scaled = scale::choose(&base, largest);
        // The factor is taken from the largest value, and there is none if that is not above zero: then every cell is zero.
        let factor = if largest > 0.0 { largest / scaled.divisor / largest } else { 0.0 };
        Self { name, base, unit: scaled.unit, factor: Some(factor) }
    }
}

fn metric_cells(result: &ResultData<'_>, columns: &[Column], options: RawOptions, line: &mut Line) {
    let mut metrics: Vec<&Metric<'_>> = result.metrics.iter().collect();
    metrics.sort_by(|one, other| one.name.cmp(&other.name));
    let has_units = knows_chip(result);
    let mut metrics = metrics.into_iter().peekable();
    for column in columns {
        while metrics.next_if(|metric| *metric.name < *column.name).is_some() {}
        match metrics.next_if(|metric| metric.name == column.name) {
            Some(metric) => line.cell(&metric_cell(metric, column, has_units, options)),
            None => line.cell(""),
        }
    }
}

fn metric_cell(metric: &Metric<'_>, column: &Column, has_units: bool, options: RawOptions) -> String {
    let value = match &metric.value {
        None if metric.instances.is_empty() => return NO_DATA.to_owned(),
        None => return String::new(),
        Some(Value::Text(text)) if column.factor.is_none() => return text.to_string(),
        // In a column with a unit ncu takes a text for the number zero.
        Some(value) => value.as_f64().unwrap_or(0.0),
    };
    match column.factor {
        // Zero, and not the product: a NaN must vanish too.
        Some(0.0) if has_units => cells::fixed(0.0),
        // The quotient of two infinities is the NaN with the sign set.
        Some(factor) if has_units && factor.is_nan() => cells::fixed(f64::NAN.copysign(-1.0)),
        Some(factor) if has_units => cells::fixed(value * factor),
        Some(_) => cells::fixed(value),
        None => {
            // A column without a unit, because the first result has none, still scales the cells of results that have one, each for itself.
            let scales = has_units && column.unit.is_empty() && options.units == Units::Auto;
            let divisor = if scales { scale::choose(&column.base, value).divisor } else { 1.0 };
            cells::plain(value / divisor, options.fp)
        }
    }
}

/// The cells of one line.
#[derive(Default)]
struct Line {
    text: String,
}

impl Line {
    fn cell(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(text);
        self.text.push('"');
    }

    fn end(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        self.text.push('\n');
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

fn is_shown(name: &str) -> bool {
    !HIDDEN.iter().any(|prefix| name.starts_with(prefix))
}

fn number_of(metric: &Metric<'_>) -> Option<f64> {
    metric.value.as_ref().and_then(Value::as_f64)
}

/// Whether ncu can tell the units of a result's metrics: it chooses its table by the chip, and only if no chip is named by the architecture.
fn knows_chip(result: &ResultData<'_>) -> bool {
    let named = result.metric(names::CHIP).or_else(|| result.metric(names::ARCHITECTURE));
    named.is_some_and(|metric| number_of(metric).is_some())
}

fn has_ranges(state: &NvtxState<'_>) -> bool {
    state.domains.iter().any(|domain| !domain.push_pop.is_empty() || !domain.start_end.is_empty())
}

/// The name that ncu shows: demangled, else mangled.
fn kernel_name<'a>(result: &'a ResultData<'_>) -> &'a str {
    [&result.demangled, &result.mangled].into_iter().find(|name| !name.is_empty()).unwrap_or(&result.function)
}

/// The part of a path after the last separator of either system.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
