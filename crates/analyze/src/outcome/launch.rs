//! The shape of a launch, and how its work spreads over the device.

use super::kinds::{Cause, Outcome, Unit};
use super::recognise::{Rule, whole};

pub(super) static RULES: &[Rule] = &[
    Rule {
        ids: &["LaunchConfiguration"],
        part: whole,
        rows: &[
            (
                &["masked off"],
                Outcome::advice(
                    "block-of-partial-warps",
                    "Make the block size a multiple of 32: some threads of its warps do not exist",
                    Cause::PartialWarps,
                )
                .relieves(Unit::Compute),
            ),
            (
                &["less than the GPU|fewer blocks than the GPU"],
                Outcome::advice(
                    "grid-below-sms",
                    "Launch a block for every SM: the grid has fewer",
                    Cause::TooLittleWork,
                ),
            ),
            (
                &["of one wave of the simulated device"],
                Outcome::advice(
                    "grid-below-wave",
                    "Launch more blocks: the grid does not fill the device once",
                    Cause::TooLittleWork,
                ),
            ),
            (
                &["it is recommended to have"],
                Outcome::advice(
                    "grid-below-two-per-sm",
                    "Launch two blocks for every SM: while one waits at a barrier, another can work",
                    Cause::TooLittleWork,
                ),
            ),
            (
                &["partial wave|The last of "],
                Outcome::advice(
                    "partial-wave",
                    "Choose a grid of whole waves: the last wave leaves SMs empty",
                    Cause::PartialWave,
                ),
            ),
        ],
    },
    Rule {
        ids: &["WorkloadImbalance"],
        part: whole,
        rows: &[
            (
                &["more SMSPs"],
                uneven(
                    "imbalance-smsp",
                    "Spread the work evenly over the schedulers of SMs: some are busy much longer than others",
                ),
            ),
            (
                &["more SMs"],
                uneven(
                    "imbalance-sm",
                    "Spread the work evenly over the SMs: some are busy much longer than others",
                ),
            ),
            (
                &["more L1"],
                uneven(
                    "imbalance-l1",
                    "Spread the accesses evenly over the SMs: some L1 caches are busy much longer than others",
                ),
            ),
            (
                &["more L2"],
                uneven(
                    "imbalance-l2",
                    "Spread the addresses evenly over memory: some L2 slices are busy much longer than others",
                ),
            ),
            (
                &["more DRAM"],
                uneven(
                    "imbalance-dram",
                    "Spread the addresses evenly over memory: some DRAM channels are busy much longer than others",
                ),
            ),
        ],
    },
    Rule {
        ids: &["TileAnalysis"],
        part: whole,
        rows: &[
            (
                &["Each tile block is mapped"],
                Outcome::advice(
                    "tile-takes-several-blocks",
                    "Use larger tiles: each takes several thread blocks",
                    Cause::TileShape,
                ),
            ),
            (
                &["mapped to"],
                Outcome::note("tile-mapping", "How tiles are mapped to thread blocks"),
            ),
            (
                &["Tensor core pipe utilization"],
                Outcome::note(
                    "tile-without-tensor-cores",
                    "The kernel is written in tiles and does not use the tensor cores",
                ),
            ),
            (
                &["ensor memory accelerator is not used"],
                Outcome::note(
                    "tile-without-tma",
                    "The kernel is written in tiles and does not use the tensor memory accelerator",
                ),
            ),
        ],
    },
];

const fn uneven(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::Imbalance)
}
