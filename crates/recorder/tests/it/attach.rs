//! A process that plays NVTX's part: it hands the library its tables, calls what the library put there, and leaves a file.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use rangescope_recorder::format::{Header, Kind};

use crate::nvtx::{
    CORE, CORE2, InitializeInjectionNvtx2, child, folder, get_table, hook, is_child, name,
    recorded, records,
};

type Named = unsafe extern "C" fn(*const c_char) -> c_int;
type Plain = unsafe extern "C" fn() -> c_int;

/// What the child process does. It is a test only so that the same program can be started again.
#[test]
fn uses_nvtx() {
    if !is_child() {
        return;
    }
    // SAFETY: the functions have the types that NVTX gives them, and texts end with zeros.
    unsafe {
        assert_eq!(InitializeInjectionNvtx2(get_table), 1);
        assert_eq!(InitializeInjectionNvtx2(get_table), 1, "another shared object");
        let push: Named = hook(CORE, 9);
        let pop: Plain = hook(CORE, 11);
        let create: unsafe extern "C" fn(*const c_char) -> *const c_void = hook(CORE2, 12);
        let register: unsafe extern "C" fn(*const c_void, *const c_char) -> *const c_void =
            hook(CORE2, 10);
        assert_eq!(push(c"outer".as_ptr()), 0);
        assert_eq!(push(c"inner".as_ptr()), 1);
        assert_eq!((pop(), pop(), pop()), (1, 0, -1));
        let domain = create(c"domain".as_ptr());
        let string = register(domain, c"string".as_ptr());
        assert_eq!((domain.addr(), string.addr()), (1, 2));
        let start: unsafe extern "C" fn(*const i32) -> u64 = hook(CORE, 6);
        let end: unsafe extern "C" fn(u64) = hook(CORE, 7);
        let wide = [0xe4, 0x1f680, 0xd800, 0];
        end(start(wide.as_ptr()));
        push(ptr::null());
        // Enough for several chunks, and threads that go on where others ended.
        for _ in 0..10 {
            std::thread::spawn(move || {
                for _ in 0..10_000 {
                    push(c"in a thread".as_ptr());
                    pop();
                }
            })
            .join()
            .unwrap();
        }
    }
}

#[test]
fn a_process_that_attaches_the_library_leaves_a_recording() {
    let folder = folder("attach");
    let (_, file) = recorded(&mut child("attach::uses_nvtx", &folder), &folder);

    let header = Header::decode(&file).unwrap();
    assert_eq!((header.parent, header.forked), (std::process::id(), false));
    assert_eq!((header.error, header.lost), (0, 0));
    assert!(header.ended > header.monotonic);

    let records = records(&file);
    let first: Vec<(Kind, String)> = records
        .iter()
        .filter(|(thread, _)| *thread == 0)
        .map(|(_, record)| (record.kind, name(record)))
        .collect();
    let expected = [
        (Kind::Push, "outer"),
        (Kind::Push, "inner"),
        (Kind::Pop, "-"),
        (Kind::Pop, "-"),
        (Kind::Pop, "-"),
        (Kind::Domain, "domain"),
        (Kind::String, "string"),
        (Kind::Start, "\u{e4}\u{1f680}\u{fffd}"),
        (Kind::End, "-"),
        (Kind::Push, "-"),
    ];
    assert_eq!(first, expected.map(|(kind, name)| (kind, name.to_owned())));
    for thread in 1..=10 {
        let of_thread = records.iter().filter(|(number, _)| *number == thread);
        assert_eq!(of_thread.count(), 20_000, "thread {thread}");
    }
    // 4.8 MB of records; a new chunk for each thread would be 10 MB.
    assert!(file.len() < 7 << 20, "{} bytes", file.len());
}

#[test]
fn a_process_that_cannot_record_says_so_once() {
    let long = format!("/{}", "x".repeat(5000));
    for (folder, reason) in [
        ("/proc/self/fdinfo", "No such file or directory"),
        ("relative", "Invalid argument"),
        (long.as_str(), "File name too long"),
    ] {
        let output = child("attach::uses_nvtx", Path::new(folder)).output().unwrap();
        assert!(!output.status.success(), "the child misses its hooks");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(complaint.matches("was not recorded").count(), 1, "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
    }
}
