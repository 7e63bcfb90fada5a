//! `rangescope compare`: what changed between two runs, and whether a gate says that it may not have.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rangescope_analyze::View;
use rangescope_analyze::aggregate::{AnalysisOptions, Normaliser, normalisation};
use rangescope_analyze::compare::{CompareOptions, Gate, compare, of_ranks, parse_gates};
use rangescope_model::comparison::Comparison;
use rangescope_model::comparison::{GateReport, GateStatus};
use rangescope_model::document::{RegionDocument, ScopeKind};
use rangescope_model::select::ranks::RankSelection;
use rangescope_report::{ExportOptions, FORMATS, Format, write_atomically};
use rangescope_run::turns;

use crate::args::{CompareArgs, CompareScope};
use crate::failure::Failure;
use crate::out::{Offer, Out, write_file};
use crate::ui::Ui;

pub(crate) fn run(args: &CompareArgs, ui: &Ui) -> Result<(), Failure> {
    let offer = Offer { formats: |format| format.comparison.is_some(), folders: false };
    let out = args.out.as_deref().map(|path| offer.resolve(path, args.format)).transpose()?;
    let [base, new] = match (&args.ranks, &args.with_ranks) {
        (Some(base), Some(new)) => of_one_run(the_run(args)?, [base, new], ui)?,
        _ => of_runs(args, ui)?,
    };
    let options = CompareOptions {
        base_names: base.names,
        new_names: new.names,
        base_turns: base.turns,
        new_turns: new.turns,
        ..options(args)?
    };
    let (base, new) = (base.documents, new.documents);
    let comparison = compare(&base, &new, &options);

    match (&args.out, out) {
        (Some(path), Some(Out::File(format))) => {
            write_file(path, format, |out| write(&comparison, &new, args.all, format, out))?;
            ui.say(&format!("comparison written to {}", path.display()));
        }
        _ => {
            let format = args.format.unwrap_or(&FORMATS[0]);
            Ui::print_format(format, |out| write(&comparison, &new, args.all, format, out))?;
        }
    }
    if let Some(path) = &args.junit {
        write_atomically(path, |out| {
            write(&comparison, &new, args.all, format_named("junit"), out)
        })?;
    }
    if args.github {
        add_summary(&comparison, &new, args.all)?;
    }
    verdict(comparison.gates.as_ref(), ui)
}

/// What the gates amount to, as success or failure.
fn verdict(gates: Option<&GateReport>, ui: &Ui) -> Result<(), Failure> {
    let Some(gates) = gates else { return Ok(()) };
    let missing = || gates.gates.iter().filter(|gate| gate.status == GateStatus::Missing);
    if let Some(first) = missing().next().filter(|_| !gates.allow_missing) {
        let gate = rangescope_model::text::visible(&first.gate);
        let hint = first.hint.as_deref().map(|hint| rangescope_model::text::visible(hint));
        let or = "a gate that may match nothing is let pass by --allow-missing";
        return Err(Failure::Usage {
            message: format!("the gate `{gate}` matches nothing in either side"),
            hint: hint.map_or_else(|| or.to_owned(), |hint| format!("{hint}; {or}")),
        });
    }
    let not_judged = gates.gates.iter().filter(|gate| gate.status == GateStatus::NotJudged).count();
    if not_judged > 0 && !gates.strict {
        let all = gates.gates.len();
        ui.warn(&format!(
            "{not_judged} of {all} gates could not be judged and did not fail; with --strict they do"
        ));
    }
    match gates.gates.iter().filter(|gate| gates.fails(gate)).count() {
        _ if !gates.failed => Ok(()),
        failed => Err(Failure::Regression(failed)),
    }
}

fn options(args: &CompareArgs) -> Result<CompareOptions, Failure> {
    let mut gates = Vec::new();
    if let Some(path) = &args.gates {
        let text = ncu_rep::file::read_text(path, ncu_rep::limits::SMALL_FILE)
            .map_err(Failure::read(path))?;
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
        tolerance_percent: args.tolerance,
        gates,
        strict_gates: args.strict,
        allow_missing: args.allow_missing,
        ..CompareOptions::default()
    })
}

/// The runs of a side.
struct Runs {
    names: Vec<String>,
    documents: Vec<RegionDocument>,
    /// Where each stands in an order that was recorded for all of them.
    turns: Vec<Option<u64>>,
}

