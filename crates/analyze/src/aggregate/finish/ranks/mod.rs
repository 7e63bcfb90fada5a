//! The ranks of a run beside each other: from the slim table to rows, verdicts and the heat map.
//!
//! Every region is added up member by member, one region at a time, so that memory does not grow with members × regions; the few that are kept are added up again.

mod heat;
mod members;
mod sets;
mod verdict;

use super::ReportContext;
use heat::HeatMaker;
use members::Members;
use rangescope_model::imbalance::{
    CounterSpread, Extreme, Imbalance, ImbalanceRow, RowKind, Spread, StandingOut,
};
use sets::{OneMember, Set, Sets};
use std::cmp::Ordering;

/// Rows of each kind that are kept.
const MOST_REGIONS: usize = 200;
const MOST_FAMILIES: usize = 100;
const MOST_KERNELS: usize = 100;
/// Members that are named where a row lists some.
const MOST_NAMED: usize = 3;
/// Members that are named as standing out in many regions.
const MOST_STANDING_OUT: usize = 16;

/// Nothing where only one rank or process has results.
pub(super) fn imbalance(context: &ReportContext<'_>) -> Option<Imbalance> {
    let members = Members::of(context)?;
    let sets = Sets::of(context, &members);
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
            weighed.push((Weight::of(&summed), set));
            if kind == sets.mapped {
                for member in upwards(&summed) {
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
        made.push(row(context, &members, set, &summed));
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
        hosts: members.hosts as u64,
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
    fn of(summed: &[OneMember]) -> Self {
        let times: Vec<f64> = summed.iter().filter_map(OneMember::milliseconds).collect();
        let mean = verdict::mean(&times).unwrap_or(0.0);
        let max = times.iter().copied().fold(0.0, f64::max);
        Self { beyond_mean: max - mean, mean }
    }

    fn order(&self, other: &Self) -> Ordering {
        other.beyond_mean.total_cmp(&self.beyond_mean).then(other.mean.total_cmp(&self.mean))
    }
}

/// The members whose time stands out upwards, furthest first.
fn upwards(summed: &[OneMember]) -> impl Iterator<Item = usize> {
    let timed: Vec<(usize, f64)> =
        summed.iter().filter_map(|one| Some((one.member, one.milliseconds()?))).collect();
    let times: Vec<f64> = timed.iter().map(|(_, ms)| *ms).collect();
    let mean = verdict::mean(&times).unwrap_or(0.0);
    let out = super::standing::standing_out(&times);
    let out: Vec<(usize, f64)> = out.into_iter().filter_map(|at| timed.get(at).copied()).collect();
    out.into_iter().filter(move |(_, ms)| *ms > mean).map(|(member, _)| member)
}

fn row(
    context: &ReportContext<'_>,
    members: &Members,
    set: &Set,
    summed: &[OneMember],
) -> ImbalanceRow {
    let times: Vec<(usize, f64)> =
        summed.iter().filter_map(|one| Some((one.member, one.milliseconds()?))).collect();
    let ran: Vec<usize> = summed.iter().map(|one| one.member).collect();
    let missing: Vec<usize> =
        (0..members.all.len()).filter(|member| ran.binary_search(member).is_err()).collect();
    let only_times: Vec<f64> = times.iter().map(|(_, ms)| *ms).collect();
    let outliers = super::standing::standing_out(&only_times).into_iter().take(MOST_NAMED);
    let outliers = outliers.filter_map(|at| members.extreme(*times.get(at)?)).collect();
    let counted = counters(context, summed);
    let counters = counted.iter().filter_map(|(name, unit, values)| {
        let spread = spread(members, values).filter(|spread| spread.n > 1)?;
        Some(CounterSpread { name: (*name).to_owned(), unit: (*unit).to_owned(), spread })
    });
    let counters = counters.collect();
    let found = verdict::find(members, &times, &counted);
    let (time, untimed) = (spread(members, &times), summed.len() - times.len());
    let sentence = verdict::sentence(members, &found, time.as_ref(), &missing, untimed);
    ImbalanceRow {
        what: set.kind,
        basis: set.basis,
        name: set.name.clone(),
        region: set.region.clone(),
        in_family: set.in_family,
        verdict: found.verdict,
        sentence,
        time,
        missing: missing.len() as u64,
        missing_members: members.first_of(&missing),
        untimed: untimed as u64,
        slow: found.slow,
        outliers,
        counters,
    }
}

/// A counter: its name, its unit, and the members that have it.
type Counted<'c> = (&'c str, &'c str, Vec<(usize, f64)>);

/// Launches, and every counter of the members that have it for all their results.
fn counters<'c>(context: &ReportContext<'c>, summed: &[OneMember]) -> Vec<Counted<'c>> {
    let launches = summed.iter().map(|one| (one.member, one.cell.launches as f64));
    let mut counted = vec![("launches", "", launches.collect())];
    for (at, counter) in context.partial.ranks.counters().iter().enumerate() {
        let value = |one: &OneMember| Some((one.member, one.counter(at, &counter.name)?));
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
