//! Which kernels a region launches itself, outside of the regions inside it.
//!
//! A document lists the kernels of a region with everything below it. What is left when the regions inside are taken away is its own; this is only said
//! where the numbers of the document agree with it, and a time only where one is known.

use indexmap::IndexMap;
use rangescope_model::document::{Basis, KernelSummary, LaunchKind, Region, ScopeReport};
use rangescope_model::number::weight;

/// Differences of sums below this share of the sum are what is left of binary fractions.
const ROUNDING: f64 = 1e-9;

/// The launches of one kernel directly in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectKernel<'d> {
    pub name: &'d str,
    pub kind: LaunchKind,
    pub calls: u64,
    /// GPU time of those that have a duration; none if that is not known.
    pub total_ms: Option<f64>,
}

/// The direct kernels of each region, heaviest first; none where they cannot be told.
pub fn direct_kernels(report: &ScopeReport) -> Vec<Option<Vec<DirectKernel<'_>>>> {
    let regions = &report.regions;
    // Results of whole ranges are measured once a range: an outer one is no sum of inner ones.
    if report.basis != Basis::Kernel {
        return vec![None; regions.len()];
    }
    let mut inside: Vec<Vec<&Region>> = vec![Vec::new(); regions.len()];
    for region in regions {
        let parent = region.parent.and_then(|parent| inside.get_mut(parent as usize));
        if let Some(children) = parent {
            children.push(region);
        }
    }
    regions.iter().zip(&inside).map(|(region, children)| left_over(region, children)).collect()
}

/// The direct kernels of all members of a family together; none where those of one are not known.
pub fn direct_in_members<'d>(
    direct: &[Option<Vec<DirectKernel<'d>>>],
    members: &[u32],
) -> Option<Vec<DirectKernel<'d>>> {
    let mut sums: IndexMap<(&str, LaunchKind), DirectKernel<'d>> = IndexMap::new();
    for member in members {
        for kernel in direct.get(*member as usize)?.as_ref()? {
            let sum = sums.entry((kernel.name, kernel.kind)).or_insert(DirectKernel {
                calls: 0,
                total_ms: None,
                ..*kernel
            });
            sum.calls += kernel.calls;
            sum.total_ms = match (sum.total_ms, kernel.total_ms) {
                (Some(sum), Some(more)) => Some(sum + more),
                (sum, more) => sum.or(more),
            };
        }
    }
    Some(heaviest_first(sums.into_values().collect()))
}

#[derive(Default)]
struct Tally {
    calls: u64,
    total_ms: Option<f64>,
    calls_inside: u64,
    ms_inside: f64,
}

