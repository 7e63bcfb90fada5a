//! Damaged reports: whatever can be read is read, and what is lost is said.

use crate::support::{block_starts, cut_while_open, fs_write, small_report};
use ncu_rep::{DamageKind, ReadError, Report};

/// Names of the readable results and what the reader says is wrong.
fn read(bytes: Vec<u8>) -> Result<(Vec<String>, Vec<String>), ReadError> {
    let report = Report::from_bytes(bytes)?;
    let mut said: Vec<String> = report.damage().iter().map(ToString::to_string).collect();
    let mut names = Vec::new();
    for view in report.results() {
        match view.decode() {
            Some(data) => names.push(data.function.into_owned()),
            None => said.push(format!("the result at byte {} is damaged", view.offset())),
        }
    }
    Ok((names, said))
}

#[test]
fn a_cut_between_blocks_gives_the_blocks_before_it() {
    let bytes = small_report(3);
    let starts = block_starts(&bytes);
    assert_eq!(starts.len(), 4, "the start of each of the three blocks, and the end");
    let (names, said) = read(bytes[..starts[2]].to_vec()).unwrap();
    assert_eq!((names.len(), said.len()), (2, 0));
}

#[test]
fn every_cut_inside_a_block_keeps_the_results_before_it_and_says_what_is_lost() {
    let bytes = small_report(3);
    let starts = block_starts(&bytes);
    for cut in starts[1] + 1..starts[2] {
        let (names, said) = read(bytes[..cut].to_vec()).unwrap();
        assert_eq!(names, ["kernel_0"], "cut at {cut}");
        assert_eq!(said.len(), 1, "cut at {cut}");
    }
}

#[test]
fn a_cut_inside_a_result_counts_one_lost() {
    let bytes = small_report(2);
    let report = Report::from_bytes(bytes[..bytes.len() - 5].to_vec()).unwrap();
    let kinds: Vec<_> =
        report.damage().iter().map(|d| (d.kind.clone(), d.lost_results())).collect();
    assert_eq!(kinds, [(DamageKind::EntryCut { what: "kernel result", lost: 1 }, 1)]);
}

#[test]
fn a_broken_result_is_skipped_and_its_neighbours_stay() {
    let bytes = small_report(3);
    let offset =
        usize::try_from(Report::from_bytes(bytes.clone()).unwrap().result(1).unwrap().offset())
            .unwrap();
    let mut broken = bytes;
    broken[offset] = 0xff;
    broken[offset + 1] = 0xff;
    let (names, said) = read(broken).unwrap();
    assert_eq!(names, ["kernel_0", "kernel_2"]);
    assert_eq!(said, [format!("the result at byte {offset} is damaged")]);
}

#[test]
fn stray_bytes_after_the_end_are_ignored_aloud() {
    for tail in [&b"x"[..], b"xy", b"xyz", b"some text after the end"] {
        let mut bytes = small_report(2);
        bytes.extend(tail);
        let (names, said) = read(bytes).unwrap();
        assert_eq!((names.len(), said.len()), (2, 1), "{tail:?}");
    }
}

#[test]
fn a_payload_size_that_is_too_small_is_corrected_by_the_entries() {
    let bytes = small_report(3);
    let starts = block_starts(&bytes);
    // The header of the second block states its payload size in field 5; halve it by rewriting the two-byte varint.
    let header = &bytes[starts[1]..starts[2]];
    let at = starts[1] + header.windows(1).position(|w| w == [0x28]).unwrap() + 1;
    let mut broken = bytes.clone();
    assert!(broken[at] >= 0x80, "a two-byte varint is expected");
    broken[at + 1] = 0;
    broken[at] = 0x80 | 9;
    let (names, said) = read(broken).unwrap();
    assert_eq!(names.len(), 3, "{said:?}");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("its entries were followed"), "{said:?}");
}

#[test]
fn a_lost_file_start_does_not_lose_the_rest() {
    let bytes = small_report(2);
    let (names, said) = read(bytes[10..].to_vec()).unwrap();
    assert_eq!((names.len(), said.len()), (2, 1));
}

