//! `rangescope profile`: config → plan → capture → report.

use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rangescope_model::number::count;
use rangescope_report::formats::terminal;
use rangescope_run::turns::{Side, Turns};
use rangescope_run::{
    Job, ResumeRequest, RunEnd, RunError, RunFolder, RunOutcome, RunPlan, Tools, ToolsRequest,
    context, profile,
};

use super::job::{jobs, jobs_of, tools_request};
use super::plan::print;
use crate::args::ProfileArgs;
use crate::failure::Failure;
use crate::ui::{RunView, Ui};

pub(crate) fn run(args: &ProfileArgs, ui: &Ui) -> Result<(), Failure> {
    let request = tools_request(args.dry_run)?;
    let jobs = match &args.resume {
        Some(_) if !args.job.flags.is_empty() => {
            let message = "a run is resumed with the settings that it was begun with".to_owned();
            let hint =
                "leave out the flags that stand for overrides, or begin a new run".to_owned();
            return Err(Failure::Usage { message, hint });
        }
        Some(folder) => vec![resumed(folder, args, ui)?],
        None if args.runs.is_some() => return in_turns(args, &request, ui),
        None => jobs(&args.job, ui)?,
    };
    let mut planned = Vec::new();
    for job in jobs {
        let tools = Tools::find(&job, &request)?;
        let plan = RunPlan::new(&job, &tools)?;
        planned.push((job, tools, plan));
    }
    if args.dry_run {
        let masked = |(job, _, plan): (Job, _, RunPlan)| plan.masked(&job.secrets);
        let plans: Vec<RunPlan> = planned.into_iter().map(masked).collect();
        return print(&plans, args.format, args.job.multirun);
    }
    let mut first_failure = None;
    for (job, tools, plan) in &planned {
        let ended = make_run(job, tools, plan, ui);
        if planned.len() == 1 || is_over(&ended) {
            return ended;
        }
        // A sweep goes on: its other runs are not to blame.
        if let Err(failure) = ended {
            ui.warn(&format!("{}: {failure}", job.folder.root().display()));
            first_failure.get_or_insert(failure);
        }
    }
    first_failure.map_or(Ok(()), Err)
}

/// Nobody wants the runs that are left.
fn is_over(ended: &Result<(), Failure>) -> bool {
    matches!(
        ended,
        Err(Failure::Ended { end: RunEnd::Interrupted, .. } | Failure::Run(RunError::Interrupted))
    )
}

/// What stands between two programs.
const BETWEEN_PROGRAMS: &str = "---";

/// Several runs of one program, or of two in turns.
fn in_turns(args: &ProfileArgs, request: &ToolsRequest, ui: &Ui) -> Result<(), Failure> {
    let programs: Vec<&[OsString]> =
        args.job.program.split(|word| word == BETWEEN_PROGRAMS).collect();
    if programs.len() > 2 || programs.len() == 2 && programs.iter().any(|words| words.is_empty()) {
        return Err(Failure::Usage {
            message: format!("`{BETWEEN_PROGRAMS}` stands between two programs"),
            hint: "rangescope profile --runs 5 -- BASE --- NEW".to_owned(),
        });
    }
    let mut planned = Vec::new();
    for program in &programs {
        for job in jobs_of(&args.job, program, ui)? {
            let tools = Tools::find(&job, request)?;
            let plan = RunPlan::new(&job, &tools)?;
            planned.push((job, tools, plan));
        }
    }
    let Some((first, ..)) = planned.first() else { return Ok(()) };
    let root = first.folder.root().to_owned();
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    let seed = args.seed.unwrap_or(u64::from(since_epoch.subsec_micros()));
    let set = format!("{}.{seed}", since_epoch.as_nanos());
    let runs = usize::from(args.runs.unwrap_or(1));
    let turns = Turns::new(runs, programs.len() == 2, seed, set);
    let mut made = Vec::new();
    for (side, folder) in turns.folders() {
        let of = if side == Side::New { planned.last() } else { planned.first() };
        let Some((job, tools, _)) = of else { continue };
        let job = Job { folder: RunFolder::new(root.join(folder)), ..job.clone() };
        let plan = RunPlan::new(&job, tools)?;
        made.push((job, tools, plan));
    }
    if args.dry_run {
        let plans: Vec<RunPlan> =
            made.into_iter().map(|(job, _, plan)| plan.masked(&job.secrets)).collect();
        return print(&plans, args.format, true);
    }
    let mut first_failure = None;
    for (turn, (job, tools, plan)) in made.iter().enumerate() {
        ui.say(&format!("run {} of {}: {}", turn + 1, made.len(), job.folder.root().display()));
        let ended = make(job, tools, plan, ui).and_then(|outcome| ended(&outcome, job));
        if job.folder.is_run() {
            turns.record(turn, &job.folder)?;
        }
        if is_over(&ended) {
            return ended;
        }
        // The other runs are not to blame.
        if let Err(failure) = ended {
            ui.warn(&format!("{}: {failure}", job.folder.root().display()));
            first_failure.get_or_insert(failure);
        }
    }
    let next = if programs.len() == 2 { "" } else { " OTHER" };
    ui.say(&format!(
        "{} in turns with seed {seed}; compare them: rangescope compare {}{next}",
        count(made.len() as u64, "run", "runs"),
        root.display()
    ));
    first_failure.map_or(Ok(()), Err)
}

