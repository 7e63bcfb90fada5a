//! Large results, of which only the needed parts are read.

use std::borrow::Cow;

use ncu_rep::{Instance, Metric, Report, ResultData, ResultParts, ResultView, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{cut_while_open, kernel, write};

/// All that parts give but the instances.
fn seen(parts: &ResultParts) -> String {
    let metrics: Vec<_> = parts.metrics().map(|m| (m.name_id, m.value)).collect();
    let sections: Vec<_> = parts.sections().zip(parts.section_keys()).collect();
    let rules: Vec<_> = parts.rules().collect();
    let names = (parts.function(), parts.demangled(), parts.mangled());
    let shape = (parts.kind, parts.thread, parts.api_call, parts.grid, parts.block, parts.time);
    let more = (parts.context, parts.stream, parts.unknown_fields, parts.nvtx());
    format!("{metrics:?} {sections:?} {rules:?} {names:?} {shape:?} {more:?}")
}

fn assert_same(view: ResultView<'_>, parts: &mut ResultParts, what: &str) {
    let readable = view.read_parts(parts);
    let whole = view.parts();
    let same = readable.then(|| seen(parts)) == whole.as_ref().map(seen);
    assert!(same, "result {} of {what} reads differently", view.index());
}

#[test]
fn real_results_read_the_same_in_part_and_whole() {
    let Some(shared) = crate::support::shared("large real results") else { return };
    let mut parts = ResultParts::new(ncu_rep::ResultKind::Kernel);
    let mut results = 0;
    for entry in std::fs::read_dir(shared.join("corpus/reports")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(report) = Report::open(&path) else { continue };
        for view in report.results() {
            assert_same(view, &mut parts, &path.display().to_string());
            results += 1;
        }
    }
    assert!(results > 100, "only {results} results were compared");
}

fn metric(number: usize, instances: usize) -> Metric<'static> {
    let instance = |at| Instance {
        correlation: Some(Value::U64(0x7f00_0000_0000 + 16 * at as u64)),
        value: Some(Value::U64(at as u64)),
    };
    Metric {
        name: format!("metric_{number}").into(),
        value: Some(Value::F64(number as f64)),
        instances: (0..instances).map(instance).collect(),
    }
}

/// A kernel whose metrics have so many instances.
fn with_instances(instances: &[usize]) -> ResultData<'static> {
    let metrics = instances.iter().enumerate().map(|(number, &count)| metric(number, count));
    ResultData { metrics: metrics.collect(), ..kernel(0) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn made_results_read_the_same_in_part_and_whole(
        counts in vec(prop_oneof![4 => 0..3usize, 1 => 0..3_000usize], 0..200),
        name in prop_oneof![0..40usize, 0..20_000usize],
        text in prop_oneof![0..40usize, 0..20_000usize],
    ) {
        let mut data = with_instances(&counts);
        data.demangled = Cow::Owned("n".repeat(name));
        data.metrics.push(Metric {
            value: Some(Value::Text("t".repeat(text).into())),
            ..metric(1_000, 8_000)
        });
        let report = Report::from_bytes(write(&[data.clone(), kernel(1)])).unwrap();
        let mut parts = ResultParts::new(ncu_rep::ResultKind::Kernel);
        for view in report.results() {
            assert_same(view, &mut parts, "a made report");
        }
        let decoded = report.result(0).unwrap().decode().unwrap();
        prop_assert_eq!(decoded.metrics, data.metrics, "decoding gives the instances too");
    }
}

#[test]
fn a_file_that_shrinks_inside_what_is_not_read_is_noticed() {
    let bytes = write(&[kernel(0), with_instances(&[5_000, 0, 5_000])]);
    let whole = Report::from_bytes(bytes.clone()).unwrap();
    let start = whole.result(1).unwrap().offset();
    let end = bytes.len() as u64;
    // Inside the first metric, inside the last one, and one byte before the end.
    for length in [start + 30_000, end - 30_000, end - 1] {
        let report = cut_while_open(&bytes, length);
        let mut parts = ResultParts::new(ncu_rep::ResultKind::Kernel);
        assert!(!report.result(1).unwrap().read_parts(&mut parts), "cut to {length} of {end}");
        assert!(report.result(1).unwrap().parts().is_none());
        assert!(report.result(0).unwrap().read_parts(&mut parts), "the one before is whole");
        assert_eq!(parts.function(), "kernel_0");
    }
    let uncut = cut_while_open(&bytes, end);
    assert!(
        uncut.result(1).unwrap().read_parts(&mut ResultParts::new(ncu_rep::ResultKind::Kernel))
    );
}

#[test]
fn a_file_that_ends_inside_what_is_not_read_has_lost_that_result() {
    let bytes = write(&[kernel(0), with_instances(&[5_000, 0, 5_000])]);
    let report = Report::from_bytes(bytes[..bytes.len() - 30_000].to_vec()).unwrap();
    assert_eq!((report.len(), report.damage().len()), (1, 1));
    assert_eq!(report.damage()[0].lost_results(), 1);
}

#[test]
fn a_length_beyond_the_result_is_damage_and_its_neighbours_stay() {
    let bytes = write(&[kernel(0), with_instances(&[5_000, 0, 5_000]), kernel(2)]);
    let start =
        usize::try_from(Report::from_bytes(bytes.clone()).unwrap().result(1).unwrap().offset())
            .unwrap();
    // The first metric: its tag, then a length of three bytes.
    let tag = start + bytes[start..].windows(2).position(|w| w[0] == 0x6a && w[1] >= 0x80).unwrap();
    for (last, readable) in [(bytes[tag + 3], true), (0x7f, false)] {
        let mut changed = bytes.clone();
        changed[tag + 3] = last;
        let report = Report::from_bytes(changed).unwrap();
        let mut parts = ResultParts::new(ncu_rep::ResultKind::Kernel);
        let read: Vec<bool> = report.results().map(|view| view.read_parts(&mut parts)).collect();
        assert_eq!(read, [true, readable, true]);
    }
}
