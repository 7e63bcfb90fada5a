//! Nsight Compute: whether and how it runs, and its options as checked data for whoever builds command lines.

use serde_json::{Map, Value, json};

use super::keys::keys;
use super::view::View;
use crate::value::Node;

/// Where the options of ncu are.
pub(super) const CLI: &str = "pipeline.ncu.ncu_cli.";

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
    /// Its options: everything below `pipeline.ncu.ncu_cli`, every key of the table once, null where there is no value. Where a value came from is told by
    /// [`Settings::origin`](super::Settings::origin).
    pub ncu_cli: Value,
}

impl Ncu {
    pub(super) fn read(view: &View) -> Self {
        Self {
            enable: view.bool("pipeline.ncu.enable"),
            gating_nvtx: view.bool("pipeline.ncu.gating_nvtx"),
            executable: view.text("pipeline.ncu.executable").unwrap_or_default(),
            from_top_kernels: view.text("pipeline.ncu.from_top_kernels"),
            ncu_cli: options(view),
        }
    }
}

fn options(view: &View) -> Value {
    let mut options = Map::new();
    for key in keys() {
        let Some(name) = key.path.strip_prefix(CLI) else { continue };
        let value = view.node(key.path).map_or(Value::Null, Node::to_json);
        match name.split_once('.') {
            None => {
                options.insert(name.to_owned(), value);
            }
            Some((branch, name)) => {
                if let Value::Object(below) = options.entry(branch).or_insert_with(|| json!({})) {
                    below.insert(name.to_owned(), value);
                }
            }
        }
    }
    Value::Object(options)
}
