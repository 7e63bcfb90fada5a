//! `rangescope report`: inputs → region document → one of the formats or a folder.

use std::time::Instant;

use rangescope_analyze::aggregate::{AnalysisOptions, normalisation};
use rangescope_model::document::RegionDocument;
use rangescope_model::select::SelectError;
use rangescope_read::results::NcuReport;
use rangescope_read::{Input, InputError};
use rangescope_report::ExportOptions;
use rangescope_run::reports::Files;
use rangescope_run::{Loaded, load, of_inputs, reports};

use crate::args::{ReportArgs, SelectionArgs};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &ReportArgs, ui: &Ui) -> Result<(), Failure> {
    let started = Instant::now();
    let progress = ui.progress("reading");
    let progress = |done, total| progress.update(done, total);
    let adjust = |stored| options(&args.selection, stored);
    let Loaded { document, inputs, files } = if args.sample {
        of_inputs(vec![sample()?], &adjust, &progress)?
    } else {
        load(&args.paths, &adjust, &progress)?
    };
    let analysed = started.elapsed();
    match &args.out {
        Some(dir) => {
            let files = Files { view: args.view.view(), ..files };
            let written = reports::write(dir, &document, &inputs, &files)?;
            ui.say(&format!("{} files written to {}", written.len(), dir.display()));
            for file in &written {
                ui.detail(|| file.display().to_string());
            }
        }
        None => print(&document, args)?,
    }
    let written = started.elapsed().saturating_sub(analysed);
    ui.detail(|| format!("analysed in {analysed:.1?}, written in {written:.1?}"));
    Ok(())
}

fn print(document: &RegionDocument, args: &ReportArgs) -> Result<(), Failure> {
    let Some(writer) = args.format.report else { return Ok(()) };
    let defaults = Ui::export_options();
    let max_regions = args.view.top.map_or(defaults.max_regions, |top| top as usize);
    let options = ExportOptions { view: args.view.view(), max_regions, ..defaults };
    Ui::print_format(args.format, |out| writer(document, &options, out))
}

/// What the flags mean, on top of what holds without them.
fn options(
    args: &SelectionArgs,
    defaults: AnalysisOptions,
) -> Result<AnalysisOptions, SelectError> {
    let given = |given: &Vec<String>, default: Vec<String>| {
        if given.is_empty() { default } else { given.clone() }
    };
    Ok(AnalysisOptions {
        regions: given(&args.regions, defaults.regions),
        exclude_regions: given(&args.exclude_regions, defaults.exclude_regions),
        kernel_include: given(&args.kernels, defaults.kernel_include),
        kernel_exclude: given(&args.exclude_kernels, defaults.kernel_exclude),
        kernel_name_base: args.kernel_name_base.unwrap_or(defaults.kernel_name_base),
        metrics: given(&args.metrics, defaults.metrics),
        sections: given(&args.sections, defaults.sections),
        normalisation: match args.normalise.as_slice() {
            [] => defaults.normalisation,
            given => normalisation(given)?,
        },
        aggregate: defaults.aggregate && !args.no_aggregate,
        scopes: given(&args.scopes, defaults.scopes),
        ..defaults
    })
}

/// The built-in sample as if it were a file.
fn sample() -> Result<Input, Failure> {
    let path = "sample.ncu-rep";
    let bytes = rangescope_sim::sample::write(Vec::new()).map_err(Failure::write(path))?;
    let report = NcuReport::from_bytes(bytes)
        .map_err(|source| InputError::Report { path: path.into(), source })?;
    Ok(Input { path: path.into(), source: Box::new(report) })
}
