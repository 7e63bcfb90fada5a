//! Values that are easily spoiled on their way from a report to its reader, and the identities that they belong to.

use std::borrow::Cow;

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    DEFAULT_DOMAIN, Metric, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Value,
};
use serde_json::json;

use crate::support::{Place, region, scope};

const LARGE: u64 = (1 << 53) + 1;

fn metric(name: &'static str, value: Value<'static>) -> Metric<'static> {
    Metric { name: name.into(), value: Some(value), instances: Vec::new() }
}

/// A kernel in range `A` with these metrics.
fn result(metrics: &[(&'static str, Value<'static>)]) -> ResultData<'static> {
    let mut data = rangescope_sim::sample::results(1, 0).into_iter().next().unwrap();
    let time = metric("gpu__time_duration.sum", Value::F64(1000.0));
    let own = metrics.iter().map(|(name, value)| metric(name, value.clone()));
    data.metrics = [time].into_iter().chain(own).collect();
    data.sections.clear();
    data.rules.clear();
    data.nvtx = Some(state(vec![(DEFAULT_DOMAIN, &["A"])]));
    data
}

fn state(domains: Vec<(&'static str, &[&'static str])>) -> NvtxState<'static> {
    let range = |name: &&'static str| NvtxRange { name: (*name).into(), ..NvtxRange::default() };
    let domain = |(name, stack): (&'static str, &[&'static str])| NvtxDomain {
        name: name.into(),
        push_pop: stack.iter().map(range).collect(),
        start_end: Vec::new(),
    };
    NvtxState { domains: domains.into_iter().map(domain).collect(), ..NvtxState::default() }
}

