//! What the reader makes of files: order, stacks, names, processes.

use super::support::{folder, recording, swept};
use rangescope_model::region::DEFAULT_DOMAIN;
use rangescope_read::recording::{Payload, Recording, RecordingError};
use rangescope_recorder::format::{Attributes, Kind, field, key, stopped};
use rangescope_testing::recording::{File, Said};

#[test]
fn events_of_all_threads_are_in_order_of_time_with_the_stack_of_their_own_thread() {
    let mut file = File::new(7);
    file.thread(11, 0).push(10, "a").push(20, "b").mark(30, "here").pop(40).pop(60);
    file.thread(12, 1).push(15, "c").mark(35, "there").pop(50);
    let lines = swept(&recording(&file));
    let expected = [
        "10 push a: <default domain>[a][]",
        "15 push c: <default domain>[c][]",
        "20 push b: <default domain>[a/b][]",
        "30 mark here: <default domain>[a/b][]",
        "35 mark there: <default domain>[c][]",
        "40 pop : <default domain>[a][]",
        "50 pop : ",
        "60 pop : ",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn domains_have_their_own_stacks_and_start_end_ranges_belong_to_the_process() {
    let mut file = File::new(7);
    file.thread(11, 0);
    file.record(Kind::Domain, 3, 0, 0, &Said::Text("lib"));
    file.push(1, "a").record(Kind::Push, 3, 2, 0, &Said::Text("x")).start(3, 9, "s");
    file.pop(4).record(Kind::Start, 3, 5, 10, &Said::Text("t"));
    file.thread(12, 1).mark(6, "m").end(7, 9).mark(8, "n");
    let expected = [
        "1 push a: <default domain>[a][]",
        "2 push x: <default domain>[a][] lib[x][]",
        "3 start s: <default domain>[a][s#9] lib[x][]",
        "4 pop : <default domain>[][s#9] lib[x][]",
        "5 start t: <default domain>[][s#9] lib[x][t#10]",
        "6 mark m: <default domain>[][s#9] lib[][t#10]",
        "7 end : lib[][t#10]",
        "8 mark n: lib[][t#10]",
    ];
    assert_eq!(swept(&recording(&file)), expected);
}

#[test]
fn stretches_of_a_thread_are_put_together_in_the_order_in_which_they_were_written() {
    // The second stretch of thread 0 is in a chunk that another thread left behind, so it comes first in the file.
    let mut file = File::new(7);
    file.thread(12, 1).push(1, "other").pop(2);
    file.thread(11, 0).push(3, "a");
    file.thread(11, 0).push(4, "b").pop(5).pop(6);
    let recording = recording(&file);
    assert_eq!(recording.processes[0].threads.len(), 2);
    assert_eq!(swept(&recording)[3], "4 push b: <default domain>[a/b][]");
    assert!(recording.notes.is_empty());
}

#[test]
fn a_thread_id_that_is_used_again_is_another_thread() {
    let mut file = File::new(7);
    file.thread(11, 0).push(1, "never popped");
    file.thread(11, 1).push(2, "a");
    let recording = recording(&file);
    assert_eq!(recording.processes[0].threads.len(), 2);
    assert_eq!(swept(&recording)[1], "2 push a: <default domain>[a][]");
}

#[test]
fn attributes_categories_and_thread_names_are_kept() {
    let attributes = Attributes {
        category: 4,
        color_type: 1,
        color: 0xff00_1122,
        payload_type: 5,
        payload: u64::from((-3_i32).cast_unsigned()),
    };
    let mut file = File::new(7);
    file.thread(11, 0);
    file.record(Kind::Category, 0, 0, 4, &Said::Text("four"));
    file.record(Kind::ThreadName, 0, 0, 11, &Said::Text("worker"));
    file.full(Kind::Mark, 0, 1, 0, Some(attributes), &Said::Text("m"));
    let recording = recording(&file);
    let process = &recording.processes[0];
    let event = process.events().next().unwrap();
    let found = event.attributes.unwrap();
    assert_eq!((found.category, found.color), (4, Some((1, 0xff00_1122))));
    assert_eq!(found.payload, Some(Payload::I32(-3)));
    assert_eq!(process.category_name(event.domain, 4), Some("four"));
    assert_eq!(process.threads[0].name.as_deref(), Some("worker"));
    assert_eq!(process.domains, [DEFAULT_DOMAIN]);
}

#[test]
fn two_handles_of_one_domain_name_are_one_domain() {
    let mut file = File::new(7);
    file.thread(11, 0);
    file.record(Kind::Domain, 1, 0, 0, &Said::Text("lib"));
    file.record(Kind::Domain, 2, 0, 0, &Said::Text("lib"));
    file.record(Kind::Push, 1, 1, 0, &Said::Text("a")).record(
        Kind::Push,
        2,
        2,
        0,
        &Said::Text("b"),
    );
    assert_eq!(swept(&recording(&file))[1], "2 push b: lib[a/b][]");
}

/// A parent that registers handle 1 before and handle 2 after its child was forked, which registers its own handle 2.
fn family() -> (File, File) {
    let mut parent = File::new(1);
    parent.thread(1, 0).record(Kind::String, 0, 0, 1, &Said::Text("before"));
    parent.record(Kind::String, 0, 0, 2, &Said::Text("parent's"));
    parent.record(Kind::String, 0, 0, 3, &Said::Text("parent's, too"));
    parent.record(Kind::Mark, 0, 1, 0, &Said::Handle(2));
    let mut child = File::new(2);
    child.entry(key::PARENT_FILE, b"1-0.nvtx").put(field::FORKED, &[1]);
    child.put(field::FIRST_HANDLE, &2_u64.to_le_bytes());
    child.thread(2, 0).record(Kind::String, 0, 0, 2, &Said::Text("child's"));
    for handle in [1, 2, 3] {
        child.record(Kind::Mark, 0, handle, 0, &Said::Handle(handle));
    }
    (parent, child)
}

fn names(recording: &Recording) -> Vec<&str> {
    recording
        .processes
        .iter()
        .flat_map(|process| process.events().map(|event| event.name))
        .collect()
}

#[test]
fn a_forked_process_takes_names_from_before_the_fork_and_no_later_ones() {
    let (parent, child) = family();
    let (_keep, path) = folder(&[("1-0.nvtx", &parent), ("2-0.nvtx", &child)]);
    let expected = ["before", "child's", "<unknown string 3>"];
    assert_eq!(names(&Recording::open(&path).unwrap())[1..], expected);
    // The same from the file alone, because its parent's is beside it.
    let recording = Recording::open(&path.join("2-0.nvtx")).unwrap();
    assert_eq!(names(&recording), expected);
    assert!(recording.notes.iter().any(|note| note.message.contains("never registered")));
    assert!(recording.processes[0].forked);
}

#[test]
fn a_file_that_calls_itself_its_parent_is_read_nevertheless() {
    let (mut parent, child) = family();
    parent.entry(key::PARENT_FILE, b"2-0.nvtx").put(field::FORKED, &[1]);
    let (_keep, path) = folder(&[("1-0.nvtx", &parent), ("2-0.nvtx", &child)]);
    assert_eq!(Recording::open(&path).unwrap().processes.len(), 2);
    assert_eq!(Recording::open(&path.join("2-0.nvtx")).unwrap().processes.len(), 1);
}

#[test]
fn the_header_says_who_the_process_was() {
    let mut file = File::new(7);
    file.entry("OMPI_COMM_WORLD_RANK", b"3").entry("RANK", b"9").entry("LOCAL_RANK", b"x");
    file.thread(1, 0).mark(1, "m");
    let recording = recording(&file);
    let process = &recording.processes[0];
    assert_eq!((process.pid, process.host.as_str(), process.name()), (7, "host", "app"));
    assert_eq!(process.command, ["/bin/app", "--steps", "3"]);
    assert_eq!((process.rank(), process.local_rank()), (Some(3), None));
}

#[test]
fn the_rank_of_torchrun_counts_under_other_launchers() {
    let mut file = File::new(7);
    file.entry("SLURM_PROCID", b"1").entry("RANK", b"9").entry("LOCAL_RANK", b"2");
    file.entry("WORLD_SIZE", b"16");
    let recording = recording(&file);
    let process = &recording.processes[0];
    let ranks = (process.rank(), process.local_rank(), process.world_size());
    assert_eq!(ranks, (Some(9), Some(2), Some(16)));
}

#[test]
fn what_ended_a_recording_and_lost_events_are_told() {
    for (code, reason) in [
        (28, "No space left on device (os error 28); after"),
        (stopped::BY_LIMIT, "the limit of its size was reached; after"),
        (
            stopped::BY_TRUNCATION,
            "shorter while it was written; what stood in the rest of it is gone",
        ),
    ] {
        let mut file = File::new(7);
        file.put(field::ERROR, &code.to_le_bytes()).put(field::LOST, &5_u64.to_le_bytes());
        let notes = recording(&file).notes;
        assert_eq!(notes[0].code, "recording-cut-short");
        let message = &notes[0].message;
        assert!(message.contains(reason) && message.ends_with("5 events are lost"), "{message}");
    }
}

#[test]
fn a_file_that_lost_its_end_is_told() {
    let mut file = File::new(7);
    file.thread(1, 0).mark(1, "kept");
    let len = file.bytes.len() as u64;
    file.put(field::LENGTH, &len.to_le_bytes());
    assert!(recording(&file).notes.is_empty());
    file.put(field::LENGTH, &(len + 4096).to_le_bytes());
    let recording = recording(&file);
    assert_eq!((recording.processes[0].event_count(), recording.notes.len()), (1, 1));
    assert!(
        recording.notes[0].message.contains("4,096 bytes are missing"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn what_is_not_a_recording_is_refused() {
    let (_keep, path) = folder(&[]);
    assert!(matches!(Recording::open(&path), Err(RecordingError::Empty { .. })));
    assert!(matches!(Recording::open(&path.join("absent")), Err(RecordingError::Io { .. })));
    fs_err::write(path.join("1-0.nvtx"), b"something else").unwrap();
    assert!(matches!(Recording::open(&path), Err(RecordingError::NotARecording { .. })));
    // One bad file among good ones is a note.
    let mut good = File::new(7);
    good.thread(1, 0).mark(1, "m");
    fs_err::write(path.join("2-0.nvtx"), &good.bytes).unwrap();
    let recording = Recording::open(&path).unwrap();
    assert_eq!((recording.processes.len(), recording.notes.len()), (1, 1));
    let mut newer = good;
    newer.put(field::VERSION, &99_u32.to_le_bytes());
    fs_err::write(path.join("2-0.nvtx"), &newer.bytes).unwrap();
    assert!(Recording::open(&path.join("2-0.nvtx")).unwrap_err().to_string().contains("newer"));
}
