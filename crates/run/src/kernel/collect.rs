//! What stands in single results only: how long each took, its opcodes, its samples over time.
//!
//! Results are read once more and forgotten; what is kept is a number a launch, a number an opcode, and the samples of one launch.

use indexmap::IndexMap;
use ncu_rep::samples::{PASSES, looks_sampled};
use ncu_rep::{ResultData, Value};
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions};
use rangescope_analyze::insight::kernel::{Collected, PmSampling};
use rangescope_model::document::{Basis, Scope, ScopeKind, ScopeReport};
use rangescope_model::launch::{Launch, LaunchKind, ProcessInfo};
use rangescope_model::select::SelectError;
use rangescope_read::Input;
use rangescope_read::results::Numbering;
use rayon::prelude::*;

use super::samples::pm_sampling;
use crate::analysis::{launch_range, ncu_predicate};

pub(super) const OPCODES: &str = "sass__inst_executed_per_opcode";
/// Different opcodes that are counted; chips have a few hundred.
const MOST_OPCODES: usize = 10_000;
/// Results a thread takes at a time, and chunks that are under way before they are merged.
const CHUNK: usize = 32;
const WAVE: usize = 32;

pub(super) fn collect(
    inputs: &[Input],
    options: &AnalysisOptions,
    one_program: bool,
    report: &ScopeReport,
) -> Result<Collected, SelectError> {
    let numbering = Numbering::new(inputs.iter().map(|input| &*input.source), one_program);
    let analysis = Analysis::with_ncu(options, &numbering.vocabulary, &ncu_predicate)?;
    let names = &numbering.vocabulary.metrics;
    let reader = Reader {
        analysis: &analysis,
        numbering: &numbering,
        report,
        with_instances: names.iter().any(|name| name == OPCODES || is_sampled(name)),
    };
    let mut all = Collected::default();
    let mut first = 0;
    for (position, input) in inputs.iter().enumerate() {
        let range = launch_range(options.launch, first, input.source.len());
        let starts: Vec<usize> = range.clone().step_by(CHUNK).collect();
        for wave in starts.chunks(WAVE) {
            let chunks: Vec<Collected> = wave
                .par_iter()
                .map(|&start| {
                    let indices = start..range.end.min(start + CHUNK);
                    reader.chunk(position, input, indices, first)
                })
                .collect();
            for chunk in chunks {
                merge(&mut all, chunk);
            }
        }
        first += input.source.len();
    }
    Ok(all)
}

/// Whether a result with a metric of this name may hold counters that were sampled over time.
pub(super) fn is_sampled(name: &str) -> bool {
    name == PASSES || looks_sampled(name)
}

struct Reader<'a> {
    analysis: &'a Analysis<'a>,
    numbering: &'a Numbering,
    report: &'a ScopeReport,
    with_instances: bool,
}

impl Reader<'_> {
    fn chunk(
        &self,
        position: usize,
        input: &Input,
        indices: std::ops::Range<usize>,
        before: usize,
    ) -> Collected {
        let mut found = Collected::default();
        let mut partial = self.analysis.partial();
        let numbers = self.numbering.of_source(position);
        for index in indices {
            let mut selected = None;
            input.source.read(index..index + 1, &numbers, &mut |launch| {
                let duration = partial.add(self.analysis, launch);
                selected = duration.filter(|_| self.is_in_scope(launch));
            });
            let Some(duration) = selected else { continue };
            if duration.is_finite() {
                found.durations_ns.push(duration);
            }
            if !self.with_instances {
                continue;
            }
            let Some(data) = input.source.decode(index) else { continue };
            count_opcodes(&data, &mut found.opcodes);
            let sampled = pm_sampling(&data, (before + index) as u64, duration);
            found.pm_sampling = longer(found.pm_sampling.take(), sampled);
        }
        found
    }

    fn is_in_scope(&self, launch: &Launch<'_>) -> bool {
        let process = self.numbering.vocabulary.processes.get(launch.process);
        let basis = if launch.kind == LaunchKind::Range { Basis::Range } else { Basis::Kernel };
        basis == self.report.basis && holds(&self.report.scope, launch, process)
    }
}

fn holds(scope: &Scope, launch: &Launch<'_>, process: Option<&ProcessInfo>) -> bool {
    let is_host = |process: &ProcessInfo| {
        scope.host.as_deref().is_none_or(|host| host.is_empty() || host == process.host)
    };
    match scope.kind {
        ScopeKind::Aggregate => true,
        ScopeKind::Process => {
            process.is_some_and(|process| process.pid == scope.process_id && is_host(process))
        }
        ScopeKind::Device => {
            // Where one index stands for several GPUs, the scope's name has the address and the host.
            let mut parts = scope.id.split('@').skip(1);
            let pci = launch.device.and_then(|device| device.pci).map(|pci| pci.to_string());
            launch.device.map(|device| device.index) == scope.device
                && parts.next().is_none_or(|place| pci.as_deref().unwrap_or("unknown") == place)
                && parts.next().is_none_or(|host| process.is_some_and(|one| one.host == host))
        }
    }
}

pub(super) fn count_opcodes(data: &ResultData<'_>, counts: &mut IndexMap<String, f64>) {
    let instances = data.metric(OPCODES).map_or(&[][..], |metric| &metric.instances);
    for instance in instances {
        let opcode = instance.correlation.as_ref().and_then(Value::as_text);
        let count = instance.value.as_ref().and_then(Value::as_f64);
        let (Some(opcode), Some(count)) = (opcode, count.filter(|count| count.is_finite())) else {
            continue;
        };
        if let Some(known) = counts.get_mut(opcode) {
            *known += count;
        } else if counts.len() < MOST_OPCODES {
            counts.insert(opcode.to_owned(), count);
        }
    }
}

/// What comes later in the files is merged later.
fn merge(all: &mut Collected, next: Collected) {
    all.durations_ns.extend(next.durations_ns);
    for (opcode, count) in next.opcodes {
        *all.opcodes.entry(opcode).or_default() += count;
    }
    all.pm_sampling = longer(all.pm_sampling.take(), next.pm_sampling);
}

/// The longer launch shows more if it has numbers; of two that are equally long the earlier.
fn longer(earlier: Option<PmSampling>, later: Option<PmSampling>) -> Option<PmSampling> {
    let length =
        |sampled: &PmSampling| (sampled.has_numbers(), sampled.duration_ms.unwrap_or(-1.0));
    match (earlier, later) {
        (Some(earlier), Some(later)) if length(&later) > length(&earlier) => Some(later),
        (Some(earlier), _) => Some(earlier),
        (None, later) => later,
    }
}
