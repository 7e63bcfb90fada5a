//! What kernels leave behind: amounts that add up, from which every counter is made.
//!
//! Counters are linear in these amounts, so that the counters of a range are exactly the sums of its kernels' and ratios are ratios of sums.

/// Amounts of one kernel or of several. Amounts without a unit in their name are counts over the whole device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Activity {
    /// Time on the device in nanoseconds.
    pub duration_ns: f64,
    /// Elapsed cycles of one SM; the L2 cache has the same clock.
    pub sm_cycles: f64,
    /// Cycles in which an SM had work, on average.
    pub sm_active_cycles: f64,
    /// Elapsed cycles of the DRAM.
    pub dram_cycles: f64,
    /// Bytes read from DRAM.
    pub dram_read: f64,
    /// Bytes written to DRAM.
    pub dram_written: f64,
    /// Sectors that the L2 cache was asked for.
    pub l2_read: f64,
    /// Sectors that were written to the L2 cache.
    pub l2_written: f64,
    /// Sectors that were found in the L2 cache.
    pub l2_hits: f64,
    /// Sectors that the L1 cache was asked for.
    pub l1_loads: f64,
    /// Sectors that were written through the L1 cache.
    pub l1_stores: f64,
    /// Sectors that were found in the L1 cache.
    pub l1_hits: f64,
    /// Load instructions of warps.
    pub loads: f64,
    /// Store instructions of warps.
    pub stores: f64,
    /// Fused multiply-adds of threads in single precision.
    pub fma32: f64,
    /// In half precision.
    pub fma16: f64,
    /// In double precision.
    pub fma64: f64,
    /// Instructions of the tensor pipe.
    pub tensor: f64,
    /// Cycles of the tensor pipes of all SMs.
    pub tensor_cycles: f64,
    /// Integer instructions of warps.
    pub integer: f64,
    /// Branches and barriers of warps.
    pub control: f64,
    /// All instructions of warps.
    pub instructions: f64,
    /// Cycles of all warps while they were on an SM.
    pub warp_cycles: f64,
    /// Those of them in which a warp waited for memory.
    pub memory_stall: f64,
    /// Warps.
    pub warps: f64,
    /// Blocks.
    pub blocks: f64,
    /// Threads.
    pub threads: f64,
}

impl Activity {
    /// Adds what another kernel left.
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
