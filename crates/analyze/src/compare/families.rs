//! Members of a family that came out alike, told in one line: how many they are and what they add up to.

use crate::compare::runs::ScopeRows;
use indexmap::IndexMap;
use rangescope_model::comparison::{
    Change, Delta, FamilyDelta, Interval, RegionDelta, Spread, Verdict,
};
use rangescope_model::region::RegionKey;
use rustc_hash::FxHashMap;

/// So few members are told one by one.
const FEW: usize = 2;

/// The families of any run, of those members that have one verdict. What is renamed was folded already.
pub(crate) fn all(
    sides: [&[Option<&ScopeRows<'_>>]; 2],
    regions: &[RegionDelta],
) -> Vec<FamilyDelta> {
    let mut families: FxHashMap<RegionKey, &str> = FxHashMap::default();
    let mut sizes: FxHashMap<&str, usize> = FxHashMap::default();
    // The new side's names count where both have some.
    for scope in sides.iter().flat_map(|runs| runs.iter().flatten()) {
        for entry in &scope.report.families {
            let Some(family) = &entry.family else { continue };
            let size = sizes.entry(&entry.name).or_default();
            *size = (*size).max(family.members.len());
            for member in &family.members {
                if let Some(region) = scope.report.regions.get(*member as usize) {
                    let key = region.key();
                    let key = RegionKey {
                        domain: key.domain.to_owned(),
                        kind: key.kind,
                        path: key.path.to_vec(),
                    };
                    families.insert(key, &entry.name);
                }
            }
        }
    }
    let mut alike: IndexMap<(&str, Verdict), Vec<u32>> = IndexMap::new();
    for (at, region) in (0..).zip(regions) {
        let path = region.path.clone();
        let key = RegionKey { domain: region.domain.clone(), kind: region.kind, path };
        if let Some(name) = families.get(&key) {
            alike.entry((name, region.verdict)).or_default().push(at);
        }
    }
    let alike = alike.into_iter().filter(|(_, members)| members.len() > FEW);
    alike
        .map(|((name, verdict), members)| {
            let times = || members.iter().filter_map(|at| Some(&regions.get(*at as usize)?.time));
            FamilyDelta {
                name: name.to_owned(),
                verdict,
                family_size: sizes.get(name).copied().unwrap_or_default().max(members.len()),
                time: sum(times),
                members,
            }
        })
        .collect()
}

/// The sum of differences. Intervals hold together, so that their sum holds too.
fn sum<'d, D: Iterator<Item = &'d Delta>>(deltas: impl Fn() -> D) -> Delta {
    let side = |get: fn(&Delta) -> Option<Spread>| {
        deltas().map(get).try_fold(None, |sum: Option<Spread>, spread| {
            let spread = spread?;
            Some(Some(sum.map_or(spread, |sum| Spread {
                min: sum.min + spread.min,
                median: sum.median + spread.median,
                max: sum.max + spread.max,
                runs: sum.runs.min(spread.runs),
            })))
        })
    };
    let base = side(|delta| delta.base).flatten();
    let new = side(|delta| delta.new).flatten();
    let absolute = deltas().map(|delta| delta.absolute).sum::<Option<f64>>();
    let share =
        |value: f64| Some(value / base?.median.abs()).filter(|share: &f64| share.is_finite());
    let ends = deltas().try_fold([0.0, 0.0], |[low, high], delta| {
        let interval = delta.interval?;
        Some([low + interval.low, high + interval.high])
    });
    Delta {
        base,
        new,
        absolute,
        relative: absolute.and_then(share),
        interval: ends.map(|[low, high]| Interval {
            low,
            high,
            relative_low: share(low),
            relative_high: share(high),
        }),
        change: deltas().next().map_or(Change::Absent, |delta| delta.change),
        // Where no number of runs settles one of them, none settles all.
        runs_needed: deltas()
            .map(|delta| delta.runs_needed)
            .collect::<Option<Vec<u32>>>()
            .and_then(|runs| runs.into_iter().max()),
    }
}
