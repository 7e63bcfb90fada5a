//! What was said about the results of a region, by ncu's rules and by the counters themselves: grouped by what it says, weighed by what following it might gain.
//!
//! Everything is added up from the very results on which something was said: their numbers, their time and their estimates.

use crate::aggregate::causes::{BUSY_KIND, Seen};
use crate::aggregate::sum::Sum;
use crate::outcome::{self, Outcome};
use rangescope_model::ResultIds;
use rangescope_model::document::RuleSummary;
use rangescope_model::launch::RuleMessage;
use rangescope_model::partial::{Fact, Message, RuleName, Tally};
use std::borrow::Cow;
use std::cmp::Ordering;

/// One rule says different things, which may be opposites: under different titles and in different words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RuleKey {
    /// Empty for what the counters say.
    pub(crate) rule: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) title: Box<str>,
    /// The identifier of an outcome.
    pub(crate) outcome: &'static str,
}

impl RuleKey {
    fn name(&self) -> RuleName {
        RuleName {
            rule: self.rule.to_string(),
            kind: self.kind.to_string(),
            title: self.title.to_string(),
            outcome: self.outcome.to_owned(),
        }
    }
}

/// What one message is about and says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said<'m> {
    pub(crate) outcome: &'static Outcome,
    pub(crate) name: &'m str,
    pub(crate) section: &'m str,
    pub(crate) title: &'m str,
    pub(crate) text: &'m str,
    /// Estimated speed-up in per cent, with its kind.
    pub(crate) speedup: Option<(f64, &'m str)>,
}

impl<'m> Said<'m> {
    /// What a message of ncu says.
    pub(crate) fn by_ncu(message: &RuleMessage<'m>) -> Self {
        let RuleMessage { rule, name, section, kind, title, text, speedup } = *message;
        let outcome = outcome::recognise(rule, kind, title, text);
        Self { outcome, name, section, title, text, speedup }
    }

    /// What the counters of a launch say.
    pub(crate) fn by_counters(cause: &'m Seen) -> Self {
        Self {
            outcome: cause.outcome,
            name: "",
            section: cause.section,
            title: &cause.title,
            text: &cause.text,
            speedup: cause.estimate.map(|percent| (percent, cause.kind())),
        }
    }
}

/// The messages that say one thing in a set of results.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleTally {
    results: u64,
    /// Nothing where single results are not known.
    launches: Option<ResultIds>,
    timed: u64,
    time: Sum,
    /// The part of the time that something else limits.
    beside: Sum,
    /// Σ speed-up × time over results, in per cent × nanoseconds.
    gain: Sum,
    /// The same of what their busiest units leave of it, in nanoseconds.
    possible: Sum,
    largest: Option<Estimate>,
    heaviest: Option<Heaviest>,
    /// The result that was looked at last and the largest estimate in it, so that several messages about one result count once.
    current: Option<(u32, Option<f64>)>,
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
    pub(crate) id: u32,
    pub(crate) kernel: &'l str,
    /// Its GPU time in nanoseconds; not a number if it has none.
    pub(crate) time: f64,
    /// The part of its time that following the message could save at most, 0 to 1.
    pub(crate) left: f64,
    /// Whether something else limits it than what the message is about.
    pub(crate) is_beside: bool,
}

impl RuleTally {
    pub(crate) fn is_empty(&self) -> bool {
        self.results == 0
    }

