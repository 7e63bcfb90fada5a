//! The machine model: from what a kernel does to how long it takes and which counters it leaves.
//!
//! The time of a kernel is a floor for any launch plus the longest of its arithmetic, its DRAM traffic, its L2 traffic and its instructions, stretched by the
//! idle part of its last wave. Everything else follows from that time, so that what holds between real counters (hit rate = hits ÷ look-ups,
//! throughput = bytes ÷ time) holds here exactly. The result is an [`Activity`], which is additive: that of a range is the sum of those of its kernels.

use crate::activity::Activity;
use crate::occupancy::{Occupancy, occupancy};

/// A device as the model sees it. Amounts of memory are in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub name: &'static str,
    pub sms: f64,
    /// Clock in cycles per nanosecond; also that of the L2 cache.
    pub clock_ghz: f64,
    /// Floating-point operations per SM and cycle.
    pub flops_per_cycle: f64,
    /// DRAM bytes per nanosecond.
    pub dram_bytes_per_ns: f64,
    /// Clock of the DRAM in cycles per nanosecond.
    pub dram_clock_ghz: f64,
    pub dram_channels: f64,
    pub l2_slices: f64,
    /// Sectors of 32 bytes that an L2 slice serves per cycle.
    pub l2_sectors_per_cycle: f64,
    pub l2_bytes: f64,
    pub warps_per_sm: f64,
    pub blocks_per_sm: f64,
    pub registers_per_sm: f64,
    pub shared_per_sm: f64,
    /// Bytes of shared memory that every block needs besides its own.
    pub shared_reserved: f64,
    /// The least time that a launch takes.
    pub floor_ns: f64,
    /// Share of the peak that real code can reach.
    pub efficiency: f64,
}

/// The machine of all samples and simulations: about a mid-range desktop GPU, but no real one.
pub(crate) const DEFAULT: Machine = Machine {
    name: "rangescope simulated GPU",
    sms: 46.0,
    clock_ghz: 1.5,
    flops_per_cycle: 256.0,
    dram_bytes_per_ns: 448.0,
    dram_clock_ghz: 7.0,
    dram_channels: 4.0,
    l2_slices: 32.0,
    l2_sectors_per_cycle: 2.0,
    l2_bytes: 4_194_304.0,
    warps_per_sm: 48.0,
    blocks_per_sm: 32.0,
    registers_per_sm: 65_536.0,
    shared_per_sm: 102_400.0,
    shared_reserved: 1_024.0,
    floor_ns: 1_800.0,
    efficiency: 0.85,
};

/// Warp schedulers of an SM.
pub(crate) const SCHEDULERS: f64 = 4.0;
/// Bytes of a sector, the unit of all caches.
pub(crate) const SECTOR: f64 = 32.0;
/// Operations of one instruction of the tensor pipe.
pub(crate) const TENSOR_FLOPS: f64 = 512.0;
/// Share of look-ups in the L1 cache that hit. The model knows nothing of access patterns.
const L1_HIT_RATE: f64 = 0.25;
/// Sectors of one request of a warp whose threads read neighbouring words.
const SECTORS_PER_REQUEST: f64 = 4.0;

/// Cycles per instruction in which a warp issues, or is ready while another one issues.
pub(crate) const STALL_FREE: f64 = 1.3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Precision {
    Fp64,
    #[default]
    Fp32,
    Tf32,
    Fp16,
    Bf16,
    Int8,
}

/// All of a kernel that its price depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    pub grid: [u64; 3],
    pub block: [u64; 3],
    /// Per thread.
    pub registers: u64,
    /// Bytes of shared memory per block.
    pub shared: u64,
    pub flops: f64,
    pub precision: Precision,
    pub tensor: bool,
    pub bytes_read: f64,
    pub bytes_written: f64,
    /// Share of look-ups in the L2 cache that hit, 0 to 1.
    pub l2_hit_rate: f64,
}

impl Default for Work {
    /// A kernel of which only the name is known.
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [32, 1, 1],
            registers: 32,
            shared: 0,
            flops: 0.0,
            precision: Precision::default(),
            tensor: false,
            bytes_read: 0.0,
            bytes_written: 0.0,
            l2_hit_rate: 0.5,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Price {
    pub activity: Activity,
    pub occupancy: Occupancy,
}

impl Machine {
    /// Operations per SM and cycle at the peak.
    pub(crate) fn peak_flops(&self, precision: Precision, tensor: bool) -> f64 {
        let relative = match (tensor, precision) {
            (false, Precision::Fp64) => 1.0 / 64.0,
            (false, _) => 1.0,
            (true, Precision::Fp64) => 1.0 / 32.0,
            (true, Precision::Fp32 | Precision::Tf32) => 2.0,
            (true, Precision::Fp16 | Precision::Bf16) => 4.0,
            (true, Precision::Int8) => 8.0,
        };
        self.flops_per_cycle * relative
    }

