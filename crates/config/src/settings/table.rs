//! The table of keys as Markdown, for docs/configuration.md.

use std::fmt::Write as _;

use super::CONFIG_NAME;
use super::keys::{KeyInfo, keys};
use crate::compose::compose;
use crate::error::ConfigError;
use crate::interpolate::Context;
use crate::tree::Tree;
use crate::value::{Node, Value};
use crate::version::Since;

const CLI: &str = "pipeline.ncu.ncu_cli.";
const OLDEST: &str = "2022.3";

/// All keys with type, default, option of ncu and version, as Markdown tables.
pub fn key_table_markdown() -> Result<String, ConfigError> {
    let context = Context { env: &|_| None, now: jiff::civil::DateTime::MIN, cwd: String::new() };
    let defaults = compose(&Tree::embedded(), CONFIG_NAME, &[], &context)?;
    let is_cli = |key: &&KeyInfo| key.path.starts_with(CLI);
    let mut out =
        String::from("### Keys\n\n| key | type | default | meaning |\n|---|---|---|---|\n");
    for key in keys().filter(|key| !is_cli(key)) {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            key.path,
            kind(key),
            default(&defaults.root, key),
            cell(&help(key))
        );
    }
    let _ = write!(
        out,
        "\n### Keys below `{}`\n\n| key | type | default | option of ncu | since ncu | meaning |\n|---|---|---|---|---|---|\n",
        &CLI[..CLI.len() - 1]
    );
    for key in keys().filter(is_cli) {
        let (option, since) = option(key);
        let name = &key.path[CLI.len()..];
        let row = [
            format!("`{name}`"),
            kind(key),
            default(&defaults.root, key),
            option,
            since,
            cell(key.help),
        ];
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    Ok(out)
}

fn kind(key: &KeyInfo) -> String {
    let kind = cell(&key.kind.expected());
    if key.nullable { format!("{kind}, null") } else { kind }
}

fn default(defaults: &Node, key: &KeyInfo) -> String {
    match defaults.at(key.path) {
        None => "–".to_owned(),
        Some(node) => format!("`{}`", cell(&inline(&node.value))),
    }
}

/// In one line; lists by their first items.
fn inline(value: &Value) -> String {
    match value {
        Value::List(items) => {
            let shown: Vec<String> = items.iter().take(4).map(|item| inline(&item.value)).collect();
            let more = if items.len() > shown.len() { ", …" } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
        Value::Map(_) => "{}".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        other => crate::python::text(other),
    }
}

fn help(key: &KeyInfo) -> String {
    match key.option {
        Some(option) => format!("{} (nsys `--{}`)", key.help, option.name),
        None => key.help.to_owned(),
    }
}

fn option(key: &KeyInfo) -> (String, String) {
    let Some(option) = key.option else { return ("–".to_owned(), "–".to_owned()) };
    let version = |since: Since| format!("{}.{}", since.version.year, since.version.minor);
    let newer = option.newer_values.iter();
    let newer = newer.map(|(value, since)| format!("; `{value}` {}", version(*since)));
    let planned = if option.planned { " (planned)" } else { "" };
    (
        format!("`--{}`{planned}", option.name),
        format!("{}{}", option.since.map_or(OLDEST.to_owned(), version), newer.collect::<String>()),
    )
}

/// A text that keeps the table in one piece.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
