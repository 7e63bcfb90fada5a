//! What ncu's rules said about the results of a region: grouped by rule, weighed by what following them might gain.

use crate::aggregate::kernels::KernelId;
use crate::aggregate::sum::Sum;
use indexmap::IndexSet;
use rangescope_model::document::RuleSummary;
use rangescope_model::launch::RuleMessage;
use rangescope_model::partial::{Fact, Message, RuleName, Tally};
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::cmp::Ordering;

/// One rule says different things under different titles: loads and stores, SMs and L2 slices.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RuleKey {
    pub(crate) rule: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) title: Box<str>,
}

/// The messages of one rule in a set of results.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleTally {
    results: u64,
    /// The kernels whose results have a message, each once.
    kernels: IndexSet<KernelId, FxBuildHasher>,
    /// Σ speed-up × time over results, in per cent × nanoseconds.
    gain: Sum,
    largest: Option<Estimate>,
    heaviest: Option<Heaviest>,
    /// The result that was looked at last and the largest estimate in it, so that several messages about one result count once.
    current: Option<(u64, Option<f64>)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Estimate {
    percent: f64,
    kind: Box<str>,
}

/// The message that weighs most.
#[derive(Clone, Debug)]
struct Heaviest {
    gain: f64,
    time: f64,
    kernel: Box<str>,
    name: Box<str>,
    section: Box<str>,
    title: Box<str>,
    text: Box<str>,
}

/// A result that messages are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'l> {
    /// Tells results apart.
    pub(crate) serial: u64,
    pub(crate) kernel_id: KernelId,
    pub(crate) kernel: &'l str,
    /// Its GPU time in nanoseconds; zero if it has none.
    pub(crate) time: f64,
}