    /// Prices a kernel. `stretch` makes its work take that many times as long; 1 leaves the model as it is.
    pub(crate) fn price(&self, work: &Work, stretch: f64) -> Price {
        let occupancy = occupancy(self, work);
        let blocks = product(work.grid);
        let threads = product(work.block);
        let warps_per_block = occupancy.warps_per_block;

        // Memory moves whole sectors.
        let read = (work.bytes_read / SECTOR).ceil() * SECTOR;
        let written = (work.bytes_written / SECTOR).ceil() * SECTOR;
        let misses = 1.0 - work.l2_hit_rate.clamp(0.0, 0.95);
        let l2_read = (read / SECTOR / misses).round();
        let l2_written = (written / SECTOR / misses).round();
        let l2_hits = ((l2_read + l2_written) * (1.0 - misses)).round();
        let l1_loads = (l2_read / (1.0 - L1_HIT_RATE)).round();

        let peak_flops = self.peak_flops(work.precision, work.tensor);
        let flops = work.flops.round();
        // Every operation is half of a fused multiply-add, of a thread or of the tensor cores.
        let fma_threads = if work.tensor { 0.0 } else { (flops / 2.0).round() };
        let tensor_instructions = if work.tensor { (flops / TENSOR_FLOPS).ceil() } else { 0.0 };
        let loads = (l1_loads / SECTORS_PER_REQUEST).ceil();
        let stores = (l2_written / SECTORS_PER_REQUEST).ceil();
        // A kernel with shared memory puts there what it loads, and reads it twice.
        let shared_stores = if work.shared > 0 { loads } else { 0.0 };
        let shared_loads = 2.0 * shared_stores;
        let warps = blocks * warps_per_block;
        let fma_warps = (fma_threads / 32.0).ceil();
        // Addresses, loops, and the few instructions with which any warp begins and ends.
        let integer =
            loads + stores + (0.05 * (fma_warps + tensor_instructions)).ceil() + 8.0 * warps;
        let control = 2.0 * warps;
        let instructions = fma_warps
            + tensor_instructions
            + loads
            + stores
            + shared_loads
            + shared_stores
            + integer
            + control;

        let compute_ns = flops / (self.sms * peak_flops * self.clock_ghz * self.efficiency);
        let memory_ns = (read + written) / (self.dram_bytes_per_ns * self.efficiency);
        let l2_peak = self.l2_slices * self.l2_sectors_per_cycle * self.clock_ghz;
        let l2_ns = (l2_read + l2_written) / (l2_peak * self.efficiency);
        let issue_ns = instructions / (self.sms * SCHEDULERS * self.clock_ghz);
        let longest = compute_ns.max(memory_ns).max(l2_ns).max(issue_ns);
        // A wave that is not full costs as much time as a full one.
        let waves = occupancy.waves;
        let tail = if waves > 0.0 { waves.ceil() / waves } else { 1.0 };
        let busy_ns = (longest * tail.min(4.0) * stretch).max(1.0);
        // Whole nanoseconds, as the hardware's timer gives them.
        let duration_ns = (self.floor_ns + busy_ns).round();
        let cycles = (duration_ns * self.clock_ghz).round();
        let active_cycles = (cycles * (busy_ns / duration_ns)).round().clamp(1.0, cycles);

        // While a warp issues it does not wait, and a third of the time another one is ready too.
        let warp_cycles = (occupancy.achieved_warps * active_cycles * self.sms)
            .round()
            .max(STALL_FREE * instructions);
        let traffic_ns = memory_ns.max(l2_ns);
        let memory_share = traffic_ns / (traffic_ns + compute_ns).max(1e-9);
        let fma = |precisions: &[Precision]| {
            if precisions.contains(&work.precision) { fma_threads } else { 0.0 }
        };

        let activity = Activity {
            duration_ns,
            sm_cycles: cycles,
            sm_active_cycles: active_cycles,
            dram_cycles: (duration_ns * self.dram_clock_ghz).round(),
            dram_read: read,
            dram_written: written,
            l2_read,
            l2_written,
            l2_hits,
            l2_read_hits: (l2_read * (1.0 - misses)).round().min(l2_hits),
            l1_loads,
            l1_stores: l2_written,
            l1_hits: l1_loads - l2_read,
            loads,
            stores,
            shared_loads,
            shared_stores,
            fma32: fma(&[Precision::Fp32, Precision::Tf32, Precision::Int8]),
            fma16: fma(&[Precision::Fp16, Precision::Bf16]),
            fma64: fma(&[Precision::Fp64]),
            tensor: tensor_instructions,
            tensor_cycles: if work.tensor { flops / peak_flops } else { 0.0 },
            integer,
            control,
            instructions,
            warp_cycles,
            memory_stall: (memory_share * (warp_cycles - STALL_FREE * instructions)).round(),
            warps,
            blocks,
            threads: blocks * threads,
        };
        Price { activity, occupancy }
    }
}

pub(crate) fn product(xyz: [u64; 3]) -> f64 {
    xyz.iter().map(|&n| n as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::number;

    fn work(flops: f64, bytes: f64) -> Work {
        Work { grid: [460, 1, 1], block: [256, 1, 1], flops, bytes_read: bytes, ..Work::default() }
    }

    fn pct(price: &Price, name: &str) -> f64 {
        let name = format!("{name}.avg.pct_of_peak_sustained_elapsed");
        number(&name, &price.activity, &DEFAULT).unwrap()
    }

    #[test]
    fn the_scarcer_resource_decides_the_time() {
        let compute = DEFAULT.price(&work(1e11, 1e6), 1.0);
        let memory = DEFAULT.price(&work(1e6, 1e9), 1.0);
        assert!(pct(&compute, "sm__throughput") > 40.0 && pct(&compute, "dram__throughput") < 1.0);
        assert!(pct(&memory, "dram__throughput") > 40.0 && pct(&memory, "sm__throughput") < 1.0);
    }

    #[test]
    fn tensor_cores_are_faster_and_double_precision_is_slower() {
        let time = |precision, tensor| {
            let work = Work { precision, tensor, ..work(1e11, 1e3) };
            DEFAULT.price(&work, 1.0).activity.duration_ns
        };
        assert!(time(Precision::Fp16, true) < 0.3 * time(Precision::Fp16, false));
        assert!(time(Precision::Fp64, false) > 50.0 * time(Precision::Fp32, false));
    }
}
