//! Nothing was profiled: which of the many reasons it is.

use rangescope_config::settings::TargetProcesses;

use super::log::lines_with;
use super::selectors::{self, ALL_PROCESSES, FailedRule, SelectorFinding};
use super::{Code, Diagnosis, Facts};
use rangescope_model::observed::ObservedRange;

const MOST_RANGES: usize = 20;

const NOTHING: [&str; 4] = [
    "were profiled",
    "requires the --target-processes all option",
    "expressions match only",
    "Failed to create report",
];

/// Why nothing was profiled, with a finding for each selector and the ranges that the program opened, if they are known.
pub(super) fn nothing_profiled(facts: &Facts<'_>) -> Diagnosis {
    let (mut diagnosis, findings) = explained(facts);
    diagnosis.selectors = findings;
    let mut ranges: Vec<&ObservedRange> = facts.ranges.unwrap_or_default().iter().collect();
    ranges.sort_by(|left, right| {
        let key = |range: &ObservedRange| {
            (range.key.domain.clone(), range.key.path.clone(), range.thread)
        };
        right.count.cmp(&left.count).then_with(|| key(left).cmp(&key(right)))
    });
    diagnosis.more_ranges = ranges.len().saturating_sub(MOST_RANGES);
    diagnosis.ranges = ranges.into_iter().take(MOST_RANGES).cloned().collect();
    diagnosis
}

fn explained(facts: &Facts<'_>) -> (Diagnosis, Vec<SelectorFinding>) {
    let evidence = lines_with(facts.log, &NOTHING);
    let connected = facts.log.contains("==PROF== Connected to process");
    let only_itself = facts.target_processes == TargetProcesses::ApplicationOnly;
    if !connected && only_itself {
        let explanation =
            "the program itself did not use CUDA, and processes that it starts were not looked at";
        let rule = FailedRule::ChildProcess;
        return (
            Diagnosis::new(
                Code::ChildProcess,
                format!("{explanation}."),
                format!("set `{ALL_PROCESSES}`"),
                evidence,
            ),
            selectors::same_for_all(facts, rule, explanation, Some(ALL_PROCESSES)),
        );
    }
    if !connected {
        let explanation = "no process that ncu followed called CUDA";
        return (
            Diagnosis::new(
                Code::NoCuda,
                format!(
                    "{explanation}. Either the program ran on the CPU, or it did so in a process that ncu could not follow: a service that was running before, another container, \
                     a worker that was forked after its parent had used CUDA."
                ),
                "check that the program uses the GPU without ncu; start workers by `spawn`; wrap the process that does the work",
                evidence,
            ),
            selectors::same_for_all(facts, FailedRule::NoCuda, explanation, None),
        );
    }
    let mut connections = lines_with(facts.log, &["==PROF== Connected to process"]);
    connections.extend(evidence);
    let evidence = connections;
    if facts.selectors.is_empty() {
        return (without_selectors(facts, evidence), Vec::new());
    }
    if facts.ranges.is_some_and(<[ObservedRange]>::is_empty) {
        return (
            Diagnosis::new(
                Code::NoNvtx,
                "regions were selected, but the program opened no NVTX range at all. PyTorch, for one, opens none unless asked to.",
                "mark ranges (`nvtx.annotate`, `torch.cuda.nvtx.range`, `nvtxRangePush`), or profile without `--region`",
                evidence,
            ),
            selectors::same_for_all(
                facts,
                FailedRule::NoNvtx,
                "the program opened no range at all",
                None,
            ),
        );
    }
    let findings = selectors::findings(facts);
    (no_match(facts, &findings, evidence), findings)
}

fn without_selectors(facts: &Facts<'_>, evidence: Vec<String>) -> Diagnosis {
    if facts.replay_mode.is_range() {
        return Diagnosis::new(
            Code::NoRange,
            "range replay was selected without a region, and the program never called cudaProfilerStart.",
            "name regions with `--region`, or use `replay_mode=kernel`",
            evidence,
        );
    }
    if !facts.kernel_filters.is_empty() {
        return kernel_filter(facts, evidence);
    }
    Diagnosis::new(
        Code::NoKernels,
        "the program used CUDA but launched no kernel that ncu could profile.",
        "check that it does any work; with CUDA graphs try `graph_profiling=graph`",
        evidence,
    )
}

fn kernel_filter(facts: &Facts<'_>, evidence: Vec<String>) -> Diagnosis {
    let patterns: Vec<String> = facts
        .kernel_filters
        .iter()
        .map(|filter| format!("{} `{}`", filter.kind.as_str(), filter.pattern))
        .collect();
    Diagnosis::new(
        Code::KernelFilter,
        format!(
            "kernels were launched, but none passed: {}. A plain pattern has to be the whole name in the chosen base (demangled, with its arguments, unless set otherwise).",
            patterns.join(", ")
        ),
        "write `regex:name` to match anywhere, or set `kernel_name_base=function`; list names with `rangescope top-kernels`",
        evidence,
    )
}

fn no_match(facts: &Facts<'_>, findings: &[SelectorFinding], evidence: Vec<String>) -> Diagnosis {
    let all_by = |rule| findings.iter().all(|finding| finding.rule == rule);
    if all_by(FailedRule::KernelFilter) {
        return kernel_filter(facts, evidence);
    }
    let corrected: Vec<String> = findings
        .iter()
        .filter_map(|finding| finding.corrected.as_ref())
        .map(|option| format!("`{option}`"))
        .fold(Vec::new(), |mut all, option| {
            if !all.contains(&option) {
                all.push(option);
            }
            all
        });
    let fix = |otherwise: &str| match corrected.as_slice() {
        [] => otherwise.to_owned(),
        options => format!("write {}", options.join(" ")),
    };
    if all_by(FailedRule::ChildProcess) {
        return Diagnosis::new(
            Code::ChildProcess,
            "the program used CUDA and opened the selected ranges, but not in one process that was profiled.",
            fix("open the range in the process that launches the kernels"),
            evidence,
        );
    }
    if facts.ranges.is_none() {
        let or_filter = if facts.kernel_filters.is_empty() {
            ""
        } else {
            ", or none of those passed the kernel filter"
        };
        return Diagnosis::new(
            Code::NothingMatched,
            format!(
                "the program used CUDA, but no kernel was launched while one of the selected regions was open on its thread{or_filter}. Which ranges the program opened is not known."
            ),
            fix(
                "profile once without `--region` and look at the regions of the report; push/pop ranges count only on the thread that opened them",
            ),
            evidence,
        );
    }
    let explanation = if corrected.is_empty() {
        "the program used CUDA and opened ranges, but no kernel was launched while one of the selected regions was open on its thread."
    } else {
        "the selectors do not match the ranges in which the program launched its kernels."
    };
    let otherwise = "see what is said of each selector";
    Diagnosis::new(Code::NothingMatched, explanation, fix(otherwise), evidence)
}
