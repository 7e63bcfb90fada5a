//! Configuration and command lines: every key that the configuration documents is an option here, with the same words and the same versions, and does what the table says.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail and talk like tests"
)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use rangescope_capture::ncu::{
    AppReplayBuffer, AppReplayMatch, AppReplayMode, CacheControl, CallStackType, ClockControl,
    Communicator, Feature, FilterMode, GraphProfiling, KernelNameBase, Mps, NcuInfo, NcuOptions,
    PipelineBoostState, PushPopScope, RangeReplayOption, ReplayMode, ReportFormat, TargetProcesses,
    Version,
};
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::settings::{KeyInfo, Kind, OLDEST, keys};
use rangescope_config::{CONFIG_NAME, Context, Now, OverrideArg, Settings, Tree, compose};
use serde_json::{Value, json};

const CLI: &str = "pipeline.ncu.ncu_cli.";
const NEWEST: Version = Version::new(2026, 3, 1);

/// The keys of ncu's options, by their name below `pipeline.ncu.ncu_cli`.
fn cli_keys() -> impl Iterator<Item = (&'static str, &'static KeyInfo)> {
    keys().filter_map(|key| Some((key.path.strip_prefix(CLI)?, key)))
}

fn settings(overrides: &[String]) -> Settings {
    let now = Now { year: 2026, month: 3, day: 7, hour: 14, minute: 5, second: 9, microsecond: 0 };
    let context = Context { env: &|_| None, now, cwd: "/here".to_owned() };
    let overrides = OverrideArg::list(overrides.iter().map(String::as_str));
    let composed = compose(&Tree::embedded(), CONFIG_NAME, &overrides, &context).unwrap();
    Settings::new(&composed, &context).unwrap_or_else(|error| panic!("{overrides:?}: {error}"))
}

fn options(overrides: &[String]) -> NcuOptions {
    NcuOptions::from_value(settings(overrides).ncu.ncu_cli).unwrap()
}

fn argv(options: &NcuOptions, version: Version) -> Vec<String> {
    let plan = Plan::new(&PlanRequest {
        options,
        ncu: &NcuInfo::of_version(vec!["ncu".into()], version),
        program: &[OsString::from("./app")],
        folder: Path::new("out"),
        known: None,
        labels: &[],
        names_are_folded: false,
    });
    let plan = plan.unwrap_or_else(|error| panic!("{error}: {options:?}"));
    let texts = plan.captures[0].argv.iter().map(|word| word.to_str().unwrap().to_owned());
    texts.collect()
}

/// Other keys that have to be set for ncu to take one.
fn beside(name: &str) -> Vec<String> {
    let others: &[&str] = match name {
        "app_replay_mode" | "app_replay_match" | "app_replay_buffer" => {
            &["replay_mode=application"]
        }
        "range_replay_options" => &["replay_mode=range", "nvtx.include=A"],
        "kill" => &["launch_count=3"],
        "kernel_name_base" => &["kernel_name=k"],
        "source_folders" => &["import_source=true"],
        "range_filter" => &["nvtx.include=A"],
        "communicator_shmem_num_peers" => &["communicator=shmem"],
        "lockstep_kernel_launch" => &["communicator=tcp"],
        "mps_num_clients" | "mps_timeout" => &["mps=client"],
        _ if name.starts_with("communicator_tcp_") => &["communicator=tcp"],
        _ if name.starts_with("lockstep_nvtx_") => {
            &["communicator=tcp", "lockstep_kernel_launch=true"]
        }
        _ => &[],
    };
    others.iter().map(|text| format!("{CLI}{text}")).collect()
}

/// A value that is not the default.
fn other_value(name: &str, kind: Kind, default: &Value) -> String {
    match kind {
        Kind::Bool => if *default == json!(true) { "false" } else { "true" }.to_owned(),
        // The last ones are the least usual; this role needs more than its name.
        Kind::Choice(words) => {
            let other = |word: &&&str| default != **word && **word != "control";
            (*words.iter().rev().find(other).unwrap()).to_owned()
        }
        Kind::Choices(words) => format!("[{}]", words.join(",")),
        Kind::Int { min, .. } => (min + 1).to_string(),
        Kind::IntOr { word, .. } => word.to_owned(),
        Kind::Text if name == "range_filter" => "':1:'".to_owned(),
        Kind::Text if name == "kernel_id" => "'::k:1'".to_owned(),
        Kind::Text => "x1".to_owned(),
        Kind::Names | Kind::Patterns | Kind::Regions | Kind::Texts => "[x1,x2]".to_owned(),
        other => panic!("{name}: no value for {other:?}"),
    }
}

