//! `rangescope report`: inputs → region document → one of the formats or a folder.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use ncu_rep::Report;
use rangescope_analyze::aggregate::{AnalysisOptions, NameBase, normalisation};
use rangescope_config::Settings;
use rangescope_model::document::RegionDocument;
use rangescope_read::{Content, Input};
use rangescope_report::Format;
use rangescope_run::analysis::{Request, analyse};
use rangescope_run::reports::{self, Files, ReportRequest};
use rangescope_run::{RunFolder, TOOL};

use super::job::context;
use crate::args::{NameBaseArg, ReportArgs, SelectionArgs};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &ReportArgs, ui: &Ui) -> Result<(), Failure> {
    let started = Instant::now();
    let (document, inputs, files) = document(args, ui)?;
    let analysed = started.elapsed();
    match &args.out {
        Some(dir) => {
            let written = reports::write(dir, &document, &inputs, &files)?;
            ui.say(&format!("{} files written to {}", written.len(), dir.display()));
            for file in &written {
                ui.detail(|| file.display().to_string());
            }
        }
        None => print(&document, args.format)?,
    }
    let written = started.elapsed().saturating_sub(analysed);
    ui.detail(|| format!("analysed in {analysed:.1?}, written in {written:.1?}"));
    Ok(())
}

/// A document, the files that it was made from, and what is written of it.
pub(crate) type Loaded = (RegionDocument, Vec<Input>, Files);

/// The document of what the arguments name.
fn document(args: &ReportArgs, ui: &Ui) -> Result<Loaded, Failure> {
    if args.sample {
        let options = options(&args.selection, AnalysisOptions::default())?;
        let inputs = vec![sample()?];
        return Ok((analysed(&inputs, &options, ui)?, inputs, Files::default()));
    }
    of_paths(&args.paths, &args.selection, ui)
}

/// The document of files or folders. A run knows what it was asked for; flags change parts of that.
pub(crate) fn of_paths(
    paths: &[PathBuf],
    selection: &SelectionArgs,
    ui: &Ui,
) -> Result<Loaded, Failure> {
    if let [path] = paths
        && let Ok(folder) = RunFolder::open(path)
    {
        let settings = Settings::from_file(&folder.config(), &context()?)?;
        let stored = ReportRequest::of(&settings)?;
        let options = options(selection, stored.options)?;
        let progress = ui.progress("reading");
        let (document, inputs) = reports::document(&folder, &options, &|done, total| {
            progress.update(done, total);
        })?;
        return Ok((document, inputs, stored.files));
    }
    let options = options(selection, AnalysisOptions::default())?;
    let inputs = Input::open_all(paths)?;
    Ok((analysed(&inputs, &options, ui)?, inputs, Files::default()))
}

fn analysed(
    inputs: &[Input],
    options: &AnalysisOptions,
    ui: &Ui,
) -> Result<RegionDocument, Failure> {
    let progress = ui.progress("reading");
    let request = Request {
        options,
        tool: TOOL,
        one_program: false,
        progress: &|done, total| progress.update(done, total),
    };
    Ok(analyse(inputs, &request)?)
}

fn print(document: &RegionDocument, format: &Format) -> Result<(), Failure> {
    let Some(writer) = format.report else { return Ok(()) };
    let mut out = Ui::output(format);
    writer(document, &Ui::export_options(), &mut out)?;
    out.flush()?;
    Ok(())
}

/// What the flags mean, on top of what holds without them.
fn options(args: &SelectionArgs, defaults: AnalysisOptions) -> Result<AnalysisOptions, Failure> {
    let given = |given: &Vec<String>, default: Vec<String>| {
        if given.is_empty() { default } else { given.clone() }
    };
    Ok(AnalysisOptions {
        regions: given(&args.regions, defaults.regions),
        exclude_regions: given(&args.exclude_regions, defaults.exclude_regions),
        kernel_include: given(&args.kernels, defaults.kernel_include),
        kernel_exclude: given(&args.exclude_kernels, defaults.kernel_exclude),
        kernel_name_base: match args.kernel_name_base {
            None => defaults.kernel_name_base,
            Some(NameBaseArg::Function) => NameBase::Function,
            Some(NameBaseArg::Demangled) => NameBase::Demangled,
            Some(NameBaseArg::Mangled) => NameBase::Mangled,
        },
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

fn sample() -> Result<Input, Failure> {
    let bytes = rangescope_sim::sample::write(Vec::new())?;
    let report = Report::from_bytes(bytes).map_err(|source| {
        Failure::from(rangescope_read::InputError::Report { path: "sample.ncu-rep".into(), source })
    })?;
    Ok(Input { path: "sample.ncu-rep".into(), content: Content::Report(report) })
}