    /// Adds one message about a result.
    pub(crate) fn add(&mut self, said: &Said<'_>, about: About<'_>) {
        let time = if about.time.is_nan() { 0.0 } else { about.time };
        let estimate = said.speedup.filter(|(percent, _)| percent.is_finite());
        let gain = estimate.filter(|(_, kind)| *kind != BUSY_KIND);
        let percent = gain.map(|(percent, _)| percent);
        let counted = match self.current {
            Some((id, counted)) if id == about.id => counted,
            _ => {
                self.results += 1;
                self.launches.get_or_insert_default().insert(about.id);
                self.timed += u64::from(!about.time.is_nan());
                self.time.add(time);
                self.beside.add(if about.is_beside { time } else { 0.0 });
                None
            }
        };
        // Of several estimates for one result only the largest counts: they are not independent.
        let raised = percent.filter(|percent| counted.is_none_or(|counted| *percent > counted));
        if let Some(percent) = raised {
            let counted = counted.unwrap_or(0.0);
            let possible = |percent: f64| (percent / 100.0).clamp(0.0, about.left);
            self.gain.add_product(percent - counted, time);
            self.possible.add_product(possible(percent) - possible(counted), time);
        }
        self.current = Some((about.id, raised.or(counted)));
        if let Some((percent, kind)) = estimate {
            self.widen(percent, kind);
        }
        let candidate = (percent.unwrap_or(0.0) * time, time, about.kernel, said.title, said.text);
        if self.heaviest.as_ref().is_none_or(|heaviest| weightier(candidate, heaviest.rank())) {
            self.heaviest = Some(Heaviest {
                gain: candidate.0,
                time,
                kernel: about.kernel.into(),
                name: said.name.into(),
                section: said.section.into(),
                title: said.title.into(),
                text: said.text.into(),
            });
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.launches = match (self.launches.take(), &other.launches) {
            (None, theirs) if self.results == 0 => theirs.clone(),
            (Some(mut ours), Some(theirs)) => {
                ours.merge(theirs);
                Some(ours)
            }
            _ => None,
        };
        self.results += other.results;
        self.timed += other.timed;
        self.time.merge(other.time);
        self.beside.merge(other.beside);
        self.gain.merge(other.gain);
        self.possible.merge(other.possible);
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
        let of_rule = Tally {
            count: self.results,
            sum: Some(self.gain.total()),
            weight: Some(self.possible.total()),
            ..Tally::default()
        };
        let concerned = Tally {
            part: self.timed,
            sum: Some(self.time.total()),
            weight: Some(self.beside.total()),
            ..Tally::default()
        };
        let mut rows =
            vec![(Fact::Rule(key.name()), of_rule), (Fact::Concerned(key.name()), concerned)];
        if let Some(Estimate { percent, kind }) = &self.largest {
            let estimate = Fact::Estimate { rule: key.name(), kind: kind.to_string() };
            rows.push((estimate, Tally { max: Some(*percent), ..Tally::default() }));
        }
        if let Some(heaviest) = &self.heaviest {
            let message = Message {
                name: heaviest.name.to_string(),
                section: heaviest.section.to_string(),
                text: heaviest.text.to_string(),
                time: heaviest.time,
            };
            let message = Fact::Message { rule: key.name(), message };
            rows.push((message, Tally { max: Some(heaviest.gain), ..Tally::default() }));
        }
        rows
    }

    /// Adds what a row says about the messages for a kernel.
    pub(crate) fn restore(&mut self, kernel: &str, fact: &Fact, tally: &Tally) {
        let max = tally.max.filter(|max| max.is_finite());
        let total = |total: Option<_>| Sum::of_total(total.unwrap_or_default());
        match fact {
            Fact::Rule(_) => {
                self.results += tally.count;
                self.gain.merge(total(tally.sum));
                self.possible.merge(total(tally.weight));
            }
            Fact::Concerned(_) => {
                self.timed += tally.part;
                self.time.merge(total(tally.sum));
                self.beside.merge(total(tally.weight));
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
                    kernel: kernel.into(),
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

    /// The summary for a set with this GPU time in nanoseconds, in which the messages are about the kernels at these positions.
    pub(crate) fn summary(
        &self,
        key: &RuleKey,
        set_time: f64,
        mut kernels: Vec<u32>,
    ) -> RuleSummary {
        kernels.sort_unstable();
        kernels.dedup();
        let has_estimate = self.largest.as_ref().is_some_and(|largest| &*largest.kind != BUSY_KIND);
        let gain = (has_estimate && set_time > 0.0).then(|| self.gain.value() / set_time);
        let milliseconds = |sum: Sum| sum.value() / 1e6;
        let heaviest = self.heaviest.as_ref();
        let part = |get: fn(&Heaviest) -> &str| heaviest.map_or("", get);
        RuleSummary {
            rule: key.rule.to_string(),
            outcome: key.outcome.to_owned(),
            name: part(|heaviest| &heaviest.name).to_owned(),
            section: part(|heaviest| &heaviest.section).to_owned(),
            kind: key.kind.to_string(),
            results: self.results,
            launches: self.launches.clone().map(ResultIds::settled),
            time_ms: (self.timed > 0).then(|| milliseconds(self.time)),
            beside_ms: (self.timed > 0).then(|| milliseconds(self.beside)),
            gain_ms: (has_estimate && self.timed > 0).then(|| milliseconds(self.possible)),
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
        .then_with(|| left.outcome.cmp(&right.outcome))
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
        match link(from_link) {
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

/// Paths may hold this many `@` of their own.
const MOST_AT: usize = 4;

/// The label of a link, and what follows the `@` at its end.
fn link(from_link: &str) -> Option<(&str, &str)> {
    let ends = from_link.match_indices('@').map(|(at, _)| at).take(MOST_AT);
    let mut parts = ends.filter_map(|at| Some((from_link.get(..at)?, from_link.get(at + 1..)?)));
    parts.find_map(|(link, after)| Some((label(link)?, after)))
}

/// The label of `section:Id:label`, `url:label:href`, `sass:address:label`, `source:file:line:label` or `source:address:label`.
fn label(link: &str) -> Option<&str> {
    let (kind, content) = link.split_once(':')?;
    match kind {
        "section" | "sass" => content.split_once(':').map(|(_, label)| label),
        // The address holds colons of its own, the label does not.
        "url" => content.split_once(':').map(|(label, _)| label),
        // A file may hold colons, a label does not.
        "source" => content.rsplit_once(':').map(|(_, label)| label),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{About, RuleKey, RuleTally, Said, without_links};
    use crate::outcome;

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
            ("at PC @source:14a9a94cf6e0:0x14a9a94cf6e0@ here", "at PC 0x14a9a94cf6e0 here"),
            ("in @source:/home/me@host/a.cu:12:a.cu@.", "in a.cu."),
            ("mail a@b.c", "mail a@b.c"),
            ("a@b and @section:X:y@", "a@b and y"),
            ("@unknown:x@", "@unknown:x@"),
            ("@", "@"),
        ] {
            assert_eq!(without_links(text), plain, "{text}");
        }
    }

    fn said(speedup: Option<f64>, text: &'static str) -> Said<'static> {
        Said {
            outcome: outcome::known("unknown-advice"),
            name: "Rule",
            section: "S",
            title: "t",
            text,
            speedup: speedup.map(|percent| (percent, "local")),
        }
    }

    fn about(id: u32, kernel: u32, time: f64, left: f64) -> About<'static> {
        About { id, kernel: if kernel == 7 { "a" } else { "b" }, time, left, is_beside: false }
    }

    fn key() -> RuleKey {
        RuleKey {
            rule: "R".into(),
            kind: "optimization".into(),
            title: "t".into(),
            outcome: "unknown-advice",
        }
    }

    #[test]
    fn gains_are_weighed_by_time_and_cut_by_what_is_left() {
        let mut tally = RuleTally::default();
        tally.add(&said(Some(50.0), "small"), about(1, 7, 10e6, 0.3));
        tally.add(&said(Some(20.0), "large"), about(4, 3, 90e6, 1.0));
        tally.add(&said(Some(10.0), "again"), about(4, 3, 90e6, 1.0));
        let summary = tally.summary(&key(), 100e6, vec![7, 3]);
        assert_eq!(summary.kernels, [3, 7]);
        assert_eq!(summary.region_speedup_pct, Some(23.0));
        assert_eq!((summary.results, summary.max_speedup_pct), (2, Some(50.0)));
        assert_eq!((summary.message.as_str(), summary.kernel_name.as_str()), ("large", "b"));
        assert_eq!(summary.time_ms, Some(100.0));
        assert_eq!(summary.launches.as_ref().map(ToString::to_string).as_deref(), Some("1,4"));
        // 30 % of 10 ms and 20 % of 90 ms.
        let gain = summary.gain_ms.unwrap();
        assert!((gain - 21.0).abs() < 1e-9, "{gain}");
    }

    #[test]
    fn several_estimates_for_one_result_are_cut_once() {
        let mut tally = RuleTally::default();
        for percent in [10.0, 60.0, 40.0] {
            tally.add(&said(Some(percent), "x"), about(1, 7, 100e6, 0.25));
        }
        let summary = tally.summary(&key(), 100e6, Vec::new());
        assert_eq!((summary.region_speedup_pct, summary.gain_ms), (Some(60.0), Some(25.0)));
    }

    #[test]
    fn a_rule_without_estimates_has_no_gain() {
        let mut tally = RuleTally::default();
        tally.add(&said(None, "x"), about(1, 7, f64::NAN, 1.0));
        let summary = tally.summary(&key(), 10.0, Vec::new());
        assert_eq!(
            (summary.region_speedup_pct, summary.max_speedup_pct, summary.results),
            (None, None, 1)
        );
        assert_eq!((summary.time_ms, summary.gain_ms), (None, None));
    }

    #[test]
    fn merging_keeps_the_numbers_of_results() {
        let one = |id| {
            let mut tally = RuleTally::default();
            tally.add(&said(None, "x"), about(id, 7, 1e6, 1.0));
            tally
        };
        let mut merged = RuleTally::default();
        for id in [5, 3, 4] {
            merged.merge(&one(id));
        }
        let launches = merged.summary(&key(), 3e6, Vec::new()).launches.unwrap();
        assert_eq!(launches.to_string(), "3-5");
        // Rows of partial results know no single ones.
        let mut restored = RuleTally::default();
        for (fact, row) in merged.rows(&key()) {
            restored.restore("a", &fact, &row);
        }
        restored.merge(&one(9));
        let summary = restored.summary(&key(), 4e6, Vec::new());
        assert_eq!((summary.results, summary.launches, summary.time_ms), (4, None, Some(4.0)));
    }
}
