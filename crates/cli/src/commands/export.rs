//! `rangescope export`: a report as ncu's own CSV.

use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use rangescope_read::Input;

use crate::args::{ExportArgs, ExportFormat, LayoutArg, UnitsArg};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &ExportArgs, ui: &Ui) -> Result<(), Failure> {
    let input = Input::open(&args.file)?;
    let ExportFormat::NcuCsv = args.format;
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
    Ui::print(|out| {
        write_raw(input.source.len(), |index| input.source.decode(index), options, out)
    })?;
    ui.input_notes(&input);
    Ok(())
}
