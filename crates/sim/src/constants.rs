//! The part of a result that needs no counter: the device's attributes, the launch, and what follows from the launch alone.

use std::borrow::Cow;

use ncu_rep::{Value, names};

use crate::machine::{Machine, Work};
use crate::occupancy::Occupancy;

/// Chip and architecture numbers by which NVIDIA's readers choose their table of units; any known chip does.
const CHIP: u64 = 372;
const ARCHITECTURE: u64 = 368;

/// Metrics that follow from the launch and are collected only if asked for. A range has none of them.
pub(crate) const KERNEL_ONLY: &[&str] = &[
    "sm__maximum_warps_avg_per_active_cycle",
    "sm__maximum_warps_per_active_cycle_pct",
    "smsp__maximum_warps_avg_per_active_cycle",
];

/// Real ncu writes all metrics that describe the launch with every kernel.
pub(crate) fn is_launch_metric(name: &str) -> bool {
    launch_numbers(&crate::machine::DEFAULT, &Work::default(), &unoccupied(), 0, 0)
        .iter()
        .any(|(metric, _)| *metric == name)
}

fn unoccupied() -> Occupancy {
    crate::occupancy::occupancy(&crate::machine::DEFAULT, &Work::default())
}

/// Attributes of the device, which every result carries.
pub(crate) fn device_attributes(
    machine: &Machine,
    device: u32,
) -> Vec<(&'static str, Value<'static>)> {
    let count = |value: f64| Value::U64(whole(value));
    vec![
        (names::ARCHITECTURE, Value::U64(ARCHITECTURE)),
        ("device__attribute_clock_rate", count(machine.clock_ghz * 1e6)),
        (names::CC_MAJOR, Value::U64(8)),
        (names::CC_MINOR, Value::U64(6)),
        (names::DEVICE_INDEX, Value::U64(u64::from(device))),
        (names::DEVICE_NAME, Value::Text(Cow::Borrowed(machine.name))),
        (names::CHIP, Value::U64(CHIP)),
        ("device__attribute_l2_cache_size", count(machine.l2_bytes)),
        ("device__attribute_max_warps_per_multiprocessor", count(machine.warps_per_sm)),
        ("device__attribute_memory_clock_rate", count(machine.dram_clock_ghz * 1e6)),
        ("device__attribute_multiprocessor_count", count(machine.sms)),
        ("device__attribute_warp_size", Value::U64(32)),
    ]
}

pub(crate) fn launch_numbers(
    machine: &Machine,
    work: &Work,
    occupancy: &Occupancy,
    context: u32,
    stream: u32,
) -> Vec<(&'static str, Value<'static>)> {
    let threads: u64 = work.block.iter().fold(1, |all, n| all.saturating_mul(*n));
    let blocks: u64 = work.grid.iter().fold(1, |all, n| all.saturating_mul(*n));
    let count = |value: f64| Value::U64(whole(value));
    vec![
        ("launch__block_dim_x", Value::U64(work.block[0])),
        ("launch__block_dim_y", Value::U64(work.block[1])),
        ("launch__block_dim_z", Value::U64(work.block[2])),
        ("launch__block_size", Value::U64(threads)),
        ("launch__context_id", Value::U64(u64::from(context))),
        ("launch__func_cache_config", Value::Text(Cow::Borrowed("CachePreferNone"))),
        ("launch__grid_dim_x", Value::U64(work.grid[0])),
        ("launch__grid_dim_y", Value::U64(work.grid[1])),
        ("launch__grid_dim_z", Value::U64(work.grid[2])),
        ("launch__grid_size", Value::U64(blocks)),
        ("launch__occupancy_limit_blocks", count(occupancy.limit_blocks)),
        ("launch__occupancy_limit_registers", count(occupancy.limit_registers)),
        ("launch__occupancy_limit_shared_mem", count(occupancy.limit_shared)),
        ("launch__occupancy_limit_warps", count(occupancy.limit_warps)),
        ("launch__registers_per_thread", Value::U64(work.registers)),
        ("launch__registers_per_thread_allocated", count(occupancy.registers_allocated)),
        ("launch__shared_mem_config_size", count(machine.shared_per_sm)),
        ("launch__shared_mem_per_block", Value::U64(work.shared)),
        ("launch__shared_mem_per_block_allocated", count(occupancy.shared_allocated)),
        ("launch__shared_mem_per_block_driver", count(machine.shared_reserved)),
        ("launch__shared_mem_per_block_dynamic", Value::U64(0)),
        ("launch__shared_mem_per_block_static", Value::U64(work.shared)),
        ("launch__sm_count", count(machine.sms)),
        ("launch__stream_id", Value::U64(u64::from(stream))),
        ("launch__thread_count", Value::U64(threads.saturating_mul(blocks))),
        ("launch__waves_per_multiprocessor", Value::F64(occupancy.waves)),
    ]
}

/// The value of one of [`KERNEL_ONLY`].
pub(crate) fn kernel_only(name: &str, machine: &Machine, occupancy: &Occupancy) -> Option<f64> {
    let warps = occupancy.theoretical_warps;
    Some(match name {
        "sm__maximum_warps_avg_per_active_cycle" => warps,
        "sm__maximum_warps_per_active_cycle_pct" => 100.0 * warps / machine.warps_per_sm,
        "smsp__maximum_warps_avg_per_active_cycle" => warps / crate::machine::SCHEDULERS,
        _ => return None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "amounts of the model are not negative, and a cast to an integer stops at its ends"
)]
pub(crate) fn whole(value: f64) -> u64 {
    value as u64
}
