//! Flags that stand for overrides.
//!
//! A flag means nothing by itself: it is written as the override that it stands for, composed like any other, and named as the origin of the value. This table serves the command line and its documents.

use crate::error::ConfigError;
use crate::overrides::{OverrideArg, quoted};
use crate::tree::Tree;

/// A flag and the override that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// With its dashes.
    pub name: &'static str,
    /// A key or group.
    pub key: &'static str,
    pub takes: Takes,
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    One,
    /// Patterns, the flag repeated.
    Repeated,
    /// Names with commas between them, the flag repeated or not.
    Commas,
    /// The flag alone means true.
    Switch,
    /// The option of a group, with or without the prefix that all options have.
    Option {
        prefix: &'static str,
    },
}

pub const FLAGS: &[Flag] = &[
    Flag {
        name: "--region",
        key: "pipeline.ncu.ncu_cli.nvtx.include",
        takes: Takes::Repeated,
        help: "Regions to profile, for example `decode*`, `A::A1`, `LLM@*`",
    },
    Flag {
        name: "--kernel",
        key: "pipeline.ncu.ncu_cli.kernel_include",
        takes: Takes::Repeated,
        help: "Kernels to take: an exact name, `glob:PATTERN` or `regex:PATTERN`",
    },
    Flag {
        name: "--exclude-kernel",
        key: "pipeline.ncu.ncu_cli.kernel_exclude",
        takes: Takes::Repeated,
        help: "Kernels to leave out; wins over --kernel",
    },
    Flag {
        name: "--metrics",
        key: "pipeline.ncu.ncu_cli.metrics",
        takes: Takes::Commas,
        help: "Metrics to collect",
    },
    Flag {
        name: "--sections",
        key: "pipeline.ncu.ncu_cli.sections",
        takes: Takes::Commas,
        help: "Sections to collect",
    },
    Flag {
        name: "--preset",
        key: "profiling/ncu@pipeline.ncu",
        takes: Takes::Option { prefix: "ncu." },
        help: "The preset of ncu options, for example `quick`",
    },
    Flag {
        name: "--replay",
        key: "pipeline.ncu.ncu_cli.replay_mode",
        takes: Takes::One,
        help: "What is repeated to collect all counters: kernel, application, range, app-range",
    },
    Flag {
        name: "--launcher",
        key: "pipeline.launcher.name",
        takes: Takes::One,
        help: "The launcher that the program begins with: auto, none, mpirun, srun, torchrun, accelerate, deepspeed, jsrun, flux, aprun",
    },
    Flag {
        name: "--ranks",
        key: "pipeline.launcher.ranks",
        takes: Takes::Commas,
        help: "Ranks of the launcher to profile: `all`, `1-per-node`, or numbers and ranges such as `0,7`",
    },
    Flag {
        name: "--outside",
        key: "pipeline.launcher.outside",
        takes: Takes::Switch,
        help: "One ncu around the launcher, in place of one inside of every rank",
    },
    Flag { name: "--out", key: "run.dir", takes: Takes::One, help: "The run folder" },
    Flag {
        name: "--simulate",
        key: "pipeline.simulate.enable",
        takes: Takes::Switch,
        help: "Simulate the GPU; every report says so",
    },
    Flag {
        name: "--strict",
        key: "pipeline.strict",
        takes: Takes::Switch,
        help: "Exit with code 6 when nothing was profiled",
    },
    Flag {
        name: "--redact",
        key: "pipeline.artifacts.redact",
        takes: Takes::Repeated,
        help: "Mask what this regular expression matches in all that is written, besides what looks secret",
    },
];

impl Flag {
    /// For completion: a user's own folders may have others.
    pub fn built_in_values(&self) -> Vec<&'static str> {
        let Takes::Option { prefix } = self.takes else { return Vec::new() };
        let group = self.key.split('@').next().unwrap_or_default();
        Tree::built_in(group).map(|option| option.strip_prefix(prefix).unwrap_or(option)).collect()
    }

    /// Values are taken literally: nothing in them is syntax.
    pub fn to_override(&self, values: &[String]) -> Result<OverrideArg, ConfigError> {
        let list = |values: Vec<String>| format!("[{}]", values.join(","));
        let value = match (self.takes, values) {
            (Takes::Repeated, values) => list(values.iter().map(|value| quoted(value)).collect()),
            (Takes::Commas, values) => {
                let names = values
                    .iter()
                    .flat_map(|value| value.split(','))
                    .map(str::trim)
                    .filter(|name| !name.is_empty());
                list(names.map(quoted).collect())
            }
            (Takes::Switch, []) => "true".to_owned(),
            (Takes::One, [value]) => quoted(value),
            (Takes::Option { prefix }, [value]) if value.starts_with(prefix) => quoted(value),
            (Takes::Option { prefix }, [value]) => quoted(&format!("{prefix}{value}")),
            (Takes::One | Takes::Switch | Takes::Option { .. }, values) => {
                let got = format!("{} values", values.len());
                let expected = if self.takes == Takes::Switch { "no value" } else { "one value" };
                return Err(ConfigError::expected(expected, got).with_key(self.name));
            }
        };
        Ok(OverrideArg { text: format!("{}={value}", self.key), flag: Some(self.name.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::FLAGS;
    use crate::settings::LauncherName;

    #[test]
    fn every_launcher_is_named_in_the_help() {
        let launcher = FLAGS.iter().find(|flag| flag.name == "--launcher").unwrap();
        let named = launcher.help.split_once(": ").unwrap().1;
        assert_eq!(named, LauncherName::WORDS.join(", "));
    }
}
