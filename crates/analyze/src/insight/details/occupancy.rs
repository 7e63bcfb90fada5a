//! How full the multiprocessors were, and what kept more blocks away.

use super::model::{BlockLimit, Occupancy};
use super::reading::{one, property};
use crate::insight::measured::Metrics;

pub(crate) const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";
pub(crate) const POSSIBLE: &str = "sm__maximum_warps_per_active_cycle_pct";
pub(crate) const WAVES: &str = "launch__waves_per_multiprocessor";

/// What limits the blocks of an SM, with words for it.
const LIMITS: [(&str, &str); 5] = [
    ("launch__occupancy_limit_registers", "registers"),
    ("launch__occupancy_limit_shared_mem", "shared memory"),
    ("launch__occupancy_limit_warps", "warps per block"),
    ("launch__occupancy_limit_blocks", "blocks per SM"),
    ("launch__occupancy_limit_barriers", "barriers"),
];

/// The occupancy that these metrics state, if they state anything of it.
pub fn occupancy(metrics: &Metrics) -> Option<Occupancy> {
    let block_limits = block_limits(metrics);
    let fewest = block_limits.first().map(|limit| limit.blocks.least);
    let found = Occupancy {
        achieved: one(metrics, ACHIEVED),
        possible: property(metrics, POSSIBLE),
        waves: property(metrics, WAVES),
        limited_by: block_limits
            .iter()
            .take_while(|limit| Some(limit.blocks.least) <= fewest)
            .map(|limit| limit.resource.clone())
            .collect(),
        block_limits,
    };
    (found != Occupancy::default()).then_some(found)
}

/// The tightest first.
fn block_limits(metrics: &Metrics) -> Vec<BlockLimit> {
    let mut limits: Vec<BlockLimit> = LIMITS
        .iter()
        .filter_map(|(metric, resource)| {
            let blocks = property(metrics, metric).filter(|blocks| blocks.least >= 0.0)?;
            Some(BlockLimit {
                resource: (*resource).to_owned(),
                metric: (*metric).to_owned(),
                blocks,
            })
        })
        .collect();
    limits.sort_by(|left, right| left.blocks.least.total_cmp(&right.blocks.least));
    limits
}
