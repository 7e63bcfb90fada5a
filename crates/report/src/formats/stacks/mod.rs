//! GPU time as stacks, for viewers of profiles: the regions from the outermost to the innermost, and last the kernel that was launched.
//!
//! A stack has what a region launches itself, so that stacks can be added. Trees of different domains, and of start/end ranges, show the same results once more:
//! each of them is a profile of its own. Results outside of all ranges are in the first one.
//! Names are made harmless here, because nobody knows where a viewer will print them.

pub mod collapsed;
pub mod perfetto;
pub mod pprof;
pub mod speedscope;

use indexmap::{IndexMap, IndexSet};
use rangescope_analyze::{DirectKernel, direct_kernels};
use rangescope_model::document::{
    KernelSummary, Method, MetricSummary, Region, RegionDocument, ScopeReport,
};
use rangescope_model::text::{shorten, visible_name};

use crate::tree::Tree;
use crate::{phrases, scopes};

/// The formats that are made of stacks.
pub const NAMES: &[&str] = &["collapsed", "speedscope", "perfetto", "pprof"];

/// Characters of a frame; kernels made of templates have thousands.
const LONGEST: usize = 400;
/// Counters of bytes to and from device memory: all of them in one, or reads and writes.
const BYTES: &[&[&str]] =
    &[&["dram__bytes.sum"], &["dram__bytes_read.sum", "dram__bytes_write.sum"]];

/// All stacks of a document.
#[derive(Debug, Default)]
struct Stacks {
    /// Names of frames, each once.
    frames: IndexSet<Frame>,
    profiles: Vec<Profile>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Frame {
    name: String,
    is_kernel: bool,
}

/// The stacks of one tree of regions, in the order of the tree.
#[derive(Debug)]
struct Profile {
    name: String,
    stacks: Vec<Stack>,
}

#[derive(Debug)]
struct Stack {
    /// From the outside to the inside.
    frames: Vec<usize>,
    /// None where no launch has a duration.
    ns: Option<u64>,
    launches: u64,
    /// Of a region whose bytes are known; those of its kernels alone are not.
    bytes: Option<u64>,
}

impl Stacks {
    fn of(document: &RegionDocument) -> Self {
        let mut all = Self::default();
        let reports = scopes::main_reports(document);
        for report in &reports {
            let scope = (reports.len() > 1).then(|| phrases::scope(report));
            all.add(report, scope.as_deref(), document.simulated);
        }
        all
    }

    fn add(&mut self, report: &ScopeReport, scope: Option<&str>, simulated: bool) {
        let tree = Tree::of(report);
        let direct = direct_kernels(report);
        let mut outside = self.outside(report, !tree.groups.is_empty());
        let several = tree.groups.len() > 1;
        let name = |group: Option<String>| {
            let simulated = simulated.then(|| "SIMULATED, no measurement".to_owned());
            let parts = [scope.map(str::to_owned), group, simulated];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        };
        for group in &tree.groups {
            let mut stacks = Vec::new();
            for node in tree.depth_first(group) {
                let known = direct.get(node.index).and_then(Option::as_deref);
                self.of_region(node.region, known, &mut stacks);
            }
            stacks.append(&mut outside);
            let group = phrases::group(group.domain, group.kind);
            let group = group.unwrap_or_else(|| "default domain".to_owned());
            self.profiles.push(Profile { name: name(several.then_some(group)), stacks });
        }
        if !outside.is_empty() {
            self.profiles.push(Profile { name: name(None), stacks: outside });
        }
    }

    fn of_region(
        &mut self,
        region: &Region,
        direct: Option<&[DirectKernel<'_>]>,
        stacks: &mut Vec<Stack>,
    ) {
        let path: Vec<usize> = region.path.iter().map(|name| self.frame(name, false)).collect();
        let metrics = region.exclusive_metrics.as_deref().unwrap_or(&region.set.metrics);
        let mut own = Stack { frames: path, ns: None, launches: 0, bytes: bytes(metrics) };
        let mut kernels = Vec::new();
        if let Some(direct) = direct {
            for kernel in direct {
                let mut frames = own.frames.clone();
                frames.push(self.frame(kernel.name, true));
                let ns = kernel.total_ms.and_then(nanoseconds);
                kernels.push(Stack { frames, ns, launches: kernel.calls, bytes: None });
            }
        } else {
            // Time that is less than nothing is what whole ranges have where the inner ones were measured apart from the outer one.
            own.ns = region.exclusive_ms.and_then(nanoseconds);
            own.launches = region.exclusive_kernel_count;
        }
        // A region that launches nothing itself is in the stacks of those inside.
        if own.launches > 0 || own.bytes.is_some() {
            stacks.push(own);
        }
        stacks.append(&mut kernels);
    }

    /// The kernels outside of all ranges, below a frame that says so where there are ranges.
    fn outside(&mut self, report: &ScopeReport, has_regions: bool) -> Vec<Stack> {
        let root = has_regions.then(|| self.frame(report.unlabeled_name(), false));
        let stack = |kernel: &KernelSummary| Stack {
            frames: root.into_iter().chain([self.frame(&kernel.kernel_name, true)]).collect(),
            ns: kernel.total_ms.and_then(nanoseconds),
            launches: kernel.calls,
            bytes: None,
        };
        report.unlabeled.kernels.iter().map(stack).collect()
    }

    fn frame(&mut self, name: &str, is_kernel: bool) -> usize {
        let name = shorten(&visible_name(name), LONGEST).into_owned();
        self.frames.insert_full(Frame { name, is_kernel }).0
    }
}

/// Bytes of device memory, if all results have them.
fn bytes(metrics: &IndexMap<String, MetricSummary>) -> Option<u64> {
    let sum = |name: &&str| {
        let metric = metrics.get(*name)?;
        let is_sum = metric.method == Method::Sum && metric.covered == metric.of;
        whole(metric.value.as_ref().filter(|_| is_sum)?.number()?)
    };
    BYTES.iter().find_map(|names| names.iter().map(sum).sum())
}

fn nanoseconds(ms: f64) -> Option<u64> {
    whole(ms * 1e6)
}

/// None for what viewers cannot show: less than nothing, and more than fits.
fn whole(value: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (0.0..9e18).contains(&value).then(|| value.round() as u64)
}

#[cfg(test)]
mod tests;
