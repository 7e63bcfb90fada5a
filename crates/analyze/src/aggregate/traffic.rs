//! How much of a launch's time traffic of one kind can cost: the time in which its unit is busy with it.
//!
//! ncu's estimates about the way memory is accessed take all the time of a unit for one kind of its traffic. Stores that are 2 % of what L1 moves are then said to
//! cost a third of the run; the counters tell what they can cost at most.

use crate::aggregate::limit::LimitPlan;
use crate::aggregate::tally::plan::ResultValues;
use rangescope_model::launch::Vocabulary;
use rustc_hash::FxHashMap;

/// Metrics of which the first alternative that a launch has counts; several of one alternative are added.
#[derive(Debug, Default)]
pub(crate) struct Quantity(Vec<Vec<usize>>);

impl Quantity {
    pub(crate) fn of(&self, scratch: &ResultValues) -> Option<f64> {
        let sums = self.0.iter().map(|terms| terms.iter().map(|id| scratch.value(*id)).sum());
        sums.into_iter().find(|sum: &f64| sum.is_finite())
    }
}

/// Finds the metrics of quantities in the vocabulary of a run.
pub(crate) struct Binder<'v>(FxHashMap<&'v str, usize>);

impl<'v> Binder<'v> {
    pub(crate) fn new(vocabulary: &'v Vocabulary) -> Self {
        let names = vocabulary.metrics.iter().enumerate();
        Self(names.map(|(id, name)| (name.as_str(), id)).collect())
    }

    /// The alternatives of which the run has all metrics.
    pub(crate) fn quantity(&self, alternatives: &[&[&str]]) -> Quantity {
        let bound = |names: &&[&str]| -> Option<Vec<usize>> {
            names.iter().map(|name| self.0.get(name).copied()).collect()
        };
        Quantity(alternatives.iter().filter_map(bound).collect())
    }
}

const GLOBAL_LOADS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const GLOBAL_STORES: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const LOCAL_LOADS: &str = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
const LOCAL_STORES: &str = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";

/// The metrics that tell what traffic costs, bound to the vocabulary of a run.
#[derive(Debug, Default)]
pub(crate) struct TrafficPlan {
    /// Sectors that L1 moves: all, and those of one kind.
    l1: Quantity,
    global_loads: Quantity,
    global_stores: Quantity,
    local_loads: Quantity,
    local_stores: Quantity,
    local: Quantity,
    l1_busy: Quantity,
    l1_active: Quantity,
    /// The same of L2.
    l2: Quantity,
    l2_reads: Quantity,
    l2_writes: Quantity,
    l2_busy: Quantity,
    /// How busy shared memory keeps the data stage of L1 over the whole duration, in per cent.
    shared: Quantity,
    shared_loads: Quantity,
    shared_stores: Quantity,
    /// Sectors of global memory: what instructions ask for, and what an ideal pattern would.
    asked: Quantity,
    ideal: Quantity,
}

impl TrafficPlan {
    pub(crate) fn new(names: &Binder<'_>) -> Self {
        let one = |name: &str| names.quantity(&[&[name]]);
        Self {
            // Atomics and textures are missing in the second, which makes the part of a kind too large rather than too small.
            l1: names.quantity(&[
                &["l1tex__t_sectors.sum"],
                &[GLOBAL_LOADS, GLOBAL_STORES, LOCAL_LOADS, LOCAL_STORES],
            ]),
            global_loads: one(GLOBAL_LOADS),
            global_stores: one(GLOBAL_STORES),
            local_loads: one(LOCAL_LOADS),
            local_stores: one(LOCAL_STORES),
            local: names.quantity(&[&[LOCAL_LOADS, LOCAL_STORES]]),
            l1_busy: one("l1tex__throughput.avg.pct_of_peak_sustained_elapsed"),
            l1_active: one("l1tex__throughput.avg.pct_of_peak_sustained_active"),
            l2: one("lts__t_sectors.sum"),
            l2_reads: names.quantity(&[
                &["lts__t_sectors_srcunit_tex_op_read.sum"],
                &["lts__t_sectors_op_read.sum"],
            ]),
            l2_writes: names.quantity(&[
                &["lts__t_sectors_srcunit_tex_op_write.sum"],
                &["lts__t_sectors_op_write.sum"],
            ]),
            l2_busy: names.quantity(&[
                &["lts__t_sectors.avg.pct_of_peak_sustained_elapsed"],
                &["lts__throughput.avg.pct_of_peak_sustained_elapsed"],
            ]),
            shared: one(
                "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
            ),
            shared_loads: one(
                "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.pct_of_peak_sustained_elapsed",
            ),
            shared_stores: one(
                "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum.pct_of_peak_sustained_elapsed",
            ),
            asked: one("memory_l2_theoretical_sectors_global"),
            ideal: one("memory_l2_theoretical_sectors_global_ideal"),
        }
    }

