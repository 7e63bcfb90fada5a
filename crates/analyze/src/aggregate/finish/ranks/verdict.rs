//! Slow everywhere or slow on one rank: the rule, its thresholds, and the sentence that says so with its numbers.
//!
//! Members are compared by time alone. Only then counters are asked whether the slow ones had a lower clock or more work than the others.

use super::members::Members;
use super::stages::MAIN;
use super::{Counted, MOST_NAMED};
use crate::aggregate::finish::standing::standing_out;
use crate::aggregate::limit::Threshold;
use crate::aggregate::ranks::CLOCK;
use crate::aggregate::sum::Sum;
use rangescope_model::imbalance::{Cause, CauseCounter, Member, Slow, Spread, Verdict};
use rangescope_model::number::{thousands, three_digits, time, with_unit};
use std::fmt::Write as _;

const ALIKE: Threshold = Threshold {
    value: 1.05,
    unit: "× the mean",
    meaning: "Where the slowest takes less than this, all are alike.",
};

const APART: Threshold = Threshold {
    value: 1.1,
    unit: "× the mean of the others",
    meaning: "Those that are slow take at least this.",
};

const NEXT: Threshold = Threshold {
    value: 0.5,
    unit: "of the excess",
    meaning: "One is slow alone if the next slowest is above the others by at most this part of what it is above them itself. A lower clock or more work \
        explains slow members if it accounts for at least this part.",
};

const FEW: Threshold = Threshold {
    value: 0.25,
    unit: "of all",
    meaning: "Those that stand out are a few if they are no more than this; docs/regions.md says what stands out.",
};

const SAME: Threshold = Threshold {
    value: 1.1,
    unit: "× or its inverse",
    meaning: "Clock or work within this are the same as those of the others.",
};

const KNOWN: Threshold = Threshold {
    value: 0.5,
    unit: "of the others",
    meaning: "A counter is compared if all slow ones have it and at least this part.",
};

/// The rule in words.
pub(super) fn rule() -> String {
    let mut words = "Times of all members that have one are compared; a member that ran nothing is missing, not zero.".to_owned();
    for Threshold { value, unit, meaning } in [ALIKE, APART, NEXT, FEW, SAME, KNOWN, MAIN] {
        let _ = write!(words, " {value} {unit}: {meaning}");
    }
    words.push_str(" A host is slow if it has several members and the fastest of them takes longer than all elsewhere.");
    words
}

pub(super) struct Found {
    pub(super) verdict: Verdict,
    pub(super) slow: Option<Slow>,
    /// The slow members, slowest first.
    members: Vec<usize>,
}

