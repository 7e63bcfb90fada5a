//! `rangescope export`: reports as ncu's own CSV, as tables for databases and data frames, and as stacks for viewers of profiles.

use std::path::{Path, PathBuf};

use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use rangescope_report::formats::stacks::perfetto;
use rangescope_report::tables::schema::TABLES;
use rangescope_report::tables::{Ending, Table, TableFormat};
use rangescope_report::{Format, write_atomically};
use rangescope_run::{Exported, Loaded, RunError, TOOL, export_tables, load_for_export};

use crate::args::{ExportArgs, ExportFormat, LayoutArg, UnitsArg};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &ExportArgs, ui: &Ui) -> Result<(), Failure> {
    match args.format {
        ExportFormat::NcuCsv => ncu_csv(args, ui),
        ExportFormat::Tables(format) => tables(args, format, ui),
        ExportFormat::Stacks(format) => stacks(args, format, ui),
    }
}

fn ncu_csv(args: &ExportArgs, ui: &Ui) -> Result<(), Failure> {
    let [path] = args.paths.as_slice() else {
        let message = format!("{} is of one report", ExportFormat::NCU_CSV);
        let hint = "export them one by one, or as tables with --format csv".to_owned();
        return Err(Failure::Usage { message, hint });
    };
    let input = rangescope_run::open(path).map_err(|error| match error {
        RunError::OfAnotherVerb { .. } => Failure::Hinted {
            cause: Box::new(error.into()),
            hint: "its ranges, kernels and times can be written as tables (--format parquet, arrow, sqlite or csv) and for viewers (--format perfetto, speedscope, collapsed or pprof)".to_owned(),
        },
        error => error.into(),
    })?;
    let options = RawOptions {
        units: match args.units {
            UnitsArg::Base => Units::Base,
            UnitsArg::Auto => Units::Auto,
        },
        layout: match args.layout {
            LayoutArg::V2022_3 => Layout::V2022_3,
            LayoutArg::V2024_1 => Layout::V2024_1,
        },
        fp: args.print_fp,
    };
    let write = |out: &mut dyn std::io::Write| {
        write_raw(input.source.len(), |index| input.source.decode(index), options, out)
    };
    match &args.out {
        Some(path) => write_atomically(path, write)?,
        None => Ui::print(write)?,
    }
    ui.input_notes(&input);
    Ok(())
}

fn tables(args: &ExportArgs, format: &'static TableFormat, ui: &Ui) -> Result<(), Failure> {
    let Some(out) = &args.out else {
        let (message, example) = match format.ending {
            Ending::OneFile(ending) => ("is a file", format!("tables.{ending}")),
            Ending::FileForEach => ("is a folder with a file for each table", "tables".into()),
        };
        let message = format!("--format {} {message} and is not printed", format.name);
        return Err(Failure::Usage { message, hint: format!("say where: --out {example}") });
    };
    let chosen: Vec<&'static Table> = match args.tables.as_slice() {
        [] => TABLES.iter().copied().filter(|table| !table.on_demand).collect(),
        tables => tables.to_vec(),
    };
    let exported = exported(&args.paths, ui)?;
    let chosen = there(&exported, chosen, !args.tables.is_empty())?;
    let progress = ui.progress("exporting");
    let damaged =
        export_tables(&exported, format, &chosen, out, &|done, of| progress.update(done, of))?;
    drop(progress);
    tell(&exported.loaded, damaged, ui);
    ui.say(&format!("{}: {}", Path::new(out).display(), names(&chosen)));
    Ok(())
}

/// Those of the tables that the input has; of those that were asked for by name, none may be missing.
fn there(
    exported: &Exported,
    chosen: Vec<&'static Table>,
    is_asked: bool,
) -> Result<Vec<&'static Table>, Failure> {
    let (there, missing): (Vec<&'static Table>, Vec<&'static Table>) =
        chosen.into_iter().partition(|table| exported.has(table));
    if is_asked && !missing.is_empty() {
        let message = format!("{} has no {}", exported.what(), names(&missing));
        let has: Vec<&'static Table> =
            TABLES.iter().copied().filter(|table| exported.has(table)).collect();
        return Err(Failure::Usage { message, hint: format!("it has {}", names(&has)) });
    }
    Ok(there)
}

fn names(tables: &[&'static Table]) -> String {
    tables.iter().map(|table| table.name).collect::<Vec<_>>().join(", ")
}

fn stacks(args: &ExportArgs, format: &'static Format, ui: &Ui) -> Result<(), Failure> {
    let exported = exported(&args.paths, ui)?;
    let options = exported.options(Ui::export_options());
    if let Some(writer) = format.report {
        let write = |out: &mut dyn std::io::Write| match exported.timelines.as_slice() {
            timelines @ [_, ..] if format.name == "perfetto" => {
                perfetto::write_timelines(timelines, TOOL, out)
            }
            _ => writer(&exported.loaded.document, &options, out),
        };
        match &args.out {
            Some(path) => write_atomically(path, write)?,
            None => Ui::print(write)?,
        }
    }
    tell(&exported.loaded, 0, ui);
    Ok(())
}

fn exported(paths: &[PathBuf], ui: &Ui) -> Result<Exported, Failure> {
    let progress = ui.progress("reading");
    Ok(load_for_export(paths, &|done, of| progress.update(done, of))?)
}

fn tell(loaded: &Loaded, damaged: u64, ui: &Ui) {
    loaded.inputs.iter().for_each(|input| ui.input_notes(input));
    if damaged > 0 {
        ui.warn(&format!("{damaged} damaged results were skipped"));
    }
}
