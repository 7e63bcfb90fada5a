//! Nsight Compute: what the plan has to know as types, and every other option as it is to be written.

use super::keys::{Form, KeyInfo, NcuOption, keys};
use super::view::{View, item_text};
use super::words::{KernelNameBase, PushPopScope, ReplayMode};
use crate::origin::Origin;
use crate::value::Value;

/// Nsight Compute.
#[derive(Clone, Debug)]
pub struct Ncu {
    /// Whether it runs.
    pub enable: bool,
    /// Whether only chosen regions are profiled.
    pub gating_nvtx: bool,
    /// The ncu to run.
    pub executable: String,
    /// The list of kernels to profile: `nsys`, or a file.
    pub from_top_kernels: Option<String>,
    /// Its options.
    pub ncu_cli: NcuCli,
}

/// The options of ncu that a plan depends on, and all options as they are to be written.
#[derive(Clone, Debug)]
pub struct NcuCli {
    /// What is repeated.
    pub replay_mode: ReplayMode,
    /// Regions to profile; empty is everything.
    pub nvtx_include: Vec<String>,
    /// Regions to leave out.
    pub nvtx_exclude: Vec<String>,
    /// Whose push/pop ranges a launch is in, where that was said.
    pub push_pop_scope: Option<PushPopScope>,
    /// A set of sections.
    pub set: Option<String>,
    /// Sections.
    pub sections: Vec<String>,
    /// Metrics.
    pub metrics: Vec<String>,
    /// ncu's own kernel filter.
    pub kernel_name: Option<String>,
    /// The name that kernel filters are for.
    pub kernel_name_base: KernelNameBase,
    /// Kernels to take; empty is all.
    pub kernel_include: Vec<String>,
    /// Kernels to leave out.
    pub kernel_exclude: Vec<String>,
    /// Matching launches to skip.
    pub launch_skip: Option<u64>,
    /// Matching launches to profile.
    pub launch_count: Option<u64>,
    /// Whether existing files are replaced.
    pub force_overwrite: bool,
    /// Whether ncu's raw page is written as CSV.
    pub export_csv: bool,
    /// Further options, passed as they are.
    pub extra_args: Vec<String>,
    /// Every option that has a value and is written as it is, in the order of the table; see [`Form::Planned`] for the others.
    pub options: Vec<SetOption>,
}

/// An option of ncu with its value.
#[derive(Clone, Debug)]
pub struct SetOption {
    /// The key.
    pub key: &'static str,
    /// The option.
    pub option: NcuOption,
    /// Its values as text; empty for a flag.
    pub values: Vec<String>,
    /// Who set it. An option that only rangescope's own preset set may be left out where ncu lacks it.
    pub origin: Origin,
}

impl SetOption {
    /// The arguments that it is on a command line.
    pub fn arguments(&self) -> Vec<String> {
        let name = || self.option.name.to_owned();
        match self.option.form {
            Form::Flag => vec![name()],
            Form::Value | Form::YesNo | Form::Joined | Form::Planned => {
                vec![name(), self.values.join(",")]
            }
            Form::Repeated => {
                self.values.iter().flat_map(|value| [name(), value.clone()]).collect()
            }
        }
    }

    /// The version of ncu that is needed for the option and its values.
    pub fn needs(&self) -> &'static str {
        let newer = self
            .option
            .newer_values
            .iter()
            .filter(|(value, _)| self.values.iter().any(|own| own == value));
        // Versions are `year.number`, with one digit, so that text order is their order.
        newer.map(|(_, since)| *since).chain([self.option.since]).max().unwrap_or(self.option.since)
    }
}

impl Ncu {
    pub(super) fn read(view: &View) -> Self {
        Self {
            enable: view.bool("pipeline.ncu.enable"),
            gating_nvtx: view.bool("pipeline.ncu.gating_nvtx"),
            executable: view.text("pipeline.ncu.executable").unwrap_or_default(),
            from_top_kernels: view.text("pipeline.ncu.from_top_kernels"),
            ncu_cli: NcuCli::read(view),
        }
    }
}

impl NcuCli {
    fn read(view: &View) -> Self {
        let path = |name: &str| format!("pipeline.ncu.ncu_cli.{name}");
        let list = |name: &str, separator: Option<char>| view.list(&path(name), separator);
        let word = |name: &str| view.text(&path(name)).unwrap_or_default();
        Self {
            replay_mode: ReplayMode::from_word(&word("replay_mode")).unwrap_or(ReplayMode::Kernel),
            nvtx_include: list("nvtx.include", Some(';')),
            nvtx_exclude: list("nvtx.exclude", Some(';')),
            push_pop_scope: PushPopScope::from_word(&word("nvtx.push_pop_scope")),
            set: view.text(&path("set")),
            sections: list("sections", Some(',')),
            metrics: list("metrics", Some(',')),
            kernel_name: view.text(&path("kernel_name")),
            kernel_name_base: KernelNameBase::from_word(&word("kernel_name_base"))
                .unwrap_or(KernelNameBase::Demangled),
            kernel_include: list("kernel_include", None),
            kernel_exclude: list("kernel_exclude", None),
            launch_skip: view.int(&path("launch_skip")),
            launch_count: view.int(&path("launch_count")),
            force_overwrite: view.bool(&path("force_overwrite")),
            export_csv: view.bool(&path("export.csv")),
            extra_args: list("extra_args", None),
            options: keys().filter_map(|key| set_option(view, key)).collect(),
        }
    }
}

/// The option of a key, if it has a value that ncu is to be told.
fn set_option(view: &View, key: &KeyInfo) -> Option<SetOption> {
    let option = key.option.filter(|option| option.form != Form::Planned)?;
    let node = view.node(key.path)?;
    let values = match (&node.value, option.form) {
        (Value::Bool(false), Form::Flag) => return None,
        (Value::Bool(true), Form::Flag) => Vec::new(),
        (Value::Bool(value), _) => vec![if *value { "yes" } else { "no" }.to_owned()],
        (Value::List(_), _) => view.list(key.path, None),
        (Value::Text(_), Form::Repeated | Form::Joined) => view.list(key.path, Some(',')),
        (value, _) => vec![item_text(value)],
    };
    if values.is_empty() && option.form != Form::Flag {
        return None;
    }
    Some(SetOption { key: key.path, option, values, origin: node.origin.clone() })
}
