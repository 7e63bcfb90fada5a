//! Rows of the details page: one metric or one piece of advice each, gathered by result.
//!
//! A metric row names its section by title and its metric by label; a rule row names its section by identifier. Of a metric that comes under its own name and under a label the former
//! counts, because a label is only believed to mean it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::model::{
    MessageKind, Metric, ResultData, RuleItem, RuleMessage, RuleResult, Section, SectionMetric,
    Speedup,
};

use super::base;
use super::columns::Role;
use super::labels;
use super::note::{self, NoteKind, Notes};
use super::number::Evidence;
use super::row::{self, Row};

/// The section in which metrics stand under their own names.
const BY_NAME: &str = "Command line profiler metrics";
/// What the name of a metric that is known only by its label begins with.
const LABEL: &str = "label:";
/// The words for kinds of messages, by the number in a report; `OK` is how the tool's source calls what it prints as `INF`.
const MESSAGE_KINDS: [(&str, u32); 5] = [("INF", 1), ("OK", 1), ("WRN", 2), ("ERR", 3), ("OPT", 4)];

/// The results of a details page so far.
#[derive(Default)]
pub(super) struct Details {
    results: Vec<ResultRows>,
    places: FxHashMap<(String, String), usize>,
}

struct ResultRows {
    result: ResultData<'static>,
    /// Metrics with whether the page itself names them.
    metrics: Vec<(Metric<'static>, bool)>,
    sections: FxHashMap<String, usize>,
}

impl Details {
    /// Adds a row to its result.
    pub(super) fn add(&mut self, row: &Row<'_, '_>, evidence: Evidence, notes: &mut Notes) {
        let key = (row.text(Role::Id).into_owned(), row.text(Role::ProcessId).into_owned());
        let place = *self.places.entry(key).or_insert_with(|| {
            // The first row speaks for the result: rule rows of older versions repeat the context where the stream should be.
            let mut result = row.result(notes);
            row.complete(&mut result);
            let metrics = std::mem::take(&mut result.metrics)
                .into_iter()
                .map(|metric| (metric, false))
                .collect();
            self.results.push(ResultRows { result, metrics, sections: FxHashMap::default() });
            self.results.len() - 1
        });
        let Some(gathered) = self.results.get_mut(place) else { return };
        if !row.text(Role::MetricName).trim().is_empty() {
            gathered.metric(row, evidence, notes);
        }
        if !row.text(Role::RuleName).trim().is_empty() {
            gathered.rule(row);
        }
    }

    /// The results in order of first appearance.
    pub(super) fn finish(self) -> impl Iterator<Item = ResultData<'static>> {
        self.results.into_iter().map(ResultRows::finish)
    }
}

impl ResultRows {
    fn metric(&mut self, row: &Row<'_, '_>, evidence: Evidence, notes: &mut Notes) {
        let section = row.text(Role::SectionName);
        let body = row.text(Role::BodyItemLabel);
        let shown = row.text(Role::MetricName);
        let (label, name, is_named) = identify(&section, &body, shown.trim());
        if body.is_empty() {
            let name = Cow::Owned(name.to_string());
            self.header(&section, SectionMetric { name, label: Cow::Owned(label.to_owned()) });
        }

        let unit = row.text(Role::MetricUnit);
        let factor = base::factor(&unit).unwrap_or_else(|| {
            notes.add_once(row.line, NoteKind::UnknownUnit(note::excerpt(&unit)));
            base::Factor::default()
        });
        let metric =
            row::metric(&name, &row.text(Role::MetricValue), factor, evidence, row.line, notes);
        self.metrics.extend(metric.map(|metric| (metric, is_named)));
    }

