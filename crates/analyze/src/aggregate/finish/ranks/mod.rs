//! The ranks of a run beside each other: from the slim table to rows, verdicts and the heat map.
//!
//! Every region is added up member by member, one region at a time, so that memory does not grow with members × regions; the few that are kept are added up again.

mod heat;
mod members;
mod sets;
mod stages;
mod verdict;

use super::ReportContext;
use heat::HeatMaker;
use members::Members;
use rangescope_model::imbalance::{
    CounterSpread, Extreme, Imbalance, ImbalanceRow, MemberKind, RowKind, Spread, StageRow,
    StandingOut, Verdict,
};
use rangescope_model::number::{count, time};
use sets::{OneMember, Set, Sets};
use stages::Stages;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Rows of each kind that are kept.
const MOST_REGIONS: usize = 200;
const MOST_FAMILIES: usize = 100;
const MOST_KERNELS: usize = 100;
/// Members that are named where a row lists some.
const MOST_NAMED: usize = 3;
/// Stages that are listed, and those of which a sentence speaks.
const MOST_STAGES: usize = 64;
const MOST_STAGES_SAID: usize = 8;
/// Members that are named as standing out in many regions.
const MOST_STANDING_OUT: usize = 16;

/// Nothing where only one rank or process has results.
pub(super) fn imbalance(context: &ReportContext<'_>) -> Option<Imbalance> {
    let members = Members::of(context)?;
    let sets = Sets::of(context, &members);
    let stages = Stages::of(context, &members);
    let mut rows = Vec::new();
    let mut left_out = 0;
    let mut times_out: Vec<u64> = vec![0; members.all.len()];
    for (kind, most) in [
        (RowKind::Total, usize::MAX),
        (RowKind::Region, MOST_REGIONS),
        (RowKind::Family, MOST_FAMILIES),
        (RowKind::Kernel, MOST_KERNELS),
    ] {
        let mut weighed: Vec<(Weight, &Set)> = Vec::new();
        for set in sets.of_kind(kind) {
            let summed = sets.summed(set);
            let parts = stages.split(&summed);
            weighed.push((Weight::of(&parts), set));
            if kind == sets.mapped {
                for member in parts.iter().flat_map(|(_, part)| upwards(part)) {
                    if let Some(times) = times_out.get_mut(member) {
                        *times += 1;
                    }
                }
            }
        }
        weighed.sort_by(|(left, one), (right, other)| {
            left.order(right).then_with(|| one.order(other))
        });
        left_out += weighed.len().saturating_sub(most);
        rows.extend(weighed.into_iter().take(most).map(|(_, set)| set));
    }
    let mut heat = HeatMaker::new(&members);
    let mut made = Vec::with_capacity(rows.len());
    for set in rows {
        let summed = sets.summed(set);
        if set.kind == RowKind::Total || set.kind == sets.mapped {
            heat.add(made.len(), &summed);
        }
        made.push(row(context, (&members, &stages), set, &summed));
    }
    let mut out: Vec<(usize, u64)> = times_out.into_iter().enumerate().collect();
    out.retain(|(_, times)| *times > 0);
    out.sort_by_key(|(member, times)| (std::cmp::Reverse(*times), *member));
    let standing_out = out.into_iter().take(MOST_STANDING_OUT).filter_map(|(member, rows)| {
        Some(StandingOut { member: members.all.get(member)?.clone(), rows })
    });
    Some(Imbalance {
        members: members.kind,
        count: members.all.len() as u64,
        absent: context
            .analysis
            .vocabulary()
            .absent_ranks()
            .filter(|_| members.kind == MemberKind::Ranks),
        hosts: members.hosts as u64,
        stages: stages.listed(&members),
        rule: verdict::rule(),
        rows: made,
        rows_left_out: left_out as u64,
        standing_out: standing_out.collect(),
        heat_map: heat.finish(),
        results_left_out: context.partial.ranks.left_out,
    })
}

/// Which rows come first: those in which the slowest member costs most, then those that take longest.
struct Weight {
    beyond_mean: f64,
    mean: f64,
}

