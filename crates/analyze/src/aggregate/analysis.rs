//! The plan of an analysis: everything that can be settled before the first result is looked at.
//!
//! An [`Analysis`] never changes and may be shared by threads; each thread fills a [`Partial`](crate::aggregate::Partial) of its own, the partials are merged in the
//! order of their results, and [`Analysis::finish`] makes the reports.

use crate::aggregate::constituents::Breakdowns;
use crate::aggregate::given_up::GivenUp;
use crate::aggregate::limit::LimitPlan;
use crate::aggregate::normalise::Normaliser;
use crate::aggregate::options::AnalysisOptions;
use crate::aggregate::partial::Partial;
use crate::aggregate::rollup::Plans;
use crate::aggregate::rules::Combine;
use crate::aggregate::tally::plan::{TallyPlan, Wanted};
use crate::aggregate::tree::{RegionId, RegionTree, Verdict};
use rangescope_model::launch::{Launch, ProcessInfo, Vocabulary};
use rangescope_model::select::kernels::KernelFilter;
use rangescope_model::select::names::NameList;
use rangescope_model::select::regions::{self, Selector, SelectorKind};
use rangescope_model::select::scopes::ScopeRequest;
use rangescope_model::select::{NcuCompiler, SelectError};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Metrics that are always summarised per kernel: how busy the device was, how full, and what limited that.
const KEY_METRICS: [&str; 13] = [
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__maximum_warps_per_active_cycle_pct",
    "launch__registers_per_thread",
    "launch__waves_per_multiprocessor",
    "launch__occupancy_limit_barriers",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
];

/// What a kernel's point in a roofline is made of: clocks, traffic and work. Peaks are those of the region around it.
/// They are summarised per kernel only where work was measured, because they are of no use without it.
const ROOFLINE_METRICS: [&str; 20] = [
    "sm__cycles_elapsed.avg.per_second",
    "dram__cycles_elapsed.avg.per_second",
    "lts__cycles_elapsed.avg",
    "lts__cycles_elapsed.avg.per_second",
    "dram__bytes.sum",
    "dram__bytes.sum.per_second",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__lts2xbar_cycles_active.sum.per_second",
    "l1tex__m_xbar2l1tex_read_bytes.sum.per_second",
    "lts__t_bytes.sum.per_second",
    "lts__t_sectors.sum",
    "l1tex__lsu_writeback_active.sum.per_second",
    "l1tex__lsu_writeback_active_mem_lg.sum.per_second",
    "l1tex__lsu_writeback_active_mem_lgds.sum.per_second",
    "l1tex__t_bytes.sum.per_second",
    "smsp__inst_executed_pipe_tensor.sum.per_cycle_elapsed",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
];

/// Metrics that were asked for are summarised per kernel too, unless they are more than this.
const MOST_ASKED_PER_KERNEL: usize = 16;

/// What is to be done, settled once.
#[derive(Debug)]
pub struct Analysis<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) options: AnalysisOptions,
    pub(crate) selectors: Vec<Selector>,
    excluded: Vec<Selector>,
    pub(crate) kernels: KernelFilter,
    pub(crate) metrics: NameList,
    pub(crate) sections: NameList,
    pub(crate) scopes: Vec<ScopeRequest>,
    pub(crate) normaliser: Normaliser,
    pub(crate) plans: Arc<Plans>,
    pub(crate) breakdowns: Breakdowns,
    pub(crate) given_up: GivenUp,
    /// By index of a process: the first index with the same process id and host.
    processes: Vec<u32>,
}

/// Why a result is selected by its regions.
pub(crate) enum Chosen {
    No,
    Yes,
    /// Selected by these predicates, whatever the patterns say.
    ByPredicates(Vec<u32>),
}

impl<'a> Analysis<'a> {
    /// Settles an analysis. Selectors that begin with `ncu:` are refused; see [`Analysis::with_ncu`].
    pub fn new(options: &AnalysisOptions, vocabulary: &'a Vocabulary) -> Result<Self, SelectError> {
        Self::build(options, vocabulary, None)
    }

    /// Settles an analysis in which `ncu:` selectors are compiled by the given function.
    pub fn with_ncu(
        options: &AnalysisOptions,
        vocabulary: &'a Vocabulary,
        compiler: &NcuCompiler<'_>,
    ) -> Result<Self, SelectError> {
        Self::build(options, vocabulary, Some(compiler))
    }

