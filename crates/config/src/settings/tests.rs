//! Settings of the embedded tree: that it is complete, that errors help, and that the documents follow the code.

use std::collections::BTreeSet;

use super::{Kind, NcuOptions, Settings, find_key, key_table_markdown, keys};
use crate::value::{Node, Value};
use crate::{Context, FLAGS, OverrideArg, Tree, compose};
use rangescope_model::ReplayMode;

fn context() -> Context<'static> {
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0);
    Context { env: &|_| None, now, cwd: "/here".to_owned() }
}

fn settings_of(overrides: &[OverrideArg]) -> Result<Settings, crate::ConfigError> {
    let composed = compose(&Tree::embedded(), "config", overrides, &context())?;
    Settings::new(&composed, &context())
}

fn settings(overrides: &[&str]) -> Settings {
    settings_of(&OverrideArg::list(overrides.iter().copied())).unwrap()
}

fn error(overrides: &[&str]) -> String {
    format!("{:?}", settings_of(&OverrideArg::list(overrides.iter().copied())).unwrap_err())
}

fn flag_override(name: &str, values: &[&str]) -> OverrideArg {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    FLAGS.iter().find(|flag| flag.name == name).unwrap().to_override(&values).unwrap()
}

const NCU: &str = "pipeline.ncu.ncu_cli";
const DOCUMENTED: [&str; 7] = [
    "model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
    "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default",
    "pipeline.ncu.enable=true",
    "pipeline.nsys.enable=false",
    "pipeline.ncu.ncu_cli.replay_mode=range",
    "pipeline.ncu.ncu_cli.nvtx.include=*",
    "device=cuda:0",
];

#[test]
fn defaults() {
    let settings = settings(&[]);
    assert_eq!(settings.run.device, "cuda:0");
    assert_eq!(settings.run.dir, "tmp/profile-output/20260307-140509");
    assert!(settings.workload.command.is_empty());
    assert!(
        !settings.ncu.enable
            && !settings.nsys.enable
            && settings.ncu.gating_nvtx
            && settings.report.aggregate
    );
    assert_eq!(settings.nsys.trace, ["cuda", "nvtx", "osrt"]);
    assert_eq!(
        settings.ncu_options.sections,
        [
            "SpeedOfLight",
            "SpeedOfLight_RooflineChart",
            "SpeedOfLight_HierarchicalSingleRooflineChart",
            "SpeedOfLight_HierarchicalHalfRooflineChart",
            "SpeedOfLight_HierarchicalTensorRooflineChart",
            "MemoryWorkloadAnalysis",
            "Occupancy"
        ]
    );
    // The defaults of the type are those of the tree, which measures something besides.
    let nothing_asked = NcuOptions {
        sections: Vec::new(),
        metrics: Vec::new(),
        apply_rules: None,
        export_csv: false,
        ..settings.ncu_options.clone()
    };
    assert_eq!(nothing_asked, NcuOptions::default());
    assert!(settings.origin(&format!("{NCU}.sections")).unwrap().is_builtin());
    assert_eq!(settings.origin("device").unwrap().to_string(), "builtin:config.yaml:14");
}

#[test]
fn the_documented_command_lines_work() {
    let with = |extra: &str| settings(&[DOCUMENTED.as_slice(), &[extra]].concat());
    let base = settings(&DOCUMENTED);
    assert!(base.ncu.enable);
    assert_eq!(base.ncu_options.replay_mode, ReplayMode::Range);
    assert_eq!(base.ncu_options.nvtx_include, ["*"]);
    assert_eq!(
        base.workload.command.join(" "),
        "rangescope dummy-model --scenario resnet --device cuda:0 --dtype float32 --batch 2 --size 32 \
         --channels 16 --blocks 3 --classes 10 --seed 0 --repeats 2 --warmup 1 --ranks 2"
    );
    let nested = with("model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.nested");
    assert_eq!(nested.workload.command[2..4], ["--scenario", "nested"]);
    let smaller = with("infer.batch_size=1").workload.command;
    assert_eq!(smaller[smaller.iter().position(|word| word == "--batch").unwrap() + 1], "1");
    let options = |extra: &str| with(&format!("{NCU}.{extra}")).ncu_options;
    assert_eq!(
        options("sections=[SpeedOfLight,Occupancy]").sections,
        ["SpeedOfLight", "Occupancy"]
    );
    assert_eq!(
        options("kernel_name=regex:.*conv.*").kernel_name.as_deref(),
        Some("regex:.*conv.*")
    );
    assert_eq!(
        options("kernel_exclude=[regex:memcpy.*,regex:memset.*]").kernel_exclude,
        ["regex:memcpy.*", "regex:memset.*"]
    );
    for include in ["A;B;A::A1", "decode*", "LLM@*"] {
        assert_eq!(options(&format!("nvtx.include={include}")).nvtx_include, [include]);
    }
}

