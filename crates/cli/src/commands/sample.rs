//! `rangescope sample`: the built-in sample as a file, to try other tools on.

use crate::args::SampleArgs;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &SampleArgs, ui: &Ui) -> Result<(), Failure> {
    rangescope_report::write_atomically(&args.out, |out| {
        rangescope_sim::sample::write(out).map(drop)
    })?;
    ui.say(&format!("simulated sample written to {}", args.out.display()));
    Ok(())
}