impl Weight {
    /// Of members stage by stage.
    fn of(parts: &[(usize, Vec<&OneMember>)]) -> Self {
        let of_part = |part: &[&OneMember]| {
            let times: Vec<f64> = part.iter().filter_map(|one| one.milliseconds()).collect();
            let mean = verdict::mean(&times).unwrap_or(0.0);
            let max = times.iter().copied().fold(0.0, f64::max);
            Self { beyond_mean: max - mean, mean }
        };
        let weights = parts.iter().map(|(_, part)| of_part(part));
        weights
            .reduce(|most, one| if one.order(&most).is_lt() { one } else { most })
            .unwrap_or(Self { beyond_mean: 0.0, mean: 0.0 })
    }

    fn order(&self, other: &Self) -> Ordering {
        other.beyond_mean.total_cmp(&self.beyond_mean).then(other.mean.total_cmp(&self.mean))
    }
}

/// The members of one stage whose time stands out upwards, furthest first.
fn upwards(summed: &[&OneMember]) -> Vec<usize> {
    let timed = timed(summed);
    let times: Vec<f64> = timed.iter().map(|(_, ms)| *ms).collect();
    let mean = verdict::mean(&times).unwrap_or(0.0);
    let out = super::standing::standing_out(&times);
    let out = out.into_iter().filter_map(|at| timed.get(at));
    out.filter(|(_, ms)| *ms > mean).map(|(member, _)| *member).collect()
}

fn timed(summed: &[&OneMember]) -> Vec<(usize, f64)> {
    summed.iter().filter_map(|one| Some((one.member, one.milliseconds()?))).collect()
}

/// What is found of the members of one stage.
struct Judged {
    stage: usize,
    found: verdict::Found,
    sentence: String,
    time: Option<Spread>,
    missing: Vec<usize>,
    untimed: usize,
    outliers: Vec<Extreme>,
}

fn judged(
    context: &ReportContext<'_>,
    (members, stages): (&Members, &Stages),
    stage: usize,
    summed: &[&OneMember],
) -> Judged {
    let times = timed(summed);
    let ran: Vec<usize> = summed.iter().map(|one| one.member).collect();
    let is_missing = |member: &usize| ran.binary_search(member).is_err();
    let missing: Vec<usize> = stages.members(stage).iter().copied().filter(is_missing).collect();
    let only_times: Vec<f64> = times.iter().map(|(_, ms)| *ms).collect();
    let outliers = super::standing::standing_out(&only_times).into_iter().take(MOST_NAMED);
    let outliers = outliers.filter_map(|at| members.extreme(*times.get(at)?)).collect();
    let found = verdict::find(members, &times, &counters(context, summed));
    let (time, untimed) = (spread(members, &times), summed.len() - times.len());
    let sentence = verdict::sentence(members, &found, time.as_ref(), &missing, untimed);
    Judged { stage, found, sentence, time, missing, untimed, outliers }
}

/// The answer for each stage; the one answer where there is one.
fn of_stages((members, stages): (&Members, &Stages), judged: &[Judged]) -> String {
    if let [one] = judged {
        return one.sentence.clone();
    }
    let mut words = format!(
        "{} stages run different kernels and are not compared with each other",
        judged.len()
    );
    for one in judged.iter().take(MOST_STAGES_SAID) {
        let of_stage = stages.members(one.stage);
        let (who, said) = match (of_stage, one.time.as_ref()) {
            ([single], Some(spread)) => {
                let name = members.all.get(*single).map(|one| one.name_and_host(members.kind));
                (name.unwrap_or_default(), time(spread.mean))
            }
            _ => {
                let count = members.count(of_stage.len() as u64);
                (format!("{count}: {}", members.listed(of_stage)), one.sentence.clone())
            }
        };
        let _ = write!(words, ". Stage {} ({who}): {said}", 1 + one.stage);
    }
    if let Some(more) = judged.len().checked_sub(MOST_STAGES_SAID).filter(|more| *more > 0) {
        let _ = write!(words, ". {} more", count(more as u64, "stage", "stages"));
    }
    words
}

