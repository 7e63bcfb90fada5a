//! The plan of an analysis: everything that can be settled before the first result is looked at.
//!
//! An [`Analysis`] never changes and may be shared by threads; each thread fills a [`Partial`](crate::aggregate::Partial) of its own, the partials are merged in the
//! order of their results, and [`Analysis::finish`] makes the reports.

use crate::aggregate::bounds::Bounds;
use crate::aggregate::causes::CausePlan;
use crate::aggregate::constituents::Breakdowns;
use crate::aggregate::finish::process_id;
use crate::aggregate::given_up::GivenUp;
use crate::aggregate::limit::LimitPlan;
use crate::aggregate::normalise::Normaliser;
use crate::aggregate::options::AnalysisOptions;
use crate::aggregate::partial::{BucketKey, Partial};
use crate::aggregate::ranks::RankPlan;
use crate::aggregate::rollup::Plans;
use crate::aggregate::rules::Combine;
use crate::aggregate::same_counters;
use crate::aggregate::tally::plan::{TallyPlan, Wanted};
use crate::aggregate::tree::{RegionId, RegionTree, Verdict};
use rangescope_model::document::Basis;
use rangescope_model::launch::{Launch, ProcessInfo, Vocabulary};
use rangescope_model::select::kernels::KernelFilter;
use rangescope_model::select::names::NameList;
use rangescope_model::select::ranks::RankSelection;
use rangescope_model::select::regions::{self, Selector, SelectorKind};
use rangescope_model::select::scopes::ScopeRequest;
use rangescope_model::select::{NcuCompiler, SelectError};
use rustc_hash::{FxHashMap, FxHashSet};
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

/// What every summary of a region shows, whichever metrics are asked for besides: the SMs, and device memory under its names on different chips.
pub(crate) const HEADLINE_METRICS: [&str; 3] = [KEY_METRICS[0], KEY_METRICS[2], KEY_METRICS[3]];

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

/// Processes that each have all metrics of all their regions. Where there are more, only those that are asked for have, and all of them together.
pub(crate) const MOST_WHOLE_PROCESSES: usize = 64;