impl RuleTally {
    /// Adds one message about a result.
    pub(crate) fn add(&mut self, message: &RuleMessage<'_>, about: About<'_>) {
        let estimate = message.speedup.filter(|(percent, _)| percent.is_finite());
        let percent = estimate.map(|(percent, _)| percent);
        let counted = match self.current {
            Some((serial, counted)) if serial == about.serial => counted,
            _ => {
                self.results += 1;
                self.kernels.insert(about.kernel_id);
                None
            }
        };
        // Of several estimates for one result only the largest counts: they are not independent.
        let raised = percent.filter(|percent| counted.is_none_or(|counted| *percent > counted));
        if let Some(percent) = raised {
            self.gain.add_product(percent - counted.unwrap_or(0.0), about.time);
        }
        self.current = Some((about.serial, raised.or(counted)));
        if let Some((percent, kind)) = estimate {
            self.widen(percent, kind);
        }
        let candidate = (
            percent.unwrap_or(0.0) * about.time,
            about.time,
            about.kernel,
            message.title,
            message.text,
        );
        if self.heaviest.as_ref().is_none_or(|heaviest| weightier(candidate, heaviest.rank())) {
            self.heaviest = Some(Heaviest {
                gain: candidate.0,
                time: about.time,
                kernel: about.kernel.into(),
                name: message.name.into(),
                section: message.section.into(),
                title: message.title.into(),
                text: message.text.into(),
            });
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.results += other.results;
        self.kernels.extend(&other.kernels);
        self.gain.merge(other.gain);
        if let Some(largest) = &other.largest {
            self.widen(largest.percent, &largest.kind);
        }
        if let Some(theirs) = &other.heaviest
            && self.heaviest.as_ref().is_none_or(|ours| weightier(theirs.rank(), ours.rank()))
        {
            self.heaviest = Some(theirs.clone());
        }
        self.current = None;
    }

    /// What is known of the messages, in rows.
    pub(crate) fn rows(&self, key: &RuleKey) -> Vec<(Fact, Tally)> {
        let rule = || RuleName {
            rule: key.rule.to_string(),
            kind: key.kind.to_string(),
            title: key.title.to_string(),
        };
        let sum = Some(self.gain.total());
        let mut rows =
            vec![(Fact::Rule(rule()), Tally { count: self.results, sum, ..Tally::default() })];
        if let Some(Estimate { percent, kind }) = &self.largest {
            let estimate = Fact::Estimate { rule: rule(), kind: kind.to_string() };
            rows.push((estimate, Tally { max: Some(*percent), ..Tally::default() }));
        }
        if let Some(heaviest) = &self.heaviest {
            let message = Message {
                name: heaviest.name.to_string(),
                section: heaviest.section.to_string(),
                text: heaviest.text.to_string(),
                time: heaviest.time,
            };
            let message = Fact::Message { rule: rule(), message };
            rows.push((message, Tally { max: Some(heaviest.gain), ..Tally::default() }));
        }
        rows
    }

    /// Adds what a row says about the messages for a kernel.
    pub(crate) fn restore(&mut self, kernel: (KernelId, &str), fact: &Fact, tally: &Tally) {
        let max = tally.max.filter(|max| max.is_finite());
        match fact {
            Fact::Rule(_) => {
                self.results += tally.count;
                self.kernels.insert(kernel.0);
                self.gain.merge(Sum::of_total(tally.sum.unwrap_or_default()));
            }
            Fact::Estimate { kind, .. } => {
                if let Some(percent) = max {
                    self.widen(percent, kind);
                }
            }
            Fact::Message { rule, message } => {
                let heaviest = Heaviest {
                    gain: max.unwrap_or(0.0),
                    time: message.time,
                    kernel: kernel.1.into(),
                    name: message.name.as_str().into(),
                    section: message.section.as_str().into(),
                    title: rule.title.as_str().into(),
                    text: message.text.as_str().into(),
                };
                let known = self.heaviest.as_ref();
                if known.is_none_or(|known| weightier(heaviest.rank(), known.rank())) {
                    self.heaviest = Some(heaviest);
                }
            }
            _ => {}
        }
    }

    fn widen(&mut self, percent: f64, kind: &str) {
        // Equal estimates are settled by their kinds, so that the order of results does not matter.
        let is_larger = |largest: &Estimate| {
            percent.total_cmp(&largest.percent).then_with(|| (*largest.kind).cmp(kind)).is_gt()
        };
        let larger = self.largest.as_ref().is_none_or(is_larger);
        if larger {
            self.largest = Some(Estimate { percent, kind: kind.into() });
        }
    }

    /// The same with kernels numbered anew.
    pub(crate) fn renumbered(mut self, number: impl Fn(KernelId) -> KernelId) -> Self {
        self.kernels = self.kernels.into_iter().map(number).collect();
        self
    }

    /// The summary for a region with this GPU time in nanoseconds; `position` says where a kernel stands in the region's list.
    pub(crate) fn summary(
        &self,
        key: &RuleKey,
        region_time: f64,
        position: impl Fn(KernelId) -> Option<u32>,
    ) -> RuleSummary {
        let mut kernels: Vec<u32> = self.kernels.iter().filter_map(|id| position(*id)).collect();
        kernels.sort_unstable();
        kernels.dedup();
        let gain =
            (self.largest.is_some() && region_time > 0.0).then(|| self.gain.value() / region_time);
        let heaviest = self.heaviest.as_ref();
        let part = |get: fn(&Heaviest) -> &str| heaviest.map_or("", get);
        RuleSummary {
            rule: key.rule.to_string(),
            name: part(|heaviest| &heaviest.name).to_owned(),
            section: part(|heaviest| &heaviest.section).to_owned(),
            kind: key.kind.to_string(),
            results: self.results,
            region_speedup_pct: gain.filter(|gain| gain.is_finite()),
            max_speedup_pct: self.largest.as_ref().map(|largest| largest.percent),
            speedup_kind: self.largest.as_ref().map(|largest| largest.kind.to_string()),
            title: without_links(part(|heaviest| &heaviest.title)).into_owned(),
            message: without_links(part(|heaviest| &heaviest.text)).into_owned(),
            kernel_name: part(|heaviest| &heaviest.kernel).to_owned(),
            kernels,
        }
    }
}

type Rank<'h> = (f64, f64, &'h str, &'h str, &'h str);

impl Heaviest {
    fn rank(&self) -> Rank<'_> {
        (self.gain, self.time, &self.kernel, &self.title, &self.text)
    }
}

/// Whether the left message weighs more: by gain, then time; equal weights are settled by the texts, so that the order of results does not matter.
fn weightier(left: Rank<'_>, right: Rank<'_>) -> bool {
    let weight = left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1));
    weight.then_with(|| (right.2, right.3, right.4).cmp(&(left.2, left.3, left.4)))
        == Ordering::Greater
}

