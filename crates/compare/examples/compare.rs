//! Compares two reports and prints the outcome: `compare BASE NEW [FORMAT [GATE…]]`, or its JSON Schema: `compare --schema`.

use std::io::Write;
use std::process::ExitCode;

use rangescope_compare::export::{ExportOptions, Format};
use rangescope_compare::{CompareOptions, Comparison, Gate, compare};
use rangescope_read::{Input, Request, analyse};
use rangescope_regions::AnalysisOptions;
use rangescope_regions::model::RegionDocument;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    if arguments == ["--schema"] {
        return Ok(writeln!(out, "{}", schemars::schema_for!(Comparison).to_value())?);
    }
    let [base, new, rest @ ..] = arguments else {
        return Err("usage: compare BASE NEW [FORMAT [GATE...]]".into());
    };
    let (format, gates) =
        rest.split_first().map_or(("terminal", rest), |(format, gates)| (format, gates));
    let format = Format::find(format).ok_or("no such format")?;
    let gates = gates.iter().map(|gate| Gate::parse(gate)).collect::<Result<_, _>>()?;
    let options = CompareOptions { gates, ..CompareOptions::default() };
    let comparison = compare(&[read(base)?], &[read(new)?], &options);
    Ok((format.write)(&comparison, &ExportOptions::default(), &mut out)?)
}

fn read(file: &str) -> Result<RegionDocument, Box<dyn std::error::Error>> {
    let inputs = [Input::open(file.as_ref())?];
    let options = AnalysisOptions::default();
    let request = Request {
        options: &options,
        tool: ("compare", "0"),
        one_program: false,
        progress: &|_, _| (),
    };
    Ok(analyse(&inputs, &request)?)
}
