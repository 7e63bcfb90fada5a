//! Structures that are shorter than those that the library knows, as an older or a newer NVTX may hand them over. They end where memory ends, so that a read beyond
//! them ends the process.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::nvtx::{
    CORE, InitializeInjectionNvtx2, InitializeInjectionNvtxExtension, child, folder, get_table,
    hook, is_child, name, recorded, records,
};

/// Bytes of `nvtxEventAttributes_t`.
const WHOLE: u16 = 48;
/// Bytes of `nvtxExtModuleInfo_t`.
const MODULE: u16 = 40;

/// Puts bytes at the end of a page that no page follows.
fn at_the_end_of_memory(bytes: &[u8]) -> *mut c_void {
    // SAFETY: a new mapping of two pages, of which the second one is given back before anybody knows of it.
    unsafe {
        let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let start = libc::mmap(ptr::null_mut(), 2 * page, access, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(start.byte_add(page), page, libc::PROT_NONE), 0);
        let place = start.byte_add(page - bytes.len());
        place.cast::<u8>().copy_from(bytes.as_ptr(), bytes.len());
        place
    }
}

/// The first `present` bytes of attributes that say to be of this version and size, with a message.
fn attributes(version: u16, size: u16, present: usize) -> *const c_void {
    let mut bytes = [0; WHOLE as usize];
    bytes[..2].copy_from_slice(&version.to_ne_bytes());
    bytes[2..4].copy_from_slice(&size.to_ne_bytes());
    bytes[4..8].copy_from_slice(&9_u32.to_ne_bytes());
    bytes[32..36].copy_from_slice(&1_i32.to_ne_bytes());
    bytes[40..].copy_from_slice(&c"whole".as_ptr().addr().to_ne_bytes());
    at_the_end_of_memory(&bytes[..present])
}

static SHORT_TABLE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

extern "C" fn get_short_table(_: u32) -> *const c_void {
    SHORT_TABLE.load(Ordering::Relaxed)
}

/// What the child process does. It is a test only so that the same program can be started again.
#[test]
fn hands_over_short_structures() {
    if !is_child() {
        return;
    }
    // A table that ends after its size.
    let size = size_of::<usize>();
    SHORT_TABLE.store(at_the_end_of_memory(&size.to_ne_bytes()), Ordering::Relaxed);
    // SAFETY: the functions have the types that NVTX gives them; the structures are as long as they say, or of no known version.
    unsafe {
        assert_eq!(InitializeInjectionNvtx2(get_short_table), 0);
        assert_eq!(InitializeInjectionNvtx2(get_table), 1);
        let mut module = [0; MODULE as usize];
        module[..2].copy_from_slice(&3_u16.to_ne_bytes());
        module[4..6].copy_from_slice(&2_u16.to_ne_bytes());
        for present in [4, 8, 16, 32] {
            module[2..4].copy_from_slice(&u16::try_from(present).unwrap().to_ne_bytes());
            let module = at_the_end_of_memory(&module[..present]);
            assert_eq!(InitializeInjectionNvtxExtension(module), 0);
        }
        module[2..4].copy_from_slice(&MODULE.to_ne_bytes());
        assert_eq!(InitializeInjectionNvtxExtension(at_the_end_of_memory(&module)), 1);

        let mark: unsafe extern "C" fn(*const c_void) = hook(CORE, 1);
        let push: unsafe extern "C" fn(*const c_void) -> c_int = hook(CORE, 8);
        let start: unsafe extern "C" fn(*const c_void) -> u64 = hook(CORE, 4);
        for size in 4..WHOLE {
            let short = attributes(3, size, size.into());
            mark(short);
            assert!(push(short) >= 0 && start(short) > 0);
        }
        for version in [0, 4, u16::MAX] {
            mark(attributes(version, WHOLE, 4));
        }
        for version in [1, 2, 3] {
            mark(attributes(version, WHOLE, WHOLE.into()));
        }
        mark(ptr::null());
    }
}

#[test]
fn no_byte_is_read_beyond_the_end_of_a_structure() {
    let folder = folder("short");
    let (_, file) = recorded(&mut child("short::hands_over_short_structures", &folder), &folder);
    let records = records(&file);
    let names: Vec<String> = records.iter().map(|(_, record)| name(record)).collect();
    let short = 3 * usize::from(WHOLE - 4) + 3;
    assert_eq!(names.len(), short + 4);
    assert!(names[..short].iter().all(|name| name == "-"), "{names:?}");
    assert_eq!(names[short..], ["whole", "whole", "whole", "-"]);
    let categories: Vec<Option<u32>> =
        records.iter().map(|(_, record)| Some(record.attributes?.category)).collect();
    assert!(categories[..short].iter().all(Option::is_none));
    assert_eq!(categories[short..], [Some(9), Some(9), Some(9), None]);
}
