//! The program to profile.

use super::keys::KeyInfo;
use super::kind::Kind;
use super::view::{View, item_text};
use super::words::{Stdin, split_command};
use crate::error::{ConfigError, Problem};
use crate::value::Value;

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "pipeline.workload.command",
        Kind::Command,
        "The program and its arguments; what follows `--` takes precedence",
    )
    .or_null(),
    KeyInfo::new(
        "pipeline.workload.cwd",
        Kind::Text,
        "Its working directory; null is the current one",
    )
    .or_null(),
    KeyInfo::new(
        "pipeline.workload.env",
        Kind::Environment,
        "Environment variables to set; null removes one",
    ),
    KeyInfo::new("pipeline.workload.stdin", Kind::Choice(Stdin::WORDS), "Its standard input"),
    KeyInfo::new(
        "pipeline.workload.timeout_s",
        Kind::Seconds,
        "End the program after so long; null is never",
    )
    .or_null(),
];

const COMMAND: &str = "pipeline.workload.command";

/// The program to profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The program and its arguments; empty where the configuration names none.
    pub command: Vec<String>,
    /// Its working directory; nothing is the current one.
    pub cwd: Option<String>,
    /// Environment variables to set, or to remove where there is no value.
    pub env: Vec<(String, Option<String>)>,
    /// Its standard input.
    pub stdin: Stdin,
    /// How long it may run.
    pub timeout_s: Option<f64>,
}

impl Workload {
    pub(super) fn read(view: &View) -> Result<Self, ConfigError> {
        let command = match view.node(COMMAND).map(|node| (&node.value, &node.origin)) {
            Some((Value::Text(text), origin)) => split_command(text).map_err(|got| {
                let problem = Problem::Expected { expected: "a command".to_owned(), got };
                ConfigError::new(problem).at(origin).with_key(COMMAND)
            })?,
            _ => view.list(COMMAND, None),
        };
        let env = match view.node("pipeline.workload.env").map(|node| &node.value) {
            Some(Value::Map(map)) => {
                let value = |value: &Value| (*value != Value::Null).then(|| item_text(value));
                map.iter().map(|(name, node)| (name.to_string(), value(&node.value))).collect()
            }
            _ => Vec::new(),
        };
        Ok(Self {
            command,
            cwd: view.text("pipeline.workload.cwd"),
            env,
            stdin: view
                .text("pipeline.workload.stdin")
                .and_then(|word| Stdin::from_word(&word))
                .unwrap_or(Stdin::Inherit),
            timeout_s: view.seconds("pipeline.workload.timeout_s"),
        })
    }
}