#[test]
fn values_become_what_their_types_say() {
    let settings = settings(&[
        "~pipeline.ncu.ncu_cli.force_overwrite",
        "~pipeline.nsys.trace",
        "pipeline.ncu.ncu_cli.devices=[0,1]",
        "pipeline.ncu.ncu_cli.rule=' a, b,'",
        "pipeline.ncu.ncu_cli.kernel_include='regex:a,b'",
        "pipeline.ncu.ncu_cli.warp_sampling_interval=5",
        "pipeline.ncu.ncu_cli.call_stack_type=[native,python]",
        "pipeline.ncu.ncu_cli.nvtx.push_pop_scope=process",
        "pipeline.ncu.ncu_cli.rename_kernels=null",
        "pipeline.ncu.ncu_cli.metrics=null",
        "pipeline.regions.labels='A; B'",
        "+pipeline.workload.env.X=1",
        "+pipeline.workload.env.Y=null",
    ]);
    let options = &settings.ncu_options;
    // An absent key has the value of the embedded tree, unless it may be null.
    assert!(!options.force_overwrite && options.launch_count.is_none());
    assert_eq!(settings.nsys.trace, ["cuda", "nvtx", "osrt"]);
    assert_eq!(options.devices, ["0", "1"]);
    assert_eq!(options.rule, ["a", "b"]);
    assert_eq!(options.kernel_include, ["regex:a,b"]);
    assert_eq!(options.warp_sampling_interval.as_deref(), Some("5"));
    assert_eq!(options.call_stack_type, ["native", "python"]);
    assert_eq!(options.nvtx_push_pop_scope, Some("process"));
    assert_eq!((options.rename_kernels.0, options.metrics.len()), (None, 0));
    assert_eq!(settings.regions.labels, ["A", "B"]);
    let variables = [("X".to_owned(), Some("1".to_owned())), ("Y".to_owned(), None)];
    assert_eq!(settings.workload.env, variables);
    assert!(settings.origin(&format!("{NCU}.devices")).is_some_and(|origin| !origin.is_builtin()));
}

#[test]
fn rows_of_the_table_agree_with_each_other() {
    let name = |path: &'static str| path.strip_prefix("pipeline.ncu.ncu_cli.").unwrap();
    let by_name = |wanted: &str| NcuOptions::KEYS.iter().find(|key| name(key.path) == wanted);
    for key in NcuOptions::KEYS {
        let Some(option) = key.option else { continue };
        for (word, _) in option.newer_values {
            assert_eq!(key.kind.known_word(word), Some(*word), "{}", key.path);
        }
        let Some(needs) = option.needs else { continue };
        let (other, value) = needs.split_once('=').unwrap_or((needs, "true"));
        let kind = by_name(other).unwrap().kind;
        let is_word = matches!(kind, Kind::Choice(_)) && needs.contains('=');
        assert!(!is_word || kind.known_word(value).is_some(), "{}: {needs}", key.path);
    }
    assert!(NcuOptions::KEYS.len() > 70);
}

