//! The tables of the memory system: what each kind of access asked of shared memory, L1, L2 and device memory.
//!
//! A column is a pattern in which the row's part of the name stands; so a new kind of access is one row.

use super::model::{MemoryRow, MemoryTable, Reading};
use super::reading::{SECTOR_BYTES, one, quotient, sum};
use crate::insight::measured::Metrics;

struct Table {
    title: &'static str,
    columns: &'static [(&'static str, Cell)],
    /// Name, part of the metrics' names, and the metrics that count its instructions.
    rows: &'static [(&'static str, &'static str, &'static [&'static str])],
}

/// Where the number of a column comes from; `*` in a pattern stands for the row.
#[derive(Clone, Copy)]
enum Cell {
    /// The row's instructions.
    Instructions,
    Metric(&'static str),
    /// Sectors, as bytes.
    Sectors(&'static str),
    /// The first over the second.
    Quotient(&'static str, &'static str),
}

use Cell::{Instructions, Metric, Quotient, Sectors};

#[rustfmt::skip]
const TABLES: &[Table] = &[
    Table {
        title: "Shared memory",
        columns: &[
            ("instructions", Instructions),
            ("wavefronts", Metric("l1tex__data_pipe_lsu_wavefronts_mem_*.sum")),
            ("% of peak", Metric("l1tex__data_pipe_lsu_wavefronts_mem_*.sum.pct_of_peak_sustained_elapsed")),
            ("bank conflicts", Metric("l1tex__data_bank_conflicts_pipe_lsu_mem_*.sum")),
        ],
        rows: &[
            ("load", "shared_op_ld", &["sass__inst_executed_shared_loads"]),
            ("store", "shared_op_st", &["sass__inst_executed_shared_stores"]),
            ("async copy", "shared_op_ldgsts", &["smsp__inst_executed_op_ldgsts.sum"]),
            ("atomic", "shared_op_atom", &["smsp__inst_executed_op_shared_atom.sum"]),
            ("total", "shared", &[]),
        ],
    },
    Table {
        title: "L1/TEX cache",
        columns: &[
            ("instructions", Instructions),
            ("requests", Metric("l1tex__t_requests_pipe_*.sum")),
            ("wavefronts", Metric("l1tex__t_output_wavefronts_pipe_*.sum")),
            ("sectors", Metric("l1tex__t_sectors_pipe_*.sum")),
            ("sectors/request", Quotient("l1tex__t_sectors_pipe_*.sum", "l1tex__t_requests_pipe_*.sum")),
            ("hit rate", Quotient("l1tex__t_sectors_pipe_*_lookup_hit.sum", "l1tex__t_sectors_pipe_*.sum")),
            ("bytes", Sectors("l1tex__t_sectors_pipe_*.sum")),
            ("missed sectors", Metric("l1tex__t_sectors_pipe_*_lookup_miss.sum")),
        ],
        rows: &[
            ("global load", "lsu_mem_global_op_ld", &["sass__inst_executed_global_loads"]),
            ("global store", "lsu_mem_global_op_st", &["sass__inst_executed_global_stores"]),
            ("global atomic", "lsu_mem_global_op_atom", &["smsp__inst_executed_op_generic_atom_dot_alu.sum", "smsp__inst_executed_op_generic_atom_dot_cas.sum"]),
            ("global reduction", "lsu_mem_global_op_red", &["smsp__inst_executed_op_global_red.sum"]),
            ("local load", "lsu_mem_local_op_ld", &["sass__inst_executed_local_loads"]),
            ("local store", "lsu_mem_local_op_st", &["sass__inst_executed_local_stores"]),
            ("texture load", "tex_mem_texture", &["smsp__inst_executed_op_texture.sum"]),
            ("surface load", "tex_mem_surface_op_ld", &["smsp__inst_executed_op_surface_ld.sum"]),
            ("surface store", "tex_mem_surface_op_st", &["smsp__inst_executed_op_surface_st.sum"]),
            ("surface atomic", "tex_mem_surface_op_atom", &["smsp__inst_executed_op_surface_atom_dot_alu.sum", "smsp__inst_executed_op_surface_atom_dot_cas.sum"]),
            ("surface reduction", "tex_mem_surface_op_red", &["smsp__inst_executed_op_surface_red.sum"]),
            ("cluster load", "lsu_mem_dshared_op_ld", &["smsp__sass_inst_executed_op_dshared_ld.sum"]),
            ("cluster store", "lsu_mem_dshared_op_st", &["smsp__sass_inst_executed_op_dshared_st.sum"]),
        ],
    },
    Table {
        title: "L2 cache",
        columns: &[
            ("requests", Metric("lts__t_requests*.sum")),
            ("sectors", Metric("lts__t_sectors*.sum")),
            ("sectors/request", Quotient("lts__t_sectors*.sum", "lts__t_requests*.sum")),
            ("hit rate", Quotient("lts__t_sectors*_lookup_hit.sum", "lts__t_sectors*.sum")),
            ("bytes", Sectors("lts__t_sectors*.sum")),
            ("bytes/s", Sectors("lts__t_sectors*.sum.per_second")),
            ("% of peak", Metric("lts__t_sectors*.avg.pct_of_peak_sustained_elapsed")),
            ("missed sectors", Metric("lts__t_sectors*_lookup_miss.sum")),
        ],
        rows: &[
            ("L1/TEX load", "_srcunit_tex_op_read", &[]),
            ("L1/TEX store", "_srcunit_tex_op_write", &[]),
            ("L1/TEX atomic", "_srcunit_tex_op_atom_dot_alu", &[]),
            ("L1/TEX compare and swap", "_srcunit_tex_op_atom_dot_cas", &[]),
            ("L1/TEX reduction", "_srcunit_tex_op_red", &[]),
            ("L1/TEX total", "_srcunit_tex", &[]),
            ("constants and code", "_srcunit_gcc", &[]),
            ("other half of L2", "_srcunit_ltcfabric", &[]),
            ("total", "", &[]),
        ],
    },
    Table {
        title: "Device memory",
        columns: &[
            ("sectors", Metric("dram__sectors_*.sum")),
            ("bytes", Metric("dram__bytes_*.sum")),
            ("bytes/s", Metric("dram__bytes_*.sum.per_second")),
            ("% of peak", Metric("dram__bytes_*.sum.pct_of_peak_sustained_elapsed")),
        ],
        rows: &[("load", "read", &[]), ("store", "write", &[])],
    },
];

/// The tables of which anything was measured; rows without any number are left out.
pub fn memory_tables(metrics: &Metrics) -> Vec<MemoryTable> {
    let tables = TABLES.iter().map(|table| {
        let cells = |key: &str, instructions: &[&str]| -> Vec<Option<Reading>> {
            table.columns.iter().map(|(_, cell)| read(metrics, *cell, key, instructions)).collect()
        };
        let rows = table.rows.iter().map(|(name, key, instructions)| MemoryRow {
            name: (*name).to_owned(),
            cells: cells(key, instructions),
        });
        // Instructions alone are counted by other sections, too.
        let is_measured = |row: &MemoryRow| {
            let columns = row.cells.iter().zip(table.columns);
            columns.clone().any(|(cell, (_, from))| cell.is_some() && !matches!(from, Instructions))
        };
        MemoryTable {
            title: table.title.to_owned(),
            columns: table.columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows: rows.filter(is_measured).collect(),
        }
    });
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn read(metrics: &Metrics, cell: Cell, key: &str, instructions: &[&str]) -> Option<Reading> {
    let named = |pattern: &str| pattern.replacen('*', key, 1);
    match cell {
        Instructions => sum(metrics, instructions, 1.0, ""),
        Metric(pattern) => one(metrics, &named(pattern)),
        Sectors(pattern) => {
            let unit = if pattern.ends_with(".per_second") { "byte/s" } else { "byte" };
            sum(metrics, &[&named(pattern)], SECTOR_BYTES, unit)
        }
        Quotient(above, below) => {
            let (above, below) = (one(metrics, &named(above))?, one(metrics, &named(below))?);
            let is_part = above.metrics.iter().any(|name| name.contains("_lookup_hit"));
            let mut found = quotient(&above, &below, if is_part { "%" } else { "" })?;
            if is_part {
                found.value *= 100.0;
                found.times = 100.0;
            }
            Some(found)
        }
    }
}
