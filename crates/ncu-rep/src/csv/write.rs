//! The raw page, cell for cell as ncu prints it in the C locale.
//!
//! The page needs two looks at every result: the first finds the columns and their largest values, the second prints. Results are asked for by number, so that a large report is
//! never held as a whole. Quotes are not escaped, because ncu does not escape them; whoever wants a well-formed table should not use this page.

use std::borrow::{Borrow, Cow};
use std::io;

use crate::model::{Metric, ResultData, Value};

use super::printed_unit::printed_unit;
use super::survey::{Survey, chip};
use super::{cells, scale};

/// How the raw page is to be printed. The default is what ncu 2024.1 prints on import when only `--csv --page raw` is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawOptions {
    pub units: Units,
    pub layout: Layout,
    /// `--print-fp`: integers have decimals too.
    pub fp: bool,
}

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

/// Prints the raw page of `count` results.
///
/// `result` gives the result of a number below `count`, or nothing for one that cannot be decoded, which is then left out. It is called twice for each number: of a
/// [`Report`](crate::Report) it may decode anew each time, of a slice it may give references. Rows are sorted by host name
/// and process number, and numbered in that order, as ncu does; within a process they stay in order. Units are those that the version prints.
pub fn write_raw<'a, R: Borrow<ResultData<'a>>>(
    count: usize,
    result: impl Fn(usize) -> Option<R>,
    options: RawOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    write_raw_with_units(
        count,
        result,
        &|metric, chip| printed_unit(metric, options.layout, chip).into(),
        options,
        out,
    )
}

/// Like [`write_raw`], with units from elsewhere: ncu's own table of units differs between versions, and this prints the page of any of them.
///
/// `unit_of` gives the base unit of a metric in the spelling of the page, such as `nsecond` and `byte/second`; it is told the chip of the first result, if that names one.
pub fn write_raw_with_units<'a, R: Borrow<ResultData<'a>>>(
    count: usize,
    result: impl Fn(usize) -> Option<R>,
    unit_of: &dyn Fn(&str, Option<u32>) -> Cow<'static, str>,
    options: RawOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut survey = Survey::default();
    for number in 0..count {
        if let Some(result) = result(number) {
            survey.add(number, result.borrow());
        }
    }
    let chip = survey.chip();
    let columns: Vec<Column> = survey
        .largest
        .iter()
        .map(|(name, largest)| {
            Column::new(name, unit_of(name, chip), *largest, survey.has_units(), options.units)
        })
        .collect();

    let mut line = Line::default();
    line.cells(survey.fixed_columns(options.layout));
    line.cells(columns.iter().map(|column| column.name.as_str()));
    line.end(out)?;

    line.cells(survey.fixed_columns(options.layout).map(|_| ""));
    line.cells(columns.iter().map(|column| column.unit.as_str()));
    line.end(out)?;

    let mut id = 0_usize;
    for group in &survey.groups {
        for number in &group.1.members {
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

struct Column {
    name: String,
    /// The metric's unit, whether the column has it or not.
    base: Cow<'static, str>,
    /// As printed.
    unit: String,
    /// Turns values in the base unit into those that are printed; nothing if the column has no unit or base units are wanted, and values are printed as they are.
    factor: Option<f64>,
}

impl Column {
    fn new(
        name: &str,
        base: Cow<'static, str>,
        largest: f64,
        has_units: bool,
        units: Units,
    ) -> Self {
        let name = name.to_owned();
        if !has_units || base.is_empty() || units == Units::Base {
            let unit = if has_units { base.to_string() } else { String::new() };
            return Self { name, base, unit, factor: None };
        }
        let scaled = scale::choose(&base, largest);
        // The factor is taken from the largest value, and there is none if that is not above zero: then every cell is zero.
        let factor = if largest > 0.0 { scaled.largest / largest } else { 0.0 };
        Self { name, base, unit: scaled.unit, factor: Some(factor) }
    }
}

fn metric_cells(result: &ResultData<'_>, columns: &[Column], options: RawOptions, line: &mut Line) {
    let mut metrics: Vec<&Metric<'_>> = result.metrics.iter().collect();
    metrics.sort_by(|one, other| one.name.cmp(&other.name));
    let has_units = chip(result).is_some();
    let mut metrics = metrics.into_iter().peekable();
    for column in columns {
        while metrics.next_if(|metric| *metric.name < *column.name).is_some() {}
        match metrics.next_if(|metric| metric.name == column.name) {
            Some(metric) => line.cell(&metric_cell(metric, column, has_units, options)),
            None => line.cell(""),
        }
    }
}

fn metric_cell(
    metric: &Metric<'_>,
    column: &Column,
    has_units: bool,
    options: RawOptions,
) -> String {
    let value = match &metric.value {
        None if metric.instances.is_empty() => return cells::NO_DATA.to_owned(),
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
            let scaled = if scales { scale::choose(&column.base, value).largest } else { value };
            match metric.value {
                // ncu prints a counter by way of a double, which rounds it above 2^53. There it is better to be right.
                #[expect(
                    clippy::float_cmp,
                    reason = "it is the same number where it is not scaled"
                )]
                Some(Value::U64(counter)) if scaled == value && !options.fp => counter.to_string(),
                _ => cells::plain(scaled, options.fp),
            }
        }
    }
}

/// The cells of one line, every one between quotes.
#[derive(Default)]
pub(super) struct Line {
    text: String,
}

impl Line {
    pub(super) fn cell(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(text);
        self.text.push('"');
    }

    fn cells<'c>(&mut self, cells: impl Iterator<Item = &'c str>) {
        for cell in cells {
            self.cell(cell);
        }
    }

    fn end(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        self.text.push('\n');
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}