#[test]
fn errors_name_place_key_expectation_and_nearest() {
    assert_eq!(
        error(&["+pipeline.ncu.ncu_cli.replay_mod=range"]),
        "override `+pipeline.ncu.ncu_cli.replay_mod=range`: `pipeline.ncu.ncu_cli.replay_mod`: unknown key (did you mean `pipeline.ncu.ncu_cli.replay_mode`?)"
    );
    assert_eq!(
        error(&["pipeline.ncu.ncu_cli.replay_mode=rnage"]),
        "override `pipeline.ncu.ncu_cli.replay_mode=rnage`: `pipeline.ncu.ncu_cli.replay_mode`: expected one of `kernel`, `application`, `range`, `app-range`, got `rnage` (did you mean `range`?)"
    );
    assert_eq!(
        error(&["+replay_mode=range"]),
        "override `+replay_mode=range`: `replay_mode`: unknown key (did you mean `pipeline.ncu.ncu_cli.replay_mode`?)"
    );
    assert_eq!(
        error(&["pipeline.ncu.enable=1"]),
        "override `pipeline.ncu.enable=1`: `pipeline.ncu.enable`: expected `true` or `false`, got `1`"
    );
    assert_eq!(
        error(&["pipeline.ncu.ncu_cli.launch_count=0"]),
        "override `pipeline.ncu.ncu_cli.launch_count=0`: `pipeline.ncu.ncu_cli.launch_count`: expected an integer from 1 on, got `0`"
    );
    assert_eq!(
        error(&["pipeline.ncu.ncu_cli.metrics={a:1}"]),
        "override `pipeline.ncu.ncu_cli.metrics={a:1}`: `pipeline.ncu.ncu_cli.metrics`: cannot merge a map into a list"
    );
    assert_eq!(error(&["device=???"]), "override `device=???`: `device`: has to be given a value");
    assert_eq!(
        error(&["profiling/ncu@pipeline.ncu=ncu.hgih"]),
        "override `profiling/ncu@pipeline.ncu=ncu.hgih`: the group `profiling/ncu` has no option `ncu.hgih` (did you mean `ncu.high`?)"
    );
    assert_eq!(
        error(&["pipeline.workload.command=\"a 'b\""]),
        "override `pipeline.workload.command=\"a 'b\"`: `pipeline.workload.command`: expected a command, got a single quote that is not closed"
    );
    assert_eq!(
        error(&["pipeline=3"]),
        "override `pipeline=3`: `pipeline`: expected a map, got an integer"
    );
}

#[test]
fn a_users_tree_comes_first_and_its_errors_have_lines() {
    let folder = tempfile::tempdir().unwrap();
    let presets = folder.path().join("profiling/ncu");
    fs_err::create_dir_all(&presets).unwrap();
    fs_err::write(
        presets.join("ncu.mine.yaml"),
        "defaults: [ncu.quick]\nncu_cli:\n  launch_count: 5\n",
    )
    .unwrap();
    fs_err::write(
        presets.join("ncu.wrong.yaml"),
        "defaults: [ncu.quick]\nncu_cli:\n  lunch_count: 5\n",
    )
    .unwrap();
    let tree = Tree::with_dirs(&[folder.path().to_owned()]).unwrap();
    let read = |preset: &str| {
        let preset = [flag_override("--preset", &[preset])];
        let composed = compose(&tree, "config", &preset, &context())?;
        Settings::new(&composed, &context())
    };
    let mine = read("mine").unwrap();
    assert_eq!((mine.ncu_options.launch_count, mine.ncu_options.sections.len()), (Some(5), 0));
    let wrong = read("wrong").unwrap_err();
    assert!(
        wrong
            .to_string()
            .ends_with("ncu.wrong.yaml:3: `pipeline.ncu.ncu_cli.lunch_count`: unknown key"),
        "{wrong}"
    );
    assert_eq!(wrong.nearest(), Some("pipeline.ncu.ncu_cli.launch_count"));
    let groups = tree.groups().unwrap();
    let ncu = groups.iter().find(|group| group.name == "profiling/ncu").unwrap();
    assert!(ncu.options.iter().any(|option| option.name == "ncu.mine"));
    assert!(
        ncu.options.iter().any(|option| option.name == "ncu.quick" && option.description.is_some())
    );
}

#[test]
fn flags_stand_for_overrides() {
    let args = [
        ("--region", vec!["A;B", "${x}"]),
        ("--metrics", vec!["a.sum, b.sum", "c.sum"]),
        ("--preset", vec!["quick"]),
        ("--out", vec!["o p"]),
    ];
    let args = args.map(|(name, values)| flag_override(name, &values));
    let settings = settings_of(&args).unwrap();
    assert_eq!(settings.ncu_options.nvtx_include, ["A;B", "${x}"]);
    assert_eq!(settings.ncu_options.metrics, ["a.sum", "b.sum", "c.sum"]);
    assert_eq!(settings.run.dir, "o p");
    assert_eq!(settings.origin("run.dir").unwrap().to_string(), "flag `--out`");
    for flag in FLAGS {
        assert!(find_key(flag.key).is_some() || flag.key.contains('@'), "{}", flag.key);
    }
}

