//! The memory chart: which metrics state what flows between which units. One row a link; of several sources the first that was collected counts.

use super::model::{Counted, Flow, MemoryChart, MemoryLink, MemoryUnit, Place};
use super::reading::{Source, first, first_of, one, plain, sectors};
use crate::insight::measured::Metrics;
use Counted::{Bytes, Instructions, Requests, Wavefronts};
use Flow::{AsyncCopy, Atomic, Load, Store, Tma};
use Place::{
    Cluster, DeviceMemory, Global, Kernel, L1, L2, L2Fabric, Local, PeerMemory, Shared,
    SharedMemory, Surface, SystemMemory, Texture,
};

struct Link {
    from: Place,
    to: Place,
    flow: Flow,
    counted: Counted,
    sources: &'static [Source],
    /// Shown as unknown where it was not measured; other links are shown only where they were.
    is_main: bool,
}

struct Unit {
    place: Place,
    hit_rate: &'static [&'static str],
    busy: &'static [&'static str],
}

const UNITS: &[Unit] = &[
    Unit { place: Kernel, hit_rate: &[], busy: &[] },
    Unit {
        place: Global,
        hit_rate: &["l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"],
        busy: &[],
    },
    Unit {
        place: Local,
        hit_rate: &["l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct"],
        busy: &[],
    },
    Unit {
        place: Texture,
        hit_rate: &["l1tex__t_sector_pipe_tex_mem_texture_op_tex_hit_rate.pct"],
        busy: &[],
    },
    Unit {
        place: Surface,
        hit_rate: &["l1tex__t_sector_pipe_tex_mem_surface_op_ld_hit_rate.pct"],
        busy: &[],
    },
    Unit { place: Shared, hit_rate: &[], busy: &[] },
    Unit {
        place: L1,
        hit_rate: &["l1tex__t_sector_hit_rate.pct"],
        busy: &[
            "l1tex__throughput.avg.pct_of_peak_sustained_active",
            "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
        ],
    },
    Unit {
        place: SharedMemory,
        hit_rate: &[],
        busy: &["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"],
    },
    Unit {
        place: L2,
        hit_rate: &["lts__t_sector_hit_rate.pct"],
        busy: &["lts__throughput.avg.pct_of_peak_sustained_elapsed"],
    },
    Unit {
        place: DeviceMemory,
        hit_rate: &[],
        busy: &[
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        ],
    },
    Unit { place: SystemMemory, hit_rate: &[], busy: &[] },
    Unit { place: PeerMemory, hit_rate: &[], busy: &[] },
    Unit { place: L2Fabric, hit_rate: &[], busy: &[] },
    Unit { place: Cluster, hit_rate: &[], busy: &[] },
];

/// A link that is shown as unknown where it was not measured.
const fn main(
    from: Place,
    to: Place,
    flow: Flow,
    counted: Counted,
    sources: &'static [Source],
) -> Link {
    Link { from, to, flow, counted, sources, is_main: true }
}

const fn extra(
    from: Place,
    to: Place,
    flow: Flow,
    counted: Counted,
    sources: &'static [Source],
) -> Link {
    Link { from, to, flow, counted, sources, is_main: false }
}

