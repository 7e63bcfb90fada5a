//! One kernel in detail: which one is meant, the document of its launches alone, and what only single results hold.

mod collect;
mod page;
mod samples;

pub(crate) use page::for_page;

use std::cell::RefCell;
use std::path::Path;

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_analyze::insight::kernel::{KernelReport, PmSampling};
use rangescope_model::document::{KernelSummary, Note, RegionDocument, ScopeKind, ScopeReport};
use rangescope_model::nearest::suggestion;
use rangescope_model::number::{dimensions, weight};
use rangescope_model::select::kernels::KernelFilter;
use rangescope_model::select::shape::ShapeSelector;
use rangescope_model::text::{shorten_kernel, visible_name};

use crate::analysis::Progress;
use crate::load::is_document;
use crate::{Adjust, Loaded, RunError, RunFolder, load};

/// Launch shapes and kernels that a message lists.
const LISTED: usize = 5;
/// Columns of a kernel's name in a message.
const NAME: usize = 80;

/// Everything that is known of the kernels that are selected; of the heaviest where none is.
pub fn kernel(
    path: &Path,
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<KernelReport, RunError> {
    if is_document(path) {
        return Err(RunError::StoredDocument { path: path.to_owned() });
    }
    let paths = [path.to_owned()];
    let asked = adjust(AnalysisOptions::default())?;
    let around = load(&paths, &|options| Ok(without_kernels(adjust(options)?)), progress)?;
    let whole = main_report(&around.document).ok_or_else(|| nothing(&around.document))?;
    let names = chosen(&around, whole, &asked)?;
    // A run folder has options of its own, on which the others are put.
    let used = RefCell::new(AnalysisOptions::default());
    let narrow = |options| -> Result<AnalysisOptions, _> {
        let options: AnalysisOptions = adjust(options)?;
        let kernel_include = if names.is_empty() { options.kernel_include } else { names.clone() };
        let options = AnalysisOptions { kernel_include, ..options };
        used.replace(options.clone());
        Ok(options)
    };
    let loaded = load(&paths, &narrow, progress)?;
    let is_same = |report: &ScopeReport| {
        report.scope.id == whole.scope.id
            && report.basis == whole.basis
            && report.totals.kernel_count > 0
    };
    let place = loaded.document.reports.iter().position(is_same);
    let left = place.and_then(|place| Some((place, loaded.document.reports.get(place)?)));
    let (place, report) = left.ok_or_else(|| none_left(whole, &names, &asked))?;
    let one_program = RunFolder::open(path).is_ok();
    let collect = || collect::collect(&loaded.inputs, &used.into_inner(), one_program, report);
    let collected = (!loaded.inputs.is_empty()).then(collect).transpose()?;
    let is_heaviest = asked.kernel_include.is_empty() && asked.launch.is_none();
    KernelReport::new(&loaded.document, place, whole, is_heaviest, collected)
        .ok_or_else(|| nothing(&loaded.document))
}

/// The samples over time of the longest launch of what is selected, if any launch has them.
pub fn samples(path: &Path, adjust: Adjust<'_>) -> Result<Option<PmSampling>, RunError> {
    let used = RefCell::new(AnalysisOptions::default());
    let adjusted = |options| -> Result<AnalysisOptions, _> {
        let options: AnalysisOptions = adjust(options)?;
        used.replace(options.clone());
        Ok(options)
    };
    let loaded = load(&[path.to_owned()], &adjusted, &|_, _| {})?;
    let Some(report) = main_report(&loaded.document) else { return Ok(None) };
    let one_program = RunFolder::open(path).is_ok();
    let options = used.into_inner();
    Ok(collect::collect(&loaded.inputs, &options, one_program, report)?.pm_sampling)
}

/// The same selection with every kernel and every launch in it, for what the kernel is a part of.
fn without_kernels(options: AnalysisOptions) -> AnalysisOptions {
    AnalysisOptions {
        kernel_include: Vec::new(),
        kernel_exclude: Vec::new(),
        shape: None,
        launch: None,
        ..options
    }
}

/// The scope that was asked for, else everything; of kernel launches and whole ranges what has more time.
fn main_report(document: &RegionDocument) -> Option<&ScopeReport> {
    let reports = || document.reports.iter().filter(|report| report.totals.kernel_count > 0);
    let aggregates = reports().filter(|report| report.scope.kind == ScopeKind::Aggregate);
    let heaviest = |left: &'_ ScopeReport, right: &ScopeReport| {
        weight(right.totals.total_ms) > weight(left.totals.total_ms)
    };
    aggregates
        .reduce(|best, next| if heaviest(best, next) { next } else { best })
        .or_else(|| reports().next())
}

