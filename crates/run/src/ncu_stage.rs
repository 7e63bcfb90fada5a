//! The ncu stage: runs the captures of a plan and says what is wrong with those that did not come out well.

use std::time::Duration;

use rangescope_capture::child::{self, ChildSpec, Stdin};
use rangescope_capture::diagnose::{Facts, diagnose};
use rangescope_capture::execute::{
    CaptureResult, CaptureStatus, ExecuteOptions, RunEvent, RunResult, execute,
};
use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::Capture;
use rangescope_config::settings;
use rangescope_model::observed::ObservedRange;
use rangescope_model::select::RegionSelector;

use crate::outcome::CaptureDiagnosis;
use crate::plan::NcuStage;
use crate::{Job, RunError};

pub(crate) fn run(
    job: &Job,
    stage: &NcuStage,
    tell: &mut dyn FnMut(RunEvent<'_>),
) -> Result<RunResult, RunError> {
    let seconds =
        |limit: Option<f64>| limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
    let options = ExecuteOptions {
        resume: job.resume,
        force: stage.options.force_overwrite,
        child: ChildSpec {
            folder: job.working_folder(),
            environment: job.environment(),
            stdin: match job.settings.workload.stdin {
                settings::Stdin::Inherit => Stdin::Own,
                settings::Stdin::Closed => Stdin::Null,
            },
            silence_limit: seconds(job.settings.run.silence_limit_s),
            time_limit: seconds(job.settings.workload.timeout_s),
            ..ChildSpec::default()
        },
    };
    Ok(execute(&stage.plan, &options, &mut child::run, tell)?)
}

/// One entry for each capture that did not come out well.
pub(crate) fn diagnoses(
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
        let is_well = result.status == CaptureStatus::Complete && outcome.success();
        if is_well || result.status == CaptureStatus::Interrupted {
            continue;
        }
        let filters = kernel_filters(capture);
        let facts = Facts {
            end: outcome.end,
            timed_out: outcome.timed_out,
            log: &result.log,
            has_report: result.report.is_some(),
            replay_mode: stage.options.replay_mode,
            target_processes: stage.options.target_processes,
            selectors: &selectors,
            ranges: stage.observed.as_ref().map(|seen| seen.ranges.as_slice()).or(ranges),
            main_process: stage.observed.as_ref().and_then(|seen| seen.main_process),
            kernel_filters: &filters,
            ncu: Some(ncu.version),
        };
        let diagnoses = diagnose(&facts);
        found.push(CaptureDiagnosis {
            capture: result.name.clone(),
            status: result.status,
            diagnoses,
        });
    }
    Ok(found)
}

fn kernel_filters(capture: &Capture) -> Vec<rangescope_capture::AppliedFilter> {
    let is_kernel =
        |filter: &&rangescope_capture::AppliedFilter| filter.kind.as_str().contains("kernel");
    capture.filters.at_capture.iter().filter(is_kernel).cloned().collect()
}
