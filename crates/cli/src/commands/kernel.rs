//! `rangescope kernel`: one kernel in detail.

use std::io::{self, Write};

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_analyze::insight::kernel::KernelReport;
use rangescope_model::select::SelectError;
use rangescope_report::{kernel, write_atomically};

use crate::args::{KernelArgs, KernelFormat};
use crate::failure::Failure;
use crate::ui::Ui;

/// Columns where there is no terminal.
const COLUMNS: usize = 100;

pub(crate) fn run(args: &KernelArgs, ui: &Ui) -> Result<(), Failure> {
    let progress = ui.progress("reading");
    let adjust = |stored| adjusted(args, stored);
    let report =
        rangescope_run::kernel(&args.path, &adjust, &|done, total| progress.update(done, total))?;
    ui.selection_notes(&report.notes);
    if let Some(path) = &args.out {
        write_atomically(path, |out| write(args.format, &report, COLUMNS, out))?;
        ui.say(&format!("written to {}", path.display()));
        return Ok(());
    }
    match args.format {
        KernelFormat::Terminal => {
            let columns = Ui::width().unwrap_or(COLUMNS);
            Ui::print_styled(|out| write(args.format, &report, columns, out))
        }
        KernelFormat::Markdown | KernelFormat::Json => {
            Ui::print(|out| write(args.format, &report, COLUMNS, out))
        }
    }
}

fn adjusted(args: &KernelArgs, stored: AnalysisOptions) -> Result<AnalysisOptions, SelectError> {
    let options = args.results.adjust(&args.regions, &args.names, stored)?;
    let scopes = args.scope.iter().cloned().collect();
    Ok(AnalysisOptions { scopes, aggregate: true, ..options })
}

fn write(
    format: KernelFormat,
    report: &KernelReport,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        KernelFormat::Terminal => kernel::write_terminal(report, columns, out),
        KernelFormat::Markdown => kernel::write_markdown(report, out),
        KernelFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, report)?;
            writeln!(out)
        }
    }
}