    /// The part of the launch's time, 0 to 1, that what this outcome speaks of can cost at most; nothing where that was not counted.
    pub(crate) fn most(
        &self,
        outcome: &str,
        limits: &LimitPlan,
        scratch: &ResultValues,
    ) -> Option<f64> {
        let pct =
            |quantity: &Quantity| Some(of_active(quantity.of(scratch)?, limits, scratch) / 100.0);
        let l1 = |kind: &Quantity| self.of_l1(kind, limits, scratch);
        let l2 = |kind: &Quantity| self.of_l2(kind.of(scratch)?, scratch);
        let most = match outcome {
            "excess-sectors-l1-load" => l1(&self.global_loads),
            "excess-sectors-l1-store" => l1(&self.global_stores),
            "local-loads-l1" => l1(&self.local_loads),
            "local-stores-l1" => l1(&self.local_stores),
            "excess-sectors-l2-load" | "local-loads-l2" | "partial-lines-l2-load" => {
                l2(&self.l2_reads)
            }
            "excess-sectors-l2-store" | "local-stores-l2" | "partial-lines-l2-store" => {
                l2(&self.l2_writes)
            }
            "uncoalesced-global" | "uncoalesced-global-line" => self.excess(limits, scratch),
            "bank-conflicts-load" => pct(&self.shared_loads),
            "bank-conflicts-store" => pct(&self.shared_stores),
            "uncoalesced-shared" | "uncoalesced-shared-line" => pct(&self.shared),
            _ => None,
        };
        most.map(|most| most.clamp(0.0, 1.0))
    }

    /// The part of the launch's time in which L1 is busy with local memory.
    pub(crate) fn local(&self, limits: &LimitPlan, scratch: &ResultValues) -> Option<f64> {
        self.of_l1(&self.local, limits, scratch)
    }

    /// Sectors of global memory that are asked for, and how many of them an ideal pattern would not.
    pub(crate) fn excess_sectors(&self, scratch: &ResultValues) -> Option<(f64, f64)> {
        let (asked, ideal) = (self.asked.of(scratch)?, self.ideal.of(scratch)?);
        Some((asked, asked - ideal))
    }

    /// The part of the launch's time in which L2, or where that is more L1, is busy with those; nothing where the sectors of L2 were not counted.
    pub(crate) fn excess(&self, limits: &LimitPlan, scratch: &ResultValues) -> Option<f64> {
        let (_, excess) = self.excess_sectors(scratch)?;
        let l2 = self.of_l2(excess, scratch)?;
        Some(self.sectors_of_l1(excess, limits, scratch).map_or(l2, |l1| l1.max(l2)))
    }

    fn of_l2(&self, sectors: f64, scratch: &ResultValues) -> Option<f64> {
        busy_with(sectors, self.l2.of(scratch)?, self.l2_busy.of(scratch)?)
    }

    fn of_l1(&self, kind: &Quantity, limits: &LimitPlan, scratch: &ResultValues) -> Option<f64> {
        self.sectors_of_l1(kind.of(scratch)?, limits, scratch)
    }