/// The exact names of the kernels that are meant; none where a single result says it.
fn chosen(
    around: &Loaded,
    whole: &ScopeReport,
    asked: &AnalysisOptions,
) -> Result<Vec<String>, RunError> {
    let results: u64 = around.inputs.iter().map(|input| input.source.len() as u64).sum();
    if let Some(launch) = asked.launch.filter(|launch| *launch >= results) {
        return Err(RunError::NoSuchLaunch { launch, results });
    }
    let kernels = &whole.totals.kernels;
    if asked.kernel_include.is_empty() {
        if asked.launch.is_some() {
            return Ok(Vec::new());
        }
        let is_selected = KernelFilter::new(&[], &asked.kernel_exclude)?;
        let mut selected = kernels.iter().filter(|kernel| is_selected.selects(&kernel.kernel_name));
        let has_shape = |shape: ShapeSelector| {
            move |kernel: &&KernelSummary| {
                kernel.launch_shapes.iter().any(|one| shape.selects(one.grid, one.block))
            }
        };
        let heaviest = match asked.shape {
            Some(shape) => selected.find(has_shape(shape)),
            None => selected.next(),
        };
        let heaviest = heaviest.ok_or_else(|| none_left(whole, &[], asked))?;
        return Ok(vec![exactly(&heaviest.kernel_name)]);
    }
    let mut names = Vec::new();
    for pattern in &asked.kernel_include {
        let filter = KernelFilter::new(std::slice::from_ref(pattern), &[])?;
        let found = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
            let kernels = kernels.iter();
            let kernels = kernels.filter(|kernel| fits(&kernel.kernel_name, &kernel.function));
            kernels.map(|kernel| exactly(&kernel.kernel_name)).collect()
        };
        let mut matching = found(&|name, _| filter.selects(name));
        if matching.is_empty() {
            // Nobody types arguments and template parameters: the function's own name will do.
            matching = found(&|_, function| filter.selects(function));
        }
        if matching.is_empty() {
            let all = kernels.iter().flat_map(|kernel| [&*kernel.function, &*kernel.kernel_name]);
            let hint = suggestion(pattern, all).unwrap_or_else(|| "there are none".to_owned());
            return Err(RunError::NoSuchKernel { pattern: pattern.clone(), hint });
        }
        names.extend(matching);
    }
    Ok(names)
}

/// A pattern for exactly this name, which may look like another pattern.
fn exactly(name: &str) -> String {
    let looks_like_one = name.starts_with("glob:") || name.starts_with("regex:");
    if looks_like_one { format!("glob:{name}") } else { name.to_owned() }
}

fn nothing(document: &RegionDocument) -> RunError {
    // What was asked for in vain says more than that nothing is left.
    let says_why = |note: &&Note| note.code.ends_with("-not-seen");
    let why = document.notes.iter().find(says_why).or(document.notes.first());
    let why = why.map(|note| note.message.clone());
    RunError::NothingSelected { hint: why.unwrap_or_else(|| "it holds no results".to_owned()) }
}

/// Nothing is left of a kernel that there is: its launches have other shapes, or the one launch is of another kernel.
fn none_left(whole: &ScopeReport, names: &[String], asked: &AnalysisOptions) -> RunError {
    let is_meant = |name: &String| names.is_empty() || names.contains(name);
    let kernels = || whole.totals.kernels.iter().filter(|kernel| is_meant(&kernel.kernel_name));
    let hint = match (asked.shape, asked.launch) {
        (Some(_), None) => {
            let shapes = kernels().flat_map(|kernel| &kernel.launch_shapes).take(LISTED);
            let shapes: Vec<String> = shapes
                .map(|shape| format!("{} {}", dimensions(shape.grid), dimensions(shape.block)))
                .collect();
            format!("its launch shapes are {}", shapes.join(", "))
        }
        (_, Some(launch)) => {
            format!("result {launch} is not one of them; leave --launch, --kernel or --shape out")
        }
        (None, None) => {
            let kernels = kernels().take(LISTED);
            let kernels: Vec<String> = kernels
                .map(|kernel| shorten_kernel(&visible_name(&kernel.kernel_name), NAME).into_owned())
                .collect();
            format!("there are {}", kernels.join(", "))
        }
    };
    RunError::NothingSelected { hint }
}
