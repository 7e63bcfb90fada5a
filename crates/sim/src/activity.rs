//! The traces that kernels leave: amounts that add up, from which every counter is made.
//!
//! Counters are linear in these amounts, so that the counters of a range are exactly the sums of its kernels' and ratios are ratios of sums.

/// Amounts of one kernel or of several, over the whole device unless said otherwise. DRAM traffic is in bytes, that of caches in sectors; instructions are those of
/// warps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Activity {
    pub duration_ns: f64,
    /// Elapsed cycles of one SM; the L2 cache has the same clock.
    pub sm_cycles: f64,
    /// Cycles in which an SM had work, on average.
    pub sm_active_cycles: f64,
    pub dram_cycles: f64,
    pub dram_read: f64,
    pub dram_written: f64,
    pub l2_read: f64,
    pub l2_written: f64,
    pub l2_hits: f64,
    pub l1_loads: f64,
    pub l1_stores: f64,
    pub l1_hits: f64,
    pub loads: f64,
    pub stores: f64,
    /// Fused multiply-adds of threads, by precision.
    pub fma32: f64,
    pub fma16: f64,
    pub fma64: f64,
    pub tensor: f64,
    /// Cycles in which the tensor pipes were busy.
    pub tensor_cycles: f64,
    pub integer: f64,
    /// Branches and barriers.
    pub control: f64,
    pub instructions: f64,
    /// Cycles that warps spent on an SM.
    pub warp_cycles: f64,
    /// Those in which a warp waited for memory.
    pub memory_stall: f64,
    pub warps: f64,
    pub blocks: f64,
    pub threads: f64,
}

impl Activity {
    pub(crate) fn add(&mut self, other: &Self) {
        self.duration_ns += other.duration_ns;
        self.sm_cycles += other.sm_cycles;
        self.sm_active_cycles += other.sm_active_cycles;
        self.dram_cycles += other.dram_cycles;
        self.dram_read += other.dram_read;
        self.dram_written += other.dram_written;
        self.l2_read += other.l2_read;
        self.l2_written += other.l2_written;
        self.l2_hits += other.l2_hits;
        self.l1_loads += other.l1_loads;
        self.l1_stores += other.l1_stores;
        self.l1_hits += other.l1_hits;
        self.loads += other.loads;
        self.stores += other.stores;
        self.fma32 += other.fma32;
        self.fma16 += other.fma16;
        self.fma64 += other.fma64;
        self.tensor += other.tensor;
        self.tensor_cycles += other.tensor_cycles;
        self.integer += other.integer;
        self.control += other.control;
        self.instructions += other.instructions;
        self.warp_cycles += other.warp_cycles;
        self.memory_stall += other.memory_stall;
        self.warps += other.warps;
        self.blocks += other.blocks;
        self.threads += other.threads;
    }
}
