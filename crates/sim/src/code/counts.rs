//! Counts at instructions: the amounts of a kernel, shared out to the instructions that can have caused them. What is shared out adds up to the amount.

use std::borrow::Cow;

use ncu_rep::{Instance, Metric, Value};

use super::{Code, Kind};
use crate::activity::Activity;
use crate::constants::whole;
use crate::machine::{Machine, SCHEDULERS};
use crate::metric::{STALLS, stalled};

/// Cycles between two samples of a scheduler.
const SAMPLING_CYCLES: f64 = 2048.0;
const SAMPLES: &str = "smsp__pcsamp_sample_count";
const SAMPLES_OF: &str = "smsp__pcsamp_warps_issue_stalled_";
/// Where the function begins, as real reports with counts at instructions have it.
const FUNCTION: &str = "launch__function_pcs";
const OPCODES: &str = "sass__inst_executed_per_opcode";

const KINDS: [(Kind, &str); 8] = [
    (Kind::Integer, "IMAD"),
    (Kind::Load, "LDG"),
    (Kind::Store, "STG"),
    (Kind::SharedLoad, "LDS"),
    (Kind::SharedStore, "STS"),
    (Kind::Math, "FFMA"),
    (Kind::Tensor, "HMMA"),
    (Kind::Control, "BRA"),
];

/// Kinds of instructions that wait for a reason; all of them for a reason that is not here.
const WAITING: &[(&str, &[Kind])] = &[
    ("barrier", &[Kind::Control]),
    ("branch_resolving", &[Kind::Control]),
    ("drain", &[Kind::Control]),
    ("lg_throttle", &[Kind::Load, Kind::Store]),
    // Not the load waits, but what needs its result.
    ("long_scoreboard", &[Kind::Math, Kind::Tensor, Kind::SharedStore, Kind::Store]),
    ("math_pipe_throttle", &[Kind::Math, Kind::Tensor]),
    ("mio_throttle", &[Kind::SharedLoad, Kind::SharedStore]),
    ("short_scoreboard", &[Kind::Math, Kind::Tensor]),
];

pub(crate) fn is_known(name: &str) -> bool {
    metric(name, &Activity::default(), &crate::machine::DEFAULT, &Code::ANNOUNCED).is_some()
}

/// A metric with one value an instruction, or an opcode.
pub(crate) fn metric(
    name: &str,
    activity: &Activity,
    machine: &Machine,
    code: &Code,
) -> Option<Metric<'static>> {
    let counts = Counts { activity, machine, code };
    match name {
        OPCODES => return Some(counts.opcodes()),
        FUNCTION => return Some(counts.function()),
        _ => {}
    }
    let values = match name {
        "inst_executed" => counts.executed(),
        "thread_inst_executed" => counts.executed().into_iter().map(|count| 32 * count).collect(),
        "thread_inst_executed_true" => counts.threads(),
        "memory_l1_tag_requests_global" => counts.global(activity.loads, activity.stores),
        "memory_l2_theoretical_sectors_global" => counts.sectors(),
        "memory_l2_theoretical_sectors_global_ideal" => counts.ideal_sectors(),
        "derived__memory_l2_theoretical_sectors_global_excessive" => counts
            .sectors()
            .iter()
            .zip(counts.ideal_sectors())
            .map(|(all, ideal)| all - ideal)
            .collect(),
        SAMPLES => counts.samples(),
        other => counts.samples_of(other.strip_prefix(SAMPLES_OF)?)?,
    };
    // Real ncu names every instruction that runs, and of samples only those that were hit.
    let is_whole = name.contains("inst_executed");
    let instance = |(address, &count): (u64, &u64)| {
        (is_whole || count > 0).then_some(Instance {
            correlation: Some(Value::U64(address)),
            value: Some(Value::U64(count)),
        })
    };
    Some(Metric {
        name: Cow::Owned(name.to_owned()),
        value: Some(Value::U64(values.iter().sum())),
        instances: code.addresses().zip(&values).filter_map(instance).collect(),
    })
}

