//! A process that plays NVTX's part: it hands the library its tables, calls what the library put there, and leaves a file.
//!
//! Real NVTX programs are recorded by a lane of `scripts/test`; this needs nothing but the compiler.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail")]
#![allow(unsafe_code, reason = "NVTX is a C interface")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::process::{Command, Output};
use std::ptr;

use rangescope_recorder::format::{
    Body, CHUNK_HEADER_LEN, FOLDER_VARIABLE, Found, HEADER_LEN, Header, Kind, chunk_len,
    decode_record,
};

unsafe extern "C" {
    fn InitializeInjectionNvtx2(get_table: extern "C" fn(u32) -> *const c_void) -> c_int;
}

#[repr(C)]
struct Callbacks {
    size: usize,
    functions: extern "C" fn(c_int, *mut *mut *mut *const c_void, *mut c_uint) -> c_int,
}

const SLOTS: usize = 16;
const CORE: c_int = 1;
const CORE2: c_int = 5;

static mut CORE_SLOTS: [*const c_void; SLOTS] = [ptr::null(); SLOTS];
static mut CORE2_SLOTS: [*const c_void; SLOTS] = [ptr::null(); SLOTS];

extern "C" fn get_table(id: u32) -> *const c_void {
    assert_eq!(id, 1);
    let table = Callbacks { size: size_of::<Callbacks>(), functions };
    Box::into_raw(Box::new(table)).cast_const().cast()
}

/// Gives a table of pointers to the slots of a module, as NVTX does; the place of number 0 is null.
extern "C" fn functions(
    module: c_int,
    table: *mut *mut *mut *const c_void,
    size: *mut c_uint,
) -> c_int {
    let slots: *mut *const c_void = match module {
        CORE => (&raw mut CORE_SLOTS).cast(),
        CORE2 => (&raw mut CORE2_SLOTS).cast(),
        _ => return 0,
    };
    let mut places: Vec<*mut *const c_void> =
        (0..SLOTS).map(|slot| slots.wrapping_add(slot)).collect();
    places[0] = ptr::null_mut();
    // SAFETY: both lead to variables of the library.
    unsafe {
        *table = Box::leak(places.into_boxed_slice()).as_mut_ptr();
        *size = c_uint::try_from(SLOTS).unwrap();
    }
    1
}

/// The function in a slot.
fn hook<F: Copy>(module: c_int, slot: usize) -> F {
    assert_eq!(size_of::<F>(), size_of::<*const c_void>());
    // SAFETY: the test has one thread when slots are written; callers name the type that NVTX gives to the slot.
    unsafe {
        let found = if module == CORE { CORE_SLOTS[slot] } else { CORE2_SLOTS[slot] };
        assert!(!found.is_null(), "nothing at {slot}");
        std::mem::transmute_copy(&found)
    }
}

type Named = unsafe extern "C" fn(*const c_char) -> c_int;
type Plain = unsafe extern "C" fn() -> c_int;

/// What the child process does. It is a test only so that the same program can be started again.
#[test]
fn child() {
    if std::env::var_os("RECORDER_CHILD").is_none() {
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

fn run(folder: &CStr) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env("RECORDER_CHILD", "1")
        .env(FOLDER_VARIABLE, folder.to_str().unwrap())
        .env("RANK", "5")
        .output()
        .unwrap()
}

/// The records of a file in their order, with the number of the thread.
fn records(file: &[u8]) -> Vec<(u64, Kind, String)> {
    let mut found = Vec::new();
    let mut at = HEADER_LEN;
    while let Some(len) = file.get(at..).and_then(chunk_len) {
        let chunk = &file[at..at + len];
        let mut inside = CHUNK_HEADER_LEN;
        let mut thread = 0;
        while let Found::Record(record, len) = decode_record(&chunk[inside..]) {
            let text = match record.body {
                Body::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Body::Handle(handle) => format!("#{handle}"),
                Body::Silent => "-".to_owned(),
            };
            if record.kind == Kind::Thread {
                thread = record.id;
            } else {
                found.push((thread, record.kind, text));
            }
            inside += len;
        }
        at += len;
    }
    found
}

#[test]
fn a_process_that_attaches_the_library_leaves_a_recording() {
    let folder = std::env::temp_dir().join(format!("rangescope-attach-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = std::ffi::CString::new(folder.to_str().unwrap()).unwrap();
    let output = run(&path);
    let files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let contents: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(contents.len(), 1, "{files:?}");

    let header = Header::decode(&contents[0]).unwrap();
    assert_eq!((header.parent, header.forked), (std::process::id(), false));
    assert_eq!((header.error, header.lost), (0, 0));
    assert!(header.ended > header.monotonic);
    assert_eq!(header.entry("RANK"), Some(b"5".as_slice()));

    let records = records(&contents[0]);
    let first: Vec<(Kind, &str)> = records
        .iter()
        .filter(|(thread, ..)| *thread == 0)
        .map(|(_, kind, text)| (*kind, text.as_str()))
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
    assert_eq!(first, expected);
    for thread in 1..=10 {
        let of_thread = records.iter().filter(|(number, ..)| *number == thread);
        assert_eq!(of_thread.count(), 20_000, "thread {thread}");
    }
    // 4.8 MB of records; a new chunk for each thread would be 10 MB.
    assert!(contents[0].len() < 7 << 20, "{} bytes", contents[0].len());
}

#[test]
fn a_process_that_cannot_record_says_so_once() {
    let output = run(c"/proc/self/fdinfo");
    assert!(!output.status.success(), "the child misses its hooks");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(complaint.matches("was not recorded").count(), 1, "{complaint}");
}