fn of_runs(args: &CompareArgs, ui: &Ui) -> Result<[Runs; 2], Failure> {
    let base = args.base.iter().chain(&args.more_base).map(|path| runs_of(path));
    let new = args.new.iter().chain(&args.more_new).map(|path| runs_of(path));
    let (mut base, mut new) = (base.collect::<Vec<_>>().concat(), new.collect::<Vec<_>>().concat());
    if new.is_empty() {
        (base, new) = base.into_iter().partition(|(side, _)| *side != turns::Side::New);
    }
    if base.is_empty() || new.is_empty() {
        return Err(no_side(base.is_empty(), new.is_empty()));
    }
    let paths = |runs: Vec<(_, PathBuf)>| runs.into_iter().map(|(_, path)| path).collect();
    let [base, new]: [Vec<PathBuf>; 2] = [paths(base), paths(new)];
    let all: Vec<&Path> = base.iter().chain(&new).map(PathBuf::as_path).collect();
    let mut base_names = rangescope_run::titles(&all);
    let new_names = base_names.split_off(base.len());
    let mut base_turns: Vec<Option<u64>> = match turns::recorded(&all) {
        Some(turns) => turns.into_iter().map(Some).collect(),
        None => vec![None; all.len()],
    };
    let new_turns = base_turns.split_off(base.len());
    let documents = |paths: &[PathBuf]| -> Result<Vec<RegionDocument>, Failure> {
        paths.iter().map(|path| ui.document(path, &Ok)).collect()
    };
    Ok([
        Runs { names: base_names, documents: documents(&base)?, turns: base_turns },
        Runs { names: new_names, documents: documents(&new)?, turns: new_turns },
    ])
}

/// The one run whose ranks are compared.
fn the_run(args: &CompareArgs) -> Result<&Path, Failure> {
    args.base.as_deref().ok_or_else(|| Failure::Usage {
        message: "of which run the ranks are is not said".to_owned(),
        hint: "write `compare RUN --ranks 0 --with-ranks 1`".to_owned(),
    })
}

/// What to say where a side has no runs.
fn no_side(is_base_missing: bool, is_new_missing: bool) -> Failure {
    let (message, hint) = match (is_base_missing, is_new_missing) {
        (true, false) => (
            "there is nothing to compare with: the base has no run",
            "give it by --base RUN, or before the others without an option",
        ),
        (false, true) => (
            "there is nothing to compare with: the new side has no run",
            "give it as the second path or by --new RUN, or one folder that `profile --runs N -- BASE --- NEW` made",
        ),
        _ => (
            "there is nothing to compare",
            "give two runs, or a folder that `profile --runs N -- BASE --- NEW` made",
        ),
    };
    Failure::Usage { message: message.to_owned(), hint: hint.to_owned() }
}

/// The runs that a path stands for: those of a set, or itself.
fn runs_of(path: &Path) -> Vec<(turns::Side, PathBuf)> {
    match turns::of_set(path) {
        runs if runs.is_empty() => vec![(turns::Side::Only, path.to_owned())],
        runs => runs,
    }
}

/// Ranks of one run, which is read once.
fn of_one_run(path: &Path, sides: [&RankSelection; 2], ui: &Ui) -> Result<[Runs; 2], Failure> {
    let document = ui.document(path, &|options| {
        let scopes = vec!["process".to_owned()];
        Ok(AnalysisOptions { ranks: sides[0].or(sides[1]), scopes, ..options })
    })?;
    let [base, new] = sides.map(|ranks| of_ranks(&document, ranks));
    let (base, new) = (base?, new?);
    let is_in_both =
        |(rank, ..): &&(u32, String, RegionDocument)| new.iter().any(|(other, ..)| other == rank);
    if let Some((rank, ..)) = base.iter().find(is_in_both) {
        return Err(Failure::Usage {
            message: format!("rank {rank} is on both sides"),
            hint: "--ranks and --with-ranks name different ranks".to_owned(),
        });
    }
    let runs = |ranks: Vec<(u32, String, RegionDocument)>| {
        let (names, documents) =
            ranks.into_iter().map(|(_, name, document)| (name, document)).unzip();
        Runs { names, documents, turns: Vec::new() }
    };
    Ok([runs(base), runs(new)])
}

fn write(
    comparison: &Comparison,
    new: &[RegionDocument],
    all: bool,
    format: &Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(writer) = format.comparison else {
        return Err(io::Error::other("comparisons cannot be written in this format"));
    };
    let view = View { unfold: all, ..View::default() };
    writer(comparison, new, &ExportOptions { view, ..Ui::export_options() }, out)
}

/// A format that a flag of its own asks for.
fn format_named(name: &str) -> &'static Format {
    Format::find(name).unwrap_or(&FORMATS[0])
}

/// GitHub shows what is added to this file on the page of the run.
fn add_summary(comparison: &Comparison, new: &[RegionDocument], all: bool) -> Result<(), Failure> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else {
        return Err(Failure::Usage {
            message: "GITHUB_STEP_SUMMARY is not set".to_owned(),
            hint: "--github is for steps of GitHub workflows; elsewhere take --format github"
                .to_owned(),
        });
    };
    let path = PathBuf::from(path);
    let file = fs_err::OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| write(comparison, new, all, format_named("github"), &mut file))
        .map_err(Failure::write(path))
}
