//! Runs that are one measurement: a path that is given twice, a copied file, a device that is simulated. They say nothing about how much runs differ.
//!
//! What tells is what was measured, not what a file is called. Two runs are one where every time of every row is the same to the last digit, unless the
//! reports state that they were captured at other moments: with few launches and a timer of long steps real runs may come out alike. Where a moment is not
//! stated, the counters have to be the same too. On a simulated device equal work takes equal times at any moment, and is one measurement all the same.

use rangescope_model::document::{KernelSummary, RegionDocument, ResultSet, Scalar, ScopeReport};

/// Positions of the runs of a side, each once.
pub(crate) fn distinct_runs(documents: &[RegionDocument]) -> Vec<usize> {
    let mut distinct: Vec<usize> = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        let mut known = distinct.iter().filter_map(|known| documents.get(*known));
        if !known.any(|known| is_one_measurement(known, document)) {
            distinct.push(at);
        }
    }
    distinct
}

/// How many runs of the base are also on the new side.
pub(crate) fn on_both_sides(base: &[RegionDocument], new: &[RegionDocument]) -> usize {
    let is_in_new = |run: &&RegionDocument| new.iter().any(|other| is_copy(run, other));
    base.iter().filter(is_in_new).count()
}

fn is_one_measurement(left: &RegionDocument, right: &RegionDocument) -> bool {
    (left.simulated && right.simulated && have_equal_times(left, right)) || is_copy(left, right)
}

fn is_copy(left: &RegionDocument, right: &RegionDocument) -> bool {
    let is_same_place = || {
        let places = |run: &RegionDocument| -> Vec<_> {
            run.reports.iter().map(|report| (report.scope.rank, report.scope.process_id)).collect()
        };
        places(left) == places(right)
    };
    let is_same_moment = || match (&left.generated_at, &right.generated_at) {
        (Some(left), Some(right)) => left == right,
        _ => have_equal_counters(left, right),
    };
    have_equal_times(left, right) && is_same_place() && is_same_moment()
}

fn have_equal_times(left: &RegionDocument, right: &RegionDocument) -> bool {
    left.reports.len() == right.reports.len() && times(left).eq(times(right))
}

/// Every time of every row in its order, as bits, so that what is no number equals itself.
fn times(document: &RegionDocument) -> impl Iterator<Item = Option<u64>> {
    let times = document.reports.iter().flat_map(|report| {
        let regions = report.regions.iter().flat_map(|region| {
            [region.set.total_ms, region.exclusive_ms]
                .into_iter()
                .chain(of_kernels(&region.set.kernels))
        });
        of_totals(&report.totals).chain(of_totals(&report.unlabeled)).chain(regions)
    });
    times.map(|time| time.map(f64::to_bits))
}

fn of_totals(totals: &ResultSet) -> impl Iterator<Item = Option<f64>> {
    std::iter::once(totals.total_ms).chain(of_kernels(&totals.kernels))
}

fn of_kernels(kernels: &[KernelSummary]) -> impl Iterator<Item = Option<f64>> {
    kernels.iter().flat_map(|kernel| {
        let shapes = kernel.launch_shapes.iter().map(|shape| shape.total_ms);
        shapes.chain([kernel.total_ms])
    })
}

fn have_equal_counters(left: &RegionDocument, right: &RegionDocument) -> bool {
    let reports = || left.reports.iter().zip(&right.reports);
    reports().all(|(left, right)| counters(left).eq(counters(right)))
}

/// The value of every metric of everything selected, likewise.
fn counters(report: &ScopeReport) -> impl Iterator<Item = (&String, Option<u64>)> {
    report.totals.metrics.iter().map(|(name, metric)| {
        let number = metric.value.as_ref().and_then(Scalar::number);
        (name, number.map(f64::to_bits))
    })
}