/// The job of a run folder. Before somebody lets it run the program of somebody else, they can see what that is.
fn resumed(folder: &Path, args: &ProfileArgs, ui: &Ui) -> Result<Job, Failure> {
    let request = ResumeRequest { folder, program: &args.job.program, trust: args.trust };
    let job = Job::resume(&request, &context()?);
    if let Err(RunError::NotTrusted { would_run, .. }) = &job {
        ui.warn("this would be run:");
        for line in would_run {
            ui.say(&format!("  {line}"));
        }
    }
    Ok(job?)
}

/// Makes one run, shows its report and says how it came out.
pub(crate) fn make_run(job: &Job, tools: &Tools, plan: &RunPlan, ui: &Ui) -> Result<(), Failure> {
    let outcome = make(job, tools, plan, ui)?;
    if let (Some(document), RunEnd::Well) = (&outcome.document, outcome.end) {
        Ui::print_styled(|out| terminal::write(document, &Ui::export_options(), out))?;
    }
    ui.say(&format!("run folder: {}", job.folder.root().display()));
    ended(&outcome, job)
}

fn make(job: &Job, tools: &Tools, plan: &RunPlan, ui: &Ui) -> Result<RunOutcome, Failure> {
    let mut view = RunView::new(ui);
    let outcome = profile(job, tools, plan, &mut |event| view.show(&event));
    view.finish();
    let outcome = outcome?;
    say_what_is_wrong(&outcome, ui);
    Ok(outcome)
}

fn say_what_is_wrong(outcome: &RunOutcome, ui: &Ui) {
    for capture in &outcome.diagnoses {
        for found in &capture.diagnoses {
            ui.warn(&format!("capture {}: {}", capture.capture, found.title));
            for line in &found.evidence {
                ui.say(&format!("  | {line}"));
            }
            ui.say(&format!("  {}", found.explanation));
            for selector in &found.selectors {
                ui.say(&format!("  `{}`: {}", selector.selector, selector.explanation));
                if let Some(corrected) = &selector.corrected {
                    ui.say(&format!("  try: {corrected}"));
                }
            }
            for range in &found.ranges {
                ui.say(&format!("  the program opened {range}"));
            }
            if found.more_ranges > 0 {
                ui.say(&format!("  and {} more", found.more_ranges));
            }
            ui.say(&format!("  {}", found.fix));
        }
    }
    for capture in &outcome.captures {
        for problem in &capture.problems {
            ui.warn(&format!("capture {}: {problem}", capture.name));
        }
    }
}

/// What the run amounts to, as success or failure.
fn ended(outcome: &RunOutcome, job: &Job) -> Result<(), Failure> {
    let folder = job.folder.root().display();
    let title = outcome.first_diagnosis().map(|found| found.title.clone());
    let fail = |message: String, hint: String| {
        Err(Failure::Ended { end: outcome.end, message, hint: Some(hint) })
    };
    let begun = if outcome.captures.is_empty() { job.folder.nsys() } else { job.folder.ncu() };
    let logs = format!("the logs are in {}", begun.display());
    match outcome.end {
        RunEnd::Well => Ok(()),
        RunEnd::NothingProfiled if !job.settings.run.strict => Ok(()),
        RunEnd::NothingProfiled => {
            fail("nothing was profiled".to_owned(), "see the diagnosis above".to_owned())
        }
        RunEnd::ProgramFailed => fail(title.unwrap_or("the program failed".to_owned()), logs),
        RunEnd::ProfilerFailed => fail(title.unwrap_or("ncu failed".to_owned()), logs),
        RunEnd::Unreadable | RunEnd::NotWritten => {
            let problem = outcome.report_problem.as_ref();
            let why = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
            let hint = problem.and_then(RunError::hint).map(|hint| format!("{hint}; "));
            let kept = format!("what was captured is in {}", job.folder.ncu().display());
            fail(format!("the reports cannot be made{why}"), hint.unwrap_or_default() + &kept)
        }
        RunEnd::Interrupted => fail(
            "interrupted".to_owned(),
            format!("go on with it: rangescope profile --resume {folder}"),
        ),
    }
}
