//! Flags that several verbs share: which results count, how ranges are called, and what is shown of the tree.

use clap::Args;
use rangescope_analyze::aggregate::{AnalysisOptions, Normaliser, PRESETS, normalisation};
use rangescope_analyze::{SortKey, View};
use rangescope_model::KernelNameBase;
use rangescope_model::select::SelectError;
use rangescope_model::select::ranks::RankSelection;
use rangescope_model::select::shape::ShapeSelector;

use crate::args::word;
use crate::flags::Offered;

/// What is shown of the tree of regions.
#[derive(Debug, Default, Args)]
pub(crate) struct TreeArgs {
    /// Show the members of families one by one, `layers.0`, `layers.1` … instead of `layers.* ×32`.
    #[arg(long)]
    unfold: bool,
    /// Show this many levels of the tree.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,
}

impl TreeArgs {
    pub(crate) fn view(&self, sort: SortKey) -> View {
        View { unfold: self.unfold, depth: self.depth.map(usize::from), sort, top: None }
    }
}

/// What is shown of the tree of regions, how much of it, and in which order.
#[derive(Debug, Default, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    tree: TreeArgs,
    /// Show the heaviest N regions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,
    /// The order of siblings.
    #[arg(long, value_name = "KEY", value_parser = word::<SortKey>(), default_value = "appearance")]
    sort: SortKey,
}

impl ViewArgs {
    /// The view, for what counts the regions that it leaves out by itself.
    pub(crate) fn view(&self) -> View {
        self.tree.view(self.sort)
    }

    /// The view with nothing but the heaviest regions in it.
    pub(crate) fn view_of_top(&self) -> View {
        View { top: self.top.map(|top| top as usize), ..self.view() }
    }
}

/// How ranges are called.
#[derive(Debug, Default, Args)]
pub(crate) struct NameArgs {
    /// Fold names of ranges before the tree is built: `none`, `layers`, `pytorch`, or a rule `REGEX=>REPLACEMENT`; may be repeated.
    #[arg(long, value_name = "PRESET|RULE", value_parser = Offered(PRESETS.to_vec()), hide_possible_values = true)]
    normalise: Vec<String>,
}

impl NameArgs {
    fn adjust(&self, options: AnalysisOptions) -> Result<AnalysisOptions, SelectError> {
        Ok(match self.normalise.as_slice() {
            [] => options,
            given => AnalysisOptions { normalisation: normalisation(given)?, ..options },
        })
    }

    /// The rules, for what is no report of ncu.
    pub(crate) fn normaliser(&self) -> Result<Normaliser, SelectError> {
        Normaliser::new(&normalisation(&self.normalise)?)
    }
}

/// Which results count.
#[derive(Debug, Default, Args)]
pub(crate) struct ResultArgs {
    /// Regions to leave out with everything in them; wins over --region.
    #[arg(long = "exclude-region", value_name = "PATTERN")]
    exclude_regions: Vec<String>,
    /// Kernels to take: an exact name, `glob:PATTERN` or `regex:PATTERN`.
    #[arg(long = "kernel", value_name = "PATTERN")]
    kernels: Vec<String>,
    /// Kernels to leave out; wins over --kernel.
    #[arg(long = "exclude-kernel", value_name = "PATTERN")]
    exclude_kernels: Vec<String>,
    /// Take only launches of this grid and block, for example `128,1,1x256,1,1`, or `128x256` where both have one dimension.
    #[arg(long, value_name = "GRIDxBLOCK")]
    shape: Option<ShapeSelector>,
    /// Take only the result of this number, as `rangescope dump` counts them.
    #[arg(long, value_name = "N")]
    launch: Option<u64>,
    /// Which name the kernel patterns are for; demangled unless a run says otherwise.
    #[arg(long, value_parser = word::<KernelNameBase>(), value_name = "NAME")]
    kernel_name_base: Option<KernelNameBase>,
}

impl ResultArgs {
    /// What the flags mean, on top of what holds without them.
    pub(crate) fn adjust(
        &self,
        regions: &[String],
        names: &NameArgs,
        options: AnalysisOptions,
    ) -> Result<AnalysisOptions, SelectError> {
        names.adjust(AnalysisOptions {
            regions: given(regions, options.regions),
            exclude_regions: given(&self.exclude_regions, options.exclude_regions),
            kernel_include: given(&self.kernels, options.kernel_include),
            kernel_exclude: given(&self.exclude_kernels, options.kernel_exclude),
            kernel_name_base: self.kernel_name_base.unwrap_or(options.kernel_name_base),
            shape: self.shape.or(options.shape),
            launch: self.launch.or(options.launch),
            ..options
        })
    }
}

#[derive(Debug, Default, Args)]
pub(crate) struct SelectionArgs {
    /// Regions to report, for example `decode*`, `A::A1`, `LLM@*`, `model/**/attn`, `regex:layers\.[0-9]+`, `ncu:A/`; several with `;` or by repeating.
    #[arg(long = "region", value_name = "PATTERN")]
    regions: Vec<String>,
    #[command(flatten)]
    results: ResultArgs,
    /// Metrics to report, names or globs, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Sections to report, identifiers, titles or globs, separated by commas.
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',')]
    sections: Vec<String>,
    /// Scopes to report: `process`, `device`, `aggregate`, `process:PID`, `rank:N`, `device:ID` (all GPUs of that number; `device:ID@PCI` is one of several); separated by commas.
    #[arg(long = "scope", value_name = "SCOPES", value_delimiter = ',')]
    scopes: Vec<String>,
    /// Take only results of these ranks: numbers and ranges such as `0,7` and `0-3,12`, or `1-per-node`.
    #[arg(long, value_name = "RANKS")]
    ranks: Option<RankSelection>,
    /// Leave out the aggregate over all processes and devices.
    #[arg(long)]
    no_aggregate: bool,
    #[command(flatten)]
    names: NameArgs,
}

impl SelectionArgs {
    /// What the flags mean, on top of what holds without them.
    pub(crate) fn adjust(&self, options: AnalysisOptions) -> Result<AnalysisOptions, SelectError> {
        let options = self.results.adjust(&self.regions, &self.names, options)?;
        Ok(AnalysisOptions {
            metrics: given(&self.metrics, options.metrics),
            sections: given(&self.sections, options.sections),
            aggregate: options.aggregate && !self.no_aggregate,
            scopes: given(&self.scopes, options.scopes),
            ranks: self.ranks.clone().unwrap_or(options.ranks),
            ..options
        })
    }
}

fn given(given: &[String], otherwise: Vec<String>) -> Vec<String> {
    if given.is_empty() { otherwise } else { given.to_vec() }
}
