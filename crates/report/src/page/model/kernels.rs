//! Lists of kernels, column by column.
//!
//! A region's list holds every kernel below it, so the same kernel stands in many lists; its names are stored once.

use rangescope_analyze::DirectKernel;
use rangescope_analyze::insight::model::{BoundClass, KernelInsight};
use rangescope_model::document::{KernelSummary, LaunchKind, LaunchShape, Limit, LimitShare};
use rangescope_model::text::bare_kernel;
use rangescope_model::words::Word;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::charts::Charts;
use super::metrics::{Cell, Metrics};
use super::number::Number;
use super::pool::{Pool, Texts, number};
use super::roofline::Point;

/// All kernels of a page.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Kernels {
    /// Name and kind of every kernel.
    names: Pool<(u32, u32)>,
    /// A short name for each, different for different names.
    short: Vec<String>,
    #[serde(skip)]
    short_used: FxHashMap<String, u32>,
    /// Grid and block of every launch shape.
    shapes: Pool<(Dimensions, Dimensions)>,
    /// What limits launches, with the busiest unit.
    limits: Pool<(Limit, Option<u32>)>,
    lists: Pool<KernelList>,
    /// Kernel, calls and time of what is launched directly in a node, where that is not all of its list.
    direct: Pool<Vec<(u32, u64, Number)>>,
    /// Rows that may still be stored.
    #[serde(skip)]
    budget: usize,
}

type Dimensions = Option<[u64; 3]>;

/// Columns of a short name; the full one stays at hand in the page.
const SHORT_NAME: usize = 72;

/// Kernels that a list keeps when the page has no room left.
const KEPT_ROWS: usize = 20;

/// The kernels of one region; the fields are columns.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize)]
struct KernelList {
    kernel: Vec<u32>,
    calls: Vec<u64>,
    ns: Vec<Number>,
    mean: Vec<Duration>,
    min: Vec<Duration>,
    max: Vec<Duration>,
    device: Vec<Option<u32>>,
    shapes: Vec<Shapes>,
    limits: Vec<Limits>,
    metrics: Vec<Column>,
    bound: Vec<BoundClass>,
    /// Roofline points, each with the row it belongs to.
    points: Vec<(u32, Point)>,
    /// Numbers of charts, −1 where the page has none, as it has none of all further rows.
    charts: Vec<i64>,
    /// Rows that were left out of the page.
    left_out: u32,
}

/// A duration beside others of the same row.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Duration {
    Absent(()),
    Ns(Number),
    /// Written as −1: the mean is the time by the calls; the extremes equal the mean.
    Usual(i8),
}

/// The launch shapes of a row: one number if all launches have the same.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Shapes {
    One(u32),
    Several(Vec<Shape>),
}

/// Number, calls and time of a shape; its limits where they are not those of the row.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Shape {
    AsTheRow(u32, u64, Number),
    Limited(u32, u64, Number, Limits),
}

/// What limits launches: one number if the same limits all of them, else number, launches and time of each.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Limits {
    One(u32),
    Several(Vec<(u32, u64, Number)>),
}

/// One metric of all rows.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Column {
    name: u32,
    /// The descriptor of every row, −1 where the metric is absent; a single one if they are the same.
    descriptor: Vec<i64>,
    values: Vec<Cell>,
    /// Row, covered and asked results where not all launches are covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<(u32, u64, u64)>,
}

impl Kernels {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Stores a list and returns its number. Charts are those of the same kernels in `detailed`, of the kernels themselves where there is none.
    pub(crate) fn add(
        &mut self,
        texts: &mut Texts,
        metrics: &mut Metrics,
        charts: &mut Charts,
        kernels: &[KernelSummary],
        insight: &[KernelInsight],
        detailed: Option<&[KernelSummary]>,
    ) -> u32 {
        let detailed = detailed.map(|kernels| -> FxHashMap<_, _> {
            kernels.iter().map(|kernel| (identity_of(kernel), kernel)).collect()
        });
        let fits = kernels.len() <= self.budget.max(KEPT_ROWS);
        let kept = if fits { kernels } else { &kernels[..KEPT_ROWS] };
        let mut list =
            KernelList { left_out: number(kernels.len() - kept.len()), ..KernelList::default() };
        for (row, kernel) in kept.iter().enumerate() {
            list.kernel.push(self.identity(texts, &kernel.kernel_name, kernel.kind));
            list.calls.push(kernel.calls);
            list.ns.push(Number::ns(kernel.total_ms));
            let usual_mean = Number::ns(kernel.total_ms.map(|ms| ms / kernel.calls as f64));
            list.mean.push(Duration::of(kernel.mean_ms, Some(usual_mean)));
            let mean = kernel.mean_ms.map(Number::ns);
            list.min.push(Duration::of(kernel.min_ms, mean));
            list.max.push(Duration::of(kernel.max_ms, mean));
            list.device.push(kernel.device);
            let limits = self.limits_of(texts, &kernel.limits, kernel.calls);
            list.shapes.push(self.shapes_of(texts, &kernel.launch_shapes, &limits));
            list.limits.push(limits);
            let found = insight.get(row);
            list.bound.push(found.map_or(BoundClass::Unknown, |insight| insight.bound.class));
            let charted = match &detailed {
                None => Some(kernel),
                Some(known) => known.get(&identity_of(kernel)).copied(),
            };
            let charted = charted.filter(|charted| charted.calls == kernel.calls);
            list.charts.push(charted.map_or(-1, |charted| charts.of_kernel(texts, charted)));
            for point in found.into_iter().flat_map(|insight| &insight.points) {
                list.points.push((number(row), Point::of(texts, point)));
            }
        }
        let charted = list.charts.iter().rposition(|&number| number >= 0);
        list.charts.truncate(charted.map_or(0, |last| last + 1));
        list.metrics = columns(texts, metrics, kept);
        let (id, new) = self.lists.add(list);
        if new {
            self.budget = self.budget.saturating_sub(kept.len());
        }
        id
    }

