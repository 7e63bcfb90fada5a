//! What a throughput is the largest of: each result lists the counters in a text beside the value.

use crate::aggregate::agreement::Agreement;
use crate::aggregate::rules::recipe::BREAKDOWN;
use crate::aggregate::rules::{Combine, recipe::Recipe};
use crate::aggregate::tally::plan::ResultValues;
use rangescope_model::launch::{MetricId, Vocabulary};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The largest counter gives the value if it is no further off than this part of it.
const MOST_OFF: f64 = 1e-9;

/// Stands for the names of counters where results list different ones.
const SEVERAL: &str = "*";

/// Which metrics of a run hold such lists, and what the names in them stand for.
#[derive(Debug, Default)]
pub(crate) struct Breakdowns {
    throughput_of: FxHashMap<MetricId, MetricId>,
    handles: FxHashMap<Box<str>, MetricId>,
}

/// The counters that a list names.
#[derive(Debug)]
struct Counters {
    /// In order and each once, so that lists that name the same ones are the same.
    names: Box<str>,
    /// Nothing if the run lacks one of them.
    handles: Option<Box<[MetricId]>>,
}

impl PartialEq for Counters {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl Eq for Counters {}

/// Lists that were met, by their text: a run has few different ones.
#[derive(Debug, Default)]
pub(crate) struct KnownLists(FxHashMap<Box<str>, Arc<Counters>>);

#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) throughput: MetricId,
    counters: Arc<Counters>,
    is_complete: bool,
    is_explained: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Constituents {
    counters: Agreement<Arc<Counters>>,
    /// Results that have all listed counters.
    pub(crate) complete: u64,
    /// Results in which the largest of the listed counters is the value.
    pub(crate) explained: u64,
}

impl Breakdowns {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let handles: FxHashMap<Box<str>, MetricId> = (0..)
            .zip(&vocabulary.metrics)
            .map(|(id, name)| (name.as_str().into(), MetricId(id)))
            .collect();
        let throughput_of: FxHashMap<MetricId, MetricId> = (0..)
            .zip(&vocabulary.metrics)
            .filter_map(|(id, name)| {
                let throughput = name.strip_prefix(BREAKDOWN)?;
                let is_one = Recipe::of(throughput).row.combine == Combine::Throughput;
                Some((MetricId(id), *handles.get(throughput).filter(|_| is_one)?))
            })
            .collect();
        Self { throughput_of, handles }
    }

    pub(crate) fn explain(&self, throughput: &str) -> bool {
        self.handles.contains_key(format!("{BREAKDOWN}{throughput}").as_str())
    }

    /// What the result in the scratch space says about each throughput that it has.
    pub(crate) fn read(
        &self,
        known: &mut KnownLists,
        scratch: &ResultValues,
        texts: &[(MetricId, &str)],
        listed: &mut Vec<Listed>,
    ) {
        listed.clear();
        for (list, text) in texts {
            let Some(&throughput) = self.throughput_of.get(list) else { continue };
            let value = scratch.value(throughput.0 as usize);
            if value.is_nan() {
                continue;
            }
            let counters = self.counters(known, text);
            let largest =
                counters.handles.as_deref().and_then(|counters| largest(scratch, counters));
            listed.push(Listed {
                throughput,
                counters,
                is_complete: largest.is_some(),
                is_explained: largest
                    .is_some_and(|largest| (largest - value).abs() <= MOST_OFF * value.abs()),
            });
        }
    }

    fn counters(&self, known: &mut KnownLists, text: &str) -> Arc<Counters> {
        if let Some(counters) = known.0.get(text) {
            return Arc::clone(counters);
        }
        let mut names: Vec<&str> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        let handles: Option<Box<[MetricId]>> =
            names.iter().map(|name| self.handles.get(*name).copied()).collect();
        let handles = handles.filter(|handles| !handles.is_empty());
        let counters = Arc::new(Counters { names: names.join(",").into(), handles });
        known.0.insert(text.into(), Arc::clone(&counters));
        counters
    }

    /// What is known about so many results that list these counters.
    pub(crate) fn restored(
        &self,
        known: &mut KnownLists,
        listed: &str,
        complete: u64,
        explained: u64,
    ) -> Constituents {
        let counters = match listed {
            SEVERAL => Agreement::Several,
            listed => Agreement::One(self.counters(known, listed)),
        };
        Constituents { counters, complete, explained }
    }
}

/// The largest of the counters; nothing unless the result has all of them.
fn largest(scratch: &ResultValues, counters: &[MetricId]) -> Option<f64> {
    let mut largest = f64::NEG_INFINITY;
    for counter in counters {
        let value = scratch.value(counter.0 as usize);
        if value.is_nan() {
            return None;
        }
        largest = largest.max(value);
    }
    Some(largest)
}

impl Constituents {
    pub(crate) fn add(&mut self, listed: &Listed) {
        self.counters.see(listed.counters.clone());
        self.complete += u64::from(listed.is_complete);
        self.explained += u64::from(listed.is_explained);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.counters.merge(other.counters.clone());
        self.complete += other.complete;
        self.explained += other.explained;
    }

    /// The counters, if all results list the same ones.
    pub(crate) fn counters(&self) -> Option<&[MetricId]> {
        match &self.counters {
            Agreement::One(counters) => counters.handles.as_deref(),
            _ => None,
        }
    }

    /// The names of the counters that all results list.
    pub(crate) fn names(&self) -> &str {
        match &self.counters {
            Agreement::Nothing => "",
            Agreement::One(counters) => &counters.names,
            Agreement::Several => SEVERAL,
        }
    }

    pub(crate) fn differ(&self) -> bool {
        matches!(self.counters, Agreement::Several)
    }
}
