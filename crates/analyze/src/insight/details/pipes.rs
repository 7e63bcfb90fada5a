//! How busy the pipes of the multiprocessors were: in cycles, and in the instructions that they could take.
//!
//! Pipes are found by the names of their metrics; the table only knows better names for them.

use super::model::{Pipe, Reading};
use super::reading::one;
use crate::insight::measured::Metrics;
use indexmap::IndexMap;

const CYCLES: (&str, &str) = ("sm__pipe_", "_cycles_active");
const INSTRUCTIONS: (&str, &str) = ("sm__inst_executed_pipe_", "");
/// Of active cycles as ncu's chart has it; of all cycles where only these were collected.
const ENDINGS: [&str; 2] =
    [".avg.pct_of_peak_sustained_active", ".avg.pct_of_peak_sustained_elapsed"];

const NAMES: &[(&str, &str)] = &[
    ("adu", "ADU (addresses)"),
    ("alu", "ALU (integer, logic)"),
    ("aluheavy", "ALU, heavy half"),
    ("cbu", "CBU (branches, barriers)"),
    ("cbu_pred_on_any", "CBU, predicated on"),
    ("fma", "FMA (32-bit floating point)"),
    ("fma_type_fp16", "FMA on 16-bit numbers"),
    ("fmaheavy", "FMA, heavy half"),
    ("fmalite", "FMA, light half"),
    ("fp16", "FP16"),
    ("fp64", "FP64"),
    ("fp64_op_dmma", "FP64, matrix"),
    ("fp64_op_fp64", "FP64, scalar"),
    ("ipa", "IPA (interpolation)"),
    ("lsu", "LSU (load/store)"),
    ("shared", "shared by tensor, FP64, FP16"),
    ("tc", "tensor (5th generation)"),
    ("tensor", "tensor, all"),
    ("tensor_op_dmma", "tensor, 64-bit"),
    ("tensor_op_gmma", "tensor, warp groups"),
    ("tensor_op_hmma", "tensor, floating point"),
    ("tensor_op_imma", "tensor, integer"),
    ("tensor_subpipe_hmma", "tensor, floating point"),
    ("tensor_subpipe_imma", "tensor, integer"),
    ("tex", "TEX (textures)"),
    ("tma", "TMA (block copies)"),
    ("tmem", "tensor memory"),
    ("uniform", "uniform (once a warp)"),
    ("workid", "work distribution"),
    ("xu", "XU (special functions)"),
];

pub(super) fn pipes(metrics: &Metrics) -> Vec<Pipe> {
    let mut found: IndexMap<&str, [Option<Reading>; 2]> = IndexMap::new();
    for ending in ENDINGS {
        for name in metrics.keys() {
            let Some(counter) = name.strip_suffix(ending) else { continue };
            for (at, (stem, end)) in [CYCLES, INSTRUCTIONS].into_iter().enumerate() {
                let pipe = counter.strip_prefix(stem).and_then(|rest| rest.strip_suffix(end));
                if let (Some(pipe), Some(reading)) = (pipe, one(metrics, name))
                    && let Some(cell) = found.entry(pipe).or_default().get_mut(at)
                {
                    cell.get_or_insert(reading);
                }
            }
        }
    }
    let pipes = found.into_iter().map(|(pipe, [cycles_pct, instructions_pct])| Pipe {
        name: NAMES
            .iter()
            .find_map(|(id, name)| (*id == pipe).then_some(*name))
            .map_or_else(|| pipe.replace('_', " "), str::to_owned),
        pipe: pipe.to_owned(),
        cycles_pct,
        instructions_pct,
    });
    let mut pipes: Vec<Pipe> =
        pipes.filter(|pipe| pipe.cycles_pct.is_some() || pipe.instructions_pct.is_some()).collect();
    pipes.sort_by(|left, right| {
        right.busiest().total_cmp(&left.busiest()).then_with(|| left.pipe.cmp(&right.pipe))
    });
    pipes
}

impl Pipe {
    /// The larger of its percentages.
    pub fn busiest(&self) -> f64 {
        let values = [&self.cycles_pct, &self.instructions_pct].into_iter().flatten();
        values.map(|reading| reading.value).fold(0.0, f64::max)
    }
}
