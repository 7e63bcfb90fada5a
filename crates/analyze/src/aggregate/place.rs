//! Where a result belongs, and whether it is selected: what every analysis of results begins with.

use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::attribute::attribute;
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::aggregate::tree::{Judge, RegionId, RegionTree};
use rangescope_model::launch::Launch;

pub(crate) struct Placed<'l> {
    pub(crate) kernel: KernelId,
    /// In the base that was chosen.
    pub(crate) kernel_name: &'l str,
    /// By its name, its launch shape and its rank.
    pub(crate) kernel_selected: bool,
    pub(crate) chosen: Chosen,
}

/// Finds the kernel and the innermost regions of a result, which are written into `regions`.
pub(crate) fn place<'l>(
    analysis: &Analysis<'_>,
    launch: &'l Launch<'_>,
    tree: &mut RegionTree,
    kernels: &mut KernelTable,
    regions: &mut Vec<RegionId>,
) -> Placed<'l> {
    let kernel_name =
        analysis.options.kernel_name_base.of(launch.function, launch.demangled, launch.mangled);
    let selects = |name: &str| analysis.kernels.selects(name);
    let (kernel, kernel_selected) =
        kernels.find(launch.kind, kernel_name, launch.function, selects);
    let judge = |domain: &str, path: &[&str], display_name: &str| {
        analysis.judge(domain, path, display_name)
    };
    let judge: Option<&Judge<'_>> = if analysis.judges_regions() { Some(&judge) } else { None };
    attribute(tree, &analysis.normaliser, judge, launch, regions);
    let chosen = analysis.choose(tree, regions, launch);
    let shape = analysis.options.shape;
    let shape_selected = shape.is_none_or(|shape| shape.selects(launch.grid, launch.block));
    let kernel_selected = kernel_selected && shape_selected && analysis.takes(launch.process);
    Placed { kernel, kernel_name, kernel_selected, chosen }
}
