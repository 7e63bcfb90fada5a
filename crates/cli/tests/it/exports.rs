//! Exports of what has times and no results: recordings, and exports of Nsight Systems.

use std::collections::BTreeMap;

use rangescope_testing::{nsys, recording};

use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    fs_err::write(place.path("trace.sqlite"), nsys::sample()).unwrap();
    fs_err::write(place.path("app.nvtx"), recording::sample().bytes).unwrap();
    place
}

/// A table as CSV, by the names of its columns.
fn table(place: &Place, out: &str, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(place.path(out).join(format!("{name}.csv"))).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn nsight_systems_gives_ranges_and_kernels_with_their_times() {
    let place = place();
    place.run(["export", "trace.sqlite", "--format", "csv", "--out", "tables"]).ok();
    let spans = table(&place, "tables", "spans");
    let kernels: Vec<_> = spans.iter().filter(|span| span["kind"] == "kernel").collect();
    assert_eq!((spans.len(), kernels.len()), (180, 60));
    assert!(kernels.iter().all(|kernel| kernel["name"] == "void gemm<int>(T1)"));
    let of_steps = kernels.iter().filter(|kernel| kernel["path"].starts_with("[\"step"));
    assert_eq!(of_steps.count(), 60);
    let regions = table(&place, "tables", "regions");
    let aggregate = |region: &&BTreeMap<String, String>| region["scope"] == "aggregate";
    let steps: Vec<_> =
        regions.iter().filter(aggregate).filter(|one| one["region"].starts_with("step")).collect();
    let results: u64 = steps.iter().map(|step| step["results"].parse::<u64>().unwrap()).sum();
    assert_eq!((steps.len(), results), (7, 60));
    assert!(!place.path("tables/metrics.csv").exists());
    // The stacks of one tree have all kernels.
    let stacks = place.run(["export", "trace.sqlite", "--format", "collapsed", "--quiet"]).ok();
    assert!(stacks.contains("step 0;void gemm<int>(T1)"), "{stacks}");
}

#[test]
fn a_recording_gives_ranges_with_their_times() {
    let place = place();
    place.run(["export", "app.nvtx", "--format", "csv", "--out", "tables"]).ok();
    let spans = table(&place, "tables", "spans");
    let named = |name: &str| spans.iter().filter(|span| span["name"] == name).count();
    assert_eq!(
        (named("outer"), named("registered"), named("async"), named("other")),
        (200, 200, 200, 1)
    );
    let regions = table(&place, "tables", "regions");
    let outer = regions.iter().find(|one| one["region"] == "outer").unwrap();
    // Each is open for five nanoseconds.
    assert_eq!(outer["total_ms"], "0.001");
    assert_eq!(outer["results"], "200");
    assert!(!place.path("tables/kernels.csv").exists());
    let text = place.run(["export", "app.nvtx", "--format", "speedscope", "--quiet"]).ok();
    let profiles: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(profiles["profiles"][0]["name"].as_str().unwrap().starts_with("time"));
}

#[test]
fn boxes_on_a_track_never_cross() {
    let place = place();
    let text = place.run(["export", "trace.sqlite", "app.nvtx", "--format", "perfetto", "-q"]).ok();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().unwrap().iter().filter(|one| one["ph"] == "X") {
        let (ts, dur) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
        let track = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        tracks.entry(track).or_default().push((ts, ts + dur));
    }
    assert!(tracks.len() > 5, "{}", tracks.len());
    for spans in tracks.values() {
        let mut open: Vec<f64> = Vec::new();
        for &(start, end) in spans {
            while open.pop_if(|until| *until <= start + 1e-9).is_some() {}
            assert!(open.last().is_none_or(|until| end <= until + 1e-9), "{start} {end} {open:?}");
            open.push(end);
        }
    }
}

#[test]
fn what_such_an_input_does_not_have_is_said() {
    let place = place();
    let words =
        ["export", "app.nvtx", "--format", "csv", "--out", "x", "--tables", "metrics,regions"];
    let said = place.run(words).fails(2);
    assert!(said.contains("a recording has no metrics") && said.contains("it has ranks"), "{said}");
    assert!(!place.path("x").exists());
    let said = place.run(["export", "trace.sqlite"]).fails(5);
    assert!(said.contains("--format perfetto"), "{said}");
    let words = ["export", "sample.ncu-rep", "--format", "csv", "--out", "x", "--tables", "spans"];
    let said = place.run(words).fails(2);
    assert!(said.contains("a report of ncu has no spans"), "{said}");
    // Results of ncu and times of another program are not put together.
    place.run(["export", "sample.ncu-rep", "trace.sqlite", "--format", "collapsed"]).fails(5);
}
