//! The ncu stage: runs the captures of a plan and says what is wrong with those that did not come out well.

use std::ffi::OsString;
use std::time::Duration;

use rangescope_capture::child::{self, ChildSpec, End, Limit, Stdin};
use rangescope_capture::diagnose::{self, Code, Diagnosis, Facts};
use rangescope_capture::execute::{
    CaptureResult, CaptureStatus, ExecuteOptions, RankResult, RunEvent, RunResult, execute,
};
use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::Capture;
use rangescope_config::settings;
use rangescope_model::document::RegionDocument;
use rangescope_model::observed::ObservedRange;
use rangescope_model::select::RegionSelector;
use rangescope_read::recording::SIMULATOR_DOMAIN;

use crate::launch::launcher_environment;
use crate::outcome::CaptureDiagnosis;
use crate::plan::NcuStage;
use crate::{Job, RunError, ranks};

/// How much longer the launcher may be silent than one of its ranks.
const AFTER_RANKS: Duration = Duration::from_secs(30);

pub(crate) fn run(
    job: &Job,
    stage: &NcuStage,
    tell: &mut dyn FnMut(RunEvent<'_>),
) -> Result<RunResult, RunError> {
    let has_ranks = stage.plan.captures.iter().any(|capture| capture.inside);
    let options = execute_options(job, has_ranks);
    Ok(execute(&stage.plan.captures, &options, &mut child::run, tell)?)
}

/// How captures are run, and what the launcher needs for it.
pub(crate) fn execute_options(job: &Job, has_ranks: bool) -> ExecuteOptions {
    let time_limit = job.settings.workload.timeout_s;
    // Each rank watches over itself and can say more than whoever sees the output of all.
    let later = if has_ranks { AFTER_RANKS } else { Duration::ZERO };
    ExecuteOptions {
        resume: job.resume,
        force: job.settings.ncu_options.force_overwrite,
        secrets: job.secrets.clone(),
        child: ChildSpec {
            folder: job.working_folder(),
            environment: environment(job),
            stdin: match job.settings.workload.stdin {
                settings::Stdin::Inherit => Stdin::Own,
                settings::Stdin::Closed => Stdin::Null,
            },
            silence_limit: job.silence_limit().map(|limit| limit.saturating_add(later)),
            time_limit: time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok()),
            ..ChildSpec::default()
        },
    }
}

/// What the user asks for, and what the launcher needs where the user does not say otherwise.
fn environment(job: &Job) -> Vec<(OsString, Option<OsString>)> {
    let mut environment = job.environment();
    for (name, value) in launcher_environment(job) {
        let is_given = environment.iter().any(|(given, _)| given == name);
        if !is_given && std::env::var_os(name).is_none() {
            environment.push((name.into(), Some(value.into())));
        }
    }
    environment
}

/// One entry for each capture that did not come out well.
pub(crate) fn diagnoses(
    job: &Job,
    stage: &NcuStage,
    ncu: &NcuInfo,
    ranges: Option<&[ObservedRange]>,
    captures: &[CaptureResult],
) -> Result<Vec<CaptureDiagnosis>, RunError> {
    let selectors = RegionSelector::parse(&stage.options.nvtx_include)
        .map_err(rangescope_capture::plan::PlanError::from)?;
    let mut found = Vec::new();
    for (capture, result) in stage.plan.captures.iter().zip(captures) {
        let Some(outcome) = &result.outcome else { continue };
        let is_well = result.status == CaptureStatus::Complete
            && outcome.success()
            && result.ranks.iter().all(RankResult::is_well);
        if is_well || result.status == CaptureStatus::Interrupted {
            continue;
        }
        let filters = kernel_filters(capture);
        let diagnosed = |end: End, timed_out: Option<Limit>, log: &str, has_report: bool| {
            let facts = Facts {
                end,
                timed_out,
                // Lines of it are evidence, and evidence is shared.
                log: &job.secrets.mask(log),
                has_report,
                replay_mode: stage.options.replay_mode,
                target_processes: stage.options.target_processes,
                selectors: &selectors,
                ranges: stage.observed.as_ref().map(|seen| seen.ranges.as_slice()).or(ranges),
                main_process: stage.observed.as_ref().and_then(|seen| seen.main_process),
                kernel_filters: &filters,
                ncu: Some(ncu.version),
            };
            let mut diagnoses = diagnose::diagnose(&facts);
            if job.is_simulated() {
                diagnoses.iter_mut().for_each(as_simulated);
            }
            diagnoses
        };
        if result.ranks.is_empty() {
            found.push(CaptureDiagnosis {
                capture: result.name.clone(),
                status: result.status,
                diagnoses: diagnosed(
                    outcome.end,
                    outcome.timed_out,
                    &result.log,
                    result.has_report(),
                ),
            });
        }
        found.extend(ranks::diagnoses(result, &diagnosed));
    }
    Ok(found)
}

/// What the results say that ncu did not: that it gave up on some. The report has its own note of it, made from the same results.
pub(crate) fn given_up(
    document: &RegionDocument,
    captures: &[CaptureResult],
) -> Option<CaptureDiagnosis> {
    let note = document.notes.iter().find(|note| note.code == Code::GivenUp.as_str())?;
    let with_report = captures.iter().filter(|capture| capture.has_report());
    let names: Vec<&str> = with_report.map(|capture| capture.name.as_str()).collect();
    Some(CaptureDiagnosis {
        capture: names.join(", "),
        status: CaptureStatus::Complete,
        diagnoses: vec![diagnose::given_up(&note.message)],
    })
}

/// On the simulated device nothing is launched: a program without CUDA is one that announced no kernel.
fn as_simulated(diagnosis: &mut Diagnosis) {
    if matches!(diagnosis.code, Code::NoCuda | Code::NoKernels | Code::ChildProcess) {
        "the program announced no kernel to the simulated device".clone_into(&mut diagnosis.title);
        "nothing is launched on a simulated device, so the program has to say which kernels it would launch, and it said nothing."
            .clone_into(&mut diagnosis.explanation);
        diagnosis.fix = format!(
            "announce every launch by an NVTX mark in the domain `{SIMULATOR_DOMAIN}` whose message is JSON, such as {{\"kernel\": \"gemm\", \"grid\": [64, 1, 1], \"block\": [256, 1, 1]}}; docs/simulation.md has an example, and `rangescope dummy-model --device sim` does it"
        );
    }
}

fn kernel_filters(capture: &Capture) -> Vec<rangescope_capture::AppliedFilter> {
    let is_kernel =
        |filter: &&rangescope_capture::AppliedFilter| filter.kind.as_str().contains("kernel");
    capture.filters.at_capture.iter().filter(is_kernel).cloned().collect()
}
