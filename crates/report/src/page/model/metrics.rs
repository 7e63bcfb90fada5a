//! Metrics: what can be said once for all regions, and the values.
//!
//! A descriptor is everything about a metric but its value; a layout is the list of descriptors of a set; a set is a layout with values.
//! Regions of one capture share layouts, so a region costs little more than its numbers.

use indexmap::IndexMap;
use rangescope_model::document::{Method, MetricSummary, Scalar, SectionSummary};
use rangescope_model::number::thousands;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::number::Number;
use super::pool::{Pool, Texts, number};

/// Everything about a metric but its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Descriptor {
    name: u32,
    unit: u32,
    method: Method,
    exact: bool,
    reason: Option<u32>,
}

/// The metrics of one region, kernel list or set of results.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct MetricSet {
    /// Number of the layout.
    layout: u32,
    values: Vec<Cell>,
    /// How many of the values are metrics of the region; the rest stands in sections only.
    shown: u32,
    /// Results asked, where not stated otherwise.
    of: u64,
    /// Position, covered and asked results of values that do not cover all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<(u32, u64, u64)>,
    /// Metrics that were left out of the page.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A value.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub(crate) enum Cell {
    Absent(()),
    Number(Number),
    Text(String),
    /// Smallest, largest, and the value if there is one.
    Extremes(Number, Number, Option<Number>),
}

/// A section's header: identifier, title, and per metric its label and position in the set.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct SectionLayout {
    id: u32,
    name: u32,
    metrics: Vec<(u32, u32)>,
}

/// The sections of a region: number of the layout and results that hold it.
pub(crate) type SectionList = Vec<(u32, u64)>;

/// All metrics of a page.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    descriptors: Pool<Descriptor>,
    layouts: Pool<Vec<u32>>,
    sets: Pool<MetricSet>,
    section_layouts: Pool<SectionLayout>,
    section_lists: Pool<SectionList>,
    /// Values outside of sections that may still be stored.
    budget: usize,
}

/// Metrics that are always kept: those that the page itself looks at.
const KEPT: &[&str] = &[
    "gpu__time_duration.sum",
    "sm__throughput.",
    "gpu__dram_throughput.",
    "dram__throughput.",
    "gpu__compute_memory_throughput.",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor",
    "sm__pipe_tensor",
];

impl Metrics {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Stores metrics and the sections made of them; returns the numbers of the set and of the list of sections.
    pub(crate) fn add(
        &mut self,
        texts: &mut Texts,
        metrics: &IndexMap<String, MetricSummary>,
        sections: &[SectionSummary],
        of: u64,
    ) -> (u32, u32) {
        let in_sections: FxHashSet<&str> = sections
            .iter()
            .flat_map(|section| &section.metrics)
            .map(|metric| metric.name.as_str())
            .collect();
        let kept = |name: &str| {
            in_sections.contains(name) || KEPT.iter().any(|kept| name.starts_with(kept))
        };
        let free = metrics.keys().filter(|name| !kept(name)).count();
        let all = free <= self.budget;

        let mut set = SetBuilder::new(of);
        let mut positions: FxHashMap<&str, u32> = FxHashMap::default();
        let mut left_out = 0;
        for (name, summary) in metrics {
            if all || kept(name) {
                let descriptor = self.describe(texts, name, summary);
                positions.insert(name, set.push(descriptor, summary));
            } else {
                left_out += 1;
            }
        }
        let shown = number(set.values.len());
        let mut list = SectionList::with_capacity(sections.len());
        for section in sections {
            let mut layout = SectionLayout {
                id: texts.add(&section.id),
                name: texts.add(&section.name),
                metrics: Vec::with_capacity(section.metrics.len()),
            };
            for metric in &section.metrics {
                let same = metrics.get(&metric.name) == Some(&metric.summary);
                let position = positions.get(metric.name.as_str()).copied().filter(|_| same);
                let position = position.unwrap_or_else(|| {
                    let descriptor = self.describe(texts, &metric.name, &metric.summary);
                    set.push(descriptor, &metric.summary)
                });
                layout.metrics.push((texts.add(&metric.label), position));
            }
            list.push((self.section_layouts.add(layout).0, section.covered));
        }

        let layout = self.layouts.add(set.layout).0;
        let stored = MetricSet { layout, values: set.values, shown, of, gaps: set.gaps, left_out };
        let (id, new) = self.sets.add(stored);
        if new && all {
            self.budget -= free;
        }
        (id, self.section_lists.add(list).0)
    }

    /// The number of a metric's descriptor.
    pub(crate) fn describe(
        &mut self,
        texts: &mut Texts,
        name: &str,
        summary: &MetricSummary,
    ) -> u32 {
        let descriptor = Descriptor {
            name: texts.add(name),
            unit: texts.add(&summary.unit),
            method: summary.method,
            exact: summary.exact,
            reason: texts.add_option(summary.reason.as_deref()),
        };
        self.descriptors.add(descriptor).0
    }
}

/// A set that is being put together.
struct SetBuilder {
    of: u64,
    layout: Vec<u32>,
    values: Vec<Cell>,
    gaps: Vec<(u32, u64, u64)>,
}

impl SetBuilder {
    fn new(of: u64) -> Self {
        Self { of, layout: Vec::new(), values: Vec::new(), gaps: Vec::new() }
    }

    /// Adds a metric and returns its position.
    fn push(&mut self, descriptor: u32, summary: &MetricSummary) -> u32 {
        let position = number(self.values.len());
        self.layout.push(descriptor);
        self.values.push(Cell::of(summary));
        if summary.covered != self.of || summary.of != self.of {
            self.gaps.push((position, summary.covered, summary.of));
        }
        position
    }
}

impl Cell {
    pub(crate) fn of(summary: &MetricSummary) -> Self {
        let value = match &summary.value {
            Some(Scalar::Number(value)) => Some(Number::new(*value)),
            // A number of a browser would lose digits.
            Some(Scalar::Integer(value)) => return Self::Text(thousands(*value)),
            Some(Scalar::Text(text)) => return Self::Text(text.clone()),
            None => None,
        };
        match (summary.min, summary.max, value) {
            (Some(min), Some(max), value) => {
                Self::Extremes(Number::new(min), Number::new(max), value)
            }
            (_, _, Some(value)) => Self::Number(value),
            _ => Self::Absent(()),
        }
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn column<'d, T>(all: &'d Pool<Descriptor>, field: impl Fn(&'d Descriptor) -> T) -> Vec<T> {
            all.iter().map(field).collect()
        }
        let all = &self.descriptors;
        let mut fields = serializer.serialize_struct("Metrics", 9)?;
        fields.serialize_field("name", &column(all, |metric| metric.name))?;
        fields.serialize_field("unit", &column(all, |metric| metric.unit))?;
        fields.serialize_field("method", &column(all, |metric| metric.method))?;
        fields.serialize_field("exact", &column(all, |metric| u8::from(metric.exact)))?;
        fields.serialize_field("reason", &column(all, |metric| metric.reason))?;
        fields.serialize_field("layouts", &self.layouts)?;
        fields.serialize_field("sets", &self.sets)?;
        fields.serialize_field("sectionLayouts", &self.section_layouts)?;
        fields.serialize_field("sectionLists", &self.section_lists)?;
        fields.end()
    }
}
