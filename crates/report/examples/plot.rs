//! Draws a report: `plot KIND FILE.json OUT.svg|OUT.png [--dark] [--region NAME] [--scope ID] [--colour sm|dram|occupancy] [--width N] [--height N]`, or `plot bars FILE.json [COLUMNS]`.
//!
//! In the place of a file, `made-up:serving`, `:simulated`, `:hostile`, `:many` and `:points` are the documents of the tests.

use std::io::{self, Write};
use std::process::ExitCode;

use rangescope_model::document::RegionDocument;
use rangescope_report::plot::{ColourMetric, Kind, PlotRequest, bars, draw, png};

#[path = "../tests/it/plot/documents.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod documents;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match made(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "plot: {error}");
            ExitCode::from(2)
        }
    }
}

fn made(arguments: &[String]) -> io::Result<()> {
    let [kind, file, rest @ ..] = arguments else {
        return Err(io::Error::other("expected KIND FILE.json OUT"));
    };
    let document = document(file)?;
    if kind == "bars" {
        let columns = rest.first().and_then(|columns| columns.parse().ok()).unwrap_or(80);
        return io::stdout().write_all(bars(&document, columns).as_bytes());
    }
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind);
    let mut request = PlotRequest::new(kind.ok_or_else(|| io::Error::other("unknown kind"))?);
    let [out, options @ ..] = rest else { return Err(io::Error::other("expected OUT")) };
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut value = || options.next().cloned();
        match option.as_str() {
            "--dark" => request.dark = true,
            "--region" => request.region = value(),
            "--scope" => request.scope = value(),
            "--colour" => {
                let name = value().unwrap_or_default();
                request.colour_metric = ColourMetric::ALL
                    .into_iter()
                    .find(|known| known.name() == name)
                    .unwrap_or_default();
            }
            "--width" => {
                request.width = value().and_then(|number| number.parse().ok()).unwrap_or(960);
            }
            "--height" => request.height = value().and_then(|number| number.parse().ok()),
            other => return Err(io::Error::other(format!("unknown option `{other}`"))),
        }
    }
    let drawn = draw(&document, &request).map_err(|error| {
        let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        io::Error::other(format!("{error}{hint}"))
    })?;
    if std::path::Path::new(out).extension().is_some_and(|extension| extension == "png") {
        fs_err::write(out, png(&drawn).map_err(io::Error::other)?)
    } else {
        fs_err::write(out, drawn)
    }
}

fn document(file: &str) -> io::Result<RegionDocument> {
    Ok(match file {
        "made-up:serving" => documents::serving(),
        "made-up:simulated" => documents::simulated(),
        "made-up:hostile" => documents::hostile(),
        "made-up:many" => documents::many(1_000),
        "made-up:points" => documents::many_points(40),
        file => serde_json::from_str(&fs_err::read_to_string(file)?)?,
    })
}
