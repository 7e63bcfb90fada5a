//! `rangescope plot`: drawings as files, and bars for the terminal.

use std::path::Path;

use rangescope_report::plot::{ColourMetric, Kind, PlotRequest, bars, draw, png};
use rangescope_report::write_atomically;

use crate::args::{PlotArgs, PlotColour, PlotKind};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &PlotArgs, ui: &Ui) -> Result<(), Failure> {
    let document = ui.document(&args.path)?;
    let document = args.view.view().of(&document);
    let kind = match args.kind {
        PlotKind::Roofline => Kind::Roofline,
        PlotKind::Icicle => Kind::Icicle,
        PlotKind::Kernels => Kind::Kernels,
        PlotKind::Histogram => Kind::Histogram,
        PlotKind::Bars => {
            let text = bars(&document, Ui::width().unwrap_or(80));
            return Ui::print_styled(|out| out.write_all(text.as_bytes()));
        }
    };
    let defaults = PlotRequest::new(kind);
    let request = PlotRequest {
        scope: args.scope.clone(),
        region: args.region.clone(),
        colour_metric: match args.colour {
            PlotColour::Sm => ColourMetric::Sm,
            PlotColour::Dram => ColourMetric::Dram,
            PlotColour::Occupancy => ColourMetric::Occupancy,
        },
        width: args.width.unwrap_or(defaults.width),
        height: args.height.or(defaults.height),
        dark: args.dark,
        ..defaults
    };
    let svg = draw(&document, &request)?;
    let Some(path) = &args.out else {
        return Ui::print(|out| out.write_all(svg.as_bytes()));
    };
    let bytes = if is_png(path) { png(&svg)? } else { svg.into_bytes() };
    write_atomically(path, |out| out.write_all(&bytes))?;
    ui.say(&format!("{} written to {}", kind.name(), path.display()));
    Ok(())
}

fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}
