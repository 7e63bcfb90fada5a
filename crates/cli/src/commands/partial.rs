//! `rangescope partial`: what reports add up to, in files that any engine can merge.

use rangescope_model::number::count;
use rangescope_run::partial::partial;

use crate::args::PartialArgs;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &PartialArgs, ui: &Ui) -> Result<(), Failure> {
    if let Some(engine) = args.sql {
        return Ui::print(|out| out.write_all(engine.sql().as_bytes()));
    }
    let Some(out) = &args.out else { return Ok(()) };
    let progress = ui.progress("distilling");
    let written = partial(&args.paths, out, &|done, of| progress.update(done, of))?;
    drop(progress);
    let mut lost = 0;
    for file in &written {
        let results = count(file.results, "result", "results");
        let end = if file.was_there { ", was there already" } else { "" };
        ui.say(&format!("{}: {results}{end}", file.path.display()));
        lost += file.lost;
    }
    if lost > 0 {
        ui.warn(&format!("{} lost or damaged", count(lost, "result is", "results are")));
    }
    Ok(())
}