#[rustfmt::skip]
const LINKS: &[Link] = &[
    // Instructions, counted once a warp.
    main(Global, Kernel, Load, Instructions, &[plain(&["sass__inst_executed_global_loads"]), plain(&["smsp__sass_inst_executed_op_global_ld.sum"])]),
    main(Kernel, Global, Store, Instructions, &[plain(&["sass__inst_executed_global_stores"]), plain(&["smsp__sass_inst_executed_op_global_st.sum"])]),
    extra(Kernel, Global, Atomic, Instructions, &[plain(&["smsp__inst_executed_op_generic_atom_dot_alu.sum", "smsp__inst_executed_op_generic_atom_dot_cas.sum", "smsp__inst_executed_op_global_red.sum"])]),
    extra(Kernel, Global, AsyncCopy, Instructions, &[plain(&["smsp__inst_executed_op_ldgsts.sum"]), plain(&["sm__sass_inst_executed_op_ldgsts_cache_access.sum", "sm__sass_inst_executed_op_ldgsts_cache_bypass.sum"])]),
    main(Local, Kernel, Load, Instructions, &[plain(&["sass__inst_executed_local_loads"]), plain(&["smsp__sass_inst_executed_op_local_ld.sum"])]),
    main(Kernel, Local, Store, Instructions, &[plain(&["sass__inst_executed_local_stores"]), plain(&["smsp__sass_inst_executed_op_local_st.sum"])]),
    extra(Texture, Kernel, Load, Instructions, &[plain(&["smsp__inst_executed_op_texture.sum"])]),
    extra(Surface, Kernel, Load, Instructions, &[plain(&["smsp__inst_executed_op_surface_ld.sum"])]),
    extra(Kernel, Surface, Store, Instructions, &[plain(&["smsp__inst_executed_op_surface_st.sum"])]),
    extra(Kernel, Surface, Atomic, Instructions, &[plain(&["smsp__inst_executed_op_surface_atom_dot_alu.sum", "smsp__inst_executed_op_surface_atom_dot_cas.sum", "smsp__inst_executed_op_surface_red.sum"])]),
    main(Shared, Kernel, Load, Instructions, &[plain(&["sass__inst_executed_shared_loads"]), plain(&["smsp__sass_inst_executed_op_shared_ld.sum"])]),
    main(Kernel, Shared, Store, Instructions, &[plain(&["sass__inst_executed_shared_stores"]), plain(&["smsp__sass_inst_executed_op_shared_st.sum"])]),
    extra(Kernel, Shared, Atomic, Instructions, &[plain(&["smsp__inst_executed_op_shared_atom.sum"])]),
    extra(Kernel, Shared, Tma, Instructions, &[plain(&["smsp__sass_inst_executed_op_tma_ld.sum", "smsp__sass_inst_executed_op_tma_st.sum", "smsp__sass_inst_executed_op_tma_red.sum"]), plain(&["smsp__inst_executed_op_tma_ld.sum", "smsp__inst_executed_op_tma_st.sum"])]),
    // Requests to the L1 cache, and passes through shared memory.
    main(L1, Global, Load, Requests, &[plain(&["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"])]),
    main(Global, L1, Store, Requests, &[plain(&["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"])]),
    extra(Global, L1, Atomic, Requests, &[plain(&["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"])]),
    extra(L1, Global, AsyncCopy, Requests, &[plain(&["sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum"])]),
    main(L1, Local, Load, Requests, &[plain(&["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"])]),
    main(Local, L1, Store, Requests, &[plain(&["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"])]),
    extra(L1, Texture, Load, Requests, &[plain(&["l1tex__t_requests_pipe_tex_mem_texture.sum"])]),
    extra(L1, Surface, Load, Requests, &[plain(&["l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum"])]),
    extra(Surface, L1, Store, Requests, &[plain(&["l1tex__t_requests_pipe_tex_mem_surface_op_st.sum"])]),
    extra(Surface, L1, Atomic, Requests, &[plain(&["l1tex__t_requests_pipe_tex_mem_surface_op_atom.sum", "l1tex__t_requests_pipe_tex_mem_surface_op_red.sum"])]),
    main(SharedMemory, Shared, Load, Wavefronts, &[plain(&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"])]),
    main(Shared, SharedMemory, Store, Wavefronts, &[plain(&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"])]),
    extra(Shared, SharedMemory, Atomic, Wavefronts, &[plain(&["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"])]),
    // Bytes beyond the L1 cache.
    main(L2, L1, Load, Bytes, &[plain(&["l1tex__m_xbar2l1tex_read_bytes.sum"]), sectors(&["lts__t_sectors_srcunit_tex_op_read.sum"])]),
    main(L1, L2, Store, Bytes, &[plain(&["l1tex__m_l1tex2xbar_write_bytes.sum"]), sectors(&["lts__t_sectors_srcunit_tex_op_write.sum"])]),
    extra(L1, SharedMemory, AsyncCopy, Bytes, &[plain(&["sm__sass_l1tex_data_bytes_write_pipe_lsu_mem_shared_op_ldgsts_cache_access.sum"]), plain(&["l1tex__t_bytes_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"])]),
    extra(L2, SharedMemory, AsyncCopy, Bytes, &[plain(&["sm__sass_l1tex_m_xbar2l1tex_read_bytes_mem_global_op_ldgsts_cache_bypass.sum"])]),
    extra(L2, SharedMemory, Tma, Bytes, &[plain(&["l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"]), sectors(&["l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"])]),
    extra(SharedMemory, L2, Tma, Bytes, &[plain(&["l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum"]), sectors(&["l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"])]),
    extra(Cluster, SharedMemory, Load, Bytes, &[plain(&["l1tex__m_xbar2l1tex_read_bytes_mem_dshared.sum"]), sectors(&["l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_ld.sum"])]),
    extra(SharedMemory, Cluster, Store, Bytes, &[plain(&["l1tex__m_l1tex2xbar_write_bytes_mem_dshared.sum"]), sectors(&["l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_st.sum"])]),
    main(DeviceMemory, L2, Load, Bytes, &[plain(&["dram__bytes_read.sum"]), sectors(&["dram__sectors_read.sum"])]),
    main(L2, DeviceMemory, Store, Bytes, &[plain(&["dram__bytes_write.sum"]), sectors(&["dram__sectors_write.sum"])]),
    main(SystemMemory, L2, Load, Bytes, &[sectors(&["syslts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum"])]),
    main(L2, SystemMemory, Store, Bytes, &[sectors(&["syslts__t_sectors_srcunit_tex_aperture_sysmem_op_write_lookup_miss.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_sysmem_op_write_lookup_miss.sum"])]),
    extra(PeerMemory, L2, Load, Bytes, &[sectors(&["syslts__t_sectors_srcunit_tex_aperture_peer_op_read_lookup_miss.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_peer_op_read_lookup_miss.sum"])]),
    extra(L2, PeerMemory, Store, Bytes, &[sectors(&["syslts__t_sectors_srcunit_tex_aperture_peer_op_write_lookup_miss.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_peer_op_write.sum"]), sectors(&["lts__t_sectors_srcunit_tex_aperture_peer_op_write_lookup_miss.sum"])]),
    extra(L2Fabric, L2, Load, Bytes, &[sectors(&["lts__t_sectors_srcunit_ltcfabric.sum"])]),
];

/// The chart, if any of its links was measured.
pub(super) fn chart(metrics: &Metrics) -> Option<MemoryChart> {
    let links: Vec<MemoryLink> = LINKS.iter().filter_map(|link| measured(metrics, link)).collect();
    if links.iter().all(|link| link.amount.is_none() && link.rate.is_none()) {
        return None;
    }
    let is_linked = |place: Place| links.iter().any(|link| link.from == place || link.to == place);
    let units = UNITS.iter().filter(|unit| is_linked(unit.place));
    let units = units
        .map(|unit| MemoryUnit {
            place: unit.place,
            hit_rate: first_of(metrics, unit.hit_rate),
            busy: first_of(metrics, unit.busy),
        })
        .collect();
    Some(MemoryChart { units, links })
}

fn measured(metrics: &Metrics, link: &Link) -> Option<MemoryLink> {
    let unit = if link.counted == Bytes { "byte" } else { "" };
    let amount = first(metrics, link.sources, unit);
    // The rate and the share of the peak are the same counter with another ending.
    let chosen = amount.as_ref().map(|amount| (amount.metrics.as_slice(), amount.times));
    let beside = |ending: &str| match chosen {
        Some(([metric], times)) => {
            let average = metric.strip_suffix(".sum").map(|counter| format!("{counter}.avg"));
            let names = std::iter::once(metric.clone()).chain(average);
            let name = names.map(|name| name + ending).find(|name| metrics.contains_key(name))?;
            Some((one(metrics, &name)?, times))
        }
        _ => None,
    };
    let rate = link
        .sources
        .iter()
        .find_map(|source| match (chosen, source.metrics) {
            (None, [metric]) => {
                Some((one(metrics, &format!("{metric}.per_second"))?, source.times))
            }
            _ => None,
        })
        .or_else(|| beside(".per_second"));
    let rate = rate.filter(|_| link.counted == Bytes).map(|(mut rate, times)| {
        rate.value *= times;
        rate.times = times;
        "byte/s".clone_into(&mut rate.unit);
        rate
    });
    if amount.is_none() && rate.is_none() && !link.is_main {
        return None;
    }
    Some(MemoryLink {
        from: link.from,
        to: link.to,
        flow: link.flow,
        counted: link.counted,
        peak_pct: beside(".pct_of_peak_sustained_elapsed").map(|(reading, _)| reading),
        amount,
        rate,
    })
}

impl Place {
    pub fn name(self) -> &'static str {
        match self {
            Kernel => "kernel",
            Global => "global",
            Local => "local",
            Texture => "texture",
            Surface => "surface",
            Shared => "shared",
            L1 => "L1/TEX",
            SharedMemory => "shared memory",
            Cluster => "shared memory of the cluster",
            L2 => "L2",
            L2Fabric => "other half of L2",
            DeviceMemory => "device memory",
            SystemMemory => "system memory",
            PeerMemory => "peer memory",
        }
    }
}

impl Flow {
    pub fn name(self) -> &'static str {
        match self {
            Load => "load",
            Store => "store",
            Atomic => "atomic",
            AsyncCopy => "async copy",
            Tma => "TMA",
        }
    }
}

impl Counted {
    pub fn name(self) -> &'static str {
        match self {
            Instructions => "instructions",
            Requests => "requests",
            Wavefronts => "wavefronts",
            Bytes => "bytes",
        }
    }
}
