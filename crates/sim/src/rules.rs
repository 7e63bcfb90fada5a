//! Advice on a kernel, where the model's own numbers support it. The rules have the identifiers of those of real ncu that look at the same numbers; the words are
//! this project's and say that they are about a simulated device.

use std::borrow::Cow;

use ncu_rep::{FocusMetric, MessageKind, RuleItem, RuleMessage, RuleResult, Speedup};

use crate::machine::{Machine, Price};
use crate::metric::number;

/// Identifiers and names of the rules, and the section that each belongs to.
pub const RULES: &[(&str, &str, &str)] = &[
    ("AchievedOccupancy", "Achieved Occupancy", "Occupancy"),
    ("LaunchConfiguration", "Launch Configuration", "LaunchStats"),
    ("SOLBottleneck", "Bottleneck", "SpeedOfLight"),
    ("TheoreticalOccupancy", "Theoretical Occupancy", "Occupancy"),
];

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
/// Below this share of the peak neither arithmetic nor memory is what a kernel waits for.
const BUSY: f64 = 60.0;

/// What one rule says.
struct Advice {
    title: &'static str,
    text: String,
    /// Of the whole kernel or of one unit, in per cent.
    speedup: Option<Speedup>,
    focus: (&'static str, f64),
}

/// What the rules say of a kernel: those that `applies` takes, by identifier and section.
pub(crate) fn advice(
    machine: &Machine,
    price: &Price,
    applies: impl Fn(&str, &str) -> bool,
) -> Vec<RuleResult<'static>> {
    let mut results = Vec::new();
    for &(id, name, section) in RULES {
        if !applies(id, section) {
            continue;
        }
        let said = match id {
            "LaunchConfiguration" => launch(price),
            "SOLBottleneck" => bottleneck(machine, price),
            "TheoreticalOccupancy" => theoretical(machine, price),
            _ => achieved(machine, price),
        };
        if let Some(said) = said {
            results.push(result(id, name, section, said));
        }
    }
    results
}

fn global(pct: f64) -> Speedup {
    Speedup { kind: 2, pct }
}

fn launch(price: &Price) -> Option<Advice> {
    let waves = price.occupancy.waves;
    let focus = ("launch__waves_per_multiprocessor", waves);
    let tail = waves.ceil() - waves;
    if waves < 1.0 {
        let text = format!(
            "The grid fills {:.0} % of one wave of the simulated device; more blocks would use the idle SMs.",
            100.0 * waves
        );
        let speedup = Some(global(100.0 * (1.0 - waves)));
        return Some(Advice { title: "Small Grid", text, speedup, focus });
    }
    (tail > 0.3 && waves < 4.0).then(|| Advice {
        title: "Tail Effect",
        text: format!(
            "The last of {:.0} waves is {:.0} % empty on the simulated device.",
            waves.ceil(),
            100.0 * tail
        ),
        speedup: Some(global(100.0 * tail / waves.ceil())),
        focus,
    })
}

fn bottleneck(machine: &Machine, price: &Price) -> Option<Advice> {
    let sm = number(SM, &price.activity, machine)?;
    let memory = number(MEMORY, &price.activity, machine)?;
    let (title, text, focus) = if sm.max(memory) < BUSY {
        let text = format!(
            "The simulated device uses {sm:.0} % of its arithmetic and {memory:.0} % of its memory: the kernel is short or has too little work in flight."
        );
        ("Latency Issue", text, (SM, sm))
    } else if sm >= memory {
        let text =
            format!("Arithmetic is what bounds this kernel: {sm:.0} % of the simulated peak.");
        ("High Compute Throughput", text, (SM, sm))
    } else {
        let text =
            format!("Memory is what bounds this kernel: {memory:.0} % of the simulated peak.");
        ("High Memory Throughput", text, (MEMORY, memory))
    };
    Some(Advice { title, text, speedup: None, focus })
}

fn theoretical(machine: &Machine, price: &Price) -> Option<Advice> {
    let pct = 100.0 * price.occupancy.theoretical_warps / machine.warps_per_sm;
    (pct < 80.0).then(|| Advice {
        title: "Theoretical Occupancy",
        text: format!(
            "An SM of the simulated device holds {:.0} of {:.0} warps of this kernel, limited by {}.",
            price.occupancy.theoretical_warps,
            machine.warps_per_sm,
            price.occupancy.limiter()
        ),
        speedup: Some(Speedup { kind: 1, pct: 100.0 - pct }),
        focus: ("sm__maximum_warps_per_active_cycle_pct", pct),
    })
}

fn achieved(machine: &Machine, price: &Price) -> Option<Advice> {
    let occupancy = &price.occupancy;
    let pct = 100.0 * occupancy.achieved_warps / machine.warps_per_sm;
    let possible = 100.0 * occupancy.theoretical_warps / machine.warps_per_sm;
    (possible - pct > 10.0).then(|| Advice {
        title: "Achieved Occupancy",
        text: format!(
            "{pct:.0} % of the warps that the simulated device holds were there, and {possible:.0} % could be: the grid is too small to fill it."
        ),
        speedup: Some(Speedup { kind: 1, pct: 100.0 * (1.0 - pct / possible) }),
        focus: ("sm__warps_active.avg.pct_of_peak_sustained_active", pct),
    })
}

fn result(
    id: &'static str,
    name: &'static str,
    section: &'static str,
    said: Advice,
) -> RuleResult<'static> {
    let message = RuleMessage {
        text: Cow::Owned(said.text),
        kind: MessageKind(2),
        id: Some(0),
        title: Cow::Borrowed(said.title),
    };
    let (metric, value) = said.focus;
    let focus = FocusMetric {
        message_id: Some(0),
        name: Cow::Borrowed(metric),
        value,
        severity: 0,
        info: Cow::Borrowed(""),
    };
    let item = RuleItem {
        message: Some(message),
        speedup: said.speedup,
        focus_metrics: vec![focus],
        ..RuleItem::default()
    };
    RuleResult {
        id: Cow::Borrowed(id),
        name: Cow::Borrowed(name),
        section: Cow::Borrowed(section),
        items: vec![item],
    }
}
