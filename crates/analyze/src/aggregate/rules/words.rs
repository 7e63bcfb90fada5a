//! What a metric measures, put together from the parts of its name.
//!
//! The tables say what each part means, in our own words. A part that is in none of them is given back without a meaning: nothing is guessed.

use super::name::{MetricName, Rollup};

/// A part of a name as it stands there, and what it means if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamePart<'n> {
    pub part: &'n str,
    pub means: Option<&'static str>,
}

type Words = &'static [(&'static str, &'static str)];

const PREFIXES: Words = &[
    ("pmsampling", "a series of samples over the time of one result"),
    ("breakdown", "the list of the counters of which a throughput is the largest"),
    ("group", "a list of metrics that belong together"),
    ("regex", "a pattern that names metrics"),
];

const UNITS: Words = &[
    ("sm", "the multiprocessors (SM)"),
    ("smsp", "the partitions of each multiprocessor, each with a warp scheduler of its own"),
    ("tpc", "the groups of multiprocessors inside a GPC (TPC)"),
    ("gpc", "the large clusters of multiprocessors (GPC)"),
    ("gpu", "the whole GPU"),
    ("gr", "the engine of graphics and compute work"),
    ("l1tex", "the L1 and texture caches, one a multiprocessor"),
    ("tex", "the L1 and texture caches, as the first versions of ncu named them"),
    ("lts", "the slices of the L2 cache"),
    ("ltc", "the L2 cache, as the first versions of ncu named it"),
    ("lrc", "the unit before the L2 cache that joins requests"),
    ("dram", "the device memory"),
    ("dramc", "the controllers of the device memory"),
    ("fbpa", "the controllers between L2 and the device memory"),
    ("idc", "the cache of constants that instructions address by an index"),
    ("gcc", "the cache of constants and instructions of a cluster of multiprocessors"),
    ("pcie", "the link to the host (PCIe)"),
    ("nvlink", "the NVLink links"),
    ("nvlrx", "the receiving side of NVLink"),
    ("nvltx", "the sending side of NVLink"),
    ("c2clink", "the link between chips (C2C)"),
    ("ctc", "the link between chips (C2C)"),
    ("numa", "the NUMA nodes of the host"),
    ("launch", "not counted: a property of the launch"),
    ("device", "not counted: a property of the device"),
    ("profiler", "not counted: how the profiler worked"),
    ("derived", "worked out by ncu from other metrics"),
    ("sass", "counted by instrumenting the kernel's instructions"),
];

