//! `rangescope report`: inputs → region document → text, Markdown, JSON or a folder.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use ncu_rep::Report;
use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use rangescope_read::{Content, Input, Request, analyse};
use rangescope_regions::model::RegionDocument;
use rangescope_regions::{AnalysisOptions, NameBase, RegionIdentity, normalisation, safe_names};
use rangescope_report::export::{json, markdown, terminal};
use rangescope_report::{ExportOptions, FolderParts, region_identities, write_folder};

use crate::args::{NameBaseArg, ReportArgs, ReportFormat, SelectionArgs};
use crate::failure::Failure;
use crate::ui::Ui;

const TOOL: (&str, &str) = ("rangescope", env!("CARGO_PKG_VERSION"));

pub(crate) fn run(args: &ReportArgs, ui: &Ui) -> Result<(), Failure> {
    let options = options(&args.selection)?;
    let started = Instant::now();
    let inputs = if args.sample { vec![sample()?] } else { Input::open_all(&args.paths)? };
    let opened = started.elapsed();
    let progress = ui.progress("reading");
    let request = Request {
        options: &options,
        tool: TOOL,
        progress: &|done, total| progress.update(done, total),
    };
    let document = analyse(&inputs, &request)?;
    let analysed = started.elapsed();
    match &args.out {
        Some(dir) => write_out(dir, &document, &inputs, ui)?,
        None => print(&document, args.format)?,
    }
    let written = started.elapsed();
    ui.detail(|| {
        format!(
            "opened in {opened:.1?}, analysed in {:.1?}, written in {:.1?}",
            analysed.saturating_sub(opened),
            written.saturating_sub(analysed)
        )
    });
    Ok(())
}

fn print(document: &RegionDocument, format: ReportFormat) -> Result<(), Failure> {
    let defaults = ExportOptions::default();
    let options = ExportOptions { width: Ui::width().unwrap_or(defaults.width), ..defaults };
    match format {
        ReportFormat::Terminal => {
            let mut out = Ui::data();
            terminal::write(document, &options, &mut out)?;
            out.flush()?;
        }
        ReportFormat::Markdown => {
            let mut out = Ui::raw_data();
            markdown::write(document, &options, &mut out)?;
            out.flush()?;
        }
        ReportFormat::Json => {
            let mut out = Ui::raw_data();
            json::write(document, &options, &mut out)?;
            out.flush()?;
        }
    }
    Ok(())
}

fn write_out(
    dir: &Path,
    document: &RegionDocument,
    inputs: &[Input],
    ui: &Ui,
) -> Result<(), Failure> {
    let names = safe_names(region_identities(document).into_iter().map(RegionIdentity::from));
    let raw_csv = Box::new(|out: &mut dyn Write| raw_csv(inputs, out));
    let written =
        write_folder(dir, document, FolderParts { names: &names, raw_csv: Some(raw_csv) })?;
    ui.say(&format!("{} files written to {}", written.len(), dir.display()));
    for file in &written {
        ui.detail(|| file.display().to_string());
    }
    Ok(())
}

/// ncu's raw page over all inputs, in base units because machines read it.
fn raw_csv(inputs: &[Input], out: &mut dyn Write) -> std::io::Result<()> {
    let places: Vec<(&Input, usize)> =
        inputs.iter().flat_map(|input| (0..input.len()).map(move |i| (input, i))).collect();
    let result = |number: usize| {
        let (input, index) = *places.get(number)?;
        match &input.content {
            Content::Report(report) => report.result(index)?.decode(),
            Content::Csv(csv) => csv.results.get(index).cloned(),
        }
    };
    let options = RawOptions { units: Units::Base, layout: Layout::V2024_1, fp: false };
    write_raw(places.len(), result, options, out)
}

/// What the flags mean.
fn options(args: &SelectionArgs) -> Result<AnalysisOptions, Failure> {
    Ok(AnalysisOptions {
        regions: args.regions.clone(),
        exclude_regions: args.exclude_regions.clone(),
        kernel_include: args.kernels.clone(),
        kernel_exclude: args.exclude_kernels.clone(),
        kernel_name_base: match args.kernel_name_base {
            NameBaseArg::Function => NameBase::Function,
            NameBaseArg::Demangled => NameBase::Demangled,
            NameBaseArg::Mangled => NameBase::Mangled,
        },
        metrics: args.metrics.clone(),
        sections: args.sections.clone(),
        normalisation: normalisation(&args.normalise)?,
        aggregate: !args.no_aggregate,
        scopes: args.scopes.clone(),
        ..AnalysisOptions::default()
    })
}

fn sample() -> Result<Input, Failure> {
    let bytes = rangescope_sim::sample::write(Vec::new())?;
    let report = Report::from_bytes(bytes).map_err(|source| {
        Failure::from(rangescope_read::InputError::Report { path: "sample.ncu-rep".into(), source })
    })?;
    Ok(Input { path: "sample.ncu-rep".into(), content: Content::Report(report) })
}