pub(crate) fn by_gain(left: &RuleSummary, right: &RuleSummary) -> Ordering {
    let value = |number: Option<f64>| number.unwrap_or(f64::NEG_INFINITY);
    value(right.region_speedup_pct)
        .total_cmp(&value(left.region_speedup_pct))
        .then_with(|| value(right.max_speedup_pct).total_cmp(&value(left.max_speedup_pct)))
        .then_with(|| right.results.cmp(&left.results))
        .then_with(|| left.rule.cmp(&right.rule))
        .then_with(|| left.kind.cmp(&right.kind))
        .then_with(|| left.title.cmp(&right.title))
}

/// Replaces ncu's link markup by the labels of the links; anything that is not quite such markup stays as it is.
pub(crate) fn without_links(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from_link)) = rest.split_once('@') {
        plain.push_str(before);
        match from_link.split_once('@').and_then(|(link, after)| Some((label(link)?, after))) {
            Some((label, after)) => {
                plain.push_str(label);
                rest = after;
            }
            None => {
                plain.push('@');
                rest = from_link;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The label of `section:Id:label`, `url:label:href`, `sass:address:label` or `source:file:line:label`.
fn label(link: &str) -> Option<&str> {
    let (kind, content) = link.split_once(':')?;
    match kind {
        "section" | "sass" => content.split_once(':').map(|(_, label)| label),
        // The address holds colons of its own, the label does not.
        "url" => content.split_once(':').map(|(label, _)| label),
        // A file may hold colons, a line number does not.
        "source" => content
            .rsplit_once(':')
            .filter(|(position, _)| position.contains(':'))
            .map(|(_, label)| label),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{About, RuleKey, RuleTally, without_links};
    use crate::aggregate::kernels::KernelId;
    use rangescope_model::launch::RuleMessage;

    #[test]
    fn links_become_labels() {
        for (text, plain) in [
            (
                "see @section:MemoryWorkloadAnalysis:Memory Workload Analysis@ now",
                "see Memory Workload Analysis now",
            ),
            ("the @url:roofline:https://docs.nvidia.com/x#y@ model", "the roofline model"),
            ("at @sass:0x10:line 3@.", "at line 3."),
            (r"in @source:C:\a.cu:12:a.cu@", "in a.cu"),
            ("mail a@b.c", "mail a@b.c"),
            ("a@b and @section:X:y@", "a@b and y"),
            ("@unknown:x@", "@unknown:x@"),
            ("@", "@"),
        ] {
            assert_eq!(without_links(text), plain, "{text}");
        }
    }

    fn message(speedup: Option<f64>, text: &str) -> RuleMessage<'_> {
        RuleMessage {
            rule: "R",
            name: "Rule",
            section: "S",
            kind: "optimization",
            title: "t",
            text,
            speedup: speedup.map(|percent| (percent, "local")),
        }
    }

    #[test]
    fn gains_are_weighed_by_time() {
        let mut tally = RuleTally::default();
        tally.add(
            &message(Some(50.0), "small"),
            About { serial: 1, kernel_id: KernelId(7), kernel: "a", time: 10.0 },
        );
        tally.add(
            &message(Some(20.0), "large"),
            About { serial: 2, kernel_id: KernelId(3), kernel: "b", time: 90.0 },
        );
        tally.add(
            &message(Some(10.0), "again"),
            About { serial: 2, kernel_id: KernelId(3), kernel: "b", time: 90.0 },
        );
        let summary = tally.summary(
            &RuleKey { rule: "R".into(), kind: "optimization".into(), title: "t".into() },
            100.0,
            |id| Some(id.0),
        );
        assert_eq!(summary.kernels, [3, 7]);
        assert_eq!(summary.region_speedup_pct, Some(23.0));
        assert_eq!((summary.results, summary.max_speedup_pct), (2, Some(50.0)));
        assert_eq!((summary.message.as_str(), summary.kernel_name.as_str()), ("large", "b"));
    }

    #[test]
    fn a_rule_without_estimates_has_no_gain() {
        let mut tally = RuleTally::default();
        tally.add(
            &message(None, "x"),
            About { serial: 1, kernel_id: KernelId(7), kernel: "a", time: 10.0 },
        );
        let summary = tally.summary(
            &RuleKey { rule: "R".into(), kind: "ok".into(), title: "t".into() },
            10.0,
            |_| None,
        );
        assert_eq!(
            (summary.region_speedup_pct, summary.max_speedup_pct, summary.results),
            (None, None, 1)
        );
    }
}