    fn build(
        options: &AnalysisOptions,
        vocabulary: &'a Vocabulary,
        ncu: Option<&NcuCompiler<'_>>,
    ) -> Result<Self, SelectError> {
        let metrics = NameList::new(&options.metrics);
        let asked: Vec<bool> = vocabulary.metrics.iter().map(|name| metrics.names(name)).collect();
        let is_asked = |id: usize| asked.get(id).copied().unwrap_or(false);
        let few_asked = asked.iter().filter(|asked| **asked).count() <= MOST_ASKED_PER_KERNEL;
        let with_work = vocabulary.metrics.iter().any(|name| is_work(name));
        let is_key = |id: usize| {
            vocabulary.metrics.get(id).is_some_and(|name| {
                KEY_METRICS.contains(&name.as_str())
                    || (with_work && (ROOFLINE_METRICS.contains(&name.as_str()) || is_work(name)))
            })
        };
        let breakdowns = Breakdowns::new(vocabulary);
        let shown_per_kernel = |id: usize| is_key(id) || (few_asked && is_asked(id));
        let with_breakdown = vocabulary
            .metrics
            .iter()
            .enumerate()
            .any(|(id, name)| shown_per_kernel(id) && breakdowns.explain(name));
        let plans = Plans {
            metrics: TallyPlan::new(vocabulary, |_, _| Wanted::Shown),
            kernels: TallyPlan::new(vocabulary, |id, row| match row.combine {
                Combine::Nothing => Wanted::No,
                _ if shown_per_kernel(id) => Wanted::Shown,
                _ if with_breakdown && is_constituent(vocabulary, id) => Wanted::AsPart,
                _ => Wanted::No,
            }),
            limits: LimitPlan::new(vocabulary),
        };
        Ok(Self {
            vocabulary,
            options: options.clone(),
            selectors: regions::compile(&options.regions, ncu)?,
            excluded: regions::compile(&options.exclude_regions, ncu)?,
            kernels: KernelFilter::new(&options.kernel_include, &options.kernel_exclude)?,
            metrics,
            sections: NameList::new(&options.sections),
            scopes: options
                .scopes
                .iter()
                .map(|scope| ScopeRequest::parse(scope))
                .collect::<Result<_, _>>()?,
            normaliser: Normaliser::new(&options.normalisation)?,
            plans: Arc::new(plans),
            breakdowns,
            given_up: GivenUp::new(vocabulary),
            processes: same_processes(&vocabulary.processes),
        })
    }

    /// An empty set of results to be filled by one thread.
    pub fn partial(&self) -> Partial {
        Partial::new(self)
    }

    /// The number under which results of a process are kept; all processes that the vocabulary does not know share one.
    pub(crate) fn process(&self, index: usize) -> u32 {
        self.processes.get(index).copied().unwrap_or(u32::MAX)
    }

    pub(crate) fn process_info(&self, process: u32) -> Option<&ProcessInfo> {
        self.vocabulary.processes.get(process as usize)
    }

    pub(crate) fn judges_regions(&self) -> bool {
        !self.selectors.is_empty() || !self.excluded.is_empty()
    }

    pub(crate) fn judge(&self, domain: &str, path: &[&str], display_name: &str) -> Verdict {
        let names = |selector: &Selector| match &selector.kind {
            SelectorKind::Pattern(pattern) => pattern.matches(domain, path, display_name),
            SelectorKind::Predicate(_) => false,
        };
        let position = self.selectors.iter().position(names);
        Verdict {
            named_by: position.and_then(|position| u32::try_from(position).ok()),
            is_excluded: self.excluded.iter().any(names),
        }
    }

    pub(crate) fn choose(
        &self,
        tree: &RegionTree,
        regions: &[RegionId],
        launch: &Launch<'_>,
    ) -> Chosen {
        let is_excluded =
            |region: &RegionId| tree.node(*region).is_some_and(|node| node.is_excluded);
        let is_refused = |selector: &Selector| match &selector.kind {
            SelectorKind::Predicate(predicate) => predicate.holds(launch.domains),
            SelectorKind::Pattern(_) => false,
        };
        if regions.iter().any(is_excluded) || self.excluded.iter().any(is_refused) {
            return Chosen::No;
        }
        if self.selectors.is_empty() {
            return Chosen::Yes;
        }
        let holding: Vec<u32> = (0..)
            .zip(&self.selectors)
            .filter_map(|(position, selector)| match &selector.kind {
                SelectorKind::Predicate(predicate) if predicate.holds(launch.domains) => {
                    Some(position)
                }
                _ => None,
            })
            .collect();
        if !holding.is_empty() {
            return Chosen::ByPredicates(holding);
        }
        let is_under =
            |region: &RegionId| tree.node(*region).is_some_and(|node| node.under.is_some());
        if regions.iter().any(is_under) { Chosen::Yes } else { Chosen::No }
    }
}

/// Whether a metric may be one of the counters of which a throughput is the largest; the lists are only met while results are read.
fn is_constituent(vocabulary: &Vocabulary, id: usize) -> bool {
    vocabulary
        .metrics
        .get(id)
        .is_some_and(|name| name.ends_with(".avg.pct_of_peak_sustained_elapsed"))
}

/// Whether a metric states arithmetic work as ncu's roofline sections collect it: `smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed` and
/// its kin, or the paths of the tensor cores.
fn is_work(name: &str) -> bool {
    let counter = name
        .strip_suffix(".sum.per_cycle_elapsed")
        .or_else(|| name.strip_suffix(".sum"))
        .unwrap_or_default();
    let operation = counter
        .strip_prefix("smsp__")
        .or_else(|| counter.strip_prefix("sm__"))
        .and_then(|counter| counter.strip_prefix("sass_thread_inst_executed_op_"))
        .and_then(|counter| counter.strip_suffix("_pred_on"))
        .unwrap_or_default();
    let is_scalar =
        matches!(operation.split_at_checked(1), Some(("d" | "f" | "h", "add" | "mul" | "fma")));
    is_scalar
        || (name.ends_with(".per_cycle_elapsed") && counter.starts_with("sm__ops_path_tensor_"))
}

/// For each process the first one that is the same: one process may stand in several files.
fn same_processes(processes: &[ProcessInfo]) -> Vec<u32> {
    let mut first: FxHashMap<(Option<u32>, &str), u32> = FxHashMap::default();
    (0..)
        .zip(processes)
        .map(|(index, process)| *first.entry((process.pid, process.host.as_str())).or_insert(index))
        .collect()
}
