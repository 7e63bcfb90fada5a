//! Telling a person what happens to one metric, in the words of the rule table.

use super::recipe::{
    Alternative, Candidate, DURATION_NAMES, MULTIPROCESSORS, Quantity, Recipe, Source, kind_of,
};
use super::{Combine, RuleRow};
use rangescope_model::document::Method;
use rangescope_model::launch::Vocabulary;
use rangescope_model::number;
use std::fmt;

#[derive(Clone, Debug)]
pub struct Explanation {
    /// The metric.
    pub metric: String,
    /// The row of the table that it falls under.
    pub row: &'static RuleRow,
    pub aggregated: bool,
    /// For means and ratios: what could serve as weight, best first.
    pub choices: Vec<Choice>,
    /// Which choice a run with this vocabulary takes where every result has the metric; absent without a vocabulary and for sums, extremes and constants.
    pub taken: Option<usize>,
}

/// One way of making a mean or ratio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub method: Method,
    /// The metrics that it needs, for people: `a`, `a / b` or `a × time`.
    pub needs: Vec<String>,
    pub exact: bool,
    /// Whether the run has what it needs; unknown without a vocabulary.
    pub collected: Option<bool>,
}

/// Explains what happens to a metric; with the vocabulary of a run also which weights it can use.
pub fn explain(metric: &str, available: Option<&Vocabulary>) -> Explanation {
    let recipe = Recipe::of(metric);
    let choices: Vec<Choice> =
        recipe.candidates.iter().map(|candidate| choice(candidate, available)).collect();
    let taken =
        available.and_then(|_| choices.iter().position(|choice| choice.collected == Some(true)));
    Explanation {
        metric: metric.to_owned(),
        row: recipe.row,
        aggregated: recipe.row.combine != Combine::Nothing,
        choices,
        taken,
    }
}

fn choice(candidate: &Candidate, available: Option<&Vocabulary>) -> Choice {
    let collected = |name: &str| {
        available.is_some_and(|vocabulary| vocabulary.metrics.iter().any(|metric| metric == name))
    };
    let any_duration = || DURATION_NAMES.iter().any(|name| collected(name));
    let states = |quantity: &Quantity| match quantity {
        Quantity::OneOf(alternatives) => alternatives.iter().any(|alternative| {
            collected(&alternative.metric)
                && (!alternative.times_duration || any_duration())
                && (!alternative.times_units || collected(MULTIPROCESSORS))
        }),
        Quantity::OverKinds { stem, mark, .. } => available.is_some_and(|vocabulary| {
            vocabulary.metrics.iter().any(|metric| kind_of(metric, stem, mark).is_some())
        }),
    };
    let (needs, found) = match &candidate.source {
        Source::Duration => (vec!["gpu__time_duration.sum".to_owned()], any_duration()),
        Source::Weight(quantity) => (needed(quantity), states(quantity)),
        Source::Pair { above, below, .. } => {
            let first = |quantity| needed(quantity).into_iter().next().unwrap_or_default();
            let pair = format!("{} / {}", first(above), first(below));
            (vec![pair], states(above) && states(below))
        }
        Source::List(name) => {
            (vec![format!("the largest of the counters in {name}")], collected(name))
        }
    };
    Choice {
        method: candidate.method,
        needs,
        exact: candidate.inexact.is_none(),
        collected: available.map(|_| found),
    }
}

fn needed(quantity: &Quantity) -> Vec<String> {
    let in_words = |alternative: &Alternative| {
        let mut words = alternative.metric.clone();
        if alternative.times_duration {
            words.push_str(" × time");
        }
        if alternative.times_units {
            words.push_str(" × multiprocessors");
        }
        words
    };
    match quantity {
        Quantity::OneOf(alternatives) => alternatives.iter().map(in_words).collect(),
        Quantity::OverKinds { stem, end, .. } => vec![format!("Σ {stem}*{end}")],
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.metric)?;
        writeln!(f, "  rule      {} ({})", self.row.id, self.row.applies_to)?;
        writeln!(f, "  combined  {}", self.row.combined)?;
        writeln!(f, "  exact     {}", self.row.exact)?;
        writeln!(f, "  because   {}", self.row.why)?;
        for (index, choice) in self.choices.iter().enumerate() {
            let taken = if self.taken == Some(index) { ", used here" } else { "" };
            let collected = if choice.collected == Some(false) { ", not collected" } else { "" };
            let exact = if choice.exact { "exact" } else { "not exact" };
            writeln!(
                f,
                "  {}. {} ({exact}{collected}{taken}): {}",
                index + 1,
                number::method(choice.method),
                choice.needs.join(", or ")
            )?;
        }
        Ok(())
    }
}