struct Counts<'a> {
    activity: &'a Activity,
    machine: &'a Machine,
    code: &'a Code,
}

impl Counts<'_> {
    /// Instructions of a kind, counted once a warp.
    fn of(&self, kind: Kind) -> f64 {
        let a = self.activity;
        match kind {
            Kind::Integer => a.integer,
            Kind::Load => a.loads,
            Kind::Store => a.stores,
            Kind::SharedLoad => a.shared_loads,
            Kind::SharedStore => a.shared_stores,
            Kind::Tensor => a.tensor,
            Kind::Control => a.control,
            Kind::Math => {
                let others = KINDS.iter().filter(|(kind, _)| *kind != Kind::Math);
                a.instructions - others.map(|(kind, _)| self.of(*kind)).sum::<f64>()
            }
        }
    }

    /// An amount, shared out to instructions of one kind.
    fn shared_out(&self, amount: f64, kind: Kind) -> Vec<u64> {
        let weight = |one: &super::Instruction| if one.kind == kind { one.weight } else { 0.0 };
        share_out(whole(amount), &self.code.instructions.iter().map(weight).collect::<Vec<_>>())
    }

    fn executed(&self) -> Vec<u64> {
        let parts = KINDS.iter().map(|(kind, _)| self.shared_out(self.of(*kind), *kind));
        parts.reduce(added).unwrap_or_default()
    }

    /// Threads that did not sit the instruction out.
    fn threads(&self) -> Vec<u64> {
        let off = self.shared_out(8.0 * self.activity.control, Kind::Control);
        self.executed()
            .iter()
            .zip(off)
            .map(|(count, off)| (32 * count).saturating_sub(off))
            .collect()
    }

    /// Amounts of loads from and stores to global memory.
    fn global(&self, loads: f64, stores: f64) -> Vec<u64> {
        added(self.shared_out(loads, Kind::Load), self.shared_out(stores, Kind::Store))
    }

    fn sectors(&self) -> Vec<u64> {
        self.global(self.activity.l1_loads, self.activity.l1_stores)
    }

    fn ideal_sectors(&self) -> Vec<u64> {
        let sectors = self.sectors().into_iter().zip(self.code.instructions.iter());
        sectors.map(|(all, one)| whole((all as f64 * one.ideal).ceil())).collect()
    }

    fn samples(&self) -> Vec<u64> {
        let reasons = STALLS.iter().map(|(reason, _)| *reason);
        let others = ["long_scoreboard", "not_selected", "selected"];
        let parts = reasons.chain(others).filter_map(|reason| self.samples_of(sampled(reason)));
        parts.reduce(added).unwrap_or_default()
    }

    /// Samples of warps that wait for a reason, by its name among samples.
    fn samples_of(&self, reason: &str) -> Option<Vec<u64>> {
        let reason = if reason == "no_instructions" { "no_instruction" } else { reason };
        let cycles = stalled(reason, self.activity)?;
        let taken =
            self.activity.sm_active_cycles * self.machine.sms * SCHEDULERS / SAMPLING_CYCLES;
        let share = cycles / self.activity.warp_cycles.max(1.0);
        let kinds = WAITING.iter().find(|(name, _)| *name == reason).map(|(_, kinds)| *kinds);
        let executed = self.executed();
        let waits = |kind: Kind| kinds.is_none_or(|kinds| kinds.contains(&kind));
        let weighed = |waits: &dyn Fn(Kind) -> bool| -> Vec<f64> {
            let weight = |(count, one): (&u64, &super::Instruction)| {
                if waits(one.kind) { *count as f64 } else { 0.0 }
            };
            executed.iter().zip(self.code.instructions.iter()).map(weight).collect()
        };
        let mut weights = weighed(&waits);
        if weights.iter().all(|weight| *weight == 0.0) {
            weights = weighed(&|_| true);
        }
        Some(share_out(whole((taken * share).round()), &weights))
    }

    fn function(&self) -> Metric<'static> {
        let start =
            Instance { correlation: Some(Value::U64(0)), value: Some(Value::U64(self.code.start)) };
        Metric { name: Cow::Borrowed(FUNCTION), value: Some(Value::U64(1)), instances: vec![start] }
    }

    fn opcodes(&self) -> Metric<'static> {
        let counts = KINDS.map(|(kind, opcode)| (opcode, self.of(kind)));
        let instance = |&(opcode, count): &(&'static str, f64)| Instance {
            correlation: Some(Value::Text(Cow::Borrowed(opcode))),
            value: Some(Value::F64(count)),
        };
        Metric {
            name: Cow::Borrowed(OPCODES),
            value: Some(Value::F64(self.activity.instructions)),
            instances: counts.iter().filter(|(_, count)| *count > 0.0).map(instance).collect(),
        }
    }
}

