//! `rangescope profile`: config → plan → capture → report.

use std::path::Path;

use rangescope_report::formats::terminal;
use rangescope_run::{
    Job, ResumeRequest, RunEnd, RunError, RunOutcome, RunPlan, Tools, context, profile,
};

use super::job::{jobs, tools_request};
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
        let is_over = matches!(
            &ended,
            Err(Failure::Ended { end: RunEnd::Interrupted, .. }
                | Failure::Run(RunError::Interrupted))
        );
        if planned.len() == 1 || is_over {
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

/// Makes one run and says how it came out.
pub(crate) fn make_run(job: &Job, tools: &Tools, plan: &RunPlan, ui: &Ui) -> Result<(), Failure> {
    let mut view = RunView::new(ui);
    let outcome = profile(job, tools, plan, &mut |event| view.show(&event));
    view.finish();
    let outcome = outcome?;
    say_what_is_wrong(&outcome, ui);
    if let (Some(document), RunEnd::Well) = (&outcome.document, outcome.end) {
        Ui::print_styled(|out| terminal::write(document, &Ui::export_options(), out))?;
    }
    ui.say(&format!("run folder: {}", job.folder.root().display()));
    ended(&outcome, job)
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
