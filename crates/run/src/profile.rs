//! The story of a run: write down what is to be done, capture, say what went wrong, report.

use rangescope_capture::child::{ChildEvent, End};
use rangescope_capture::environment::{Environment, Tool};
use rangescope_capture::execute::{CaptureResult, RunEvent};

use crate::exit::ExitCode;
use crate::outcome::{RunEnd, end_of};
use crate::reports::{self, ReportRequest};
use crate::{Job, NcuStage, RunError, RunFolder, RunOutcome, RunPlan, Tools, ncu_stage};

#[derive(Debug)]
pub enum Event<'a> {
    /// nsys begins, with what is to be said of its recording.
    Recording(Option<&'a str>),
    Nsys(ChildEvent<'a>),
    /// The recordings of ranks are over.
    Recorded(&'a CaptureResult),
    /// Something about the captures of ncu.
    Ncu(RunEvent<'a>),
    Reporting,
}

pub fn profile(
    job: &Job,
    tools: &Tools,
    plan: &RunPlan,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<RunOutcome, RunError> {
    job.write_down()?;
    let nsys = tools.nsys.as_ref().map(|nsys| Tool {
        path: nsys.launcher.join(" ".as_ref()).display().to_string(),
        version: nsys.version.clone(),
    });
    let recorded = &job.settings.run.record_env;
    let environment = Environment::collect(tools.ncu.as_ref(), nsys, recorded, &job.secrets);
    RunFolder::write(&job.folder.environment(), &environment.to_json())?;

    let mut outcome = RunOutcome {
        end: RunEnd::Well,
        nsys: None,
        captures: Vec::new(),
        diagnoses: Vec::new(),
        document: None,
        report_problem: None,
    };
    if let Some(stage) = &plan.nsys {
        tell(Event::Recording(stage.note.as_deref()));
        let found = stage.run(job, tell)?;
        if found.end != End::Exited(0) {
            outcome.end = RunEnd::ProgramFailed;
        }
        outcome.nsys = Some(found);
    }
    if let (Some(stage), Some(ncu)) = (&plan.ncu, &tools.ncu) {
        // With what nsys has found the captures may be other ones than planned before.
        let again = outcome.nsys.as_ref();
        let again = again.map(|nsys| NcuStage::new(job, ncu, Some(nsys))).transpose()?;
        let stage = again.as_ref().unwrap_or(stage);
        reports::write_capture_notes(&job.folder, &stage.report_notes)?;
        let run = ncu_stage::run(job, stage, &mut |event| tell(Event::Ncu(event)))?;
        let interrupted = run.interrupted;
        outcome.captures = run.captures;
        let ranges = outcome.nsys.as_ref().map(|nsys| nsys.ranges.as_slice());
        outcome.diagnoses = ncu_stage::diagnoses(job, stage, ncu, ranges, &outcome.captures)?;
        outcome.end = if interrupted {
            RunEnd::Interrupted
        } else {
            end_of(&outcome.captures, &outcome.diagnoses)
        };
        reports::write_diagnoses(&job.folder, &outcome.diagnoses)?;
        tell(Event::Reporting);
        let request = ReportRequest::of(&job.settings)?;
        match reports::make(&job.folder, &request) {
            Ok(document) => {
                outcome.diagnoses.extend(ncu_stage::given_up(&document, &outcome.captures));
                outcome.document = Some(document);
            }
            Err(problem) => {
                if matches!(outcome.end, RunEnd::Well | RunEnd::NothingProfiled) {
                    outcome.end = match ExitCode::from(&problem) {
                        ExitCode::NotWritten => RunEnd::NotWritten,
                        _ => RunEnd::Unreadable,
                    };
                }
                outcome.report_problem = Some(problem);
            }
        }
    }
    Ok(outcome)
}