#[test]
fn every_documented_option_is_given_when_its_key_is_set() {
    let defaults = settings(&[]).ncu.ncu_cli;
    let mut tried = 0;
    for (name, key) in cli_keys() {
        let default = defaults.pointer(&format!("/{}", name.replace('.', "/"))).unwrap();
        let Some(option) = key.option else { continue };
        let value = other_value(name, key.kind, default);
        let mut overrides = beside(name);
        overrides.push(format!("{CLI}{name}={value}"));
        let without = argv(&options(&beside(name)), NEWEST);
        let with = argv(&options(&overrides), NEWEST);
        if key.kind == Kind::Bool && value == "false" && !key.nullable {
            // What the default gives is not given any more.
            assert!(!with.iter().any(|word| word == option.name), "{name}: {with:?}");
        } else {
            assert!(with.iter().any(|word| word == option.name), "{name}: {with:?}");
        }
        assert_ne!(with, without, "{name} changes nothing");
        tried += 1;
    }
    assert!(tried > 70, "{tried}");
}

#[test]
fn null_leaves_every_option_out_that_may_be_null() {
    for (name, key) in cli_keys().filter(|(_, key)| key.nullable) {
        let mut overrides = beside(name);
        overrides.push(format!("{CLI}{name}=null"));
        let words = argv(&options(&overrides), NEWEST);
        let option = key.option.unwrap().name;
        // Application replay has no meaning without saying how strict it is.
        let always = name == "app_replay_mode";
        assert_eq!(words.iter().any(|word| word == option), always, "{name}: {words:?}");
    }
}

/// All names of an object's fields, those of objects in it with a dot.
fn fields(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().unwrap() {
        if value.is_object() {
            fields(value, &format!("{prefix}{name}."), found);
        } else {
            found.insert(format!("{prefix}{name}"));
        }
    }
}

#[test]
fn keys_and_fields_are_the_same() {
    let mut have = BTreeSet::new();
    fields(&serde_json::to_value(NcuOptions::default()).unwrap(), "", &mut have);
    let documented: BTreeSet<String> = cli_keys().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(have, documented);
}

macro_rules! words_of {
    ($($type:ty),+) => {
        [$(<$type>::ALL.iter().map(|word| word.as_str()).collect::<BTreeSet<_>>()),+]
    };
}

#[test]
fn words_are_the_same() {
    let known = [
        "replay_mode",
        "target_processes",
        "kernel_name_base",
        "filter_mode",
        "cache_control",
        "clock_control",
        "range_replay_options",
        "graph_profiling",
        "nvtx.push_pop_scope",
        "app_replay_mode",
        "app_replay_match",
        "app_replay_buffer",
        "pipeline_boost_state",
        "communicator",
        "call_stack_type",
        "mps",
        "report_format",
    ];
    let words = words_of![
        ReplayMode,
        TargetProcesses,
        KernelNameBase,
        FilterMode,
        CacheControl,
        ClockControl,
        RangeReplayOption,
        GraphProfiling,
        PushPopScope,
        AppReplayMode,
        AppReplayMatch,
        AppReplayBuffer,
        PipelineBoostState,
        Communicator,
        CallStackType,
        Mps,
        ReportFormat
    ];
    for (name, key) in cli_keys() {
        let (Kind::Choice(list) | Kind::Choices(list)) = key.kind else { continue };
        let at = known.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(list.iter().copied().collect::<BTreeSet<_>>(), words[at], "{name}");
    }
}

#[test]
fn versions_are_the_same() {
    let version = |text: &str| text.parse::<Version>().unwrap();
    for (name, key) in cli_keys() {
        let Some(option) = key.option else { continue };
        let plain = option.name.trim_start_matches('-');
        let since = Feature::find(plain, None).map_or(version(OLDEST), |feature| feature.since);
        assert_eq!(version(option.since), since, "{name}");
        let newer: BTreeSet<(&str, Version)> =
            option.newer_values.iter().map(|(value, since)| (*value, version(since))).collect();
        let (Kind::Choice(words) | Kind::Choices(words)) = key.kind else {
            assert!(newer.is_empty(), "{name}");
            continue;
        };
        let known: BTreeSet<(&str, Version)> = words
            .iter()
            .filter_map(|word| Some((*word, Feature::find(plain, Some(word))?.since)))
            .collect();
        assert_eq!(newer, known, "{name}");
    }
}

#[test]
fn every_preset_is_a_plan_for_every_ncu() {
    let groups = Tree::embedded().groups().unwrap();
    let group = groups.iter().find(|group| group.name == "profiling/ncu").unwrap();
    let presets: Vec<&str> = group.options.iter().map(|option| option.name.as_str()).collect();
    assert!(presets.len() >= 6, "{presets:?}");
    for preset in presets {
        let choice = format!("profiling/ncu@pipeline.ncu={preset}");
        let options = options(&[choice]);
        for version in ["2022.3", "2024.1.1", "2025.2", "2026.3.1"] {
            let words = argv(&options, version.parse().unwrap());
            assert_eq!(words.last().map(String::as_str), Some("./app"), "{preset} {version}");
        }
        assert!(options.metrics.contains(&"gpu__time_duration.sum".to_owned()), "{preset}");
    }
}