fn left_over<'d>(region: &'d Region, children: &[&'d Region]) -> Option<Vec<DirectKernel<'d>>> {
    let key = |kernel: &'d KernelSummary| (kernel.kernel_name.as_str(), kernel.kind);
    let mut tallies: IndexMap<(&str, LaunchKind), Tally> = IndexMap::new();
    for kernel in &region.set.kernels {
        let tally = tallies.entry(key(kernel)).or_default();
        tally.calls = tally.calls.checked_add(kernel.calls)?;
        if let Some(ms) = kernel.total_ms {
            tally.total_ms = Some(tally.total_ms.unwrap_or(0.0) + ms);
        }
    }
    for kernel in children.iter().flat_map(|child| &child.set.kernels) {
        let tally = tallies.get_mut(&key(kernel))?;
        tally.calls_inside = tally.calls_inside.checked_add(kernel.calls)?;
        tally.ms_inside += kernel.total_ms.unwrap_or(0.0);
    }
    let all_timed = region.set.timed_count == region.set.kernel_count;
    let mut direct = Vec::new();
    for ((name, kind), tally) in tallies {
        let calls = tally.calls.checked_sub(tally.calls_inside)?;
        let all_ms = tally.total_ms.unwrap_or(0.0);
        let left_ms = all_ms - tally.ms_inside;
        let is_rounding = left_ms.abs() <= all_ms * ROUNDING;
        if !is_rounding && (left_ms < 0.0 || calls == 0) {
            return None;
        }
        let total_ms = match (is_rounding, all_timed) {
            (false, _) => Some(left_ms),
            // Nothing is left: either these launches took no time, or theirs was not measured.
            (true, true) => Some(0.0),
            (true, false) => None,
        };
        if calls > 0 {
            direct.push(DirectKernel { name, kind, calls, total_ms });
        }
    }
    // A region that was left out of the report leaves its results to nobody.
    let calls: u64 = direct.iter().map(|kernel| kernel.calls).sum();
    (calls == region.exclusive_kernel_count).then(|| heaviest_first(direct))
}

fn heaviest_first(mut kernels: Vec<DirectKernel<'_>>) -> Vec<DirectKernel<'_>> {
    kernels.sort_by(|left, right| {
        weight(right.total_ms)
            .total_cmp(&weight(left.total_ms))
            .then_with(|| (left.name, left.kind).cmp(&(right.name, right.kind)))
    });
    kernels
}

#[cfg(test)]
mod tests {

    use super::{DirectKernel, direct_in_members, direct_kernels};
    use rangescope_model::document::{Basis, Region, ScopeReport};
    use rangescope_testing::documents::tree::{of_rows, row};

    fn report() -> ScopeReport {
        let rows = [
            row(&["step"], "gemm", 2, 1.5),
            row(&["step"], "copy", 1, 0.25),
            row(&["step", "layer.0"], "gemm", 4, 2.000_001),
            row(&["step", "layer.0", "norm"], "norm", 1, 0.5),
            row(&["step", "layer.1"], "gemm", 4, 0.1),
            row(&["step", "layer.1", "norm"], "norm", 3, 0.2),
        ];
        of_rows(&rows).reports.remove(0)
    }

    fn changed(report: &mut ScopeReport, at: usize, change: impl Fn(&mut Region)) {
        change(&mut report.regions[at]);
    }

    fn shown(kernels: &[DirectKernel<'_>]) -> Vec<(String, u64, Option<f64>)> {
        let ns = |ms: f64| (ms * 1e6).round();
        kernels.iter().map(|one| (one.name.to_owned(), one.calls, one.total_ms.map(ns))).collect()
    }

    fn own(name: &str, calls: u64, ns: f64) -> (String, u64, Option<f64>) {
        (name.to_owned(), calls, Some(ns))
    }

    #[test]
    fn what_is_inside_is_taken_away_by_kernel() {
        let report = report();
        let direct = direct_kernels(&report);
        let names: Vec<&str> =
            report.regions.iter().map(|one| one.path.last().unwrap().as_str()).collect();
        assert_eq!(names, ["step", "layer.0", "norm", "layer.1", "norm"]);
        assert_eq!(
            shown(direct[0].as_ref().unwrap()),
            [own("gemm", 2, 1_500_000.0), own("copy", 1, 250_000.0)]
        );
        assert_eq!(shown(direct[1].as_ref().unwrap()), [own("gemm", 4, 2_000_001.0)]);
        assert_eq!(shown(direct[2].as_ref().unwrap()), [own("norm", 1, 500_000.0)]);
        let members = direct_in_members(&direct, &[1, 3]).unwrap();
        assert_eq!(shown(&members), [own("gemm", 8, 2_100_001.0)]);
        assert_eq!(direct_in_members(&direct, &[1, 99]), None);
    }

    #[test]
    fn nothing_is_said_where_the_numbers_do_not_agree() {
        let mut whole_ranges = report();
        whole_ranges.basis = Basis::Range;
        assert!(direct_kernels(&whole_ranges).iter().all(Option::is_none));
        let mut left_out = report();
        left_out.regions.remove(1);
        rangescope_testing::documents::place(&mut left_out.regions);
        let direct = direct_kernels(&left_out);
        assert_eq!(direct[0], None, "the launches of layer.0 are not the step's");
        assert!(direct[1].is_some());
        let mut more_inside = report();
        changed(&mut more_inside, 2, |region| region.set.kernels[0].calls = 7);
        assert_eq!(direct_kernels(&more_inside)[1], None);
        let mut a_stranger = report();
        changed(&mut a_stranger, 2, |region| {
            region.set.kernels[0].kernel_name = "other".to_owned();
        });
        assert_eq!(direct_kernels(&a_stranger)[1], None);
    }

    #[test]
    fn a_time_that_was_not_measured_is_not_zero() {
        let mut report = report();
        changed(&mut report, 0, |region| {
            region.set.timed_count = region.set.kernel_count - 2;
            let gemm = region.set.kernels.iter_mut().find(|one| one.kernel_name == "gemm").unwrap();
            gemm.total_ms = gemm.total_ms.map(|ms| ms - 1.5);
        });
        let direct = direct_kernels(&report);
        let found = shown(direct[0].as_ref().unwrap());
        assert_eq!(found, [own("copy", 1, 250_000.0), ("gemm".to_owned(), 2, None)]);
    }
}
