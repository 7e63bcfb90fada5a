//! Every row of the table of ncu's options, with a value that is not the default and what it needs beside it.

use rangescope_config::settings::{KeyInfo, Kind, NcuOptions};
use rangescope_config::{CONFIG_NAME, Context, OverrideArg, Settings, Tree, compose};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
const CLI: &str = "pipeline.ncu.ncu_cli.";

/// A row: its name, and the overrides without and with it.
pub(crate) struct Row {
    pub(crate) key: &'static KeyInfo,
    pub(crate) without: Vec<String>,
    pub(crate) with: Vec<String>,
}

/// The options of the configuration with these overrides.
pub(crate) fn options(overrides: &[String]) -> NcuOptions {
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0);
    let context = Context { env: &|_| None, now, cwd: "/here".to_owned() };
    let args = OverrideArg::list(overrides.iter().map(String::as_str));
    let composed = compose(&Tree::embedded(), CONFIG_NAME, &args, &context).unwrap();
    let settings = Settings::new(&composed, &context);
    settings.unwrap_or_else(|error| panic!("{overrides:?}: {error}")).ncu_options
}

/// The presets of the configuration.
pub(crate) fn presets() -> Vec<String> {
    let groups = Tree::embedded().groups().unwrap();
    let group = groups.into_iter().find(|group| group.name == "profiling/ncu").unwrap();
    assert!(group.options.len() >= 6);
    let choice = |name: String| format!("profiling/ncu@pipeline.ncu={name}");
    group.options.into_iter().map(|option| choice(option.name)).collect()
}

/// All rows that are options of ncu.
pub(crate) fn rows() -> Vec<Row> {
    let rows: Vec<Row> = NcuOptions::keys()
        .iter()
        .filter(|key| key.option.is_some())
        .map(|key| {
            let without = beside(key);
            let value = format!("{}={}", key.path, other_value(key));
            Row { key, with: [without.as_slice(), &[value]].concat(), without }
        })
        .collect();
    assert!(rows.len() > 70, "{}", rows.len());
    rows
}

/// What has to be set for ncu to take the option; what it needs may need something in its turn.
fn beside(key: &KeyInfo) -> Vec<String> {
    let others: &[&str] = match key.path.strip_prefix(CLI).unwrap() {
        "range_replay_options" | "range_filter" => &["nvtx.include=A"],
        "kernel_name_base" => &["kernel_name=k"],
        _ => &[],
    };
    let mut found: Vec<String> = others.iter().map(|text| format!("{CLI}{text}")).collect();
    if let Some(needs) = key.option.and_then(|option| option.needs) {
        let (other, value) = needs.split_once('=').unwrap_or((needs, ""));
        let path = format!("{CLI}{other}");
        let needed = NcuOptions::keys().iter().find(|key| key.path == path).unwrap();
        found.extend(beside(needed));
        let value = if value.is_empty() { other_value(needed) } else { value.to_owned() };
        found.push(format!("{path}={value}"));
    }
    found
}

fn other_value(key: &KeyInfo) -> String {
    let usual = options(&[]).written().into_iter().find(|(known, _)| known.path == key.path);
    let (_, usual) = usual.unwrap();
    match key.kind {
        Kind::Bool => (!usual.is_set()).to_string(),
        // The first word is what ncu does by itself; one that every ncu has is the better one.
        Kind::Choice(words) => {
            let newer = key.option.unwrap().newer_values;
            let is_newer = |word: &str| newer.iter().any(|(known, _)| *known == word);
            let others = || words.iter().skip(1).filter(|word| !usual.has(word));
            let old = others().find(|word| !is_newer(word));
            (*old.or_else(|| others().next()).unwrap()).to_owned()
        }
        // The first are the oldest.
        Kind::Choices(words) => format!("[{}]", words[0]),
        Kind::Int { min, .. } => (min + 1).to_string(),
        Kind::IntOr { word, .. } => word.to_owned(),
        Kind::Text => match key.option.unwrap().name {
            "range-filter" => "':1:'".to_owned(),
            "kernel-id" => "'::k:1'".to_owned(),
            "set" => "full".to_owned(),
            // ncu looks for files and folders when it is started.
            "preload-library" => HERE.to_owned(),
            _ => "x1".to_owned(),
        },
        Kind::Texts if key.path.ends_with("devices") => "[0,1]".to_owned(),
        Kind::Texts if key.path.contains("section_folder") => format!("[{HERE}]"),
        Kind::Names if key.path.ends_with("sections") => "[Occupancy,LaunchStats]".to_owned(),
        Kind::Names | Kind::Patterns | Kind::Regions | Kind::Texts => "[x1,x2]".to_owned(),
        other => panic!("{}: no value for {other:?}", key.path),
    }
}
