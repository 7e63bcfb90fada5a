//! Whatever the window, a result reads the same, damage included.

use std::io::Write;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Value;

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

fn field(number: usize, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(content.len()), content.to_vec()].concat()
}

/// The file of a report with one kernel result, whose bytes these are.
fn file(result: &[u8]) -> Vec<u8> {
    file_of(&[result])
}

/// The same with a block for each of several results.
fn file_of(results: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"NVR\0\x02\0\0\0\x08\x07".to_vec();
    for result in results {
        let length = u32::try_from(result.len()).unwrap().to_le_bytes();
        let header = [&[0x10, 1, 0x28][..], &varint(4 + result.len())].concat();
        bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend([&header, &length[..], result].concat());
    }
    bytes
}

fn report(result: &[u8]) -> Report {
    let report = Report::from_bytes(file(result)).unwrap();
    assert_eq!((report.len(), report.damage()), (1, &[][..]));
    report
}

fn read(report: &Report, window: usize, parts: &mut ResultParts) -> bool {
    let entry = report.result(0).unwrap().entry;
    parts.reset(entry.kind);
    parts.read(report, entry.bytes.clone(), window)
}

/// All that parts give, or nothing for a damaged result.
fn seen(report: &Report, window: usize) -> Option<String> {
    let mut parts = ResultParts::new(ResultKind::Graph);
    read(report, window, &mut parts).then(|| told(&parts))
}

fn told(parts: &ResultParts) -> String {
    let metrics: Vec<_> = parts.metrics().map(|m| (m.name_id, m.value)).collect();
    let mut given = Given(Vec::new());
    parts.give_metrics(&mut given);
    assert_eq!(format!("{metrics:?}"), format!("{:?}", given.0));
    let sections: Vec<_> = parts.sections().zip(parts.section_keys()).collect();
    let single: Vec<_> = (0..sections.len()).map(|at| parts.section(at)).collect();
    let rules: Vec<_> = parts.rules().collect();
    let names = (parts.function(), parts.demangled(), parts.mangled());
    let more = (parts.text(parts.context_name), parts.text(parts.stream_name), parts.nvtx());
    let shape = (parts.thread, parts.api_call, parts.grid, parts.block, parts.time);
    let place = (parts.context, parts.stream, parts.unknown_fields);
    format!("{metrics:?} {sections:?} {single:?} {rules:?} {names:?} {more:?} {shape:?} {place:?}")
}

/// Metrics as they are handed over.
struct Given<'a>(Vec<(u32, Option<Value<'a>>)>);

impl<'a> MetricSink<'a> for Given<'a> {
    fn number(&mut self, name_id: u32, number: f64) {
        self.0.push((name_id, Some(Value::F64(number))));
    }

    fn counter(&mut self, name_id: u32, counter: u64) {
        self.0.push((name_id, Some(Value::U64(counter))));
    }

    fn other(&mut self, name_id: u32, value: Option<Value<'a>>) {
        self.0.push((name_id, value));
    }
}

/// A field of a message, or something that looks like one.
fn any_field(numbers: Range<usize>, longest: usize) -> BoxedStrategy<Vec<u8>> {
    let tagged = |kind: usize, number: usize| varint(number << 3 | kind);
    prop_oneof![
        4 => (numbers.clone(), vec(any::<u8>(), 0..longest)).prop_map(|(n, content)| field(n, &content)),
        2 => (numbers.clone(), any::<u32>()).prop_map(move |(n, v)| [tagged(0, n), varint(v as usize)].concat()),
        1 => (numbers.clone(), any::<[u8; 8]>()).prop_map(move |(n, v)| [tagged(1, n), v.to_vec()].concat()),
        1 => (numbers, any::<[u8; 4]>()).prop_map(move |(n, v)| [tagged(5, n), v.to_vec()].concat()),
    ]
    .boxed()
}

fn message(number: usize, inner: Range<usize>) -> BoxedStrategy<Vec<u8>> {
    let in_order = vec(any_field(inner.clone(), 30), 0..20).prop_map(|mut fields| {
        fields.sort_by_key(|field| field[0] >> 3);
        fields
    });
    prop_oneof![3 => in_order, 1 => vec(any_field(inner, 30), 0..20)]
        .prop_map(move |fields| field(number, &fields.concat()))
        .boxed()
}

