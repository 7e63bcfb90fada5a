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
    let length = u32::try_from(result.len()).unwrap().to_le_bytes();
    let header = [&[0x10, 1, 0x28][..], &varint(4 + result.len())].concat();
    let mut bytes = b"NVR\0\x02\0\0\0\x08\x07".to_vec();
    bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend([&header, &length[..], result].concat());
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
    read(report, window, &mut parts).then(|| {
        let metrics: Vec<_> = parts.metrics().map(|m| (m.name_id, m.value)).collect();
        let sections: Vec<_> = parts.sections().zip(parts.section_keys()).collect();
        let single: Vec<_> = (0..sections.len()).map(|at| parts.section(at)).collect();
        let rules: Vec<_> = parts.rules().collect();
        let names = (parts.function(), parts.demangled(), parts.mangled());
        let more = (parts.text(parts.context_name), parts.text(parts.stream_name), parts.nvtx());
        let shape = (parts.thread, parts.api_call, parts.grid, parts.block, parts.time);
        let place = (parts.context, parts.stream, parts.unknown_fields);
        format!(
            "{metrics:?} {sections:?} {single:?} {rules:?} {names:?} {more:?} {shape:?} {place:?}"
        )
    })
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
