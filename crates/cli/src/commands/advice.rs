//! `rangescope advice`: what limits each region, and what would be worth doing about it.

use rangescope_analyze::folded;
use rangescope_analyze::insight::Insight;
use rangescope_report::advice;

use crate::args::{AdviceArgs, TextOrJson};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &AdviceArgs, ui: &Ui) -> Result<(), Failure> {
    let document = ui.document(&args.path)?;
    // Families say in one row what their members would repeat.
    let document = folded(&document);
    let insight = Insight::of(&document);
    match args.format {
        TextOrJson::Json => Ui::print_json(&insight),
        TextOrJson::Text => Ui::print(|out| advice::write(&document, &insight, args.top, out)),
    }
}
