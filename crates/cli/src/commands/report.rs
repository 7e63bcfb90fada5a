//! `rangescope report`: inputs → region document → one of the formats or a folder.

use std::io::{self, Write};
use std::time::Instant;

use rangescope_model::number::count;
use rangescope_read::results::NcuReport;
use rangescope_read::{Input, InputError};
use rangescope_report::{ExportOptions, FORMATS, Format};
use rangescope_run::{Loaded, load, of_inputs, reports};

use crate::args::{EmbedSource, ReportArgs};
use crate::failure::Failure;
use crate::out::{Offer, Out, write_file};
use crate::ui::Ui;

pub(crate) fn run(args: &ReportArgs, ui: &Ui) -> Result<(), Failure> {
    let started = Instant::now();
    // What cannot be written is said before anything is read.
    let offer = Offer { formats: |format| format.report.is_some(), folders: true };
    let out = args.out.as_deref().map(|path| offer.resolve(path, args.format)).transpose()?;
    let progress = ui.progress("reading");
    let progress = |done, total| progress.update(done, total);
    let adjust = |stored| args.selection.adjust(stored);
    let mut loaded = if args.sample {
        of_inputs(vec![sample()?], &adjust, &progress)?
    } else {
        load(&args.paths, &adjust, &progress)?
    };
    loaded.files.whole_texts = args.embed_source == EmbedSource::All;
    let analysed = started.elapsed();
    let to_terminal = out.is_none() && args.format.is_none_or(|format| format.name == "terminal");
    if !to_terminal {
        ui.selection_notes(&loaded.document.notes);
    }
    match (&args.out, out) {
        (Some(dir), Some(Out::Folder)) => {
            loaded.files.view = args.view.view();
            let written = reports::write(dir, &loaded)?;
            let number = count(written.len() as u64, "file", "files");
            ui.say(&format!("{number} written to {}", dir.display()));
            for file in &written {
                ui.detail(|| file.display().to_string());
            }
        }
        (Some(path), Some(Out::File(format))) => {
            let options = options(&loaded, format, args)?;
            write_file(path, format, |out| show(&loaded, format, &options, out))?;
            ui.say(&format!("report written to {}", path.display()));
        }
        _ => {
            let format = args.format.unwrap_or(&FORMATS[0]);
            let options = options(&loaded, format, args)?;
            Ui::print_format(format, |out| show(&loaded, format, &options, out))?;
        }
    }
    let written = started.elapsed().saturating_sub(analysed);
    ui.detail(|| format!("analysed in {analysed:.1?}, written in {written:.1?}"));
    Ok(())
}

fn options(loaded: &Loaded, format: &Format, args: &ReportArgs) -> Result<ExportOptions, Failure> {
    let defaults = Ui::export_options();
    let max_regions = args.view.top.map_or(defaults.max_regions, |top| top as usize);
    let options = ExportOptions { view: args.view.view(), max_regions, ..defaults };
    Ok(loaded.export_options(&[format], options)?)
}

fn show(
    loaded: &Loaded,
    format: &Format,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(writer) = format.report else { return Ok(()) };
    writer(&loaded.document, options, out)
}

/// The built-in sample as if it were a file.
fn sample() -> Result<Input, Failure> {
    let path = "sample.ncu-rep";
    let bytes = rangescope_sim::sample::write(Vec::new()).map_err(Failure::write(path))?;
    let report = NcuReport::from_bytes(bytes)
        .map_err(|source| InputError::Report { path: path.into(), source })?;
    Ok(Input { path: path.into(), source: Box::new(report) })
}