    fn sectors_of_l1(
        &self,
        sectors: f64,
        limits: &LimitPlan,
        scratch: &ResultValues,
    ) -> Option<f64> {
        let over_all = || {
            let busy = self.l1_busy.of(scratch).or_else(|| limits.busiest_part("l1", scratch))?;
            Some(of_active(busy, limits, scratch))
        };
        let busy = self.l1_active.of(scratch).or_else(over_all)?;
        busy_with(sectors, self.l1.of(scratch)?, busy)
    }
}

/// How busy a unit of the multiprocessors is in per cent while they have work: where some never have any, the average over all of them says less than the time
/// that the work takes.
fn of_active(pct: f64, limits: &LimitPlan, scratch: &ResultValues) -> f64 {
    let active = limits.active_part(scratch).filter(|active| *active > 0.0);
    active.map_or(pct, |active| pct / active)
}

/// The part of the time, 0 to 1, that a unit which is busy to some per cent spends on a part of what it moves.
fn busy_with(part: f64, whole: f64, busy: f64) -> Option<f64> {
    let share = part / whole;
    share.is_finite().then(|| share.clamp(0.0, 1.0) * (busy / 100.0).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::{Binder, TrafficPlan};
    use crate::aggregate::limit::LimitPlan;
    use crate::aggregate::tally::plan::ResultValues;
    use rangescope_model::launch::{MetricId, Vocabulary};

    /// What an outcome can cost at most in a launch with these metrics.
    fn most(outcome: &str, metrics: &[(&str, f64)]) -> Option<f64> {
        let names = metrics.iter().map(|(name, _)| (*name).to_owned()).collect();
        let vocabulary = Vocabulary { metrics: names, ..Vocabulary::default() };
        let mut scratch = ResultValues::new(metrics.len());
        let numbers: Vec<_> =
            (0..).map(MetricId).zip(metrics.iter().map(|(_, number)| *number)).collect();
        scratch.load(&numbers, &[]);
        let plan = TrafficPlan::new(&Binder::new(&vocabulary));
        plan.most(outcome, &LimitPlan::new(&vocabulary), &scratch)
    }

    fn is_near(found: Option<f64>, expected: f64) {
        let found = found.unwrap_or(f64::NAN);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    /// Local stores fill L2, and the excess of global accesses is a small part of that.
    #[test]
    fn excess_is_weighed_against_all_that_a_cache_moves() {
        let asked = [
            ("memory_l2_theoretical_sectors_global", 3_000.0),
            ("memory_l2_theoretical_sectors_global_ideal", 1_000.0),
        ];
        let l2 = [
            ("lts__t_sectors.sum", 400_000.0),
            ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 12.0),
        ];
        let known = [asked[0], asked[1], l2[0], l2[1]];
        is_near(most("uncoalesced-global", &known), 0.005 * 0.12);
        assert_eq!(most("uncoalesced-global", &[asked[0], asked[1], l2[1]]), None);
    }

    #[test]
    fn stores_that_are_a_small_part_of_l1_cost_that_part() {
        let sectors = [
            ("l1tex__t_sectors.sum", 10_000.0),
            ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 200.0),
        ];
        let busy = ("l1tex__throughput.avg.pct_of_peak_sustained_active", 50.0);
        is_near(most("excess-sectors-l1-store", &[sectors[0], sectors[1], busy]), 0.01);
        assert_eq!(most("excess-sectors-l1-load", &[sectors[0], sectors[1], busy]), None);
        // Of a device of which half is idle, half as busy on average is as busy where there is work.
        let average = ("l1tex__throughput.avg.pct_of_peak_sustained_elapsed", 25.0);
        let cycles = [("sm__cycles_active.avg", 50.0), ("sm__cycles_elapsed.avg", 100.0)];
        let known = [sectors[0], sectors[1], average, cycles[0], cycles[1]];
        is_near(most("excess-sectors-l1-store", &known), 0.01);
    }

    #[test]
    fn conflicts_cost_no_more_than_shared_memory_takes() {
        let shared = (
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.pct_of_peak_sustained_elapsed",
            11.0,
        );
        is_near(most("bank-conflicts-load", &[shared]), 0.11);
        assert_eq!(most("bank-conflicts-store", &[shared]), None);
        assert_eq!(most("divergence", &[shared]), None);
    }
}
