//! `rangescope advice`: what limits each region, and what would be worth doing about it.

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::advice::AdviceReport;
use rangescope_report::advice::{self, Order, Shown};

use crate::args::{AdviceArgs, TextOrJson};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &AdviceArgs, ui: &Ui) -> Result<(), Failure> {
    let adjust = |stored| args.results.adjust(&args.regions, &args.names, stored);
    let document = ui.document(&args.path, &adjust)?;
    // Families say in one row what their members would repeat.
    let document = args.tree.view(args.sort.unwrap_or_default()).of(&document);
    let insight = Insight::of(&document);
    let order = if args.sort.is_some() { Order::ByRegion } else { Order::ByWorth };
    match args.format {
        TextOrJson::Json => Ui::print_json(&AdviceReport::of(&document, &insight, args.all)),
        TextOrJson::Text => {
            let columns = Ui::width().unwrap_or(100);
            let most = if args.all { usize::MAX } else { args.top };
            let shown = Shown { order, most, all: args.all };
            Ui::print(|out| advice::write(&document, &insight, shown, columns, out))
        }
    }
}
