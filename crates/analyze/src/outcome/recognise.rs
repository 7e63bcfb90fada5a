//! Looks messages up in the tables.

use super::kinds::{FindingKind, Outcome};
use super::{compute, launch, memory, occupancy, own, stalls, summary};
use rangescope_model::document::RuleSummary;

/// What is hostile may also be long; what tells messages apart stands near their beginning.
const SEARCHED: usize = 4096;

/// What one rule can say, or several rules that say the same.
pub(super) struct Rule {
    /// ncu's identifiers.
    pub ids: &'static [&'static str],
    /// The part of a message that tells its outcomes apart.
    pub part: fn(&str) -> &str,
    /// The first row that fits is the outcome.
    pub rows: &'static [Row],
}

/// A row fits if every one of these is in the message; `a|b` means one of both.
pub(super) type Row = (&'static [&'static str], Outcome);

static TABLES: [&[Rule]; 6] =
    [occupancy::RULES, stalls::RULES, compute::RULES, memory::RULES, launch::RULES, summary::RULES];

/// What any rule can say, and what stands for the unknown.
static FAILED: Outcome = Outcome::note("rule-failed", "A rule of ncu could not be computed");
static MISSING: Outcome =
    Outcome::note("metric-missing", "A metric that a rule of ncu would use was not collected");
static UNKNOWN: Outcome = Outcome::note("unknown", "");
static UNKNOWN_ADVICE: Outcome =
    Outcome { kind: FindingKind::Advice, ..Outcome::note("unknown-advice", "") };
static COMMON: [&Outcome; 4] = [&FAILED, &MISSING, &UNKNOWN, &UNKNOWN_ADVICE];

const FAILURES: &str = "returned an error|with an exception set|division by zero|required metrics are missing|Required metric ";

/// What a message of a rule says. `kind` is `ok`, `optimization`, `warning`, `error`, `none` or `unknown`; title and text may hold ncu's link markup.
///
/// The title tells nothing that the text does not say, and ncu's CSV does not have it; it is looked at where there is no text.
pub fn recognise(rule: &str, kind: &str, title: &str, text: &str) -> &'static Outcome {
    let text = head(if text.is_empty() { title } else { text });
    if kind == "error" {
        return &FAILED;
    }
    if let Some(outcome) = said(rule, text) {
        // What ncu finds in order is nothing to do, whatever the words.
        let is_in_order = kind == "ok" && outcome.kind == FindingKind::Advice;
        return if is_in_order { &UNKNOWN } else { outcome };
    }
    if has(text, FAILURES) {
        return &FAILED;
    }
    if has(text, "optional metric ") && has(text, "could not be found") {
        return &MISSING;
    }
    match kind {
        "optimization" | "warning" => &UNKNOWN_ADVICE,
        _ => &UNKNOWN,
    }
}

/// Identifiers that begin so stand for what nobody knows.
pub(crate) const UNKNOWN_IDS: &str = "unknown";

/// The outcome of this identifier; what another version knew is unknown.
pub(crate) fn known(id: &str) -> &'static Outcome {
    by_id(id).unwrap_or(&UNKNOWN)
}

/// What a summary of messages says; documents of earlier versions have the message alone.
pub(crate) fn of_summary(rule: &RuleSummary) -> &'static Outcome {
    if rule.outcome.is_empty() {
        recognise(&rule.rule, &rule.kind, &rule.title, &rule.message)
    } else {
        known(&rule.outcome)
    }
}

/// The outcome of this identifier.
pub fn by_id(id: &str) -> Option<&'static Outcome> {
    all().find(|outcome| outcome.id == id)
}

/// All outcomes, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Outcome> {
    rules()
        .flat_map(|rule| rule.rows.iter().map(|(_, outcome)| outcome))
        .chain(COMMON)
        .chain(own::all())
}

pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().copied().flatten()
}

fn said(rule: &str, text: &str) -> Option<&'static Outcome> {
    // Until 2020 every reason of a stall was a rule of its own.
    let rule = if rule.starts_with("CPIStall") { "CPIStall" } else { rule };
    let rule = rules().find(|known| known.ids.contains(&rule))?;
    let part = (rule.part)(text);
    let row = rule.rows.iter().find(|(says, _)| says.iter().all(|says| has(part, says)))?;
    Some(&row.1)
}

fn has(text: &str, alternatives: &str) -> bool {
    alternatives.split('|').any(|fragment| text.contains(fragment))
}

/// The beginning of a text, in whole characters.
fn head(text: &str) -> &str {
    first(text, SEARCHED)
}

pub(super) fn whole(text: &str) -> &str {
    text
}

/// At most so many bytes, in whole characters.
fn first(text: &str, mut bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    while !text.is_char_boundary(bytes) {
        bytes -= 1;
    }
    text.get(..bytes).unwrap_or_default()
}

/// What follows these words up to so many bytes; the whole text where they are absent.
pub(super) fn after<'t>(text: &'t str, words: &str, bytes: usize) -> &'t str {
    text.split_once(words).map_or(text, |(_, rest)| first(rest, bytes))
}