#[test]
fn what_is_no_report_is_an_error_that_says_so() {
    let error = |bytes: &[u8]| read(bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(error(b""), "the file is empty (0 bytes)");
    assert!(error(b"hello, world").contains("the text `hello, w`"));
    assert!(error(&[0, 1, 2, 3, 4]).contains("the bytes 00 01 02 03 04"));
    assert!(error(b"NVR\0\x02\0\0\0\x08\x06").contains("version 6"));
    assert!(error(b"NVR\0\xff\xff\xff\xff").contains("no part"));
    assert!(error(b"NVR\0").contains("no part"));
    assert!(error(b"NVR\0\x02\0\0\0\x08\x07").contains("still writing"));
    assert!(error(&[0; 4096]).contains("it begins with zeros"));
    assert!(error(b"\x28\xb5\x2f\xfdgarbage").contains("zstd"));
}

#[test]
fn lengths_of_four_gibibytes_cost_nothing() {
    let mut bytes = small_report(1);
    bytes.extend([0xff; 4]);
    bytes.extend([0; 64]);
    let (names, said) = read(bytes).unwrap();
    assert_eq!((names.len(), said.len()), (1, 1));
}

#[test]
fn every_flipped_byte_is_survived() {
    let bytes = small_report(2);
    for at in 0..bytes.len() {
        for mask in [0xff, 0x80, 0x01] {
            let mut broken = bytes.clone();
            broken[at] ^= mask;
            if let Ok((names, _)) = read(broken) {
                assert!(names.len() <= 4, "byte {at}");
            }
        }
    }
}

#[test]
fn real_damage_is_told_from_real_reports() {
    let Some(shared) = crate::support::shared("damage to a real report") else { return };
    let path = shared.join("corpus/reports/NVIDIA__nsight-training__manual_nvtx.ncu-rep");
    let bytes = std::fs::read(path).unwrap();
    let (names, said) = read(bytes[..150_000].to_vec()).unwrap();
    assert_eq!(names, ["init_data_kernel", "daxpy_kernel"]);
    assert_eq!(said.len(), 1);
    let start = "the file ends inside a kernel result entry at byte 119815; 1 lost with it";
    assert!(said[0].starts_with(start), "{said:?}");
}

#[test]
fn a_report_that_ncu_had_only_begun_is_told_from_a_whole_one() {
    let Some(shared) = crate::support::shared("the beginning of real reports") else { return };
    let mut told = 0;
    for entry in std::fs::read_dir(shared.join("corpus/reports")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.starts_with(b"NVR\0") {
            continue;
        }
        assert!(Report::from_bytes(bytes.clone()).unwrap().damage().is_empty(), "{path:?}");
        // The session's start, a source, a result; what ncu tells of the program comes after these.
        let begun = bytes[..block_starts(&bytes)[3]].to_vec();
        let (names, said) = read(begun).unwrap();
        assert_eq!((names.len(), said.len()), (1, 1), "{path:?}: {said:?}");
        assert!(said[0].contains("ncu is still writing this report or was killed"), "{said:?}");
        told += 1;
    }
    assert!(told > 20, "only {told} reports were tried");
}

#[test]
fn a_file_that_shrinks_while_it_is_read_loses_its_results_and_nothing_else() {
    let bytes = small_report(300);
    let offset = Report::from_bytes(bytes.clone()).unwrap().result(200).unwrap().offset();
    for length in [0, 4096, offset + 1] {
        let report = cut_while_open(&bytes, length);
        let kept = report.results().take_while(|view| view.decode().is_some()).count();
        let gone = report.results().filter(|view| view.parts().is_none()).count();
        assert_eq!(kept + gone, 300, "cut to {length} bytes");
        assert!(gone >= 100, "cut to {length} bytes");
        // What was read with the headers is still there, and whoever needs the rest is told.
        assert_eq!(report.processes()[0].executable, "/bin/prog");
        assert_eq!(report.string(0), Some("gpu__time_duration.sum"));
        let mut writer = ncu_rep::write::ReportWriter::new(Vec::new()).unwrap();
        let copied = writer.copy_report(&report).unwrap_err();
        assert_eq!(copied.kind(), std::io::ErrorKind::UnexpectedEof);
    }
}

#[test]
fn a_file_may_shrink_and_change_at_any_moment() {
    let bytes = small_report(2_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ncu-rep");
    fs_write(&path, &bytes);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0_usize;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                turn += 1;
                let mut other = bytes[..bytes.len() * (turn % 5) / 5].to_vec();
                other.iter_mut().skip(100).step_by(37).for_each(|byte| *byte ^= 0xff);
                fs_write(&path, if turn.is_multiple_of(2) { &bytes } else { &other });
            }
        });
        for _ in 0..200 {
            let Ok(report) = Report::open(&path) else { continue };
            let names = report.results().filter_map(|view| view.decode()).count();
            assert!(names <= report.len());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