/// One of the reasons has another name among samples than among counters.
pub(crate) fn sampled(reason: &str) -> &str {
    if reason == "no_instruction" { "no_instructions" } else { reason }
}

fn added(mut left: Vec<u64>, right: Vec<u64>) -> Vec<u64> {
    left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    left
}

/// Parts of a whole number by weight, which add up to it. Without any weight the first gets all.
fn share_out(total: u64, weights: &[f64]) -> Vec<u64> {
    let all: f64 = weights.iter().sum();
    let (mut passed, mut given) = (0.0, 0);
    let part = |(at, weight): (usize, &f64)| {
        passed += weight;
        let share = if all > 0.0 { passed / all } else { 1.0 };
        let until =
            if at + 1 == weights.len() { total } else { whole((total as f64 * share).round()) };
        let part = until.min(total).saturating_sub(given);
        given += part;
        part
    };
    weights.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{DEFAULT, Precision, Work};
    use crate::metric::number;

    fn sum(metric: &Metric<'_>) -> u64 {
        let value = |one: &Instance<'_>| match one.value {
            Some(Value::U64(value)) => value,
            _ => panic!(),
        };
        metric.instances.iter().map(value).sum()
    }

    #[test]
    fn counts_at_instructions_add_up_to_those_of_the_launch() {
        for (tensor, shared, function) in
            [(true, 8192, "gemm_qkv"), (false, 0, "rmsnorm"), (false, 0, "unknown")]
        {
            let work = Work {
                grid: [512, 1, 1],
                block: [256, 1, 1],
                flops: 3e9,
                bytes_read: 5e6,
                bytes_written: 2e6,
                precision: Precision::Fp16,
                tensor,
                shared,
                ..Work::default()
            };
            let activity = DEFAULT.price(&work, 1.0).activity;
            let code = Code::of_sample(function);
            let of = |name: &str| metric(name, &activity, &DEFAULT, &code).unwrap();
            let counter = |name: &str| whole(number(name, &activity, &DEFAULT).unwrap());
            for (name, whole) in [
                ("inst_executed", "smsp__inst_executed.sum"),
                ("thread_inst_executed", "smsp__thread_inst_executed.sum"),
                ("thread_inst_executed_true", "smsp__thread_inst_executed_pred_on.sum"),
                ("memory_l2_theoretical_sectors_global", "l1tex__t_sectors.sum"),
                ("memory_l1_tag_requests_global", "l1tex__t_requests.sum"),
            ] {
                assert_eq!(sum(&of(name)), counter(whole), "{function}: {name}");
                assert_eq!(of(name).value, Some(Value::U64(counter(whole))), "{function}: {name}");
            }
            let excess = "derived__memory_l2_theoretical_sectors_global_excessive";
            let ideal = "memory_l2_theoretical_sectors_global_ideal";
            assert_eq!(
                sum(&of(excess)) + sum(&of(ideal)),
                sum(&of("memory_l2_theoretical_sectors_global"))
            );
            let reasons = STALLS.iter().map(|(reason, _)| *reason);
            let reasons = reasons.chain(["long_scoreboard", "not_selected", "selected"]);
            let by_reason: u64 =
                reasons.map(|r| sum(&of(&format!("{SAMPLES_OF}{}", sampled(r))))).sum();
            assert!(by_reason > 0 && by_reason == sum(&of(SAMPLES)), "{function}: {by_reason}");
        }
    }
}