    /// Adds a metric to the header of the section with that title.
    fn header(&mut self, title: &str, metric: SectionMetric<'static>) {
        let sections = &mut self.result.sections;
        let place = match self.sections.get(title) {
            Some(place) => *place,
            None => {
                let order = u32::try_from(sections.len()).unwrap_or(u32::MAX);
                let id = labels::section_id(title);
                let id = id.map_or(Cow::Owned(title.to_owned()), Cow::Borrowed);
                let name = Cow::Owned(title.to_owned());
                sections.push(Section {
                    id,
                    name,
                    order,
                    header: Vec::new(),
                    timeline: Vec::new(),
                });
                self.sections.insert(title.to_owned(), sections.len() - 1);
                sections.len() - 1
            }
        };
        if let Some(section) = sections.get_mut(place) {
            section.header.push(metric);
        }
    }

    fn rule(&mut self, row: &Row<'_, '_>) {
        let owned = |role| Cow::Owned(row.text(role).into_owned());
        let id = row.text(Role::RuleName);
        let section = row.text(Role::SectionName);
        let kind = row.text(Role::RuleType);
        let kind = MESSAGE_KINDS
            .iter()
            .find(|(word, _)| *word == kind.trim())
            .map_or(0, |(_, kind)| *kind);
        let item = RuleItem {
            message: Some(RuleMessage {
                text: owned(Role::RuleDescription),
                kind: MessageKind(kind),
                ..RuleMessage::default()
            }),
            speedup: speedup(&row.text(Role::SpeedupType), &row.text(Role::Speedup)),
            ..RuleItem::default()
        };
        // Rows of one rule follow each other.
        match self.result.rules.last_mut() {
            Some(rule) if rule.id == id && rule.section == section => rule.items.push(item),
            _ => self.result.rules.push(RuleResult {
                id: Cow::Owned(id.to_string()),
                name: Cow::Owned(id.into_owned()),
                section: Cow::Owned(section.into_owned()),
                items: vec![item],
            }),
        }
    }

    fn finish(mut self) -> ResultData<'static> {
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut named: Vec<bool> = Vec::new();
        for (metric, is_named) in self.metrics {
            match places.get(metric.name.as_ref()).copied() {
                Some(place) => {
                    if let Some((known, was_named)) =
                        self.result.metrics.get_mut(place).zip(named.get_mut(place))
                        && (is_named || !*was_named)
                    {
                        (*known, *was_named) = (metric, is_named);
                    }
                }
                None => {
                    places.insert(metric.name.to_string(), self.result.metrics.len());
                    self.result.metrics.push(metric);
                    named.push(is_named);
                }
            }
        }
        self.result
    }
}

/// Label and name of a metric, and whether the page itself gives the name.
fn identify<'t>(section: &str, body: &str, shown: &'t str) -> (&'t str, Cow<'t, str>, bool) {
    // `--print-metric-name label-name` prints both.
    if let Some((label, name)) = shown.strip_suffix(')').and_then(|shown| shown.rsplit_once(" ("))
        && is_metric_name(name)
    {
        return (label, Cow::Borrowed(name), true);
    }
    if section == BY_NAME || is_metric_name(shown) {
        return (shown, Cow::Borrowed(shown), true);
    }
    match labels::metric(section, shown) {
        Some(name) if body.is_empty() => (shown, Cow::Borrowed(name), false),
        // In the body of a section a label may mean something else than in its header.
        _ if !body.is_empty() => {
            (shown, Cow::Owned(format!("{LABEL}{section}/{body}/{shown}")), true)
        }
        _ => (shown, Cow::Owned(format!("{LABEL}{section}/{shown}")), true),
    }
}

fn is_metric_name(text: &str) -> bool {
    text.contains("__") && !text.contains(' ')
}

fn speedup(kind: &str, pct: &str) -> Option<Speedup> {
    // Printed with four significant digits and never grouped.
    let pct = pct.trim().replace(',', ".").parse().ok()?;
    let kind = match kind.trim() {
        "local" => 1,
        "global" => 2,
        _ => 0,
    };
    Some(Speedup { kind, pct })
}