fn write(place: &Place, name: &str, results: &[ResultData<'_>]) {
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    for data in results {
        writer.result(data).unwrap();
    }
    fs_err::write(place.path(name), writer.finish().unwrap()).unwrap();
}

fn codes(document: &serde_json::Value) -> Vec<&str> {
    let notes = document["notes"].as_array().unwrap();
    notes.iter().map(|note| note["code"].as_str().unwrap()).collect()
}

#[test]
fn a_large_counter_keeps_every_digit_everywhere() {
    let place = Place::new();
    let counter = |value: u64| result(&[("smsp__inst_executed.sum", Value::U64(value))]);
    write(&place, "large.ncu-rep", &[counter(LARGE), counter(LARGE + 2)]);
    let sum = 2 * LARGE + 2;
    let document = place.json(["large.ncu-rep"]);
    let value = &region(scope(&document, "aggregate"), "A")["metrics"]["smsp__inst_executed.sum"];
    assert_eq!(value["value"], json!(sum));
    assert_eq!(value["exact"], true);
    let asked = ["--metrics", "smsp__inst_executed.sum"];
    let text = |format: &str| {
        let words = ["report", "large.ncu-rep", "--format", format].into_iter().chain(asked);
        place.run(words).ok()
    };
    assert!(text("markdown").contains("18,014,398,509,481,988"));
    assert!(text("html").contains("18,014,398,509,481,988"));
    assert!(text("csv").contains(&sum.to_string()));
    // A report that is made of the document is the same as the one that is made of the results.
    let stored = place.run(["report", "large.ncu-rep", "--format", "json"]).ok();
    assert!(stored.contains(&sum.to_string()));

    assert!(place.run(["dump", "large.ncu-rep"]).ok().contains(&LARGE.to_string()));
    let csv = place.run(["export", "large.ncu-rep", "--units", "base"]).ok();
    assert!(csv.contains(&format!("\"{LARGE}\"")), "{csv}");
    fs_err::write(place.path("large.csv"), csv).unwrap();
    let again = place.json(["large.csv"]);
    let value = &scope(&again, "aggregate")["totals"]["metrics"]["smsp__inst_executed.sum"];
    assert_eq!(value["value"], json!(sum));
}

#[test]
fn the_last_of_repeated_entries_wins_whatever_their_size() {
    let place = Place::new();
    let name = "smsp__inst_executed.sum";
    let twice =
        |first: u64, last: u64| result(&[(name, Value::U64(first)), (name, Value::U64(last))]);
    write(&place, "twice.ncu-rep", &[twice(LARGE, 5), twice(5, LARGE), twice(LARGE + 2, LARGE)]);
    let document = place.json(["twice.ncu-rep"]);
    let totals = &scope(&document, "aggregate")["totals"]["metrics"];
    assert_eq!(totals[name]["value"], json!(2 * LARGE + 5));
}

#[test]
fn a_fraction_that_is_named_per_cent_is_shown_in_per_cent() {
    let place = Place::new();
    let name = "derived__smsp__inst_executed_op_branch_pct";
    write(&place, "branches.ncu-rep", &[result(&[(name, Value::F64(0.074_816))])]);
    let document = place.json(["branches.ncu-rep"]);
    let value = &scope(&document, "aggregate")["totals"]["metrics"][name];
    assert_eq!((&value["value"], &value["unit"]), (&json!(0.074_816), &json!("fraction")));
    for format in ["markdown", "html"] {
        let words = ["report", "branches.ncu-rep", "--format", format, "--metrics", name];
        let text = place.run(words).ok();
        assert!(format != "markdown" || text.contains("| 7.48 | % |"), "{text}");
    }
}

/// A kernel of a process on the GPU in a slot.
fn on_gpu(pid: u32, bus: u64, name: &'static str, major: u64) -> ResultData<'static> {
    let mut data = result(&[
        ("device__attribute_device_index", Value::U64(0)),
        ("device__attribute_display_name", Value::Text(name.into())),
        ("device__attribute_compute_capability_major", Value::U64(major)),
        ("device__attribute_compute_capability_minor", Value::U64(0)),
        ("device__attribute_pci_domain_id", Value::U64(0)),
        ("device__attribute_pci_bus_id", Value::U64(bus)),
        ("device__attribute_pci_device_id", Value::U64(0)),
    ]);
    data.process =
        Process { pid: Some(pid), host: "node".into(), executable: Cow::Borrowed("app") };
    data
}

#[test]
fn gpus_that_share_a_number_are_reported_apart() {
    let place = Place::new();
    write(&place, "gpus.ncu-rep", &[on_gpu(1, 0x3b, "A100", 8), on_gpu(2, 0x5e, "A100", 8)]);
    let document = place.json(["gpus.ncu-rep"]);
    for (gpu, bus) in ["3b", "5e"].into_iter().enumerate() {
        let scope = scope(&document, &format!("device:0@0000:{bus}:00"));
        assert_eq!(scope["totals"]["kernel_count"], 1);
        assert_eq!(document["devices"][gpu]["pci"], format!("0000:{bus}:00"));
        assert_eq!(document["devices"][gpu]["id"], 0);
    }
    assert!(codes(&document).contains(&"several-gpus-of-one-number"));
    assert!(!codes(&document).contains(&"mixed-devices"));
    let selected = |scope: &str| {
        let document = place.json(["gpus.ncu-rep", "--scope", scope]);
        document["reports"].as_array().unwrap().len()
    };
    assert_eq!((selected("device:0"), selected("device:0@0000:5e:00")), (2, 1));

    write(&place, "kinds.ncu-rep", &[on_gpu(1, 0x3b, "A100", 8), on_gpu(2, 0x5e, "H100", 9)]);
    let document = place.json(["kinds.ncu-rep"]);
    assert!(codes(&document).contains(&"mixed-devices"));
    // The same GPU in all processes needs no address.
    write(&place, "one.ncu-rep", &[on_gpu(1, 0x3b, "A100", 8), on_gpu(2, 0x3b, "A100", 8)]);
    assert_eq!(scope(&place.json(["one.ncu-rep"]), "device:0")["totals"]["kernel_count"], 2);
}

#[test]
fn a_file_that_is_given_twice_is_noticed() {
    let place = Place::new();
    fs_err::copy(place.path("sample.ncu-rep"), place.path("copy.ncu-rep")).unwrap();
    write(&place, "other.ncu-rep", &[result(&[])]);
    let noticed = |words: [&str; 2]| codes(&place.json(words)).contains(&"same-input-twice");
    assert!(noticed(["sample.ncu-rep", "sample.ncu-rep"]));
    assert!(noticed(["sample.ncu-rep", "./copy.ncu-rep"]));
    assert!(!noticed(["sample.ncu-rep", "other.ncu-rep"]));
    // Of one size, with another content.
    let mut bytes = fs_err::read(place.path("sample.ncu-rep")).unwrap();
    bytes.splice(10.., fs_err::read(place.path("sample.ncu-rep")).unwrap().into_iter().skip(10));
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs_err::write(place.path("edited.ncu-rep"), bytes).unwrap();
    assert!(!noticed(["sample.ncu-rep", "edited.ncu-rep"]));
}

#[test]
fn two_domains_of_one_name_stay_two() {
    let place = Place::new();
    let launched = |first: &[&'static str], second: &[&'static str]| {
        let mut data = result(&[]);
        data.nvtx = Some(state(vec![(DEFAULT_DOMAIN, &[]), ("lib", first), ("lib", second)]));
        data
    };
    let results = [launched(&["x"], &["y"]), launched(&["x", "z"], &[]), launched(&[], &["y"])];
    write(&place, "twins.ncu-rep", &results);
    let document = place.json(["twins.ncu-rep"]);
    let regions = scope(&document, "aggregate")["regions"].as_array().unwrap();
    let found: Vec<(&str, &str, u64)> = regions
        .iter()
        .map(|region| {
            let text = |field: &str| region[field].as_str().unwrap();
            (text("domain"), text("name"), region["kernel_count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found, [("lib", "x", 2), ("lib", "x::z", 1), ("lib#2", "y", 2)]);
    assert!(codes(&document).contains(&"domains-of-one-name"));
    let dumped = place.run(["dump", "twins.ncu-rep"]).ok();
    let first: serde_json::Value = serde_json::from_str(dumped.lines().next().unwrap()).unwrap();
    assert_eq!(first["nvtx"]["lib"]["push_pop"], json!(["x"]));
    assert_eq!(first["nvtx"]["lib#2"]["push_pop"], json!(["y"]));
}

/// A stand-in for ncu that leaves a report in which one kernel was given up.
#[cfg(unix)]
#[test]
fn a_run_in_which_ncu_gave_up_on_kernels_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let passes = |passes: f64| ("profiler__replayer_passes", Value::F64(passes));
    let mut given_up = result(&[passes(1.0)]);
    given_up.metrics[0].value = Some(Value::F64(f64::NAN));
    (given_up.function, given_up.demangled) = ("unlucky".into(), "unlucky".into());
    write(&place, "prepared.ncu-rep", &[result(&[passes(9.0)]), given_up]);
    let script = format!(
        "#!/bin/sh\nbefore=\nfor word; do\n  [ \"$before\" = --export ] && exec cp '{}' \"$word\"\n  before=$word\ndone\nexec '{}' simulate-ncu \"$@\"\n",
        place.path("prepared.ncu-rep").display(),
        env!("CARGO_BIN_EXE_rangescope")
    );
    fs_err::write(place.path("ncu"), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(place.path("ncu"), mode).unwrap();
    let run = place.run(["profile", "pipeline.ncu.executable=./ncu", "--out", "run", "--", "true"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("ncu gave up on some kernels"), "{}", run.stderr);
    assert!(run.stderr.contains("`unlucky`"), "{}", run.stderr);
    assert!(run.stderr.contains("replay_mode=application"), "{}", run.stderr);
}

#[test]
fn metrics_are_explained_and_listed_by_section() {
    let place = Place::new();
    let explained = place
        .run(["metrics", "explain", "sm__inst_executed_pipe_tensor.sum", "foo__bar_bytes.sum"])
        .ok();
    for line in [
        "measures  sm             the multiprocessors (SM)",
        "pipe_tensor    on the tensor cores",
        "foo    this part of the name is not known here",
        "bar    this part of the name is not known here",
        "bytes  bytes moved",
        "section   of no section known here",
    ] {
        assert!(explained.contains(line), "{line}\n{explained}");
    }
    let duration = ["metrics", "explain", "sm__throughput.avg.pct_of_peak_sustained_elapsed"];
    assert!(place.run(duration).ok().contains("section   SpeedOfLight"));
    let with = duration.into_iter().chain(["--report", "sample.ncu-rep"]);
    assert!(place.run(with).ok().contains(" of this report"));

    let listed = place.run(["metrics", "list", "sample.ncu-rep"]).ok();
    assert!(listed.contains("\nsection "), "{listed}");
    assert!(listed.contains("\nunit device: 12 metrics"), "{listed}");
}
