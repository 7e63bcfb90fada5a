//! `rangescope compare`: what changed between two runs, and whether a gate says that it may not have.

use std::io::Write;
use std::path::{Path, PathBuf};

use rangescope_analyze::aggregate::{Normaliser, normalisation};
use rangescope_analyze::compare::{CompareOptions, Gate, compare, parse_gates};
use rangescope_model::comparison::Comparison;
use rangescope_model::comparison::GateStatus;
use rangescope_model::document::{RegionDocument, ScopeKind};
use rangescope_report::comparison::{ExportOptions, Format};
use rangescope_report::page::PageOptions;
use rangescope_report::write_atomically;

use crate::args::{CompareArgs, CompareFormat, CompareScope};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &CompareArgs, ui: &Ui) -> Result<(), Failure> {
    let options = options(args)?;
    let base = documents(&args.base, &args.more_base, ui)?;
    let new = documents(&args.new, &args.more_new, ui)?;
    let comparison = compare(&base, &new, &options);

    let format = args.format.or_else(|| by_ending(args.out.as_deref()));
    let format = format.unwrap_or(CompareFormat::Terminal);
    match &args.out {
        Some(path) => {
            write_atomically(path, |out| write(&comparison, &new, format, out))?;
            ui.say(&format!("comparison written to {}", path.display()));
        }
        None => {
            Ui::print_styled(|out| write(&comparison, &new, format, out))?;
        }
    }
    if let Some(path) = &args.junit {
        write_atomically(path, |out| write(&comparison, &new, CompareFormat::Junit, out))?;
    }
    if args.github {
        add_summary(&comparison, &new)?;
    }
    let Some(gates) = comparison.gates.as_ref().filter(|gates| gates.failed) else { return Ok(()) };
    let failed = gates.gates.iter().filter(|gate| match gate.status {
        GateStatus::Violated => true,
        GateStatus::Passed => false,
        GateStatus::NotApplicable => gates.strict,
    });
    Err(Failure::Regression(failed.count()))
}

fn options(args: &CompareArgs) -> Result<CompareOptions, Failure> {
    let mut gates = Vec::new();
    if let Some(path) = &args.gates {
        let text = fs_err::read_to_string(path).map_err(Failure::read(path))?;
        gates.extend(parse_gates(&text)?);
    }
    for text in &args.fail_on {
        gates.push(Gate::parse(text)?);
    }
    Ok(CompareOptions {
        scope: match args.scope {
            CompareScope::Aggregate => ScopeKind::Aggregate,
            CompareScope::Process => ScopeKind::Process,
            CompareScope::Device => ScopeKind::Device,
        },
        renames: Normaliser::new(&normalisation(&args.renames)?)?,
        metrics: args.metrics.clone(),
        tolerance: args.tolerance / 100.0,
        gates,
        strict_gates: args.strict,
    })
}

fn documents(first: &Path, more: &[PathBuf], ui: &Ui) -> Result<Vec<RegionDocument>, Failure> {
    [first]
        .into_iter()
        .chain(more.iter().map(PathBuf::as_path))
        .map(|path| ui.document(path))
        .collect()
}

fn by_ending(path: Option<&Path>) -> Option<CompareFormat> {
    match path?.extension()?.to_str()? {
        "md" => Some(CompareFormat::Markdown),
        "json" => Some(CompareFormat::Json),
        "html" => Some(CompareFormat::Html),
        "xml" => Some(CompareFormat::Junit),
        _ => None,
    }
}

fn write(
    comparison: &Comparison,
    new: &[RegionDocument],
    format: CompareFormat,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let name = match format {
        CompareFormat::Terminal => "terminal",
        CompareFormat::Markdown => "markdown",
        CompareFormat::Json => "json",
        CompareFormat::Junit => "junit",
        CompareFormat::Github => "github",
        CompareFormat::Html => {
            let Some(document) = new.first() else { return Ok(()) };
            let options = PageOptions::default();
            return rangescope_report::page::write_comparison(comparison, document, &options, out);
        }
    };
    let defaults = ExportOptions::default();
    let options = ExportOptions { width: Ui::width().unwrap_or(defaults.width), ..defaults };
    match Format::find(name) {
        Some(format) => (format.write)(comparison, &options, out),
        None => Ok(()),
    }
}

/// GitHub shows what is added to this file on the page of the run.
fn add_summary(comparison: &Comparison, new: &[RegionDocument]) -> Result<(), Failure> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else {
        return Err(Failure::Usage {
            message: "GITHUB_STEP_SUMMARY is not set".to_owned(),
            hint: "--github is for steps of GitHub workflows; elsewhere take --format github"
                .to_owned(),
        });
    };
    let path = PathBuf::from(path);
    let file = fs_err::OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| write(comparison, new, CompareFormat::Github, &mut file))
        .map_err(Failure::write(path))
}
