//! Scenarios: every way of opening ranges that a profiler has to cope with.
//!
//! A scenario is data, one list of actions a thread, and knows nothing of the device that will run it.

use clap::ValueEnum;

use crate::launch::Launch;
use crate::model::{Layer, Model};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// A forward pass with the ranges stem, residual, block.conv1, block.conv2 and head
    Resnet,
    /// A with A::A1 inside, then B, a forward pass in each
    Nested,
    /// The same with start/end ranges, which belong to the process and not to a thread
    StartEnd,
    /// A in the domain model and B in the domain data, alone and both at once
    Domains,
    /// Two threads at once: A with A::A1 inside on one, B on the other
    Threads,
    /// Several processes, each as in nested on its own device
    Processes,
    /// As nested, with 20 and more different kernels in each region
    ManyKernels,
    /// As nested, with the ranges stem, layers.0, layers.1 … and head in A and B, and every kernel there is in A::A1
    Layers,
    /// A, A, B, B with nothing between them
    BackToBack,
    /// Start/end ranges A and B, of which B begins before A ends
    Overlapping,
    /// Kernels and no range at all
    NoRanges,
    /// As nested, with kernels before, between and after the ranges as well
    Outside,
    /// A, then waits for ever inside what looks like a collective
    Hang,
    /// A, then aborts in the middle of B
    Crash,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Push(DomainName, &'static str),
    Pop(DomainName),
    /// Of the process.
    Start(&'static str),
    /// Ends the range of the process with this name that began last.
    End(&'static str),
    Launch(Launch),
    /// For ever.
    Wait,
    Abort,
}

/// `None` is the default domain.
pub(crate) type DomainName = Option<&'static str>;

const MODEL: DomainName = Some("model");
const DATA: DomainName = Some("data");
/// The domain in which NCCL, NVIDIA's library of collectives, opens its ranges.
const NCCL: DomainName = Some("NCCL");

/// The residual blocks as layers; further ones are `residual`.
const LAYERS: [&str; 8] = [
    "layers.0", "layers.1", "layers.2", "layers.3", "layers.4", "layers.5", "layers.6", "layers.7",
];

impl Scenario {
    /// The launches that the scenario repeats inside and outside of its ranges.
    pub(crate) fn pass(self, model: &Model) -> Vec<Launch> {
        match self {
            Self::ManyKernels => model.tour.clone(),
            _ => model.pass().cloned().collect(),
        }
    }

    /// One list for each thread.
    pub(crate) fn actions(self, model: &Model) -> Vec<Vec<Action>> {
        let pass: Vec<Action> = self.pass(model).into_iter().map(Action::Launch).collect();
        let pass = || pass.clone();
        let push = |name, inside: Vec<Action>| pushed(None, name, inside);
        let a_with_a1 = || push("A", [pass(), push("A::A1", pass())].concat());
        let b = || push("B", pass());
        let nested = || [a_with_a1(), b()].concat();
        match self {
            Self::Resnet => vec![model.forward.iter().map(layer).collect()],
            Self::Nested | Self::ManyKernels | Self::Processes => vec![nested()],
            Self::Layers => {
                let tour = model.tour.iter().cloned().map(Action::Launch).collect();
                let a = push("A", [layers(model), push("A::A1", tour)].concat());
                vec![[a, push("B", layers(model))].concat()]
            }
            Self::StartEnd => {
                let inner = started("A::A1", pass());
                vec![[started("A", [pass(), inner].concat()), started("B", pass())].concat()]
            }
            Self::Domains => {
                let b = || pushed(DATA, "B", pass());
                vec![[pushed(MODEL, "A", [pass(), b()].concat()), b()].concat()]
            }
            Self::Threads => vec![a_with_a1(), b()],
            Self::BackToBack => vec![[push("A", pass()), push("A", pass()), b(), b()].concat()],
            Self::Overlapping => vec![
                [
                    vec![Action::Start("A")],
                    pass(),
                    vec![Action::Start("B")],
                    pass(),
                    vec![Action::End("A")],
                    pass(),
                    vec![Action::End("B")],
                ]
                .concat(),
            ],
            Self::NoRanges => vec![pass()],
            Self::Outside => vec![[pass(), a_with_a1(), pass(), b(), pass()].concat()],
            Self::Hang => {
                let collective = pushed(NCCL, "ncclAllReduce", vec![Action::Wait]);
                vec![[push("A", pass()), push("B", collective)].concat()]
            }
            Self::Crash => {
                let mut half = pass();
                half.truncate(half.len() / 2);
                half.push(Action::Abort);
                vec![[push("A", pass()), push("B", half)].concat()]
            }
        }
    }
}

/// A forward pass with a number for each residual block.
fn layers(model: &Model) -> Vec<Action> {
    let mut names = LAYERS.into_iter();
    let numbered = |one: &Layer| match one {
        Layer::Open(name @ "residual") => Action::Push(None, names.next().unwrap_or(name)),
        other => layer(other),
    };
    model.forward.iter().map(numbered).collect()
}

fn layer(layer: &Layer) -> Action {
    match layer {
        Layer::Open(name) => Action::Push(None, name),
        Layer::Launch(launch) => Action::Launch(launch.clone()),
        Layer::Close => Action::Pop(None),
    }
}

fn pushed(domain: DomainName, name: &'static str, mut inside: Vec<Action>) -> Vec<Action> {
    inside.insert(0, Action::Push(domain, name));
    inside.push(Action::Pop(domain));
    inside
}

fn started(name: &'static str, mut inside: Vec<Action>) -> Vec<Action> {
    inside.insert(0, Action::Start(name));
    inside.push(Action::End(name));
    inside
}

#[cfg(test)]
mod tests;
