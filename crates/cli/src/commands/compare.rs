//! `rangescope compare`: what changed between two runs, and whether a gate says that it may not have.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstream::StripStream;
use rangescope_analyze::aggregate::{Normaliser, normalisation};
use rangescope_analyze::compare::{CompareOptions, Gate, compare, parse_gates};
use rangescope_model::comparison::Comparison;
use rangescope_model::comparison::GateStatus;
use rangescope_model::document::{RegionDocument, ScopeKind};
use rangescope_report::{FORMATS, Format, write_atomically};

use crate::args::{CompareArgs, CompareScope};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &CompareArgs, ui: &Ui) -> Result<(), Failure> {
    let options = options(args)?;
    let [base, new] = sides(args);
    let base = documents(&base, ui)?;
    let new = documents(&new, ui)?;
    let comparison = compare(&base, &new, &options);

    let format = args.format.or_else(|| by_ending(args.out.as_deref()?));
    let format = format.unwrap_or(&FORMATS[0]);
    match &args.out {
        Some(path) => {
            let mut bytes = Vec::new();
            if format.coloured {
                write(&comparison, &new, format, &mut StripStream::new(&mut bytes))
            } else {
                write(&comparison, &new, format, &mut bytes)
            }
            .map_err(Failure::write(path))?;
            write_atomically(path, |out| out.write_all(&bytes))?;
            ui.say(&format!("comparison written to {}", path.display()));
        }
        None => {
            Ui::print_format(format, |out| write(&comparison, &new, format, out))?;
        }
    }
    if let Some(path) = &args.junit {
        write_atomically(path, |out| write(&comparison, &new, format_named("junit"), out))?;
    }
    if args.github {
        add_summary(&comparison, &new)?;
    }
    let Some(gates) = comparison.gates.as_ref().filter(|gates| gates.failed) else { return Ok(()) };
    let failed = gates.gates.iter().filter(|gate| match gate.status {
        GateStatus::Violated => true,
        GateStatus::NotJudged => gates.strict,
        GateStatus::Passed => false,
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
    let mut base_names = rangescope_run::titles(&sides(args).concat());
    let new_names = base_names.split_off(1 + args.more_base.len());
    Ok(CompareOptions {
        scope: match args.scope {
            CompareScope::Aggregate => ScopeKind::Aggregate,
            CompareScope::Process => ScopeKind::Process,
            CompareScope::Device => ScopeKind::Device,
        },
        renames: Normaliser::new(&normalisation(&args.renames)?)?,
        metrics: args.metrics.clone(),
        tolerance_percent: args.tolerance,
        gates,
        strict_gates: args.strict,
        base_names,
        new_names,
    })
}

/// The runs of the base and of the new side.
fn sides(args: &CompareArgs) -> [Vec<&Path>; 2] {
    [(&args.base, &args.more_base), (&args.new, &args.more_new)]
        .map(|(first, more)| std::iter::once(first).chain(more).map(PathBuf::as_path).collect())
}

fn documents(paths: &[&Path], ui: &Ui) -> Result<Vec<RegionDocument>, Failure> {
    paths.iter().map(|path| ui.document(path)).collect()
}

fn by_ending(path: &Path) -> Option<&'static Format> {
    let ending = path.extension()?.to_str()?;
    FORMATS.iter().find(|format| format.comparison.is_some() && format.extension == ending)
}

fn write(
    comparison: &Comparison,
    new: &[RegionDocument],
    format: &Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(writer) = format.comparison else {
        return Err(io::Error::other("comparisons cannot be written in this format"));
    };
    writer(comparison, new, &Ui::export_options(), out)
}

/// A format that a flag of its own asks for.
fn format_named(name: &str) -> &'static Format {
    Format::find(name).unwrap_or(&FORMATS[0])
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
    file.and_then(|mut file| write(comparison, new, format_named("github"), &mut file))
        .map_err(Failure::write(path))
}