/// The number of the processes that are too many.
pub(crate) const OTHER_PROCESSES: u32 = u32::MAX - 1;

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
    /// By metric handle: whether it is a hardware counter.
    pub(crate) counters: Vec<bool>,
    pub(crate) bounds: Bounds,
    pub(crate) ranks: Arc<RankPlan>,
    /// By index of a process: whether its results are taken; empty where all are.
    taken: Vec<bool>,
    /// By index of a process: the first index with the same process id and host.
    processes: Vec<u32>,
    /// The numbers of processes whose own scopes are brief.
    brief: FxHashSet<u32>,
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

    /// An analysis that selects nothing and keeps everything that any analysis could need.
    pub(crate) fn complete(vocabulary: &'a Vocabulary) -> Result<Self, SelectError> {
        let plans = Plans {
            metrics: TallyPlan::new(vocabulary, |_, _| Wanted::Fully),
            kernels: TallyPlan::default(),
            limits: LimitPlan::new(vocabulary),
            causes: CausePlan::new(vocabulary),
            brief: None,
        };
        let analysis = Self::new(&AnalysisOptions::default(), vocabulary)?;
        Ok(Self { plans: Arc::new(plans), ..analysis })
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
        let per_kernel: FxHashSet<&str> = options.per_kernel.iter().map(String::as_str).collect();
        let is_wanted = |id: usize| {
            vocabulary.metrics.get(id).is_some_and(|name| per_kernel.contains(name.as_str()))
        };
        let shown_per_kernel =
            |id: usize| is_key(id) || is_wanted(id) || (few_asked && is_asked(id));
        let with_breakdown = vocabulary
            .metrics
            .iter()
            .enumerate()
            .any(|(id, name)| shown_per_kernel(id) && breakdowns.explain(name));
        let processes = same_processes(&vocabulary.processes);
        let many = processes.iter().collect::<FxHashSet<_>>().len() > MOST_WHOLE_PROCESSES;
        let in_brief = |id: usize| {
            let name = vocabulary.metrics.get(id).map_or("", String::as_str);
            HEADLINE_METRICS.contains(&name) || (few_asked && is_asked(id))
        };
        let plans =
            Plans {
                metrics: TallyPlan::new(vocabulary, |_, _| Wanted::Shown),
                kernels: TallyPlan::new(vocabulary, |id, row| match row.combine {
                    Combine::Nothing => Wanted::No,
                    _ if shown_per_kernel(id) => Wanted::Shown,
                    _ if with_breakdown && is_constituent(vocabulary, id) => Wanted::AsPart,
                    _ => Wanted::No,
                }),
                limits: LimitPlan::new(vocabulary),
                causes: CausePlan::new(vocabulary),
                brief: many.then(|| {
                    TallyPlan::new(vocabulary, |id, _| {
                        if in_brief(id) { Wanted::Shown } else { Wanted::No }
                    })
                }),
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
            counters: same_counters::counters(vocabulary),
            processes,
            brief: FxHashSet::default(),
            bounds: Bounds::new(0),
            ranks: Arc::default(),
            taken: taken(&options.ranks, &vocabulary.processes)?,
        }
        .of_input(0))
    }

    /// Says how many bytes the results were read from. A document may grow in proportion to them; rows that are too many are taken together.
    #[must_use]
    pub fn of_input(mut self, stored: u64) -> Self {
        self.bounds = Bounds::new(stored);
        let processes = same_processes(&self.vocabulary.processes);
        let asked = |id: usize| {
            self.vocabulary.metrics.get(id).is_some_and(|name| self.metrics.names(name))
        };
        let ranks = RankPlan::new(self.vocabulary, &self.plans.metrics, asked);
        self.ranks = Arc::new(ranks.over(&processes, self.bounds.rank_cells));
        self.settle_scopes(processes);
        self
    }

    /// Not too many processes have a scope of their own, and fewer a whole one. Those that are asked for always have.
    fn settle_scopes(&mut self, mut processes: Vec<u32>) {
        let mut own: FxHashSet<u32> = FxHashSet::default();
        let mut brief: FxHashSet<u32> = FxHashSet::default();
        for process in &mut processes {
            let is_asked = {
                let asked = |request: &ScopeRequest| match request {
                    ScopeRequest::One(id) => self.process_info(*process).is_some_and(|info| {
                        process_id(info, false) == *id || process_id(info, true) == *id
                    }),
                    ScopeRequest::Rank(rank) => {
                        self.process_info(*process).is_some_and(|info| info.rank == Some(*rank))
                    }
                    _ => false,
                };
                !self.taken.is_empty() || self.scopes.iter().any(asked)
            };
            if own.len() < self.bounds.processes || own.contains(process) || is_asked {
                own.insert(*process);
            } else {
                *process = OTHER_PROCESSES;
            }
            if self.plans.brief.is_some() && !is_asked {
                brief.insert(*process);
            }
        }
        (self.processes, self.brief) = (processes, brief);
    }

    /// Whether the scope of a process has times, kernels and few metrics only.
    pub(crate) fn is_brief(&self, key: &BucketKey) -> bool {
        key.basis == Basis::Kernel && self.brief.contains(&key.process)
    }

    /// What it was settled for.
    pub fn vocabulary(&self) -> &'a Vocabulary {
        self.vocabulary
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

    /// Whether results of a process are taken at all.
    pub(crate) fn takes(&self, process: usize) -> bool {
        self.taken.is_empty() || self.taken.get(process).copied().unwrap_or(false)
    }

    /// Whether there are regions that are not shown, as far as their names tell.
    pub(crate) fn shows_some(&self) -> bool {
        let is_pattern = |selector: &Selector| matches!(selector.kind, SelectorKind::Pattern(_));
        !self.selectors.is_empty() && self.selectors.iter().all(is_pattern)
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

/// By process whether it is of a selected rank; nothing where all are taken.
fn taken(ranks: &RankSelection, processes: &[ProcessInfo]) -> Result<Vec<bool>, SelectError> {
    if *ranks == RankSelection::All {
        return Ok(Vec::new());
    }
    let known = processes.iter().filter_map(|info| Some((info.rank?, info.host.as_str())));
    let selected = ranks.among(&known.collect::<Vec<_>>())?;
    let is_taken = |info: &ProcessInfo| info.rank.is_some_and(|rank| selected.contains(&rank));
    Ok(processes.iter().map(is_taken).collect())
}

/// For each process the first one that is the same: one process may stand in several files.
fn same_processes(processes: &[ProcessInfo]) -> Vec<u32> {
    // Containers may all have one host name and one process id; their ranks differ.
    let mut first: FxHashMap<(Option<u32>, &str, Option<u32>), u32> = FxHashMap::default();
    let mut same = Vec::with_capacity(processes.len());
    for (index, process) in (0..).zip(processes) {
        let identity = (process.pid, process.host.as_str(), process.rank);
        same.push(*first.entry(identity).or_insert(index));
    }
    same
}
