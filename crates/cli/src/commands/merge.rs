//! `rangescope merge`: partial results of many reports in one file.

use rangescope_model::number::{count, thousands};
use rangescope_run::partial::merge;

use crate::args::MergeArgs;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &MergeArgs, ui: &Ui) -> Result<(), Failure> {
    let progress = ui.progress("merging");
    let (inputs, rows, absent) =
        merge(&args.paths, &args.out, &|done, of| progress.update(done, of))?;
    drop(progress);
    let inputs = count(inputs as u64, "input", "inputs");
    ui.say(&format!("{}: {inputs}, {} rows", args.out.display(), thousands(rows as u64)));
    if let Some(absent) = absent {
        ui.say(&format!("of {} ranks there is nothing of {}", absent.size, absent.listed()));
    }
    Ok(())
}
