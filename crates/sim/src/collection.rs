//! The metrics, sections and rules to collect, and how a result gets exactly those.

use std::borrow::Cow;

use ncu_rep::{Metric, RuleResult, Section, SectionMetric, Value};

use crate::activity::Activity;
use crate::code::{Code, counts};
use crate::constants::{device_attributes, kernel_only, launch_numbers};
use crate::kernel::LaunchSite;
use crate::machine::{Machine, Price, Work};
use crate::metric::number;
use crate::rules::advice;
use crate::sections::SectionSpec;
use crate::series;

/// Metrics that no counter of the device is needed for.
const KINDLESS: [&str; 4] = ["launch__", "derived__", "sass__", "pmsampling:"];

#[derive(Clone, Debug, Default)]
pub(crate) struct Collection {
    /// Full names, sorted.
    pub metrics: Vec<String>,
    /// In order of their identifiers.
    pub sections: Vec<&'static SectionSpec>,
    pub rules: Rules,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rules {
    Off,
    /// Those of the collected sections.
    #[default]
    OfSections,
    /// By identifier, whatever sections are collected.
    Named(Vec<String>),
}

impl Collection {
    /// These metrics and sections, with the metrics of the sections.
    pub(crate) fn new(
        metrics: Vec<String>,
        mut sections: Vec<&'static SectionSpec>,
        rules: Rules,
    ) -> Self {
        sections.sort_unstable_by_key(|section| section.id);
        sections.dedup_by_key(|section| section.id);
        let mut all = metrics;
        for section in &sections {
            let header = section.header.iter().map(|(metric, _)| *metric);
            all.extend(header.chain(section.more.iter().copied()).map(str::to_owned));
        }
        all.sort_unstable();
        all.dedup();
        Self { metrics: all, sections, rules }
    }

    /// The times that a device would have to run a kernel to collect all of it: a few counters at a time.
    pub(crate) fn passes(&self) -> usize {
        let base = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        let mut counters: Vec<String> = self.metrics.iter().map(base).collect();
        counters.dedup();
        let is_counter = |name: &String| !KINDLESS.iter().any(|start| name.starts_with(start));
        counters.retain(|name| is_counter(name) && !counts::is_known(name));
        // What is counted at instructions takes one run, and so do samples over time.
        let has = |is: fn(&str) -> bool| usize::from(self.metrics.iter().any(|name| is(name)));
        (counters.len().div_ceil(8) + has(counts::is_known) + has(series::is_known)).max(1)
    }

    /// The metrics of a kernel: what was asked for, and what real ncu writes with every kernel.
    pub(crate) fn of_kernel(
        &self,
        machine: &Machine,
        work: &Work,
        price: &Price,
        site: &LaunchSite<'_>,
        code: &Code,
    ) -> Vec<Metric<'static>> {
        let activity = &price.activity;
        let launch = launch_numbers(machine, work, &price.occupancy, site.context, site.stream);
        let always = device_attributes(machine, site.device).into_iter().chain(launch);
        let start_ns = site.time.saturating_mul(1_000_000_000);
        let mut metrics = self.metrics(always, |name| {
            number(name, activity, machine)
                .or_else(|| kernel_only(name, machine, &price.occupancy))
                .map(|value| counter(name, value))
                .or_else(|| counts::metric(name, activity, machine, code))
                .or_else(|| series::metric(name, activity, machine, start_ns))
        });
        let sampled = self.metrics.iter().map(String::as_str).filter(|name| series::is_known(name));
        metrics.extend(series::pass(&sampled.collect::<Vec<_>>(), activity, start_ns));
        metrics
    }

    /// The metrics of a range: counters only, because it has no launch of its own.
    pub(crate) fn of_range(
        &self,
        machine: &Machine,
        activity: &Activity,
        device: u32,
    ) -> Vec<Metric<'static>> {
        self.metrics(device_attributes(machine, device), |name| {
            number(name, activity, machine).map(|value| counter(name, value))
        })
    }

    /// The metrics of every result, and then those that were asked for as far as they have a value.
    fn metrics(
        &self,
        always: impl IntoIterator<Item = (&'static str, Value<'static>)>,
        of: impl Fn(&str) -> Option<Metric<'static>>,
    ) -> Vec<Metric<'static>> {
        let always = always.into_iter().map(|(name, value)| metric(Cow::Borrowed(name), value));
        always.chain(self.metrics.iter().filter_map(|name| of(name))).collect()
    }

    pub(crate) fn sections(&self) -> Vec<Section<'static>> {
        let section = |spec: &&'static SectionSpec| Section {
            id: Cow::Borrowed(spec.id),
            name: Cow::Borrowed(spec.name),
            order: spec.order,
            header: spec
                .header
                .iter()
                .map(|&(name, label)| SectionMetric {
                    name: Cow::Borrowed(name),
                    label: Cow::Borrowed(label),
                })
                .collect(),
            timeline: spec
                .more
                .iter()
                .filter(|name| series::is_known(name))
                .map(|name| Cow::Borrowed(*name))
                .collect(),
        };
        self.sections.iter().map(section).collect()
    }

    pub(crate) fn advice(&self, machine: &Machine, price: &Price) -> Vec<RuleResult<'static>> {
        advice(machine, price, |id, section| match &self.rules {
            Rules::Off => false,
            Rules::OfSections => self.sections.iter().any(|spec| spec.id == section),
            Rules::Named(names) => names.iter().any(|name| name == id),
        })
    }
}

fn counter(name: &str, value: f64) -> Metric<'static> {
    metric(Cow::Owned(name.to_owned()), Value::F64(value))
}

fn metric(name: Cow<'static, str>, value: Value<'static>) -> Metric<'static> {
    Metric { name, value: Some(value), instances: Vec::new() }
}
