//! Composes a configuration and prints it as JSON: `compose DIR CONFIG_NAME [OVERRIDE…]`.
//!
//! Without arguments, cases are read from standard input, one JSON object a line, and answered one a line. It is how the comparison with Hydra runs hundreds of cases in one process.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use rangescope_config::{ConfigError, Context, OverrideArg, Tree, compose, sweep};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = std::io::stdout();
    let written = match arguments.as_slice() {
        [] => answer_all(&mut out.lock()),
        [dir, name, overrides @ ..] => {
            let case = json!({"dir": dir, "config": name, "overrides": overrides});
            let answer = answer(&case);
            if answer.get("error").is_some() {
                let _ = writeln!(std::io::stderr(), "{answer}");
                return ExitCode::from(2);
            }
            writeln!(out.lock(), "{answer}")
        }
        [_] => {
            let _ = writeln!(std::io::stderr(), "usage: compose DIR CONFIG_NAME [OVERRIDE...]");
            return ExitCode::from(2);
        }
    };
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn answer_all(out: &mut impl Write) -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?) {
            Ok(case) => answer(&case),
            Err(error) => json!({"error": error.to_string()}),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn answer(case: &Value) -> Value {
    run(case).unwrap_or_else(|error| json!({"error": error.to_string(), "hint": error.hint()}))
}

fn run(case: &Value) -> Result<Value, ConfigError> {
    let env: BTreeMap<String, String> = case["env"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    let lookup = |name: &str| env.get(name).cloned();
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 1_234_000);
    let context =
        Context { env: &lookup, now, cwd: case["cwd"].as_str().unwrap_or("/work").to_owned() };
    let dirs = [PathBuf::from(case["dir"].as_str().unwrap_or("."))];
    let tree = Tree::of_dirs(&dirs)?;
    let overrides = OverrideArg::list(texts(&case["overrides"]));
    if case["sweep"] == true {
        let runs = sweep(&tree, &overrides)?;
        let runs: Vec<Vec<String>> =
            runs.into_iter().map(|run| run.into_iter().map(|arg| arg.text).collect()).collect();
        return Ok(json!({"runs": runs}));
    }
    let composed =
        compose(&tree, case["config"].as_str().unwrap_or("config"), &overrides, &context)?;
    let resolved = match composed.resolve(&context) {
        Ok(resolved) => json!({"value": resolved.to_json()}),
        Err(error) => json!({"error": error.to_string()}),
    };
    Ok(json!({"raw": composed.to_json(), "resolved": resolved}))
}