/// Parts of a counter. Those of several words come before their parts, because the longest that fits is taken.
const COUNTERS: Words = &[
    ("inst_executed", "instructions executed, counted once a warp"),
    ("thread_inst_executed", "instructions executed, counted once a thread"),
    ("inst_issued", "instructions issued, repetitions included"),
    ("inst_executed_op", "instructions executed, counted once a warp, of one kind"),
    ("thread_inst_executed_op", "instructions executed, counted once a thread, of one kind"),
    ("sass", "counted by instrumenting the kernel's instructions"),
    (
        "sass_inst_executed_op",
        "instructions executed, counted once a warp in the kernel's code, of one kind",
    ),
    (
        "sass_thread_inst_executed_op",
        "instructions executed, counted once a thread in the kernel's code, of one kind",
    ),
    ("pred_on", "only threads whose predicate was true"),
    ("pred_on_any", "at least one thread had a true predicate"),
    ("pred_off_all", "no thread had a true predicate"),
    ("issue_active", "cycles in which an instruction was issued"),
    ("cycles_active", "cycles in which the unit had work"),
    ("cycles_elapsed", "cycles that passed"),
    ("warps_active", "warps that were resident, summed over cycles"),
    ("warps_eligible", "warps that could have issued an instruction, summed over cycles"),
    ("warps_launched", "warps launched"),
    ("ctas_launched", "blocks launched"),
    ("threads_launched", "threads launched"),
    (
        "warps_issue_stalled",
        "resident warps that could not issue, summed over cycles, for the reason that follows",
    ),
    (
        "average_warps_issue_stalled",
        "warps that could not issue, on average, for the reason that follows",
    ),
    (
        "average_warp_latency_issue_stalled",
        "cycles that a warp spent waiting, on average, for the reason that follows",
    ),
    (
        "pcsamp_warps_issue_stalled",
        "samples of a warp that could not issue, for the reason that follows",
    ),
    ("pcsamp", "samples of the program counter"),
    ("per_issue_active", "for each issued instruction"),
    ("not_issued", "only samples in whose cycle the scheduler issued nothing"),
    ("long_scoreboard", "waiting for data of L1, L2 or device memory"),
    (
        "short_scoreboard",
        "waiting for shared memory or another short operation outside of the pipes",
    ),
    ("math_pipe_throttle", "the pipe was full"),
    ("lg_throttle", "the queue of the load/store unit for local and global memory was full"),
    ("mio_throttle", "the queue of the memory input/output unit was full"),
    ("tex_throttle", "the queue of the texture unit was full"),
    ("wait", "a fixed latency between two instructions"),
    ("barrier", "waiting for the other warps of the block"),
    ("membar", "waiting for a memory barrier"),
    ("no_instruction", "waiting for an instruction to be fetched"),
    ("not_selected", "another warp was chosen"),
    ("selected", "it was chosen: no stall"),
    ("dispatch_stall", "the dispatcher held it back"),
    ("drain", "waiting for stores to leave at the end"),
    ("sleeping", "all threads slept"),
    ("branch_resolving", "waiting for the target of a branch"),
    ("imc_miss", "waiting for the cache of constants"),
    (
        "throughput",
        "how busy the unit is: the largest of several counters, each in per cent of its own peak",
    ),
    (
        "compute_memory_throughput",
        "how busy the memory system is: the largest of several counters, each in per cent of its own peak",
    ),
    ("dram_throughput", "how busy the device memory is"),
    ("memory_throughput", "how busy the memory paths of the unit are"),
    ("instruction_throughput", "how busy the issue of instructions and the pipes are"),
    ("internal_activity", "counters inside the unit that have no names of their own"),
    ("time_duration", "the time that the result took on the GPU"),
    ("time_duration_measured_wallclock", "the time that the result took by the host's clock"),
    ("bytes", "bytes moved"),
    ("bytes_read", "bytes read"),
    ("bytes_write", "bytes written"),
    ("read_bytes", "bytes read"),
    ("write_bytes", "bytes written"),
    ("sectors", "sectors of 32 bytes"),
    ("sectors_read", "sectors of 32 bytes, read"),
    ("sectors_write", "sectors of 32 bytes, written"),
    ("requests", "requests, one for each instruction of a warp"),
    ("wavefronts", "steps that the unit needs one after the other for a request"),
    ("data_bank_conflicts", "accesses that had to wait because another one used the bank"),
    ("data_bank_reads", "reads of banks of the data store"),
    ("data_bank_writes", "writes of banks of the data store"),
    ("data_pipe", "the stage that moves data"),
    ("lsu_writeback_active", "cycles in which the load/store unit gave data back to registers"),
    ("tex_writeback_active", "cycles in which the texture unit gave data back to registers"),
    ("t", "at the stage that looks up tags"),
    ("d", "at the stage that holds the data"),
    ("m", "at the stage towards L2"),
    ("t_sectors", "sectors of 32 bytes that were looked up by their tags"),
    ("t_sector", "sectors of 32 bytes that were looked up by their tags"),
    ("t_bytes", "bytes that were looked up by their tags"),
    ("t_requests", "requests that were looked up by their tags"),
    ("t_tag_requests", "lookups of tags"),
    ("d_sectors", "sectors of 32 bytes in the data store"),
    ("hit_rate", "the share that was found in the cache"),
    ("request_hit_rate", "the share of requests that was found in the cache"),
    ("lookup_hit", "found in the cache"),
    ("lookup_miss", "not found in the cache"),
    ("lts2xbar", "from L2 towards the multiprocessors"),
    ("xbar2lts", "from the multiprocessors to L2"),
    ("l1tex2xbar", "from L1 towards L2"),
    ("xbar2l1tex", "from L2 to L1"),
    ("m_xbar2l1tex", "from L2 to L1"),
    ("m_l1tex2xbar", "from L1 towards L2"),
    ("srcunit_tex", "asked for by the L1 and texture caches"),
    ("srcunit_ltcfabric", "asked for by another part of the L2 cache"),
    ("aperture_device", "in device memory"),
    ("aperture_sysmem", "in memory of the host"),
    ("aperture_peer", "in memory of another GPU"),
    ("pipe_alu", "on the pipe of integer and logic operations"),
    ("pipe_fma", "on the pipe of 32-bit floating-point operations"),
    ("pipe_fmaheavy", "on the half of the fma pipe that also does integer multiplication"),
    ("pipe_fmalite", "on the half of the fma pipe without integer multiplication"),
    ("pipe_fp16", "on the pipe of 16-bit floating-point operations"),
    ("pipe_fp64", "on the pipe of 64-bit floating-point operations"),
    ("pipe_tensor", "on the tensor cores"),
    ("pipe_xu", "on the pipe of transcendental functions and conversions"),
    ("pipe_lsu", "on the load/store unit"),
    ("pipe_tex", "on the texture unit"),
    ("pipe_tma", "on the unit that copies blocks of memory (TMA)"),
    ("pipe_uniform", "on the pipe that works once a warp"),
    ("pipe_cbu", "on the unit of branches and barriers"),
    ("pipe_adu", "on the unit of addresses and indexed constants"),
    ("ops_path_tensor", "operations on the tensor cores"),
    ("op_hmma", "matrix operations on 16-bit floating-point numbers"),
    ("op_imma", "matrix operations on integers"),
    ("op_dmma", "matrix operations on 64-bit floating-point numbers"),
    ("op_bmma", "matrix operations on single bits"),
    ("op_gmma", "matrix operations of whole groups of warps"),
    ("op_hgmma", "matrix operations on floating-point numbers, of whole groups of warps"),
    ("op_igmma", "matrix operations on integers, of whole groups of warps"),
    ("op_bgmma", "matrix operations on single bits, of whole groups of warps"),
    ("src_bf16", "from bf16"),
    ("src_fp16", "from fp16"),
    ("src_tf32", "from tf32"),
    ("src_fp8", "from fp8"),
    ("src_fp64", "from fp64"),
    ("src_int8", "from 8-bit integers"),
    ("src_int4", "from 4-bit integers"),
    ("src_int1", "from single bits"),
    ("dst_fp32", "to fp32"),
    ("dst_fp16", "to fp16"),
    ("sparsity_on", "with structured sparsity"),
    ("sparsity_off", "without structured sparsity"),
    ("mem_global", "global memory"),
    ("mem_local", "local memory"),
    ("mem_shared", "shared memory"),
    ("mem_lg", "local and global memory"),
    ("mem_lgds", "local, global and shared memory"),
    ("mem_dshared", "shared memory of other blocks of the cluster"),
    ("mem_surface", "surfaces"),
    ("mem_texture", "textures"),
    ("global", "global memory"),
    ("local", "local memory"),
    ("shared", "shared memory"),
    ("op_read", "reads"),
    ("op_write", "writes"),
    ("op_ld", "loads"),
    ("op_st", "stores"),
    ("op_atom", "atomic operations that give back a value"),
    ("op_red", "atomic operations that give back nothing"),
    ("op_ldgsts", "copies from global to shared memory"),
    ("op_ldsm", "loads of matrices from shared memory"),
    ("op_branch", "branches"),
    ("op_tex", "texture reads"),
    ("ld", "loads"),
    ("st", "stores"),
    ("branch", "branches"),
    ("fadd", "32-bit floating-point additions"),
    ("fmul", "32-bit floating-point multiplications"),
    ("ffma", "32-bit floating-point multiply-adds"),
    ("dadd", "64-bit floating-point additions"),
    ("dmul", "64-bit floating-point multiplications"),
    ("dfma", "64-bit floating-point multiply-adds"),
    ("hadd", "16-bit floating-point additions"),
    ("hmul", "16-bit floating-point multiplications"),
    ("hfma", "16-bit floating-point multiply-adds"),
    ("fp32", "32-bit floating-point operations"),
    ("fp64", "64-bit floating-point operations"),
    ("fp16", "16-bit floating-point operations"),
    ("integer", "integer operations"),
    ("x2", "times two: a multiply-add is two operations"),
    ("maximum_warps", "warps that could be resident at most"),
    ("maximum_warps_per_active_cycle", "warps that could be resident at most"),
    ("pct", "in per cent"),
    ("realtime", "measured while the kernel ran once, without replay"),
    ("grid_size", "blocks of the grid"),
    ("block_size", "threads of a block"),
    ("thread_count", "threads of the grid"),
    ("registers_per_thread", "registers of a thread"),
    ("waves_per_multiprocessor", "how often the grid fills the device"),
    ("occupancy_limit", "blocks of a multiprocessor that the resource that follows allows"),
    ("registers", "registers"),
    ("warps", "warps"),
    ("blocks", "blocks"),
    ("shared_mem", "shared memory"),
    ("barriers", "barriers"),
    ("replayer_passes", "how often the kernel was run"),
];

