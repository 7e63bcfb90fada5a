//! From a composed configuration to options, with errors that name the key.

use serde::Deserialize;
use serde_json::{Value, json};

use super::options::NcuOptions;

impl NcuOptions {
    /// Reads the part of a composed configuration below `pipeline.ncu.ncu_cli`. What is absent has its default.
    pub fn from_value(value: Value) -> Result<Self, OptionsError> {
        let Value::Object(keys) = &value else {
            return Err(OptionsError { key: String::new(), message: "expected a map".to_owned() });
        };
        // Reading all at once does not tell which key is wrong; one at a time it is plain.
        for (key, alone) in keys.iter().flat_map(|(key, value)| single_keys(key, value)) {
            if let Err(error) = Self::deserialize(alone) {
                return Err(OptionsError { key, message: error.to_string() });
            }
        }
        serde_json::from_value(value)
            .map_err(|error| OptionsError { key: String::new(), message: error.to_string() })
    }
}

/// Each key of a branch, with a tree that holds nothing else.
fn single_keys(key: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(below) if !below.is_empty() => below
            .iter()
            .map(|(name, value)| (format!("{key}.{name}"), json!({ key: { name: value } })))
            .collect(),
        _ => vec![(key.to_owned(), json!({ key: value }))],
    }
}

/// Why something is no set of options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`pipeline.ncu.ncu_cli{}{key}`: {message}", if key.is_empty() { "" } else { "." })]
pub struct OptionsError {
    /// The key, below `pipeline.ncu.ncu_cli`.
    pub key: String,
    /// What is wrong with it.
    pub message: String,
}

impl OptionsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "compare the key with docs/configuration.md"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::ncu::NcuOptions;

    #[test]
    fn a_configuration_becomes_options() {
        let options = NcuOptions::from_value(json!({
            "replay_mode": "app-range",
            "nvtx": { "include": "A;B", "exclude": null, "push_pop_scope": "process" },
            "sections": "SpeedOfLight,Occupancy",
            "devices": [0, 1],
            "warp_sampling_interval": 5,
            "kernel_name": 17,
            "call_stack_type": ["native", "python"],
            "range_replay_options": "enable-greedy-sync,disable-host-save",
            "kernel_include": ["regex:a,b"],
            "launch_count": null,
        }));
        let options = options.unwrap();
        assert_eq!(options.nvtx.include, ["A;B"]);
        assert!(options.nvtx.exclude.is_empty() && options.launch_count.is_none());
        assert_eq!(options.sections, ["SpeedOfLight", "Occupancy"]);
        assert_eq!(options.devices, ["0", "1"]);
        assert_eq!(options.warp_sampling_interval.as_deref(), Some("5"));
        assert_eq!(options.kernel_name.as_deref(), Some("17"));
        assert_eq!((options.call_stack_type.len(), options.kernel_include.len()), (2, 1));
        assert_eq!(options.range_replay_options.len(), 2);
    }

    #[test]
    fn null_leaves_to_ncu_what_is_pinned_otherwise() {
        let absent = NcuOptions::from_value(json!({})).unwrap();
        assert_eq!(
            (absent.rename_kernels.0, absent.pipeline_boost_state.0.is_some()),
            (Some(false), true)
        );
        let null = json!({ "rename_kernels": null, "pipeline_boost_state": null });
        let null = NcuOptions::from_value(null).unwrap();
        assert_eq!((null.rename_kernels.0, null.pipeline_boost_state.0), (None, None));
    }

    #[test]
    fn errors_name_the_key() {
        let error = |value| NcuOptions::from_value(value).unwrap_err().to_string();
        assert_eq!(
            error(json!({ "set": "full", "nvtx": { "include": "A", "push_pop_scope": "all" } })),
            "`pipeline.ncu.ncu_cli.nvtx.push_pop_scope`: unknown variant `all`, expected `thread` or `process`"
        );
        assert!(error(json!({ "replay": "kernel" })).starts_with(
            "`pipeline.ncu.ncu_cli.replay`: unknown field `replay`, expected one of `set`"
        ));
        assert_eq!(
            error(json!({ "launch_count": -1 })),
            "`pipeline.ncu.ncu_cli.launch_count`: invalid value: integer `-1`, expected u64"
        );
        assert_eq!(
            error(json!({ "metrics": [["a"]] })),
            "`pipeline.ncu.ncu_cli.metrics`: expected a text and not `[\"a\"]`"
        );
        assert_eq!(error(json!([])), "`pipeline.ncu.ncu_cli`: expected a map");
    }
}
