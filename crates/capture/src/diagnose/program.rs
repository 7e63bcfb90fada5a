//! Programs that hang or fail.

use rangescope_config::settings::NcuOptions;
use signal_hook::consts::SIGKILL;

use super::log::{last_line_with, lines_with};
use super::{Code, Diagnosis, Facts};
use crate::child::{End, Limit};

/// Parts of the names of collective kernels, in lower case.
const COLLECTIVES: [&str; 2] = ["nccl", "nvshmem"];
/// Messages of NCCL and PyTorch where collectives are used.
const SIGNS: [&str; 3] = ["NCCL INFO", "NCCL WARN", "ProcessGroupNCCL"];
/// PyTorch's message about a collective that does not end.
const WATCHDOG: &str = "Watchdog caught collective operation timeout";
/// ncu's message about a kernel that does not end.
const SLOW: &str = "Launching the workload is taking more time than expected";

/// A capture that stopped making progress, and whether that looks like a collective.
pub(super) fn hang(facts: &Facts<'_>) -> Option<Diagnosis> {
    let slow = lines_with(facts.log, &[SLOW, WATCHDOG]);
    if facts.timed_out.is_none() && (slow.is_empty() || facts.has_report) {
        return None;
    }
    let last_kernel = last_line_with(facts.log, &["==PROF== Profiling"]);
    let is_collective = |line: &String| {
        let line = line.to_lowercase();
        COLLECTIVES.iter().any(|name| line.contains(name))
    };
    let collective =
        last_kernel.clone().filter(is_collective).or_else(|| last_line_with(facts.log, &SIGNS));
    let mut evidence: Vec<String> = slow;
    for line in collective.clone().into_iter().chain(last_kernel) {
        if !evidence.contains(&line) {
            evidence.push(line);
        }
    }
    if collective.is_none() && facts.timed_out == Some(Limit::Time) {
        return Some(Diagnosis::new(
            Code::TimeLimit,
            "the program under ncu took longer than `pipeline.workload.timeout_s`. Every kernel is run once for each pass, so a program takes many times as long as on its own.",
            "raise the limit, collect less (`--preset quick`), or profile fewer kernels (`--region`, `launch_count`)",
            evidence,
        ));
    }
    if collective.is_none() {
        return Some(Diagnosis::new(
            Code::Silent,
            "neither ncu nor the program printed anything for longer than the limit. A kernel that takes many passes may do that, and so do programs that wait for another process.",
            "raise the limit with `pipeline.watchdog.silence_limit_s`, collect less (`--preset quick`), or profile fewer kernels",
            evidence,
        ));
    }
    // It lets collectives of several ranks run together.
    let communicator = NcuOptions::since("communicator", None);
    let fix = match facts.ncu.zip(communicator) {
        Some((ncu, since)) if ncu >= since.version => {
            "let the ranks run together: one ncu per rank with `communicator=tcp`, `communicator_tcp_num_peers=N` and `lockstep_kernel_launch=true`, \
             or one ncu around the launcher with `communicator=shmem`; or leave collectives out: `--exclude-kernel 'regex:nccl'`"
        }
        _ => {
            "leave collectives out (`--exclude-kernel 'regex:nccl'`), use `replay_mode=app-range` over whole steps, or a newer ncu: 2026.1 can let the ranks run together"
        }
    };
    Some(Diagnosis::new(
        Code::CollectiveHang,
        "ncu runs one kernel at a time and repeats it, but a collective ends only when all ranks take part in it: the first one to be profiled waits forever.",
        fix,
        evidence,
    ))
}

/// ncu did not end by itself, and said nothing of why.
pub(super) fn killed(facts: &Facts<'_>) -> Option<Diagnosis> {
    let End::Signalled(signal) = facts.end else { return None };
    if facts.timed_out.is_some() {
        return None;
    }
    let by = match signal {
        SIGKILL => "by somebody, or by the system for want of memory",
        _ => "by somebody, or by a mistake of its own",
    };
    let kept = if facts.has_report { " What was profiled before is in the report." } else { "" };
    Some(Diagnosis::new(
        Code::NcuKilled,
        format!("ncu was ended by signal {signal}, {by}.{kept}"),
        "look at the system's log for what ended it; with less to collect (`--preset quick`, `launch_count`) ncu needs less memory",
        last_line_with(facts.log, &["==PROF==", "==ERROR=="]).into_iter().collect(),
    ))
}

/// Keeps the program's exit code.
pub(super) fn failed_program(facts: &Facts<'_>) -> Option<Diagnosis> {
    const MESSAGE: &str = "The application returned an error code";
    let evidence = lines_with(facts.log, &[MESSAGE]);
    // ncu itself ends the program like this when the driver is missing.
    let no_driver = facts.log.contains("failed to connect to the CUDA driver");
    if evidence.is_empty() || no_driver || facts.timed_out.is_some() {
        return None;
    }
    let how = match facts.end {
        End::Exited(code) => format!(
            "the program ended with exit code {code} (or, if that is below 32, perhaps by signal {code}: ncu gives both in the same way)"
        ),
        End::Signalled(signal) => format!("ncu was ended by signal {signal}"),
    };
    let kept = if facts.has_report { " What was profiled before is in the report." } else { "" };
    Some(Diagnosis::new(
        Code::ProgramFailed,
        format!("{how}.{kept}"),
        "run the program without ncu first; what it printed is in the log. If its exit code means nothing, set `check_exit_code=false`",
        evidence,
    ))
}