fn result() -> impl Strategy<Value = Vec<u8>> {
    let group = any_field(1..50, 60).prop_map(|inner| [&[0x0b][..], &inner, &[0x0c]].concat());
    let field = prop_oneof![
        5 => message(13, 1..5),
        3 => message(17, 1..8),
        4 => any_field(1..50, 120),
        1 => group,
    ];
    // A changed byte makes wrong tags and lengths that lead beyond the end.
    (vec(field, 1..12), proptest::option::of(any::<(prop::sample::Index, u8)>())).prop_map(
        |(fields, change)| {
            let mut bytes = fields.concat();
            if let Some((at, byte)) = change {
                *at.get_mut(&mut bytes) = byte;
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_window_gives_the_same(result in result()) {
        let report = report(&result);
        let whole = seen(&report, usize::MAX);
        for window in (1..40).chain([64, 100, 200, 400]) {
            prop_assert_eq!(seen(&report, window), whole.clone(), "window {}", window);
        }
    }

    #[test]
    fn a_metric_reads_the_same_in_every_way(
        id in prop_oneof![0..200_u32, any::<u32>()],
        value in prop_oneof![
            any::<f64>().prop_map(Value::F64),
            any::<u64>().prop_map(Value::U64),
            (0..70_u32).prop_map(|bits| Value::U64(1_u64.checked_shl(bits).unwrap_or(0).wrapping_sub(1))),
        ],
        behind in vec(any::<u8>(), 0..20),
    ) {
        let content = match value {
            Value::F64(number) => [&[0x19][..], &number.to_le_bytes()].concat(),
            Value::U64(counter) => [vec![0x28], varint(usize::try_from(counter).unwrap())].concat(),
            _ => unreachable!(),
        };
        let bytes = [vec![0x08], varint(id as usize), field(2, &content)].concat();
        let length = bytes.len();
        for bytes in [bytes.clone(), [bytes, behind].concat()] {
            let mut given = Given(Vec::new());
            metric::give(&bytes, length, &mut given);
            prop_assert_eq!(format!("{:?}", given.0), format!("{:?}", [(id, Some(&value))]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn results_that_are_read_together_read_the_same(results in vec(result(), 1..6), large in 0..6_usize) {
        let mut results = results;
        // One that is not read at once, and whatever comes behind it.
        let body = field(17, &[field(1, b"Id"), field(5, &vec![1; SMALL])].concat());
        let at = large.min(results.len());
        results.insert(at, body);
        let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
        let report = Report::from_bytes(file_of(&results)).unwrap();
        prop_assert_eq!(report.len(), results.len());
        let mut together = ResultParts::up_to(report.len());
        for view in report.results() {
            let mut alone = ResultParts::new(view.kind());
            let expected = alone
                .read(&report, view.entry.bytes.clone(), usize::MAX)
                .then(|| told(&alone));
            prop_assert_eq!(view.read_parts(&mut together).then(|| told(&together)), expected);
        }
    }
}

#[test]
fn results_before_the_place_where_a_file_was_shortened_are_read() {
    let results: Vec<Vec<u8>> = (0..4).map(|thread| vec![0x08, thread]).collect();
    let results: Vec<&[u8]> = results.iter().map(Vec::as_slice).collect();
    let bytes = file_of(&results);
    let mut on_disk = tempfile::NamedTempFile::new().unwrap();
    on_disk.write_all(&bytes).unwrap();
    let report = Report::open(on_disk.path()).unwrap();
    on_disk.as_file().set_len(bytes.len() as u64 - 1).unwrap();
    let mut parts = ResultParts::up_to(4);
    let read: Vec<_> =
        report.results().map(|view| view.read_parts(&mut parts).then_some(parts.thread)).collect();
    assert_eq!(read, [Some(0), Some(1), Some(2), None]);
}

#[test]
fn a_closed_report_keeps_its_index_and_is_opened_again() {
    let bytes = file(&[0x08, 7]);
    let mut on_disk = tempfile::NamedTempFile::new().unwrap();
    on_disk.write_all(&bytes).unwrap();
    let mut report = Report::open(on_disk.path()).unwrap();
    assert!(report.close() && !report.close(), "once");
    assert!(report.kept_bytes() > 0);
    let mut parts = ResultParts::new(ResultKind::Kernel);
    assert!(!report.result(0).unwrap().read_parts(&mut parts), "it is closed");
    let again = report.reopened(on_disk.path()).unwrap();
    assert!(again.result(0).unwrap().read_parts(&mut parts));
    assert_eq!(parts.thread, 7);
    assert!(!Report::from_bytes(bytes).unwrap().close(), "it is in memory");
}

#[test]
fn instances_and_bodies_of_a_large_result_are_not_read() {
    let metric = [&[0x08, 5, 0x12, 2, 0x28, 9][..], &field(3, &[0; 20]).repeat(10_000)].concat();
    let section = [field(1, b"Id"), field(2, b"Name"), field(5, &vec![1; 300_000])].concat();
    let result =
        [field(13, &metric), field(6, b"name"), field(17, &section), vec![0x08, 3]].concat();
    let report = report(&result);
    let view = report.result(0).unwrap();
    let mut parts = ResultParts::new(ResultKind::Kernel);
    assert!(view.read_parts(&mut parts));
    assert!(parts.bytes.len() < 3 * WINDOW, "{} bytes were read", parts.bytes.len());
    let metric = parts.metrics().next().unwrap();
    assert_eq!((metric.name_id, metric.value.clone()), (5, Some(Value::U64(9))));
    assert_eq!(metric.instances().count(), 0, "they are the business of the whole result");
    assert_eq!((&*parts.function(), parts.thread), ("name", 3));
    assert_eq!(parts.section_keys().next(), Some(&b"\x0a\x02Id\x12\x04Name"[..]));
    assert_eq!(view.parts().unwrap().metrics().next().unwrap().instances().count(), 10_000);
}

#[test]
fn a_group_that_claims_the_whole_result_is_read_once() {
    let mut result = vec![0x0b];
    result.extend(field(1, &[7; 30]).repeat(20_000));
    let open = report(&result);
    assert_eq!(seen(&open, WINDOW), None);
    result.extend([0x0c, 0x08, 3]);
    let closed = report(&result);
    assert_eq!(seen(&closed, WINDOW), seen(&closed, usize::MAX));
    assert!(seen(&closed, WINDOW).unwrap().contains("(3, 0, None"));
}

#[test]
fn a_file_that_shrinks_inside_a_last_field_that_is_not_read_is_noticed() {
    let section = [field(1, b"Id"), field(5, &vec![1; 300_000])].concat();
    let bytes = file(&field(17, &section));
    for (lost, readable) in [(0, true), (1, false), (100_000, false)] {
        let mut on_disk = tempfile::NamedTempFile::new().unwrap();
        on_disk.write_all(&bytes).unwrap();
        let report = Report::open(on_disk.path()).unwrap();
        on_disk.as_file().set_len(bytes.len() as u64 - lost).unwrap();
        let mut parts = ResultParts::new(ResultKind::Kernel);
        assert_eq!(report.result(0).unwrap().read_parts(&mut parts), readable, "{lost} lost");
    }
}
