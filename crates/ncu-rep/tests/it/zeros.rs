//! Zeros where a report should go on: pages that a disk or a copy lost, or that a writer never came to. They are never silent.

use ncu_rep::{DamageKind, ReadError, Report, ResultKind, ResultParts};

use crate::support::{block_starts, fs_write, shared, small_report};

const PAGE: usize = 4096;

/// Results that can be read and those that are said to be lost; nothing if the report is refused.
fn read(bytes: Vec<u8>) -> Option<(usize, u64)> {
    let report = Report::from_bytes(bytes).ok()?;
    let mut parts = ResultParts::new(ResultKind::Kernel);
    let readable = report.results().filter(|view| view.read_parts(&mut parts)).count();
    let lost = (report.len() - readable) as u64 + report.lost_results();
    assert_eq!(
        report.lost_results() > 0,
        report.damage().iter().any(ncu_rep::Damage::is_open_ended)
    );
    Some((readable, lost))
}

/// Zeros from `at` to the end must be told; those of them that begin with a block must leave all results before it.
fn assert_told(bytes: &[u8], at: usize, before: Option<usize>, what: &str) {
    let mut zeroed = bytes.to_vec();
    zeroed[at..].fill(0);
    let Some((readable, lost)) = read(zeroed) else { return };
    assert!(lost > 0, "{what}: zeros from byte {at} of {} on are silent", bytes.len());
    assert_eq!(before.unwrap_or(readable), readable, "{what}: zeros from byte {at} on");
}

fn zero_tails(bytes: &[u8], what: &str) {
    let report = Report::from_bytes(bytes.to_vec()).unwrap();
    let offsets: Vec<usize> =
        report.results().map(|view| usize::try_from(view.offset()).unwrap()).collect();
    let starts = block_starts(bytes);
    for &start in &starts[..starts.len() - 1] {
        let before = offsets.iter().filter(|&&offset| offset < start).count();
        assert_told(bytes, start, Some(before), what);
    }
    // All pages of small reports, and some of large ones.
    let step = PAGE * (1 + bytes.len() / (100 * PAGE));
    for page in (PAGE..bytes.len()).step_by(step) {
        assert_told(bytes, page, None, what);
    }
}

#[test]
fn zeros_to_the_end_of_a_report_are_told_wherever_they_begin() {
    for count in [1, 2, 3, 200] {
        zero_tails(&small_report(count), &format!("{count} results"));
    }
    let Some(shared) = shared("zeros in real reports") else { return };
    let mut reports = 0;
    for entry in std::fs::read_dir(shared.join("corpus/reports")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if bytes.starts_with(b"NVR\0") {
            zero_tails(&bytes, &path.display().to_string());
            reports += 1;
        }
    }
    assert!(reports > 20, "only {reports} reports were tried");
}

#[test]
fn every_cut_of_a_report_that_loses_bytes_of_a_block_is_told() {
    let bytes = small_report(20);
    let starts = block_starts(&bytes);
    for cut in 0..bytes.len() {
        let Some((readable, lost)) = read(bytes[..cut].to_vec()) else { continue };
        assert_eq!(lost > 0, !starts.contains(&cut), "cut at {cut}: {readable} and {lost}");
    }
}

#[test]
fn zeros_between_blocks_are_told_and_the_blocks_after_them_are_read() {
    let bytes = small_report(4);
    let middle = block_starts(&bytes)[2];
    for count in [4, 8, 512, 4096] {
        let (start, end) = bytes.split_at(middle);
        let report = Report::from_bytes([start, &vec![0; count], end].concat()).unwrap();
        assert_eq!(report.len(), 4, "{count} zeros");
        let kind = DamageKind::Zeros { lost_bytes: count as u64, ends: false };
        assert_eq!(report.damage().iter().map(|d| &d.kind).collect::<Vec<_>>(), [&kind]);
        assert_eq!(report.lost_results(), 1);
    }
}

#[test]
fn nothing_but_zeros_is_refused_at_once_whatever_the_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hole.ncu-rep");
    let starts: [(&[u8], &str); 3] = [
        (b"", "it begins with zeros"),
        (b"NVR\0\x02\0\0\0\x08\x07", "zeros at byte 10"),
        (&small_report(1), ""),
    ];
    for (start, said) in starts {
        fs_write(&path, start);
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(1 << 42).unwrap();
        match Report::open(&path) {
            Ok(report) => assert_eq!((said, report.len(), report.lost_results()), ("", 1, 1)),
            Err(error) => assert!(error.to_string().contains(said), "{error}"),
        }
    }
}

#[test]
fn a_report_without_a_readable_result_is_refused() {
    let bytes = small_report(1);
    let mut session = ncu_rep::write::ReportWriter::new(Vec::new()).unwrap();
    session.session(&ncu_rep::Session::default(), &ncu_rep::Process::default()).unwrap();
    let mut cut = session.finish().unwrap();
    assert!(Report::from_bytes(cut.clone()).unwrap().is_empty(), "no result is no damage");
    cut.extend(&bytes[10..bytes.len() - 1]);
    let refused = Report::from_bytes(cut).unwrap_err();
    assert!(matches!(refused, ReadError::NothingReadable { .. }), "{refused}");
}
