//! Results and the report made of them as tables: decoded in waves on all cores, written in the order of the files.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ncu_rep::names::{DEVICE_INDEX, DURATION};
use ncu_rep::{Instance, Metric, ResultData, RuleResult, Speedup, Value};
use rangescope_model::launch::ProcessInfo;
use rangescope_read::Input;
use rangescope_read::results::{PlainResult, base_unit};
use rangescope_report::tables::query::{Query, QueryError};
use rangescope_report::tables::schema::{
    INSTANCES, METRICS, PROCESSES, RANGES, RESULTS, RULES, TABLES,
};
use rangescope_report::tables::{
    Batch, Cell, Cells, Ending, Sink, Table, TableFormat, document_rows, path_text, timeline_rows,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::Progress;
use crate::{Exported, RunError};

/// Results that are decoded at the same time.
const WAVE: usize = 256;
/// Of these a thread takes so many at a time.
const TOGETHER: usize = 32;

/// Writes the tables to a new file or folder, which has its name only when it is complete. Gives the number of results that are damaged.
pub fn export_tables(
    exported: &Exported,
    format: &TableFormat,
    tables: &[&'static Table],
    out: &Path,
    progress: Progress<'_>,
) -> Result<u64, RunError> {
    let failed = |cause| RunError::Write { path: out.to_owned(), cause };
    if out.exists() {
        let cause = io::Error::new(io::ErrorKind::AlreadyExists, "there is something already");
        return Err(failed(cause));
    }
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    let place = tempfile::Builder::new()
        .prefix(".rangescope-export-")
        .tempdir_in(parent.unwrap_or(Path::new(".")))
        .map_err(failed)?;
    let inside = place.path().join("export");
    if let Ending::FileForEach = format.ending {
        fs_err::create_dir(&inside).map_err(failed)?;
    }
    let mut sink = (format.open)(&inside, tables).map_err(failed)?;
    let damaged = write_tables(exported, tables, &mut *sink, progress).map_err(failed)?;
    drop(sink);
    fs_err::rename(&inside, out).map_err(failed)?;
    Ok(damaged)
}

/// Asks the tables. Gives the number of results that are damaged.
pub fn query_tables(
    exported: &Exported,
    query: &Query,
    progress: Progress<'_>,
) -> Result<u64, QueryError> {
    let tables: Vec<&'static Table> =
        TABLES.iter().copied().filter(|table| query.needs(table)).collect();
    let failed = |error| query.not_filled(error);
    let mut sink = query.sink().map_err(failed)?;
    write_tables(exported, &tables, &mut sink, progress).map_err(failed)
}

fn write_tables(
    exported: &Exported,
    tables: &[&'static Table],
    sink: &mut dyn Sink,
    progress: Progress<'_>,
) -> io::Result<u64> {
    let Exported { loaded, timelines, .. } = exported;
    let mut damaged = 0;
    let of_results = [&RESULTS, &RANGES, &METRICS, &INSTANCES, &RULES, &PROCESSES];
    if tables.iter().any(|table| of_results.iter().any(|one| one.name == table.name)) {
        let whole: usize = loaded.inputs.iter().map(|input| input.source.len()).sum();
        let mut done = 0;
        for input in &loaded.inputs {
            let mut tell = |more: usize| {
                done += more;
                progress(done as u64, whole as u64);
            };
            damaged += input_rows(input, tables, sink, &mut tell)?;
        }
    }
    document_rows(&loaded.document, sink)?;
    for (source, timeline) in timelines {
        timeline_rows(source, timeline, sink)?;
    }
    sink.finish()?;
    Ok(damaged)
}

fn input_rows(
    input: &Input,
    tables: &[&'static Table],
    sink: &mut dyn Sink,
    tell: &mut dyn FnMut(usize),
) -> io::Result<u64> {
    let name = input.file_name();
    let processes = input.source.processes();
    for process in &processes {
        let row = [
            name.as_str().into(),
            process.host.as_str().into(),
            process.pid.into(),
            process.name.as_str().into(),
            process.rank.into(),
        ];
        sink.row(&PROCESSES, &row)?;
    }
    if !input.source.has_results() {
        return Ok(0);
    }
    let rows =
        Rows { source: &name, simulated: input.source.is_simulated(), processes: &processes };
    let is_wanted = |wanted: &Table| tables.iter().any(|table| table.name == wanted.name);
    let metrics = MetricTable::of(&input.source.metric_names());
    let (with_instances, with_metrics) = (is_wanted(&INSTANCES), is_wanted(&METRICS));
    let mut damaged = 0;
    let length = input.source.len();
    for first in (0..length).step_by(WAVE) {
        let wave = first..length.min(first + WAVE);
        let starts: Vec<usize> = wave.clone().step_by(TOGETHER).collect();
        let decode = |&at: &usize| {
            let results = input.source.decode_plain(at..wave.end.min(at + TOGETHER));
            (at as u64..).zip(results).collect()
        };
        let decoded: Vec<Vec<_>> = starts.par_iter().map(decode).collect();
        let batch = |some: &Vec<(u64, Option<Cow<'_, PlainResult>>)>| {
            let read = some.iter().filter_map(|(at, result)| Some((*at, result.as_deref()?)));
            metrics.rows(&name, read)
        };
        let batches: Vec<Batch> =
            if with_metrics { decoded.par_iter().map(batch).collect() } else { Vec::new() };
        for batch in batches {
            sink.batch(&METRICS, batch)?;
        }
        for (at, result) in decoded.into_iter().flatten() {
            let Some(result) = result else {
                damaged += 1;
                continue;
            };
            rows.result(at, &metrics.described(result.into_owned()), sink)?;
        }
        if with_instances {
            let whole: Vec<_> = wave
                .clone()
                .into_par_iter()
                .map(|at| (at as u64, input.source.decode(at)))
                .collect();
            for (at, data) in whole {
                if let Some(data) = data {
                    rows.instances(at, &data, sink)?;
                }
            }
        }
        tell(wave.len());
    }
    Ok(damaged)
}

/// The metrics of a file: their names and units, each once.
struct MetricTable {
    /// By the number of the file: the place in the lists. Of equal names the first counts.
    places: Vec<Option<u32>>,
    names: Arc<[Box<str>]>,
    units: Arc<[Box<str>]>,
    /// Those that are told of the result itself.
    told: [(&'static str, Option<u32>); 2],
}

impl MetricTable {
    fn of(by_number: &[Option<&str>]) -> Self {
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut names: Vec<Box<str>> = Vec::new();
        let mut places = Vec::with_capacity(by_number.len());
        for name in by_number {
            let next = u32::try_from(names.len()).ok();
            places.push(name.zip(next).map(|(name, next)| {
                *known.entry(name).or_insert_with(|| {
                    names.push(name.into());
                    next
                })
            }));
        }
        let units = names.iter().map(|name| base_unit(name).into()).collect();
        let told = [DURATION, DEVICE_INDEX].map(|name| (name, known.get(name).copied()));
        Self { places, names: names.into(), units, told }
    }

    fn place(&self, number: u32) -> Option<u32> {
        self.places.get(number as usize).copied().flatten()
    }

    /// The result itself, with the metrics that are told of it.
    fn described(&self, result: PlainResult) -> ResultData<'static> {
        let told = self.told.iter().filter_map(|&(name, place)| {
            let is_it = |(number, _): &&(u32, _)| place.is_some() && self.place(*number) == place;
            let (_, value) = result.metrics.iter().rev().find(is_it)?;
            Some(Metric { name: name.into(), value: value.clone(), instances: Vec::new() })
        });
        ResultData { metrics: told.collect(), ..result.data }
    }

    /// The rows of all metrics of some results.
    fn rows<'r>(
        &self,
        source: &str,
        results: impl Iterator<Item = (u64, &'r PlainResult)> + Clone,
    ) -> Batch {
        let most = results.clone().map(|(_, result)| result.metrics.len()).sum();
        let (mut of_result, mut places) = (Vec::new(), Vec::with_capacity(most));
        let (mut values, mut integers, mut texts) =
            (Vec::with_capacity(most), Vec::with_capacity(most), Vec::with_capacity(most));
        // By metric the row that the result at hand has of it.
        let mut rows: Vec<usize> = vec![usize::MAX; self.names.len()];
        for (at, result) in results {
            let first = places.len();
            for (number, value) in &result.metrics {
                let Some(place) = self.place(*number) else { continue };
                let Some(row) = rows.get_mut(place as usize) else { continue };
                let value = value.as_ref();
                let number = value.and_then(Value::as_f64).filter(|number| number.is_finite());
                let text = value.and_then(Value::as_text).map(Box::from);
                if (first..places.len()).contains(row) {
                    (values[*row], integers[*row], texts[*row]) = (number, counter(value), text);
                    continue;
                }
                *row = places.len();
                places.push(place);
                values.push(number);
                integers.push(counter(value));
                texts.push(text);
            }
            of_result.push((at, places.len() - first));
        }
        let rows = places.len();
        let columns = vec![
            Cells::Same(source.into()),
            Cells::Runs(of_result),
            Cells::Among(Arc::clone(&self.names), places.clone()),
            Cells::Numbers(values),
            Cells::Integers(integers),
            Cells::Texts(texts),
            Cells::Among(Arc::clone(&self.units), places),
        ];
        Batch { rows, columns }
    }
}

/// What all rows of a file share.
struct Rows<'a> {
    source: &'a str,
    simulated: bool,
    processes: &'a [ProcessInfo],
}

impl Rows<'_> {
    fn result(&self, at: u64, data: &ResultData<'_>, sink: &mut dyn Sink) -> io::Result<()> {
        let [gx, gy, gz] = axes(data.grid);
        let [bx, by, bz] = axes(data.block);
        let is_own = |process: &&ProcessInfo| {
            process.pid == data.process.pid && process.host == *data.process.host
        };
        let duration = data.metric(DURATION).and_then(|metric| metric.value.as_ref()?.as_f64());
        let rank = self.processes.iter().find(is_own).and_then(|process| process.rank);
        let row = [
            self.source.into(),
            at.into(),
            data.kind.as_str().into(),
            (*data.function).into(),
            (*data.demangled).into(),
            (*data.mangled).into(),
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            (*data.process.host).into(),
            data.process.pid.into(),
            rank.into(),
            data.thread.into(),
            data.device().into(),
            data.context.into(),
            data.stream.into(),
            duration.into(),
            self.simulated.into(),
        ];
        sink.row(&RESULTS, &row)?;
        self.ranges(at, data, sink)?;
        data.rules.iter().try_for_each(|rule| self.rule(at, rule, sink))
    }

    fn ranges(&self, at: u64, data: &ResultData<'_>, sink: &mut dyn Sink) -> io::Result<()> {
        let Some(state) = &data.nvtx else { return Ok(()) };
        let mut row = |domain: &str, kind: &'static str, path: &[&str]| {
            let cells =
                [self.source.into(), at.into(), domain.into(), kind.into(), path_text(path).into()];
            sink.row(&RANGES, &cells)
        };
        for (domain, nth) in state.domains.iter().zip(state.nth_of_name()) {
            // As in reports: the second domain of a name is `name#2`.
            let numbered = (nth > 0).then(|| format!("{}#{}", domain.name, u64::from(nth) + 1));
            let name = numbered.as_deref().unwrap_or(&domain.name);
            let stack: Vec<&str> = domain.push_pop.iter().map(|range| &*range.name).collect();
            if !stack.is_empty() {
                row(name, "push_pop", &stack)?;
            }
            for range in &domain.start_end {
                row(name, "start_end", &[&range.name])?;
            }
        }
        Ok(())
    }

    fn rule(&self, at: u64, rule: &RuleResult<'_>, sink: &mut dyn Sink) -> io::Result<()> {
        for item in &rule.items {
            let Some(message) = &item.message else { continue };
            let row = [
                self.source.into(),
                at.into(),
                (*rule.id).into(),
                (*rule.name).into(),
                (*rule.section).into(),
                message.kind.as_str().into(),
                (*message.title).into(),
                (*message.text).into(),
                item.speedup.map(Speedup::kind_str).into(),
                item.speedup.map(|speedup| speedup.pct).into(),
            ];
            sink.row(&RULES, &row)?;
        }
        Ok(())
    }

    fn instances(&self, at: u64, data: &ResultData<'_>, sink: &mut dyn Sink) -> io::Result<()> {
        for metric in &data.metrics {
            for (place, Instance { correlation, value }) in metric.instances.iter().enumerate() {
                let [_, about, about_text] = value_cells(correlation.as_ref());
                let [value, integer, text] = value_cells(value.as_ref());
                let row = [
                    self.source.into(),
                    at.into(),
                    (*metric.name).into(),
                    (place as u64).into(),
                    about,
                    about_text,
                    value,
                    integer,
                    text,
                ];
                sink.row(&INSTANCES, &row)?;
            }
        }
        Ok(())
    }
}

fn axes(size: Option<[u64; 3]>) -> [Cell<'static>; 3] {
    size.map_or([Cell::Empty, Cell::Empty, Cell::Empty], |size| size.map(Cell::Integer))
}

/// A value as number, as counter and as text.
fn value_cells<'a>(value: Option<&'a Value<'_>>) -> [Cell<'a>; 3] {
    let number = value.and_then(Value::as_f64);
    [number.into(), counter(value).into(), value.and_then(Value::as_text).into()]
}

fn counter(value: Option<&Value<'_>>) -> Option<u64> {
    match value? {
        Value::U64(value) => Some(*value),
        Value::U32(value) => Some(u64::from(*value)),
        Value::Text(_) | Value::F32(_) | Value::F64(_) => None,
    }
}
