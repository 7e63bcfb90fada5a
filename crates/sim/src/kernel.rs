//! A priced kernel, or a range of them, as a result of a report.

use std::borrow::Cow;

use ncu_rep::{NvtxState, Process, ResultData, ResultKind};

use crate::activity::Activity;
use crate::code::Code;
use crate::collection::Collection;
use crate::machine::{Machine, Work};
use crate::series;

#[derive(Clone, Debug, Default)]
pub(crate) struct LaunchSite<'a> {
    pub process: Process<'a>,
    pub device: u32,
    pub thread: u32,
    pub context: u32,
    pub stream: u32,
    /// Number of the launch in the process.
    pub number: u64,
    /// Unix time in seconds.
    pub time: u64,
    pub nvtx: Option<NvtxState<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelName {
    /// Without parameters.
    pub function: String,
    /// As a demangler writes it.
    pub demangled: String,
    /// As the compiler writes it.
    pub mangled: String,
}

impl KernelName {
    /// The names of a function with these parameters, or of one that no compiler mangled.
    pub(crate) fn new(function: &str, signature: Option<&str>) -> Self {
        let Some(signature) = signature else {
            let name = || function.to_owned();
            return Self { function: name(), demangled: name(), mangled: name() };
        };
        Self {
            function: function.to_owned(),
            demangled: format!("{function}({signature})"),
            // Parameters are left out: nobody demangles names of kernels that do not exist.
            mangled: Self::mangled(function),
        }
    }

    /// The name of a function as the compiler writes it, without parameters.
    pub(crate) fn mangled(function: &str) -> String {
        format!("_Z{}{function}", function.len())
    }
}

/// Makes the result of a kernel that does `work`, `stretch` times as slowly as the model says.
pub(crate) fn result<'a>(
    machine: &Machine,
    collection: &Collection,
    name: KernelName,
    work: &Work,
    code: &Code,
    stretch: f64,
    site: LaunchSite<'a>,
) -> ResultData<'a> {
    let price = machine.price(work, stretch);
    let metrics = collection.of_kernel(machine, work, &price, &site, code);
    ResultData {
        thread: site.thread,
        api_call: site.number,
        function: Cow::Owned(name.function),
        demangled: Cow::Owned(name.demangled),
        mangled: Cow::Owned(name.mangled),
        grid: Some(work.grid),
        block: Some(work.block),
        context: Some(site.context),
        stream: Some(site.stream),
        time: Some(site.time),
        nvtx: site.nvtx,
        source: code.module,
        sampled: series::sampled(&metrics),
        metrics,
        sections: collection.sections(),
        rules: collection.advice(machine, &price),
        process: site.process,
        ..ResultData::default()
    }
}

/// Makes the result of a range in which kernels left `activity`.
pub(crate) fn range_result<'a>(
    machine: &Machine,
    collection: &Collection,
    activity: &Activity,
    site: LaunchSite<'a>,
) -> ResultData<'a> {
    ResultData {
        kind: ResultKind::Range,
        thread: site.thread,
        api_call: site.number,
        function: Cow::Borrowed("range"),
        context: Some(site.context),
        time: Some(site.time),
        nvtx: site.nvtx,
        metrics: collection.of_range(machine, activity, site.device),
        sections: collection.sections(),
        process: site.process,
        ..ResultData::default()
    }
}