fn row(
    context: &ReportContext<'_>,
    (members, stages): (&Members, &Stages),
    set: &Set,
    summed: &[OneMember],
) -> ImbalanceRow {
    let parts = stages.split(summed);
    let mut judged: Vec<Judged> = parts
        .iter()
        .map(|(stage, part)| judged(context, (members, stages), *stage, part))
        .collect();
    let all: Vec<&OneMember> = summed.iter().collect();
    let counted = counters(context, &all);
    let counters = counted.iter().filter_map(|(name, unit, values)| {
        let spread = spread(members, values).filter(|spread| spread.n > 1)?;
        Some(CounterSpread { name: (*name).to_owned(), unit: (*unit).to_owned(), spread })
    });
    let counters = counters.collect();
    let there: usize = parts.iter().map(|(stage, _)| stages.members(*stage).len()).sum();
    let elsewhere = (members.all.len() - there) as u64;
    let missing: Vec<usize> = judged.iter().flat_map(|one| one.missing.iter().copied()).collect();
    let untimed = judged.iter().map(|one| one.untimed as u64).sum();
    let outliers = judged.iter_mut().flat_map(|one| std::mem::take(&mut one.outliers)).collect();
    let mut sentence = of_stages((members, stages), &judged);
    if elsewhere > 0 {
        sentence.extend(["; ", &members.count(elsewhere), " of other stages do not run it"]);
    }
    let several = judged.len() > 1;
    let (verdict, slow) = match judged.as_mut_slice() {
        [one] => (one.found.verdict, one.found.slow.take()),
        [] => (Verdict::Unknown, None),
        _ => (Verdict::Stages, None),
    };
    let stage_row = |one: Judged| StageRow {
        stage: 1 + one.stage as u64,
        verdict: one.found.verdict,
        sentence: one.sentence,
        time: one.time,
        missing: one.missing.len() as u64,
        slow: one.found.slow,
    };
    ImbalanceRow {
        what: set.kind,
        basis: set.basis,
        name: set.name.clone(),
        region: set.region.clone(),
        in_family: set.in_family,
        verdict,
        sentence,
        time: spread(members, &timed(&all)),
        missing: missing.len() as u64,
        missing_members: members.first_of(&missing),
        untimed,
        elsewhere,
        slow,
        stages: judged.into_iter().filter(|_| several).take(MOST_STAGES).map(stage_row).collect(),
        outliers,
        counters,
    }
}

/// A counter: its name, its unit, and the members that have it.
type Counted<'c> = (&'c str, &'c str, Vec<(usize, f64)>);

/// Launches, and every counter of the members that have it for all their results.
fn counters<'c>(context: &ReportContext<'c>, summed: &[&OneMember]) -> Vec<Counted<'c>> {
    let launches = summed.iter().map(|one| (one.member, one.cell.launches as f64));
    let mut counted = vec![("launches", "", launches.collect())];
    for (at, counter) in context.partial.ranks.counters().iter().enumerate() {
        let value = |one: &&OneMember| Some((one.member, one.counter(at, &counter.name)?));
        let values = summed.iter().filter_map(value).collect();
        counted.push((counter.name.as_str(), counter.unit.as_str(), values));
    }
    counted
}

/// The spread of some values, which are in order of members.
fn spread(members: &Members, values: &[(usize, f64)]) -> Option<Spread> {
    let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let mean = verdict::mean(&all)?;
    let least =
        values.iter().copied().reduce(|least, one| if one.1 < least.1 { one } else { least });
    let most = values.iter().copied().reduce(|most, one| if one.1 > most.1 { one } else { most });
    let extreme = |one: Option<(usize, f64)>| -> Option<Extreme> { members.extreme(one?) };
    let max = extreme(most)?;
    Some(Spread {
        n: values.len() as u64,
        min: extreme(least)?,
        mean,
        max_over_mean: verdict::over(max.value, mean),
        max,
    })
}
