//! What a page shows of single kernels: the metrics of their charts by region, and what only their longest launches hold.

use std::sync::Arc;

use indexmap::IndexMap;
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions};
use rangescope_analyze::insight::details::details;
use rangescope_analyze::insight::kernel::{LongestLaunch, PmSampling, opcodes};
use rangescope_model::select::SelectError;
use rangescope_read::Input;
use rangescope_read::results::Numbering;
use rangescope_report::page::KernelCharts;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::collect::{OPCODES, count_opcodes, is_sampled};
use super::samples::pm_sampling;
use super::{exactly, main_report};
use crate::analysis::{Request, analyse_once, launch_range, ncu_predicate};
use crate::{Loaded, RunError, TOOL};

/// Kernels that have charts of their own, and kernels of which the longest launch is looked at.
const MOST_KERNELS: usize = 200;
const MOST_LAUNCHES: usize = 12;
/// Results that a thread looks at.
const CHUNK: usize = 64;

/// Nothing for a document that was written before, or where no chart was measured: then there is nothing to read the files again for.
pub(crate) fn for_page(loaded: &Loaded) -> Result<Option<Arc<KernelCharts>>, RunError> {
    let Loaded { document, inputs, options, one_program, .. } = loaded;
    let found = document.reports.iter().map(|report| details(&report.totals.metrics));
    let mut per_kernel: Vec<String> =
        found.flat_map(|found| found.metrics().map(str::to_owned).collect::<Vec<_>>()).collect();
    per_kernel.sort_unstable();
    per_kernel.dedup();
    let Some(report) = main_report(document).filter(|_| !inputs.is_empty()) else {
        return Ok(None);
    };
    let heaviest: Vec<&str> = report.totals.kernels.iter().map(|one| &*one.kernel_name).collect();
    let launches = longest_launches(
        inputs,
        options,
        *one_program,
        heaviest.get(..MOST_LAUNCHES).unwrap_or(&heaviest),
    )?;
    if per_kernel.is_empty() && launches.is_empty() {
        return Ok(None);
    }
    let kernel_include = match heaviest.get(..MOST_KERNELS) {
        Some(heaviest) => heaviest.iter().map(|name| exactly(name)).collect(),
        None => options.kernel_include.clone(),
    };
    let options = AnalysisOptions { per_kernel, kernel_include, ..options.clone() };
    let request =
        Request { options: &options, tool: TOOL, one_program: *one_program, progress: &|_, _| {} };
    let document = analyse_once(inputs, &request)?;
    Ok(Some(Arc::new(KernelCharts { document, launches })))
}

/// Where a result is: its file, its place in it and its number over all files.
type At = (usize, usize, u64);

/// Of each kernel the longest launch that may hold opcodes or samples, in the order of the kernels.
fn longest_launches(
    inputs: &[Input],
    options: &AnalysisOptions,
    one_program: bool,
    kernels: &[&str],
) -> Result<Vec<LongestLaunch>, SelectError> {
    let numbering = Numbering::new(inputs.iter().map(|input| &*input.source), one_program);
    let analysis = Analysis::with_ncu(options, &numbering.vocabulary, &ncu_predicate)?;
    let mut longest: FxHashMap<String, (f64, At)> = FxHashMap::default();
    let mut first = 0;
    for (position, input) in inputs.iter().enumerate() {
        let before = first;
        first += input.source.len();
        let mut names = input.source.metric_names().into_iter().flatten();
        if !names.any(|name| name == OPCODES || is_sampled(name)) {
            continue;
        }
        let range = launch_range(options.launch, before, input.source.len());
        let starts: Vec<usize> = range.clone().step_by(CHUNK).collect();
        let numbers = numbering.of_source(position);
        let chunk = |&start: &usize| {
            let mut found: Vec<(String, f64, At)> = Vec::new();
            let mut partial = analysis.partial();
            for index in start..range.end.min(start + CHUNK) {
                input.source.read(index..index + 1, &numbers, &mut |launch| {
                    let duration = partial.add(&analysis, launch);
                    let name = options.kernel_name_base.of(
                        launch.function,
                        launch.demangled,
                        launch.mangled,
                    );
                    if let Some(duration) = duration
                        && kernels.contains(&name)
                    {
                        let at = (position, index, (before + index) as u64);
                        found.push((name.to_owned(), duration, at));
                    }
                });
            }
            found
        };
        let chunks: Vec<Vec<(String, f64, At)>> = starts.par_iter().map(chunk).collect();
        for (name, duration, at) in chunks.into_iter().flatten() {
            let known = longest.entry(name).or_insert((duration, at));
            // A launch without a duration is longer than none.
            if duration > known.0 || (known.0.is_nan() && !duration.is_nan()) {
                *known = (duration, at);
            }
        }
    }
    let launch_of = |name: &&str| {
        let (duration, (position, index, number)) = *longest.get(*name)?;
        let data = inputs.get(position)?.source.decode(index)?;
        let mut counts = IndexMap::new();
        count_opcodes(&data, &mut counts);
        let duration_ms = duration.is_finite().then_some(duration / 1e6);
        let none = || PmSampling { launch: number, duration_ms, series: Vec::new() };
        let sampled = pm_sampling(&data, number, duration).unwrap_or_else(none);
        let opcodes = opcodes(counts);
        let is_empty = opcodes.is_empty() && sampled.series.is_empty();
        (!is_empty).then(|| LongestLaunch { kernel: (*name).to_owned(), opcodes, sampled })
    };
    Ok(kernels.iter().filter_map(launch_of).collect())
}