/// Where results with these times of members, which are in order, are slow.
pub(super) fn find(members: &Members, times: &[(usize, f64)], counted: &[Counted<'_>]) -> Found {
    let (verdict, slow) = verdict(members, times);
    let means = |values: &[(usize, f64)]| {
        let is_slow = |(member, _): &&(usize, f64)| slow.contains(member);
        let (of_slow, of_others): (Vec<_>, Vec<_>) = values.iter().partition(is_slow);
        let others = (times.len() - slow.len()) as f64;
        let is_known =
            of_slow.len() == slow.len() && of_others.len() as f64 >= KNOWN.value * others;
        let mean_of = |values: Vec<&(usize, f64)>| {
            mean(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>())
        };
        mean_of(of_slow).zip(mean_of(of_others)).filter(|_| is_known)
    };
    let against = means(times).map(|(mean_ms, others_mean_ms)| {
        let times_others = over(mean_ms, others_mean_ms);
        let is_asked = |name: &str| name == CLOCK || WORK.iter().any(|(work, _)| *work == name);
        let compared: Vec<CauseCounter> = counted
            .iter()
            .filter(|(name, ..)| is_asked(name))
            .filter_map(|(name, unit, values)| {
                let (mean, others_mean) = means(values)?;
                let (name, unit) = ((*name).to_owned(), (*unit).to_owned());
                Some(CauseCounter { name, unit, mean, others_mean })
            })
            .collect();
        let (cause, counter) = cause(&compared, times_others);
        let named = slow.iter().take(MOST_NAMED).filter_map(|member| members.all.get(*member));
        Slow {
            members: slow.len() as u64,
            named: named.cloned().collect(),
            mean_ms,
            others: (times.len() - slow.len()) as u64,
            others_mean_ms,
            times: times_others,
            cause,
            counter,
            compared,
        }
    });
    Found { verdict, slow: against, members: slow }
}

/// A member and its time in milliseconds.
type Timed = (usize, f64);

/// The verdict, and who is slow, slowest first.
fn verdict(members: &Members, times: &[Timed]) -> (Verdict, Vec<usize>) {
    let mut sorted = times.to_vec();
    sorted.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let only_times = |times: &[Timed]| times.iter().map(|(_, ms)| *ms).collect::<Vec<f64>>();
    let (Some(mean_of_all), Some(slowest)) = (mean(&only_times(times)), sorted.first().copied())
    else {
        return (Verdict::Unknown, Vec::new());
    };
    if times.len() == 1 {
        return (Verdict::OnlyOne, Vec::new());
    }
    // Without a mean there is nothing but zeros.
    if over(slowest.1, mean_of_all).is_none_or(|times| times < ALIKE.value) {
        return (Verdict::Alike, Vec::new());
    }
    let above = |slow: &[Timed], others: &[Timed]| {
        let (slow, others) = (mean(&only_times(slow))?, mean(&only_times(others))?);
        Some(over(slow, others).unwrap_or(f64::INFINITY))
    };
    let is_apart = |times: Option<f64>| times.is_some_and(|times| times >= APART.value);
    let (first, others) = sorted.split_at(1);
    let excess = above(first, others);
    let next = others.first().filter(|_| others.len() > 1);
    let next_excess = next.and_then(|next| above(&[*next], others)).unwrap_or(1.0);
    if is_apart(excess)
        && excess.is_some_and(|excess| next_excess - 1.0 <= NEXT.value * (excess - 1.0))
    {
        return (Verdict::OneMember, vec![slowest.0]);
    }
    let host = members.host(slowest.0);
    let on_host = |(member, _): &&Timed| host.is_some() && members.host(*member) == host;
    let (here, elsewhere): (Vec<Timed>, Vec<Timed>) = sorted.iter().partition(on_host);
    let is_host = match (here.last(), elsewhere.first()) {
        (Some(fastest), Some(longest)) => here.len() > 1 && fastest.1 > longest.1,
        _ => false,
    };
    if is_host && is_apart(above(&here, &elsewhere)) {
        return (Verdict::OneHost, here.iter().map(|(member, _)| *member).collect());
    }
    let few = standing_out(&only_times(&sorted)).into_iter().filter_map(|at| sorted.get(at));
    let mut few: Vec<Timed> = few.filter(|(_, ms)| *ms > mean_of_all).copied().collect();
    few.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let others = sorted.get(few.len()..).unwrap_or_default();
    if !few.is_empty()
        && few.len() as f64 <= FEW.value * times.len() as f64
        && is_apart(above(&few, others))
    {
        return (Verdict::FewMembers, few.iter().map(|(member, _)| *member).collect());
    }
    (Verdict::Spread, Vec::new())
}

/// Why members that take so many times as long are slow, and the counter that says so.
fn cause(compared: &[CauseCounter], times: Option<f64>) -> (Cause, Option<CauseCounter>) {
    let Some(times) = times else { return (Cause::Unknown, None) };
    let explains = |ratio: f64| ratio - 1.0 >= NEXT.value * (times - 1.0);
    let clock = compared.iter().find(|one| one.name == CLOCK);
    let slower = |one: &&CauseCounter| over(one.others_mean, one.mean).is_some_and(explains);
    if let Some(clock) = clock.filter(slower) {
        return (Cause::LowerClock, Some(clock.clone()));
    }
    let work = || {
        let known =
            WORK.iter().filter_map(|(name, _)| compared.iter().find(|one| one.name == *name));
        known.filter_map(|one| Some((over(one.mean, one.others_mean)?, one)))
    };
    let most = work().reduce(|most, one| if one.0 > most.0 { one } else { most });
    match most {
        Some((ratio, one)) if explains(ratio) => (Cause::MoreWork, Some(one.clone())),
        // As many launches may do any amount of work.
        _ if clock.is_none() || work().all(|(_, one)| one.name == LAUNCHES) => {
            (Cause::Unknown, None)
        }
        _ if compared.iter().all(is_same) => (Cause::TookLonger, None),
        _ => (Cause::NotExplained, None),
    }
}

fn is_same(one: &CauseCounter) -> bool {
    match over(one.mean, one.others_mean) {
        Some(ratio) => (SAME.value.recip()..=SAME.value).contains(&ratio),
        None => one.mean <= 0.0,
    }
}

const LAUNCHES: &str = "launches";
/// Counters of work, with what is said of many of them.
const WORK: [(&str, &str); 3] = [
    ("smsp__inst_executed.sum", "executed instructions"),
    ("dram__bytes.sum", "DRAM bytes"),
    (LAUNCHES, "launches"),
];

/// The answer in a sentence, given the spread of the times and the members that ran nothing or have no time.
pub(super) fn sentence(
    members: &Members,
    found: &Found,
    spread: Option<&Spread>,
    missing: &[usize],
    untimed: usize,
) -> String {
    let name = |member: &Member| member.name_and_host(members.kind);
    let mut words = match (found.verdict, spread, &found.slow) {
        (Verdict::OnlyOne, Some(Spread { max, .. }), _) => {
            format!("only {} has a time: {}", name(&max.member), time(max.value))
        }
        (Verdict::Alike, Some(Spread { n, mean, max, max_over_mean, .. }), _) => {
            let all = members.count(*n);
            let mut words = format!("equally slow on all {all}: {} on average", time(*mean));
            if let Some(factor) = max_over_mean {
                let (factor, slowest) = (three_digits(*factor), name(&max.member));
                let _ = write!(words, ", max/mean {factor} on {slowest}");
            }
            words
        }
        (_, Some(_), Some(slow)) => {
            let who = match (found.verdict, found.members.as_slice(), slow.named.first()) {
                (Verdict::OneHost, _, Some(Member { host: Some(host), .. })) => {
                    format!("host {host} ({})", members.count(slow.members))
                }
                (_, [_], Some(one)) => name(one),
                (_, several, _) => format!(
                    "{} of {} ({})",
                    members.count(slow.members),
                    thousands(slow.members + slow.others),
                    members.listed(several)
                ),
            };
            format!("slow on {who}: {}", against(slow))
        }
        (_, Some(Spread { n, min, max, max_over_mean, .. }), None) => format!(
            "spread over {}: from {} on {} to {} on {}, max/mean {}",
            members.count(*n),
            time(min.value),
            name(&min.member),
            time(max.value),
            name(&max.member),
            max_over_mean.map_or_else(String::new, three_digits),
        ),
        (_, None, _) => "no time is known".to_owned(),
    };
    if !missing.is_empty() {
        let (count, listed) = (members.count(missing.len() as u64), members.listed(missing));
        let _ = write!(words, "; {count} ran nothing of it ({listed})");
    }
    if untimed > 0 && spread.is_some() {
        let _ = write!(words, "; {} without a time", members.count(untimed as u64));
    }
    words
}

/// How slow, and why.
fn against(slow: &Slow) -> String {
    let (average, its) = if slow.members > 1 { (" on average", "their") } else { ("", "its") };
    let mut words = time(slow.mean_ms) + average;
    let others = time(slow.others_mean_ms);
    let of_others = match slow.others {
        1 => "the other".to_owned(),
        others => format!("the mean of the other {}", thousands(others)),
    };
    match slow.times {
        Some(times) => {
            let _ = write!(words, ", {} × {of_others} ({others})", three_digits(times));
        }
        None => {
            let _ = write!(words, ", {of_others} takes {others}");
        }
    }
    let ratio = |one: &CauseCounter| over(one.mean, one.others_mean).map(three_digits);
    match (slow.cause, &slow.counter) {
        (Cause::LowerClock, Some(clock)) => {
            let _ = write!(
                words,
                "; {its} SM clock is {}, {} × that of the others: a lower clock or throttling",
                with_unit(clock.mean, &clock.unit),
                ratio(clock).unwrap_or_default(),
            );
        }
        (Cause::MoreWork, Some(work)) => {
            let (times, of) = (ratio(work).unwrap_or_default(), phrase(&work.name));
            let _ = write!(words, "; more work: {times} × the {of} of the others");
            let is_less = |one: &&CauseCounter| {
                one.name != CLOCK && one.mean < one.others_mean && !is_same(one)
            };
            for less in slow.compared.iter().filter(is_less) {
                let times = ratio(less).unwrap_or_default();
                let _ = write!(words, ", but {times} × the {}", phrase(&less.name));
            }
        }
        (Cause::TookLonger, _) => {
            let _ = write!(words, "; same work, same clock ({}): it took longer", compared(slow));
        }
        (Cause::NotExplained, _) => {
            let compared = compared(slow);
            let _ =
                write!(words, "; neither {its} clock nor {its} work explains that ({compared})");
        }
        _ => {
            let _ = write!(words, "; whether by {its} clock or {its} work was not collected");
        }
    }
    words
}

fn phrase(name: &str) -> &'static str {
    let work = WORK.iter().find(|(known, _)| *known == name);
    work.map_or("SM clock", |(_, phrase)| *phrase)
}

/// `SM clock 0.933 ×, executed instructions 1.1 ×`, the clock first.
fn compared(slow: &Slow) -> String {
    let order = [CLOCK].into_iter().chain(WORK.map(|(name, _)| name));
    let known = order.filter_map(|name| slow.compared.iter().find(|one| one.name == name));
    let known = known.map(|one| match over(one.mean, one.others_mean) {
        Some(ratio) => format!("{} {} ×", phrase(&one.name), three_digits(ratio)),
        None => format!("{} {} beside 0", phrase(&one.name), with_unit(one.mean, &one.unit)),
    });
    known.collect::<Vec<_>>().join(", ")
}

/// The mean, which does not depend on the order; nothing without values or beyond the range of numbers.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let mut sum = Sum::default();
    for value in values {
        sum.add(*value);
    }
    let mean = sum.value() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// A quotient; nothing where it is no number.
pub(super) fn over(value: f64, divisor: f64) -> Option<f64> {
    let quotient = value / divisor;
    (divisor != 0.0 && quotient.is_finite()).then_some(quotient)
}