    /// The number of a kernel.
    fn identity(&mut self, texts: &mut Texts, name: &str, kind: LaunchKind) -> u32 {
        let identity = (texts.add(name), texts.add(kind.as_str()));
        let (id, new) = self.names.add(identity);
        if new {
            let short = bare_kernel(name, SHORT_NAME).into_owned();
            let used = self.short_used.entry(short.clone()).or_default();
            *used += 1;
            self.short.push(if *used == 1 { short } else { format!("{short} #{used}") });
        }
        id
    }

    fn shapes_of(&mut self, texts: &mut Texts, shapes: &[LaunchShape], row: &Limits) -> Shapes {
        let mut number_of = |shape: &LaunchShape| self.shapes.add((shape.grid, shape.block)).0;
        if let [only] = shapes {
            return Shapes::One(number_of(only));
        }
        let numbers: Vec<u32> = shapes.iter().map(number_of).collect();
        let of_shape = |(shape, number): (&LaunchShape, u32)| {
            let (calls, ns) = (shape.calls, Number::ns(shape.total_ms));
            let limits = self.limits_of(texts, &shape.limits, calls);
            if limits == *row {
                Shape::AsTheRow(number, calls, ns)
            } else {
                Shape::Limited(number, calls, ns, limits)
            }
        };
        Shapes::Several(shapes.iter().zip(numbers).map(of_shape).collect())
    }

    fn limits_of(&mut self, texts: &mut Texts, limits: &[LimitShare], calls: u64) -> Limits {
        let mut number_of = |one: &LimitShare| {
            self.limits.add((one.limit, texts.add_option(one.unit.as_deref()))).0
        };
        match limits {
            [only] if only.launches == calls => Limits::One(number_of(only)),
            several => Limits::Several(
                several
                    .iter()
                    .map(|one| (number_of(one), one.launches, Number::ns(one.total_ms)))
                    .collect(),
            ),
        }
    }

    /// The number of the kernels directly in a node with so many launches, −1 if they are all of its list; none where they are not known.
    pub(crate) fn add_direct(
        &mut self,
        texts: &mut Texts,
        direct: Option<&[DirectKernel<'_>]>,
        launches: u64,
    ) -> Option<i64> {
        let direct = direct?;
        if direct.iter().map(|kernel| kernel.calls).sum::<u64>() == launches {
            return Some(-1);
        }
        let fits = direct.len() <= self.budget.max(KEPT_ROWS);
        let kept = if fits { direct } else { direct.get(..KEPT_ROWS).unwrap_or(direct) };
        let of_kernel = |kernel: &DirectKernel<'_>| {
            let identity = self.identity(texts, kernel.name, kernel.kind);
            (identity, kernel.calls, Number::ns(kernel.total_ms))
        };
        let rows = kept.iter().map(of_kernel).collect();
        let (id, new) = self.direct.add(rows);
        if new {
            self.budget = self.budget.saturating_sub(kept.len());
        }
        Some(i64::from(id))
    }
}

fn identity_of(kernel: &KernelSummary) -> (&str, LaunchKind) {
    (&kernel.kernel_name, kernel.kind)
}

impl Duration {
    fn of(ms: Option<f64>, usual: Option<Number>) -> Self {
        match ms.map(Number::ns) {
            None => Self::Absent(()),
            Some(ns) if Some(ns) == usual => Self::Usual(-1),
            Some(ns) => Self::Ns(ns),
        }
    }
}

/// The metrics of all kernels as columns, in order of first appearance.
fn columns(texts: &mut Texts, metrics: &mut Metrics, kernels: &[KernelSummary]) -> Vec<Column> {
    let mut names: indexmap::IndexSet<&str> = indexmap::IndexSet::new();
    for kernel in kernels {
        names.extend(kernel.metrics.keys().map(String::as_str));
    }
    names
        .into_iter()
        .map(|name| {
            let mut column = Column {
                name: texts.add(name),
                descriptor: Vec::with_capacity(kernels.len()),
                values: Vec::with_capacity(kernels.len()),
                gaps: Vec::new(),
            };
            for (row, kernel) in kernels.iter().enumerate() {
                let Some(summary) = kernel.metrics.get(name) else {
                    column.descriptor.push(-1);
                    column.values.push(Cell::Absent(()));
                    continue;
                };
                column.descriptor.push(i64::from(metrics.describe(texts, name, summary)));
                column.values.push(Cell::of(summary));
                if summary.covered != kernel.calls || summary.of != kernel.calls {
                    column.gaps.push((number(row), summary.covered, summary.of));
                }
            }
            if column.descriptor.windows(2).all(|two| two[0] == two[1]) {
                column.descriptor.truncate(1);
            }
            column
        })
        .collect()
}
