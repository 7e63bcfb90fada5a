//! The machine model: from what a kernel does to how long it takes and which counters it leaves.
//!
//! The time of a kernel is the longest of its arithmetic, its memory traffic and a floor for any launch, stretched by the idle part of its last wave. All counters follow from that time, so that they are consistent with each other: what holds between real counters (hit rate = hits ÷ look-ups, throughput = bytes ÷ time) holds here exactly.

/// A device as the model sees it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Name.
    pub name: &'static str,
    /// Streaming multiprocessors.
    pub sms: f64,
    /// Clock in cycles per nanosecond.
    pub clock_ghz: f64,
    /// Floating-point operations per SM and cycle.
    pub flops_per_cycle: f64,
    /// DRAM bytes per nanosecond.
    pub dram_bytes_per_ns: f64,
    /// Warps that an SM holds.
    pub warps_per_sm: f64,
    /// Registers that an SM holds.
    pub registers_per_sm: f64,
    /// Time that any launch takes at least, in nanoseconds.
    pub floor_ns: f64,
    /// Share of the peak that real code can reach.
    pub efficiency: f64,
}

/// The machine that samples and simulations run on: the size of a middle-class desktop GPU, of no real make.
pub const DEFAULT: Machine = Machine {
    name: "rangescope simulated GPU",
    sms: 46.0,
    clock_ghz: 1.5,
    flops_per_cycle: 256.0,
    dram_bytes_per_ns: 448.0,
    warps_per_sm: 48.0,
    registers_per_sm: 65_536.0,
    floor_ns: 1_800.0,
    efficiency: 0.85,
};

/// What a kernel does.
#[derive(Clone, Debug)]
pub struct Work {
    /// Blocks.
    pub grid: [u64; 3],
    /// Threads a block.
    pub block: [u64; 3],
    /// Registers a thread.
    pub registers: u64,
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes read from memory.
    pub bytes_read: f64,
    /// Bytes written to memory.
    pub bytes_written: f64,
    /// Share of look-ups in the L2 cache that hit, 0 to 1.
    pub l2_hit_rate: f64,
}

/// What the model says of a kernel.
#[derive(Clone, Debug)]
pub struct Price {
    /// Duration in nanoseconds.
    pub duration_ns: f64,
    /// Elapsed cycles of one SM.
    pub cycles: f64,
    /// Cycles in which an SM had work, on average.
    pub active_cycles: f64,
    /// SM throughput in per cent of the peak.
    pub sm_pct: f64,
    /// DRAM throughput in per cent of the peak.
    pub dram_pct: f64,
    /// Warps active on an SM while it had work, on average.
    pub warps_active: f64,
    /// Blocks that fit on an SM at once.
    pub blocks_per_sm: f64,
    /// Waves of blocks.
    pub waves: f64,
}

impl Machine {
    /// Prices a kernel.
    pub fn price(&self, work: &Work) -> Price {
        let blocks = product(work.grid);
        let threads = product(work.block);
        let warps_per_block = (threads / 32.0).ceil().max(1.0);
        let by_warps = (self.warps_per_sm / warps_per_block).floor();
        let by_registers =
            (self.registers_per_sm / (threads.max(1.0) * work.registers.max(1) as f64)).floor();
        let blocks_per_sm = by_warps.min(by_registers).clamp(1.0, 32.0);
        let waves = blocks / (blocks_per_sm * self.sms);
        // A wave that is not full costs as much time as a full one.
        let tail = if waves > 0.0 { waves.ceil() / waves } else { 1.0 };
        let compute_ns =
            work.flops / (self.sms * self.flops_per_cycle * self.clock_ghz * self.efficiency);
        let memory_ns =
            (work.bytes_read + work.bytes_written) / (self.dram_bytes_per_ns * self.efficiency);
        let busy_ns = (compute_ns.max(memory_ns) * tail.min(4.0)).max(1.0);
        // Whole nanoseconds, as the hardware's timer gives them.
        let duration_ns = (self.floor_ns + busy_ns).round();
        let cycles = (duration_ns * self.clock_ghz).round();
        let active_cycles = (cycles * (busy_ns / duration_ns)).round().max(1.0);
        let peak_flops = self.sms * self.flops_per_cycle * self.clock_ghz * duration_ns;
        let occupancy = (blocks_per_sm * warps_per_block)
            .min(blocks / self.sms * warps_per_block)
            .min(self.warps_per_sm);
        Price {
            duration_ns,
            cycles,
            active_cycles,
            sm_pct: 100.0 * work.flops / peak_flops,
            dram_pct: 100.0 * (work.bytes_read + work.bytes_written)
                / (self.dram_bytes_per_ns * duration_ns),
            warps_active: occupancy.max(1.0),
            blocks_per_sm,
            waves,
        }
    }
}

fn product(xyz: [u64; 3]) -> f64 {
    xyz.iter().map(|&n| n as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(flops: f64, bytes: f64) -> Work {
        Work {
            grid: [460, 1, 1],
            block: [256, 1, 1],
            registers: 32,
            flops,
            bytes_read: bytes,
            bytes_written: 0.0,
            l2_hit_rate: 0.5,
        }
    }

    #[test]
    fn no_kernel_exceeds_a_peak() {
        for (flops, bytes) in [(1e12, 1e3), (1e3, 1e10), (0.0, 0.0)] {
            let price = DEFAULT.price(&work(flops, bytes));
            assert!(price.sm_pct <= 100.0 && price.dram_pct <= 100.0, "{price:?}");
            assert!(price.active_cycles <= price.cycles, "{price:?}");
        }
    }

    #[test]
    fn the_scarcer_resource_decides_the_time() {
        let compute = DEFAULT.price(&work(1e11, 1e6));
        let memory = DEFAULT.price(&work(1e6, 1e9));
        assert!(compute.sm_pct > 40.0 && compute.dram_pct < 1.0, "{compute:?}");
        assert!(memory.dram_pct > 40.0 && memory.sm_pct < 1.0, "{memory:?}");
    }
}