/// Every path of a tree that has a value; maps of the user's own are values.
fn leaves(node: &Node, path: &str, found: &mut BTreeSet<String>) {
    match &node.value {
        Value::Map(map) if find_key(path).is_none() => {
            for (key, child) in map {
                leaves(child, &crate::path::joined(path, key), found);
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

#[test]
fn the_table_and_the_tree_have_the_same_keys() {
    let composed = compose(&Tree::embedded(), "config", &[], &context()).unwrap();
    let mut in_tree = BTreeSet::new();
    leaves(composed.root(), "", &mut in_tree);
    let in_table: BTreeSet<String> = keys()
        .map(|key| key.path.to_owned())
        .filter(|path| path != "model" && path != "infer")
        .collect();
    assert_eq!(in_tree, in_table);
    assert_eq!(keys().count(), keys().map(|key| key.path).collect::<BTreeSet<_>>().len());
}

#[test]
fn keys_are_called_as_their_options() {
    const OTHERS: [&str; 6] = [
        "sections",
        "nvtx.include",
        "nvtx.exclude",
        "nvtx.push_pop_scope",
        "kernel_",
        "report_format",
    ];
    for key in keys() {
        let Some(option) = key.option else { continue };
        let name = key.path.trim_start_matches("pipeline.ncu.ncu_cli.");
        let name = name.trim_start_matches("pipeline.nsys.");
        let is_exception = OTHERS.iter().any(|other| name.starts_with(other));
        assert!(is_exception || option.name == name.replace('_', "-"), "{name} {}", option.name);
    }
}

#[test]
fn every_key_of_the_tree_has_a_comment() {
    let files =
        ["config.yaml", "profiling/ncu/ncu.default.yaml", "profiling/nsys/nsys.default.yaml"];
    for file in files {
        let (text, _) = Tree::embedded().read(file).unwrap().unwrap();
        let mut commented = false;
        for line in text.lines() {
            let bare = line.trim();
            let is_key = bare.contains(": ")
                && !bare.starts_with(['#', '-'])
                && !bare.starts_with("description");
            assert!(!is_key || commented, "{file}: {bare}");
            // A comment may be for several keys that follow it; a blank line ends that.
            commented = bare.starts_with('#') || (commented && !bare.is_empty());
        }
    }
}

#[test]
fn every_preset_is_valid_and_its_metrics_exist() {
    // Names that real ncu lists (`--query-metrics-mode suffix`) on Turing to Hopper and the shared table lacks.
    let by_ncu = [
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed_pipe_tensor.sum",
        "sm__warps_launched.sum",
    ];
    let shared =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/units.tsv");
    let table = fs_err::read_to_string(shared).unwrap_or_else(|_| {
        println!("SKIPPED: whether metrics exist, because ../shared is absent");
        String::new()
    });
    let known: BTreeSet<&str> =
        table.lines().filter_map(|line| line.split('\t').next()).chain(by_ncu).collect();
    for option in Tree::embedded().options("profiling/ncu") {
        let settings = settings(&[&format!("profiling/ncu@pipeline.ncu={option}")]);
        let metrics = &settings.ncu_options.metrics;
        assert!(metrics.contains(&"gpu__time_duration.sum".to_owned()), "{option}");
        let unknown: Vec<_> = metrics
            .iter()
            .filter(|metric| !table.is_empty() && !known.contains(metric.as_str()))
            .collect();
        assert!(unknown.is_empty(), "{option}: {unknown:?}");
    }
}

#[test]
fn the_document_has_the_table_of_keys() {
    const BEGIN: &str = "<!-- keys: generated -->\n";
    const END: &str = "<!-- end of keys -->";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let text = fs_err::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    let expected = format!("\n{}\n", key_table_markdown().unwrap());
    if std::env::var_os("RANGESCOPE_BLESS").is_some() {
        fs_err::write(&path, format!("{before}{BEGIN}{expected}{END}{after}")).unwrap();
    } else {
        assert!(
            table == expected,
            "docs/configuration.md is not up to date: RANGESCOPE_BLESS=1 cargo test -p rangescope-config"
        );
    }
    for flag in FLAGS {
        assert!(
            text.contains(&format!("| `{}` | `{}` |", flag.name, flag.key)),
            "{} is not in the document",
            flag.name
        );
    }
}
