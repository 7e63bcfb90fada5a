//! Which members of a family differ from the others: by time, by what limits them, by the kernels that they launch.

use super::standing::standing_out;
use crate::aggregate::bounds::OTHERS;
use indexmap::IndexMap;
use rangescope_model::document::{Limit, Outlier, Region};
use rangescope_model::number::weight;
use rustc_hash::FxBuildHasher;

/// Members that are named.
const MOST_NAMED: usize = 16;

/// Kernels that are named of one of them, of each sort.
const MOST_KERNELS: usize = 3;

/// A kernel that no more than this part of the members launch, or do not launch, is not the usual one; one member may always differ.
const FEW: f64 = 0.25;

/// A member has another limit if less than this part of its time has the usual one.
const STILL_USUAL: f64 = 0.25;

/// What is to be said of members that differ.
pub(super) struct Different {
    pub(super) usual_limit: Option<Limit>,
    pub(super) outliers: Vec<Outlier>,
    pub(super) more_outliers: u64,
}

pub(super) fn different(members: &[&Region]) -> Different {
    let mut found: IndexMap<usize, Outlier, FxBuildHasher> = IndexMap::default();
    let plain = |at: usize| {
        let member = members.get(at);
        Outlier {
            name: member.map(|member| member.name.clone()).unwrap_or_default(),
            total_ms: member.and_then(|member| member.set.total_ms),
            ..Outlier::default()
        }
    };
    let timed = members.iter().enumerate().filter_map(|(at, one)| Some((at, one.set.total_ms?)));
    let (places, times): (Vec<usize>, Vec<f64>) = timed.unzip();
    for at in standing_out(&times).into_iter().filter_map(|at| places.get(at)) {
        found.entry(*at).or_insert_with(|| plain(*at)).by_time = true;
    }
    let mixes: Vec<Vec<(Limit, f64)>> = members.iter().map(|member| mix(member)).collect();
    let usual_limit = usual_limit(&mixes);
    for (at, mix) in mixes.iter().enumerate() {
        if let Some(limit) = usual_limit.and_then(|usual| other_limit(mix, usual)) {
            found.entry(at).or_insert_with(|| plain(at)).limit = Some(limit);
        }
    }
    for (at, [more, fewer]) in other_kernels(members) {
        let outlier = found.entry(at).or_insert_with(|| plain(at));
        (outlier.more_kernels, outlier.fewer_kernels) = (more, fewer);
    }
    let more_outliers = found.len().saturating_sub(MOST_NAMED) as u64;
    Different {
        usual_limit,
        outliers: found.into_values().take(MOST_NAMED).collect(),
        more_outliers,
    }
}

/// The part of each limit: of the time, or of the launches where no time is known.
fn mix(member: &Region) -> Vec<(Limit, f64)> {
    let is_timed = member.set.limits.iter().any(|share| weight(share.total_ms) > 0.0);
    let mut mix: Vec<(Limit, f64)> = Vec::new();
    for share in &member.set.limits {
        let part = if is_timed { weight(share.total_ms) } else { share.launches as f64 };
        match mix.iter_mut().find(|(limit, _)| *limit == share.limit) {
            Some((_, known)) => *known += part,
            None => mix.push((share.limit, part)),
        }
    }
    let whole: f64 = mix.iter().map(|(_, part)| part).sum();
    for (_, part) in &mut mix {
        *part /= whole;
    }
    mix
}

/// What has more than half of the time.
fn limit_of(mix: &[(Limit, f64)]) -> Option<Limit> {
    mix.iter().find(|(_, part)| *part > 0.5).map(|(limit, _)| *limit)
}

/// What limits more than half of the members.
fn usual_limit(mixes: &[Vec<(Limit, f64)>]) -> Option<Limit> {
    let limits: Vec<Limit> = mixes.iter().filter_map(|mix| limit_of(mix)).collect();
    let is_usual = |limit: &&Limit| {
        let of_limit = limits.iter().filter(|other| other == limit).count();
        2 * of_limit > mixes.len() && **limit != Limit::Unknown
    };
    let mut candidates = limits.clone();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.iter().find(is_usual).copied()
}

/// What limits a member, if that is another limit for certain.
fn other_limit(mix: &[(Limit, f64)], usual: Limit) -> Option<Limit> {
    let still = mix.iter().find(|(limit, _)| *limit == usual).map_or(0.0, |(_, part)| *part);
    let limit = limit_of(mix)?;
    (still < STILL_USUAL && limit != usual && limit != Limit::Unknown).then_some(limit)
}

/// Of members with other kernels than usual: the kernels that only they launch, and those that only they do not. Nothing where most have kernels of their own,
/// or where lists are not complete.
fn other_kernels(members: &[&Region]) -> Vec<(usize, [Vec<String>; 2])> {
    let few = (FEW * members.len() as f64).max(1.0);
    let mut launched: IndexMap<&str, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for (at, member) in members.iter().enumerate() {
        for kernel in &member.set.kernels {
            let by = launched.entry(&kernel.kernel_name).or_default();
            if by.last() != Some(&at) {
                by.push(at);
            }
        }
    }
    let mut found: IndexMap<usize, [Vec<String>; 2], FxBuildHasher> = IndexMap::default();
    if launched.contains_key(OTHERS) {
        return Vec::new();
    }
    for (kernel, by) in launched {
        let missing = members.len() - by.len();
        let (who, sort) = if by.len() as f64 <= few {
            (by, 0)
        } else if missing > 0 && missing as f64 <= few {
            let is_missing = |at: &usize| by.binary_search(at).is_err();
            ((0..members.len()).filter(is_missing).collect(), 1)
        } else {
            continue;
        };
        for at in who {
            if let Some(names) = found
                .entry(at)
                .or_default()
                .get_mut(sort)
                .filter(|names| names.len() < MOST_KERNELS)
            {
                names.push(kernel.to_owned());
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(at, _)| *at);
    if found.len() as f64 > few {
        found.clear();
    }
    found
}
