//! Which regions are alike in what they launch and in what lies inside them.
//!
//! Of each region a bounded part of its features is kept: those whose hashes are the smallest, of two regions the same ones. The cost is that of walking the
//! tree once, whatever its depth; up to [`MOST_KEPT`] different kernels, names inside, or shapes, nothing is left out.

use super::FEWEST;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};

/// Features that are kept of a region, of each sort.
const MOST_KEPT: usize = 64;

/// Groups of alike regions that are told apart among siblings of one spelling; what is in none of them stays single.
const MOST_GROUPS: usize = 16;

/// Two regions are alike if at least this part of what they have is common to both.
const ALIKE: f64 = 0.5;

/// The smallest hashes of some features, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Sample {
    kept: Vec<u64>,
    /// There were more.
    is_cut: bool,
}

impl Sample {
    fn of(feature: &impl Hash) -> Self {
        let mut hasher = FxHasher::default();
        feature.hash(&mut hasher);
        // Which hashes are small must not depend on the order of the features.
        let hash = hasher.finish();
        let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { kept: vec![mixed ^ (mixed >> 29)], is_cut: false }
    }

    fn merge(&mut self, other: &Self) {
        self.kept.extend(&other.kept);
        self.kept.sort_unstable();
        self.kept.dedup();
        self.is_cut |= other.is_cut || self.kept.len() > MOST_KEPT;
        self.kept.truncate(MOST_KEPT);
    }

    /// Twice what is common to both over what they have together, as far as both are known.
    fn is_like(&self, other: &Self) -> bool {
        let known = [self, other].map(|one| one.kept.last().filter(|_| one.is_cut));
        let known = known.into_iter().flatten().min().copied().unwrap_or(u64::MAX);
        let within = |one: &Self| one.kept.partition_point(|hash| *hash <= known);
        let (here, there) = (within(self), within(other));
        let common = self.kept.iter().take(here);
        let common = common.filter(|hash| other.kept.binary_search(hash).is_ok()).count();
        2.0 * common as f64 >= ALIKE * (here + there) as f64
    }
}

/// What a region is compared by, with all that lies in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Traits {
    /// Names of regions inside, without numbers.
    inside: Sample,
    kernels: Sample,
    /// Kernels with the shapes in which they are launched.
    shapes: Sample,
}

impl Traits {
    pub(super) fn add_kernel<S: Hash>(
        &mut self,
        kernel: &impl Hash,
        shapes: impl Iterator<Item = S>,
    ) {
        self.kernels.merge(&Sample::of(kernel));
        for shape in shapes {
            self.shapes.merge(&Sample::of(&(kernel, shape)));
        }
    }

    /// Adds a region inside, given its name without numbers.
    pub(super) fn add_inside(&mut self, name: &impl Hash, other: &Self) {
        self.inside.merge(&Sample::of(name));
        self.merge(other);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.inside.merge(&other.inside);
        self.kernels.merge(&other.kernels);
        self.shapes.merge(&other.shapes);
    }

    fn is_like(&self, other: &Self, by_shape: bool) -> bool {
        self.inside.is_like(&other.inside)
            && self.kernels.is_like(&other.kernels)
            && (!by_shape || self.shapes.is_like(&other.shapes))
    }
}

/// Groups of regions that are alike, each with at least [`FEWEST`], as positions: a group is what is like its most frequent form.
pub(super) fn groups(all: &[impl AsRef<Traits>], by_shape: bool) -> Vec<Vec<usize>> {
    let mut forms: IndexMap<&Traits, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for (at, one) in all.iter().enumerate() {
        forms.entry(one.as_ref()).or_default().push(at);
    }
    let mut forms: Vec<(&Traits, Vec<usize>)> = forms.into_iter().collect();
    forms.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let mut groups: Vec<(&Traits, Vec<usize>)> = Vec::new();
    for (form, members) in forms {
        let like = groups.iter().position(|(typical, _)| typical.is_like(form, by_shape));
        if let Some((_, known)) = like.and_then(|at| groups.get_mut(at)) {
            known.extend(members);
        } else if groups.len() < MOST_GROUPS {
            groups.push((form, members));
        }
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|(_, members)| members).collect();
    groups.retain(|members| members.len() >= FEWEST);
    for members in &mut groups {
        members.sort_unstable();
    }
    groups.sort();
    groups
}
