//! The number of blocks of a kernel that an SM holds at once, and the resource that limits it.

use crate::machine::{Machine, Work, product};

/// The unit in which threads get registers.
const REGISTER_UNIT: f64 = 8.0;
/// The unit in which blocks get shared memory, in bytes.
const SHARED_UNIT: f64 = 128.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Occupancy {
    pub warps_per_block: f64,
    /// The blocks that an SM could hold if this resource alone counted; likewise below.
    pub limit_blocks: f64,
    pub limit_warps: f64,
    pub limit_registers: f64,
    pub limit_shared: f64,
    pub blocks_per_sm: f64,
    /// The most warps that an SM holds.
    pub theoretical_warps: f64,
    /// Warps that it holds on average while it has work.
    pub achieved_warps: f64,
    /// Times that all SMs are filled with blocks.
    pub waves: f64,
    /// Per thread, rounded up to what is given out.
    pub registers_allocated: f64,
    /// Bytes per block, rounded up to what is given out.
    pub shared_allocated: f64,
}

impl Occupancy {
    /// The scarcest resource in words.
    pub(crate) fn limiter(&self) -> &'static str {
        let limits = [
            (self.limit_warps, "the number of warps"),
            (self.limit_registers, "the number of required registers"),
            (self.limit_shared, "the required amount of shared memory"),
            (self.limit_blocks, "the number of blocks"),
        ];
        let mut scarcest = limits[0];
        for limit in limits {
            if limit.0 < scarcest.0 {
                scarcest = limit;
            }
        }
        scarcest.1
    }
}

pub(crate) fn occupancy(machine: &Machine, work: &Work) -> Occupancy {
    let blocks = product(work.grid);
    let threads = product(work.block).max(1.0);
    let warps_per_block = (threads / 32.0).ceil().max(1.0);
    let registers_allocated = (work.registers.max(1) as f64 / REGISTER_UNIT).ceil() * REGISTER_UNIT;
    let shared_allocated =
        (work.shared as f64 / SHARED_UNIT).ceil() * SHARED_UNIT + machine.shared_reserved;
    let limit_warps = (machine.warps_per_sm / warps_per_block).floor();
    let limit_registers =
        (machine.registers_per_sm / (warps_per_block * 32.0 * registers_allocated)).floor();
    let limit_shared = (machine.shared_per_sm / shared_allocated).floor();
    // A launch that does not fit would fail on a real device; here it takes an SM for itself.
    let blocks_per_sm =
        limit_warps.min(limit_registers).min(limit_shared).min(machine.blocks_per_sm).max(1.0);
    let theoretical_warps = (blocks_per_sm * warps_per_block).min(machine.warps_per_sm);
    let achieved_warps = theoretical_warps.min(blocks / machine.sms * warps_per_block).max(1.0);
    Occupancy {
        warps_per_block,
        limit_blocks: machine.blocks_per_sm,
        limit_warps,
        limit_registers,
        limit_shared,
        blocks_per_sm,
        theoretical_warps,
        achieved_warps,
        waves: blocks / (blocks_per_sm * machine.sms),
        registers_allocated,
        shared_allocated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::DEFAULT;

    fn of(threads: u64, registers: u64, shared: u64) -> Occupancy {
        let work = Work {
            grid: [1000, 1, 1],
            block: [threads, 1, 1],
            registers,
            shared,
            ..Work::default()
        };
        occupancy(&DEFAULT, &work)
    }

    #[test]
    fn each_resource_can_be_the_scarcest() {
        assert_eq!(of(512, 32, 0).limiter(), "the number of warps");
        assert_eq!(of(256, 128, 0).limiter(), "the number of required registers");
        assert_eq!(of(128, 32, 50_000).limiter(), "the required amount of shared memory");
        assert_eq!(of(32, 16, 0).limiter(), "the number of blocks");
        assert!((of(256, 128, 0).theoretical_warps - 16.0).abs() < 1e-9);
    }
}
