//! NVTX's part of the conversation: tables for the library to fill, and processes that use what it put there.

use std::ffi::{c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr;

use rangescope_recorder::format::{
    Body, CHUNK_HEADER_LEN, FOLDER_VARIABLE, Found, HEADER_LEN, Kind, Record, chunk_len,
    decode_record,
};

unsafe extern "C" {
    pub(crate) fn InitializeInjectionNvtx2(get_table: extern "C" fn(u32) -> *const c_void)
    -> c_int;
    pub(crate) fn InitializeInjectionNvtxExtension(module: *mut c_void) -> c_int;
}

#[repr(C)]
struct Callbacks {
    size: usize,
    functions: extern "C" fn(c_int, *mut *mut *mut *const c_void, *mut c_uint) -> c_int,
}

const SLOTS: usize = 16;
pub(crate) const CORE: c_int = 1;
pub(crate) const CORE2: c_int = 5;

static mut CORE_SLOTS: [*const c_void; SLOTS] = [ptr::null(); SLOTS];
static mut CORE2_SLOTS: [*const c_void; SLOTS] = [ptr::null(); SLOTS];

pub(crate) extern "C" fn get_table(id: u32) -> *const c_void {
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
pub(crate) fn hook<F: Copy>(module: c_int, slot: usize) -> F {
    assert_eq!(size_of::<F>(), size_of::<*const c_void>());
    // SAFETY: the test has one thread when slots are written; callers name the type that NVTX gives to the slot.
    unsafe {
        let found = if module == CORE { CORE_SLOTS[slot] } else { CORE2_SLOTS[slot] };
        assert!(!found.is_null(), "nothing at {slot}");
        std::mem::transmute_copy(&found)
    }
}

/// Set for children, which alone do what their test says.
const CHILD: &str = "RECORDER_CHILD";

/// Whether this process was started by [`child`].
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// This program once more, for one of its tests alone, recording into a folder.
pub(crate) fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1").env(FOLDER_VARIABLE, folder);
    command
}

/// A new folder for recordings.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("rangescope-{name}-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

/// Runs a child that must succeed and leave one recording in the folder, which is removed.
pub(crate) fn recorded(command: &mut Command, folder: &Path) -> (Output, Vec<u8>) {
    let output = command.output().unwrap();
    let files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut contents: Vec<Vec<u8>> =
        files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(contents.len(), 1, "{files:?}");
    (output, contents.remove(0))
}

/// The records of a file in their order, with the number of the thread.
pub(crate) fn records(file: &[u8]) -> Vec<(u64, Record<'_>)> {
    let mut found = Vec::new();
    let mut at = HEADER_LEN;
    while let Some(len) = file.get(at..).and_then(chunk_len) {
        let chunk = &file[at..at + len];
        let mut inside = CHUNK_HEADER_LEN;
        let mut thread = 0;
        while let Found::Record(record, len) = decode_record(&chunk[inside..]) {
            if record.kind == Kind::Thread {
                thread = record.id;
            } else {
                found.push((thread, record));
            }
            inside += len;
        }
        at += len;
    }
    found
}

/// What a record was called.
pub(crate) fn name(record: &Record<'_>) -> String {
    match record.body {
        Body::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Body::Handle(handle) => format!("#{handle}"),
        Body::Silent => "-".to_owned(),
    }
}
