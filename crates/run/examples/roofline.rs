//! Prints what is concluded from reports as JSON, one line a file: `roofline FILE…`. It is how the comparison with NVIDIA's reader gets our numbers.
//!
//! `roofline --insight FILE…` prints everything that is concluded, `roofline --schema` the JSON Schema of that.

use std::io::Write;
use std::process::ExitCode;

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_analyze::insight::Insight;
use rangescope_read::Input;
use rangescope_run::analysis::{Request, analyse};
use serde_json::json;

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--schema"] {
        let written = writeln!(out, "{}", schemars::schema_for!(Insight).to_value());
        return if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let whole = arguments.first().is_some_and(|first| first == "--insight");
    if whole {
        arguments.remove(0);
    }
    for file in arguments {
        let line = match conclude(&file, whole) {
            Ok(line) => line,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "{file}: {error}");
                return ExitCode::FAILURE;
            }
        };
        if writeln!(out, "{line}").is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn conclude(file: &str, whole: bool) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let inputs = [Input::open(file.as_ref())?];
    let options = AnalysisOptions::default();
    let request = Request {
        options: &options,
        tool: ("roofline", "0"),
        one_program: false,
        progress: &|_, _| (),
    };
    let document = analyse(&inputs, &request)?;
    let insight = Insight::of(&document);
    if whole {
        return Ok(serde_json::to_value(&insight)?);
    }
    let main = insight.main_report.ok_or("no report")?;
    let (Some(told), Some(concluded)) = (document.reports.get(main), insight.reports.get(main))
    else {
        return Err("no report".into());
    };
    Ok(json!({
        "totals": concluded.totals,
        "kernels": told.totals.kernels.iter().map(|kernel| &kernel.kernel_name).collect::<Vec<_>>(),
        "regions": told.regions.iter().zip(&concluded.regions).map(|(region, insight)| json!({
            "path": region.path, "domain": region.domain, "insight": insight,
        })).collect::<Vec<_>>(),
        "facts": concluded.facts,
        "findings": concluded.findings,
        "missing": concluded.roofline_missing,
    }))
}
