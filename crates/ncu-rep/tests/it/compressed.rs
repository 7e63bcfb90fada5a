//! Compressed reports: recognised by content, read in any number of frames, bounded.

use ncu_rep::{DamageKind, ReadError, Report};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn names(report: &Report) -> Vec<String> {
    report.results().map(|view| view.decode().unwrap().function.into_owned()).collect()
}

#[test]
fn one_frame_or_several_give_the_same_report() {
    let bytes = crate::support::small_report(50);
    let expected = names(&Report::from_bytes(bytes.clone()).unwrap());
    let (first, second) = bytes.split_at(bytes.len() / 3);
    for stream in [compressed(&bytes), [compressed(first), compressed(second)].concat()] {
        let report = Report::from_bytes(stream).unwrap();
        assert!(report.damage().is_empty());
        assert_eq!(names(&report), expected);
    }
}

#[test]
fn a_stream_that_breaks_gives_what_came_before() {
    let bytes = crate::support::small_report(50);
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let mut stream = compressed(first);
    let kept = stream.len() + 20;
    stream.extend(compressed(second));
    stream.truncate(kept);
    let report = Report::from_bytes(stream).unwrap();
    assert!((20..30).contains(&report.len()), "{}", report.len());
    let kinds: Vec<_> = report.damage().iter().map(|damage| &damage.kind).collect();
    assert!(kinds.iter().any(|kind| matches!(kind, DamageKind::CompressedCut { .. })), "{kinds:?}");
}

#[test]
fn a_small_file_cannot_fill_the_disk() {
    let stream = compressed(&vec![0; 300 << 20]);
    assert!(stream.len() < 1 << 20, "{} bytes", stream.len());
    let error = Report::from_bytes(stream).unwrap_err().to_string();
    assert!(error.contains("grows beyond"), "{error}");
}

#[test]
fn a_small_stream_cannot_fill_the_memory() {
    let start = b"NVR\0\x02\0\0\0\x08\x07";
    // A block header of 40 MiB with 20 million strings, and one of twelve million processes and more.
    let strings = [0x0a, 0].repeat(20 << 20);
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let field = [&[0x22, 0x80, 0x80, 0x80, 0x14][..], &strings].concat();
    let header = [&start[..], &length(&field), &field].concat();
    let blocks = [&start[..], &[2, 0, 0, 0, 0x28, 0].repeat(12 << 20)].concat();
    for bytes in [header, blocks] {
        let stream = compressed(&bytes);
        assert!(stream.len() < bytes.len() / 50, "{} bytes", stream.len());
        let refused = Report::from_bytes(stream).unwrap_err();
        let is_told = matches!(
            refused,
            ReadError::OutOfProportion { .. } | ReadError::NothingReadable { .. }
        );
        assert!(is_told, "{refused}");
    }
}