const SUBMETRICS: Words = &[
    ("per_second", "for each second"),
    ("per_cycle_active", "for each cycle in which the unit had work"),
    ("per_cycle_elapsed", "for each cycle that passed"),
    (
        "pct_of_peak_sustained_active",
        "in per cent of what the unit can keep up, over the cycles in which it had work",
    ),
    (
        "pct_of_peak_sustained_elapsed",
        "in per cent of what the unit can keep up, over all cycles that passed",
    ),
    ("peak_sustained", "what the unit can keep up, for each cycle: a property of the device"),
    ("peak_sustained_active", "what the unit could have done in the cycles in which it had work"),
    ("peak_sustained_elapsed", "what the unit could have done in all cycles that passed"),
    (
        "peak_sustained_active.per_second",
        "what the unit could have done, for each second, in the cycles in which it had work",
    ),
    ("peak_sustained_elapsed.per_second", "what the unit could have done, for each second"),
    ("ratio", "a quotient of two counts"),
    ("pct", "a quotient of two counts, in per cent"),
    ("max_rate", "the largest value that the quotient can have"),
];

fn look_up(table: Words, part: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == part).map(|(_, means)| *means)
}

/// The parts of a metric's name in order, each with its meaning. Parts of a counter that no table has are joined.
pub fn parts_of(metric: &str) -> Vec<NamePart<'_>> {
    let name = MetricName::parse(metric);
    let mut parts = Vec::new();
    if let Some(prefix) = name.prefix {
        parts.push(NamePart { part: prefix, means: look_up(PREFIXES, prefix) });
    }
    let mut counter = name.counter();
    if !name.unit().is_empty() {
        parts.push(NamePart { part: name.unit(), means: look_up(UNITS, name.unit()) });
        // A derived metric names the unit that it was made from.
        if let ("derived", Some((unit, rest))) = (name.unit(), counter.split_once("__")) {
            parts.push(NamePart { part: unit, means: look_up(UNITS, unit) });
            counter = rest;
        }
    }
    counter_parts(counter, &mut parts);
    if let Some(rollup) = name.rollup {
        let (part, means) = match rollup {
            Rollup::Sum => ("sum", "added up over all of these units"),
            Rollup::Avg => ("avg", "the mean over all of these units"),
            Rollup::Min => ("min", "of the unit that has the least"),
            Rollup::Max => ("max", "of the unit that has the most"),
        };
        parts.push(NamePart { part, means: Some(means) });
    }
    if !name.submetric.is_empty() {
        parts.push(NamePart { part: name.submetric, means: look_up(SUBMETRICS, name.submetric) });
    }
    parts
}

