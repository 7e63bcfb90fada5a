//! The traces that kernels leave: amounts that add up, from which every counter is made.
//!
//! Counters are linear in these amounts, so that the counters of a range are exactly the sums of its kernels' and ratios are ratios of sums.

macro_rules! amounts {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Amounts of one kernel or of several, over the whole device unless said otherwise. DRAM traffic is in bytes, that of caches in sectors; instructions are
        /// those of warps.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Activity {
            $($(#[$doc])* pub $name: f64,)*
        }

        impl Activity {
            pub(crate) fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

amounts! {
    duration_ns,
    /// Elapsed cycles of one SM; the L2 cache has the same clock.
    sm_cycles,
    /// Cycles in which an SM had work, on average.
    sm_active_cycles,
    dram_cycles,
    dram_read,
    dram_written,
    l2_read,
    l2_written,
    l2_hits,
    /// Those of reads.
    l2_read_hits,
    l1_loads,
    l1_stores,
    l1_hits,
    loads,
    stores,
    /// Loads from and stores to shared memory.
    shared_loads,
    shared_stores,
    /// Fused multiply-adds of threads, by precision.
    fma32,
    fma16,
    fma64,
    tensor,
    /// Cycles in which the tensor pipes were busy.
    tensor_cycles,
    integer,
    /// Branches and barriers.
    control,
    instructions,
    /// Cycles that warps spent on an SM.
    warp_cycles,
    /// Those in which a warp waited for memory.
    memory_stall,
    warps,
    blocks,
    threads,
}
