//! Diagnoses that one message gives away: a table, looked through from top to bottom.
//!
//! The messages are those of real ncu; where versions differ, only the part that they share is looked for. Each row explains the problem in our own words.

use super::log::{lines_with, ncu_lines_with};
use super::{Code, Diagnosis, Facts};
use crate::child::End;

/// Any of these messages in the log means this.
struct Rule {
    code: Code,
    messages: &'static [&'static str],
    explanation: &'static str,
    fix: &'static str,
    /// Also of interest when there is a report.
    even_with_report: bool,
    said_by: SaidBy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SaidBy {
    Ncu,
    /// The program's or a library's too.
    Anyone,
    /// The program's only if it failed: a program that went on had dealt with it.
    FailedProgram,
}

const RULES: &[Rule] = &[
    Rule {
        code: Code::CountersBusy,
        messages: &["driver resource was unavailable"],
        explanation: "only one tool at a time can read the GPU's counters, and something else is doing so: usually the data centre monitor DCGM (also inside dcgm-exporter), \
            another ncu or nsys, or a profiler inside the program. Newer drivers give the same message when the permission is missing.",
        fix: "pause DCGM with `dcgmi profile --pause` (and `--resume` afterwards), end other profilers, and check the permission with `rangescope doctor`",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::CounterPermission,
        messages: &[
            "ERR_NVGPUCTRPERM",
            "does not have permission to access NVIDIA GPU Performance Counters",
        ],
        explanation: "the driver lets only administrators read the GPU's counters. The program itself ran.",
        fix: "run as root (in a container with `--cap-add SYS_ADMIN`), or have the administrator load the driver with `NVreg_RestrictProfilingToAdminUsers=0`; \
            rented and virtual GPUs often do not allow it at all",
        even_with_report: true,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::NoDriver,
        messages: &[
            "failed to connect to the CUDA driver",
            "Driver could not be loaded",
            "Failed to load the driver",
            "libcuda.so.1: cannot open shared object file",
        ],
        explanation: "ncu needs the real `libcuda.so.1` of an installed NVIDIA driver. There is none on the library path, or a stub stands before it; then ncu ends the program before it begins.",
        fix: "install the NVIDIA driver, in a container start it with `--gpus all`, and take folders named `stubs` off LD_LIBRARY_PATH",
        even_with_report: false,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::DriverVersion,
        messages: &[
            "driver is not compatible with Nsight Compute",
            "Insufficient driver version to profile",
            "CUDA driver is too old to support range replay",
            "requires a newer CUDA driver",
            "CUDA driver version is insufficient for CUDA runtime version",
        ],
        explanation: "each ncu works with a range of driver versions, and some features need a newer driver than profiling as such.",
        fix: "use an ncu from about the time of the driver, or update the driver",
        even_with_report: false,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::UnsupportedGpu,
        messages: &[
            "Profiling is not supported on device",
            "Profiling is not supported on this device",
            "ERR_NVCMPGPU",
            "Confidential computing mode detected",
            "confidential computing mode set on",
            "Protected memory mode detected",
        ],
        explanation: "ncu does not profile this GPU: it is too old (before Volta) or too new for this ncu, or a mode such as SLI, confidential computing or WSL prevents it.",
        fix: "look the GPU up with `ncu --list-chips`; use a newer ncu for a newer GPU, or another GPU (`device=cuda:1`)",
        even_with_report: false,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::NoGpu,
        messages: &[
            "no CUDA-capable device is detected",
            "No CUDA GPUs are available",
            "Found no NVIDIA driver on your system",
        ],
        explanation: "the driver is there but shows no GPU to the program.",
        fix: "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container pass the GPUs in, under Slurm ask for one",
        even_with_report: false,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::ProgramNotFound,
        messages: &[
            "does not exist or is not an executable",
            "Launching the target application failed",
        ],
        explanation: "ncu could not start the program.",
        fix: "give its full path, make it executable, or name its interpreter first: `python script.py`",
        even_with_report: false,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::ReportExists,
        messages: &["already exists. Use '-f'"],
        explanation: "ncu does not overwrite a report unless told to.",
        fix: "take another folder with `--out`, or set `pipeline.ncu.ncu_cli.force_overwrite=true`",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::DiskFull,
        messages: &[
            "No space left on device",
            "Could not allocate memory or file space to save context state",
            "Disk quota exceeded",
        ],
        explanation: "ncu keeps the GPU's memory and the data of passes in temporary files, and the report can be large.",
        fix: "make room, set TMPDIR to a larger disk, or collect less: fewer sections, `--kernel`, `launch_count`",
        even_with_report: true,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::PermissionDenied,
        messages: &["Permission denied", "Operation not permitted"],
        explanation: "ncu or the program may not read, write or run a file that the message names: a program that is not executable, a folder of another user, a home folder whose ticket has expired.",
        fix: "check the owner and the permissions of the file (`ls -l`); choose a folder of your own with `--out` and TMPDIR",
        even_with_report: false,
        said_by: SaidBy::FailedProgram,
    },
    Rule {
        code: Code::CannotWrite,
        messages: &[
            "Unable to write to file",
            "cannot be used as the output log file",
            "Failed to open/create lock file",
            "Failed to create temporary application replay file",
            "Failed to save the report to file",
            "Could not create lock directory",
        ],
        explanation: "the report or one of ncu's temporary files cannot be written. The lock file in the temporary folder often belongs to another user.",
        fix: "choose a folder of your own with `--out`, and set TMPDIR to one that you may write to",
        even_with_report: false,
        said_by: SaidBy::Anyone,
    },
    Rule {
        code: Code::UnknownSection,
        messages: &["did not match any section"],
        explanation: "sections differ between versions of ncu, and the name has to be an identifier and not a title.",
        fix: "choose from `ncu --list-sections`",
        even_with_report: false,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::UnknownMetric,
        messages: &[
            "Failed to find metric",
            "Could not successfully expand metric",
            "The below metrics are either invalid",
            "is not supported in range replay",
            "Unable to access the following",
        ],
        explanation: "metrics differ between GPUs (`dram__bytes_read.sum` became `dram__bytes_op_read.sum` on newer ones), and some are missing in range replay.",
        fix: "look the name up with `ncu --query-metrics --query-metrics-mode suffix --metrics NAME --chips CHIP`, or leave it out",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::NoMetrics,
        messages: &["No metrics to collect found in sections"],
        explanation: "ncu takes the name of a set that it does not know and then collects nothing. The usual set is `basic`, in old versions `default`.",
        fix: "choose from `ncu --list-sets`, or name sections",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::EmptyRange,
        messages: &[EMPTY_RANGE],
        explanation: "the selected ranges were entered, and no CUDA call was made inside them: the work was done elsewhere, earlier or later, on another thread, or on the CPU.",
        fix: "check that the program uses the GPU inside the range; synchronise before the range ends; choose a range around the launches",
        even_with_report: false,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::UnsupportedApi,
        messages: &[
            "Unsupported API during capture",
            "Skipping invalid capture range",
            "Failed to end recording range",
            "Failed to begin recording range",
            "Cannot capture API call for CUDA event recorded outside the range",
            "Failed to prepare range for profiling",
            "Failed to profile range",
        ],
        explanation: "range replay records the CUDA calls of a range and repeats them. It cannot repeat CUDA graphs, stream-ordered allocation (`cudaMallocAsync`), virtual memory management, peer access \
            and a few others.",
        fix: "use `replay_mode=app-range`, which runs the program again instead (or `kernel`); or choose ranges without such calls",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::OpenRange,
        messages: &["disconnected before reaching the range end marker"],
        explanation: "the program ended inside the range, so that it never became a result.",
        fix: "pop or end the range before the program ends, or choose an inner one",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::ReplayMemory,
        messages: &["Failed to save memory for replay", "Insufficient free memory for profiling"],
        explanation: "kernel replay keeps a copy of the memory that a kernel writes. That fails with too little free memory, and with memory that several GPUs share (NVLS).",
        fix: "use `replay_mode=application`, collect fewer metrics, or set NCCL_NVLS_ENABLE=0",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::RunsDiffer,
        messages: &[
            "Unexpected number of profiled kernels",
            "Inconsistent number of profiled kernels",
            "kernels could be matched across replay passes",
        ],
        explanation: "application replay runs the program once per pass and needs the same kernels in the same order every time.",
        fix: "make the program deterministic (seeds, autotuning off), set `app_replay_mode=relaxed`, or use `replay_mode=kernel`",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
    Rule {
        code: Code::UnknownError,
        messages: &[
            "Unknown Error on device",
            "Unknown Error.",
            "An error was reported by the driver",
            "Failed to create profiling session",
        ],
        explanation: "ncu met an error in the driver. The program's own CUDA errors, and metrics that the GPU does not have, are common causes.",
        fix: "run the program without ncu, then with one section (`--sections LaunchStats`), and add others until it happens again",
        even_with_report: true,
        said_by: SaidBy::Ncu,
    },
];

/// ncu's words for a range without CUDA calls, which it also prints for ranges that it cannot replay.
const EMPTY_RANGE: &str = "RecordStatusEmpty";

pub(super) fn by_message(facts: &Facts<'_>) -> Vec<Diagnosis> {
    RULES
        .iter()
        .filter(|rule| rule.even_with_report || !facts.has_report)
        .filter_map(|rule| {
            let ended_well = facts.end == End::Exited(0);
            let lines = match rule.said_by {
                SaidBy::Ncu => ncu_lines_with,
                SaidBy::FailedProgram if ended_well => ncu_lines_with,
                SaidBy::FailedProgram | SaidBy::Anyone => lines_with,
            };
            let evidence = lines(facts.log, rule.messages);
            let evidence: Vec<String> = evidence
                .into_iter()
                .filter(|line| rule.code == Code::EmptyRange || !line.contains(EMPTY_RANGE))
                .collect();
            let is_busy_message = |line: &String| line.contains("driver resource was unavailable");
            // That message names the permission as another possibility.
            if evidence.is_empty()
                || (rule.code == Code::CounterPermission && evidence.iter().all(is_busy_message))
            {
                return None;
            }
            Some(Diagnosis::new(rule.code, rule.explanation, rule.fix, evidence))
        })
        .collect()
}