/// Cuts a counter into the longest parts that are known, from the left.
fn counter_parts<'n>(counter: &'n str, parts: &mut Vec<NamePart<'n>>) {
    let mut rest = counter;
    let mut unknown = 0;
    while !rest.is_empty() {
        let ends = rest.match_indices('_').map(|(at, _)| at).chain([rest.len()]);
        let known = ends.rev().find_map(|end| Some((end, look_up(COUNTERS, rest.get(..end)?)?)));
        let before = counter.len() - rest.len();
        match known {
            Some((end, means)) => {
                unknown_part(counter, unknown, before, parts);
                parts.push(NamePart {
                    part: rest.get(..end).unwrap_or_default(),
                    means: Some(means),
                });
                rest = rest.get(end..).unwrap_or_default().trim_start_matches('_');
                unknown = counter.len() - rest.len();
            }
            None => rest = rest.split_once('_').map_or("", |(_, after)| after),
        }
    }
    unknown_part(counter, unknown, counter.len(), parts);
}

fn unknown_part<'n>(counter: &'n str, from: usize, to: usize, parts: &mut Vec<NamePart<'n>>) {
    let part = counter.get(from..to).unwrap_or_default().trim_matches('_');
    if !part.is_empty() {
        parts.push(NamePart { part, means: None });
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTERS, PREFIXES, SUBMETRICS, UNITS, parts_of};

    fn in_words(metric: &str) -> Vec<String> {
        let part =
            |part: super::NamePart<'_>| format!("{}: {}", part.part, part.means.unwrap_or("?"));
        parts_of(metric).into_iter().map(part).collect()
    }

    #[test]
    fn every_part_has_its_meaning_and_the_longest_is_taken() {
        assert_eq!(
            in_words("sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active"),
            [
                "sm: the multiprocessors (SM)",
                "inst_executed: instructions executed, counted once a warp",
                "pipe_tensor: on the tensor cores",
                "op_hmma: matrix operations on 16-bit floating-point numbers",
                "avg: the mean over all of these units",
                "pct_of_peak_sustained_active: in per cent of what the unit can keep up, over the cycles in which it had work",
            ]
        );
        assert_eq!(
            in_words("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2")[..2],
            [
                "derived: worked out by ncu from other metrics",
                "smsp: the partitions of each multiprocessor, each with a warp scheduler of its own"
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_said_and_not_guessed() {
        assert_eq!(
            in_words("xyz__quark_spin_bytes_up_down.sum.per_fortnight"),
            [
                "xyz: ?",
                "quark_spin: ?",
                "bytes: bytes moved",
                "up_down: ?",
                "sum: added up over all of these units",
                "per_fortnight: ?",
            ]
        );
        for odd in ["", "_", "__", "a__", "__.", "___x", ":", "é__ü_bytes.sum", "a__b__c..sum"] {
            let parts = parts_of(odd);
            assert!(parts.iter().all(|part| odd.contains(part.part)), "{odd}: {parts:?}");
        }
    }

    #[test]
    fn no_part_is_explained_twice() {
        for table in [PREFIXES, UNITS, COUNTERS, SUBMETRICS] {
            let mut parts: Vec<&str> = table.iter().map(|(part, _)| *part).collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|pair| pair[0] != pair[1]), "{parts:?}");
        }
    }
}
