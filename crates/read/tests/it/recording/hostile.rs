//! Damaged and malicious files: whatever the bytes are, nothing panics, and what is whole is kept.

use super::support::folder;
use proptest::prelude::*;
use rangescope_read::recording::{Recording, regions};
use rangescope_recorder::format::{HEADER_LEN, u32_at};
use rangescope_report::recorded;
use rangescope_testing::recording::{File, sample};

fn read(file: &File) -> Option<usize> {
    let (_keep, path) = folder(&[("1-0.nvtx", file)]);
    let recording = Recording::open(&path).ok()?;
    for process in &recording.processes {
        process.sweep(|event, state| drop(state.open(event.thread)));
    }
    let document = regions(&recording);
    for line in recorded::terminal(&document, &recorded::Shown::default()).lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
    Some(recording.processes.iter().map(rangescope_read::recording::Process::event_count).sum())
}

#[test]
fn a_file_that_was_cut_keeps_what_came_before_the_cut() {
    let whole = sample();
    assert_eq!(read(&whole), Some(200 * 7 + 2));
    let mut last = 0;
    for len in (0..whole.bytes.len()).step_by(1001) {
        let mut cut = sample();
        cut.bytes.truncate(len);
        match read(&cut) {
            None => assert!(len < HEADER_LEN),
            Some(events) => {
                assert!(events >= last, "{events} events of {len} bytes");
                last = events;
            }
        }
    }
    assert!(last > 200 * 7 - 10);
}

#[test]
fn a_damaged_record_ends_its_chunk_and_no_other() {
    let mut file = sample();
    let record = HEADER_LEN + 16;
    let word = u32_at(&file.bytes, record).unwrap();
    // Longer than the chunk.
    file.put(record, &(word | 0xffff).to_le_bytes());
    assert_eq!(read(&file), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_do_no_harm(changes in proptest::collection::vec((0_usize..70_000, any::<u8>()), 1..60), long in any::<bool>()) {
        let mut file = sample();
        for (at, value) in changes {
            let at = if long { at * 3 } else { HEADER_LEN - 500 + at % 3000 };
            if let Some(byte) = file.bytes.get_mut(at) {
                *byte = value;
            }
        }
        read(&file);
    }

    #[test]
    fn random_words_in_a_chunk_do_no_harm(words in proptest::collection::vec(any::<u32>(), 1..3000)) {
        let mut file = sample();
        for (index, word) in words.iter().enumerate() {
            file.put(HEADER_LEN + 16 + 4 * index, &word.to_le_bytes());
        }
        read(&file);
    }
}

#[test]
fn a_program_that_never_pops_makes_a_bounded_tree() {
    let mut file = File::new(7);
    file.thread(11, 0);
    for step in 0..2000 {
        file.push(step, "deeper");
    }
    let (_keep, path) = folder(&[("1-0.nvtx", &file)]);
    let document = regions(&Recording::open(&path).unwrap());
    let tree = document.reports.last().unwrap();
    assert_eq!(tree.regions.len(), 256);
    assert_eq!(tree.ranges_too_deep, 2000 - 256);
}
