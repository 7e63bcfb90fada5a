//! `rangescope plot`: drawings as files, and bars for the terminal.

use std::path::Path;

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_analyze::insight::kernel::PmSampling;
use rangescope_report::plot::{ColourMetric, Kind, PlotRequest, bars, draw_with_samples, png};
use rangescope_report::write_atomically;

use crate::args::{PlotArgs, PlotColour, PlotKind};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &PlotArgs, ui: &Ui) -> Result<(), Failure> {
    check_ending(args)?;
    let adjust = |stored| args.results.adjust(&[], &args.names, stored);
    let document = ui.document(&args.path, &adjust)?;
    let document = args.view.view_of_top().of(&document);
    let kind = match args.kind {
        PlotKind::Roofline => Kind::Roofline,
        PlotKind::Icicle => Kind::Icicle,
        PlotKind::Kernels => Kind::Kernels,
        PlotKind::Histogram => Kind::Histogram,
        PlotKind::Memory => Kind::Memory,
        PlotKind::Stalls => Kind::Stalls,
        PlotKind::Pipes => Kind::Pipes,
        PlotKind::PmSampling => Kind::PmSampling,
        PlotKind::Bars => {
            let text = bars(&document, Ui::width().unwrap_or(80));
            let Some(path) = &args.out else {
                return Ui::print_styled(|out| out.write_all(text.as_bytes()));
            };
            write_atomically(path, |out| out.write_all(text.as_bytes()))?;
            ui.say(&format!("bars written to {}", path.display()));
            return Ok(());
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
    let samples = if kind == Kind::PmSampling { samples(args)? } else { None };
    let svg = draw_with_samples(&document, samples.as_ref(), &request)?;
    let Some(path) = &args.out else {
        return Ui::print(|out| out.write_all(svg.as_bytes()));
    };
    let bytes = if ends_in(path, "png") { png(&svg)? } else { svg.into_bytes() };
    write_atomically(path, |out| out.write_all(&bytes))?;
    ui.say(&format!("{} written to {}", kind.name(), path.display()));
    Ok(())
}

/// The samples of the longest launch of what is selected; they stand in single results only.
fn samples(args: &PlotArgs) -> Result<Option<PmSampling>, Failure> {
    let adjust = |stored| {
        let regions: Vec<String> = args.region.iter().cloned().collect();
        let options = args.results.adjust(&regions, &args.names, stored)?;
        Ok(AnalysisOptions { scopes: args.scope.iter().cloned().collect(), ..options })
    };
    Ok(rangescope_run::samples(&args.path, &adjust)?)
}

/// Refuses a file name that promises what is not written.
fn check_ending(args: &PlotArgs) -> Result<(), Failure> {
    let Some(path) = &args.out else { return Ok(()) };
    let is_picture = ["svg", "png"].into_iter().any(|ending| ends_in(path, ending));
    let shown = path.display();
    match (args.kind, is_picture) {
        (PlotKind::Bars, true) => Err(Failure::Usage {
            message: format!("bars are text, and `{shown}` ends like a picture"),
            hint: "choose a name that ends in .txt, or another drawing, such as icicle".to_owned(),
        }),
        (PlotKind::Bars, false) | (_, true) => Ok(()),
        (_, false) => Err(Failure::Usage {
            message: format!("drawings are SVG or PNG, which `{shown}` does not say"),
            hint: format!("write --out {}", path.with_extension("svg").display()),
        }),
    }
}

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}
