//! Where a run took place: versions, host, devices, for `env.json`.
//!
//! Of the environment only variables on a list are taken, by exact name: anything else may hold a secret. What looks like one is masked all the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use rangescope_config::{MASK, Secrets};
use serde::Serialize;

use crate::child::quick;
use crate::ncu::NcuInfo;
use crate::shell::command_line;

const SCHEMA_VERSION: &str = "1.0";

/// Where a run took place; what could not be found out is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Environment {
    pub schema_version: &'static str,
    pub recorded_at: String,
    pub host: String,
    pub system: Option<String>,
    pub kernel: Option<String>,
    pub processor: Option<String>,
    pub ncu: Option<Tool>,
    pub nsys: Option<Tool>,
    pub driver: Option<String>,
    pub gpus: Vec<Gpu>,
    /// Only those of the list.
    pub variables: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Or the words that start it.
    pub path: String,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gpu {
    pub index: String,
    pub name: String,
    pub compute_capability: String,
    pub memory: String,
}

impl Environment {
    /// Of the environment, only the variables of the list are read.
    pub fn collect(
        ncu: Option<&NcuInfo>,
        nsys: Option<Tool>,
        variables: &[impl AsRef<str>],
        secrets: &Secrets,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            recorded_at: jiff::Timestamp::now().to_string(),
            host: nix::unistd::gethostname()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            system: file("/etc/os-release").and_then(|text| os_name(&text)),
            kernel: file("/proc/sys/kernel/osrelease").map(|text| text.trim().to_owned()),
            processor: file("/proc/cpuinfo").and_then(|text| cpu_model(&text)),
            ncu: ncu.map(|ncu| Tool {
                path: command_line(&ncu.launcher),
                version: ncu.version.to_string(),
            }),
            nsys,
            driver: driver_version(Path::new("/proc")),
            gpus: gpus(),
            variables: allowed(std::env::vars_os(), variables, secrets),
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }
}

fn allowed(
    variables: impl Iterator<Item = (OsString, OsString)>,
    list: &[impl AsRef<str>],
    secrets: &Secrets,
) -> BTreeMap<String, String> {
    let shown = |name: &str, value: &str| {
        if secrets.is_secret(name) { MASK.to_owned() } else { secrets.mask(value).into_owned() }
    };
    variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| list.iter().any(|known| known.as_ref() == name))
        .map(|(name, value)| {
            let value = shown(&name, &value.to_string_lossy());
            (name, value)
        })
        .collect()
}

/// As `/proc` shows it.
pub(crate) fn driver_version(proc: &Path) -> Option<String> {
    let text = fs_err::read_to_string(proc.join("driver/nvidia/version")).ok()?;
    parse_driver(&text)
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat …`, with other words for the open module.
fn parse_driver(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    let is_version =
        |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    line.split_whitespace().find(is_version).map(str::to_owned)
}

fn gpus() -> Vec<Gpu> {
    let Ok(program) = which::which("nvidia-smi") else { return Vec::new() };
    let query = ["--query-gpu=index,name,compute_cap,memory.total", "--format=csv,noheader"];
    let argv = std::iter::once(program.into_os_string()).chain(query.map(OsString::from)).collect();
    match quick(argv, Vec::new(), Duration::from_secs(20)) {
        Ok(answer) if answer.outcome.success() => parse_gpus(&answer.stdout),
        _ => Vec::new(),
    }
}

fn parse_gpus(text: &str) -> Vec<Gpu> {
    text.lines()
        .filter_map(|line| match line.split(", ").collect::<Vec<_>>().as_slice() {
            [index, name, capability, memory] => Some(Gpu {
                index: (*index).to_owned(),
                name: (*name).to_owned(),
                compute_capability: (*capability).to_owned(),
                memory: (*memory).to_owned(),
            }),
            _ => None,
        })
        .collect()
}

fn os_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

fn cpu_model(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_owned())
}

fn file(path: &str) -> Option<String> {
    fs_err::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Environment, allowed, parse_driver, parse_gpus};

    use rangescope_config::{MASK, Secrets};

    const LIST: &[&str] = &["CUDA_VISIBLE_DEVICES", "RANK", "WANDB_API_KEY", "http_proxy"];

    #[test]
    fn only_variables_on_the_list_are_taken() {
        let variables = [
            ("CUDA_VISIBLE_DEVICES", "0"),
            ("HF_TOKEN", "secret"),
            ("CUDA_VISIBLE_DEVICES_KEY", "secret"),
            ("WANDB_API_KEY", "secret"),
            ("http_proxy", "http://me:secret@host:80"),
        ];
        let taken = allowed(
            variables
                .into_iter()
                .map(|(name, value)| (OsString::from(name), OsString::from(value))),
            LIST,
            &Secrets::default(),
        );
        let taken: Vec<_> =
            taken.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let proxy = format!("http://{MASK}@host:80");
        assert_eq!(
            taken,
            [
                ("CUDA_VISIBLE_DEVICES", "0"),
                ("WANDB_API_KEY", MASK),
                ("http_proxy", proxy.as_str())
            ]
        );
    }

    #[test]
    fn driver_and_devices_are_read() {
        let old = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version: 12.2.0\n";
        let open =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build\n";
        assert_eq!(parse_driver(old).as_deref(), Some("535.104.05"));
        assert_eq!(parse_driver(open).as_deref(), Some("590.48.01"));
        let gpus = parse_gpus("0, NVIDIA GeForce RTX 3090, 8.6, 24576 MiB\nnonsense\n");
        assert_eq!((gpus.len(), gpus[0].compute_capability.as_str()), (1, "8.6"));
    }

    #[test]
    fn an_environment_is_json() {
        let json: serde_json::Value = serde_json::from_str(
            &Environment::collect(None, None, LIST, &Secrets::default()).to_json(),
        )
        .unwrap();
        assert!(json["host"].is_string() && json["variables"].is_object());
    }
}
