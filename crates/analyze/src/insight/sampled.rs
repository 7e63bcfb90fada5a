//! What the counters that ncu samples over time are called.

/// What sampled counters are called, by what their names contain; the first that fits.
const LABELS: &[(&str, &str)] = &[
    ("ctas_launched", "Blocks launched"),
    ("cgas_launched", "Clusters launched"),
    ("cgas_active", "Clusters active"),
    ("warps_active", "Warps active"),
    ("sm__cycles_active.avg", "SM active cycles"),
    ("inst_executed_pipe_alu", "ALU pipe"),
    ("inst_executed_pipe_fmaheavy", "FMA pipe, heavy half"),
    ("inst_executed_pipe_fmalite", "FMA pipe, light half"),
    ("inst_executed_pipe_uniform", "Uniform pipe"),
    ("inst_executed_pipe_xu", "XU pipe"),
    ("pipe_tensor_subpipe_hmma", "Tensor pipe, floating point"),
    ("pipe_tensor_subpipe_imma", "Tensor pipe, integer"),
    ("pipe_tensor", "Tensor pipe"),
    ("mem_tensor", "Tensor memory"),
    ("inst_executed_realtime.avg.per_cycle", "Instructions per cycle"),
    ("inst_executed_realtime", "Issue slots of the SMs"),
    ("sm__throughput", "SM throughput"),
    ("read_throughput", "DRAM reads"),
    ("write_throughput", "DRAM writes"),
    ("dramc__throughput", "DRAM throughput"),
    ("dram__throughput", "DRAM throughput"),
    ("l1tex__t_sector_hit_rate", "L1 hit rate"),
    ("l1tex__lsu_writeback", "L1 writeback"),
    ("wavefronts_mem_shared", "Shared memory wavefronts"),
    ("wavefronts_mem_lgds", "L1 wavefronts, global and local"),
    ("data_pipe_lsu_wavefronts", "L1 wavefronts"),
    ("l1tex__throughput", "L1 throughput"),
    ("l1tex__t_sectors_lookup_hit", "L1 sectors, hit"),
    ("l1tex__t_sectors_lookup_miss", "L1 sectors, missed"),
    ("l1tex__t_sectors", "L1 sectors"),
    ("sector_hit_rate_srcunit_tex", "L2 hit rate for L1"),
    ("sector_hit_rate", "L2 hit rate"),
    ("throughput_srcunit_tex", "L2 sectors for L1"),
    ("throughput_srcunit_gcc", "L2 sectors for constants and code"),
    ("throughput_srcnode_fbp", "L2 sectors for other memory"),
    ("aperture_peer", "Peer memory"),
    ("aperture_sysmem", "System memory"),
    ("lts__throughput", "L2 throughput"),
];

/// What a sampled counter is called; its own name if nothing better is known.
pub fn sampled_label(metric: &str) -> String {
    let known = LABELS.iter().find(|(part, _)| metric.contains(part));
    known.map_or_else(|| metric.to_owned(), |(_, label)| (*label).to_owned())
}

#[cfg(test)]
mod tests {
    use super::sampled_label;

    #[test]
    fn an_unknown_counter_keeps_its_name() {
        assert_eq!(sampled_label("pmsampling:l1tex__t_sector_hit_rate.pct"), "L1 hit rate");
        assert_eq!(sampled_label("x\u{1b}"), "x\u{1b}");
    }
}
