//! The client with a tool inside this process, which attaches as any tool does.

#![expect(unsafe_code, reason = "a tool is made of C functions")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::abi::{self, Callbacks, DomainHandle, EventAttributes, Slot, VersionInfo};
use super::{Domain, attach, end, start};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn see(what: String) {
    SEEN.lock().unwrap().push(what);
}

fn read(text: *const c_char) -> String {
    // SAFETY: the client passes C strings.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

fn message(event: *const EventAttributes) -> String {
    // SAFETY: the client passes an event that lives during the call.
    let event = unsafe { &*event };
    assert_eq!((event.version, event.size, event.message_type), (3, 48, 1));
    read(event.message)
}

unsafe extern "C" fn range_start(text: *const c_char) -> u64 {
    see(format!("start {}", read(text)));
    41
}
unsafe extern "C" fn range_end(id: u64) {
    see(format!("end {id}"));
}
unsafe extern "C" fn push(text: *const c_char) -> c_int {
    see(format!("push {}", read(text)));
    0
}
unsafe extern "C" fn pop() -> c_int {
    see("pop".to_owned());
    0
}
unsafe extern "C" fn create(name: *const c_char) -> DomainHandle {
    see(format!("create {}", read(name)));
    ptr::without_provenance_mut(0xd0)
}
unsafe extern "C" fn domain_mark(domain: DomainHandle, event: *const EventAttributes) {
    see(format!("{:#x} mark {}", domain.addr(), message(event)));
}
unsafe extern "C" fn domain_push(domain: DomainHandle, event: *const EventAttributes) -> c_int {
    see(format!("{:#x} push {}", domain.addr(), message(event)));
    0
}
unsafe extern "C" fn domain_pop(domain: DomainHandle) -> c_int {
    see(format!("{:#x} pop", domain.addr()));
    0
}

unsafe extern "C" fn initialize(get: abi::GetExportTable) -> c_int {
    // SAFETY: these are the tables of these numbers.
    let (callbacks, version) =
        unsafe { (&*get(1).cast::<Callbacks>(), &*get(3).cast::<VersionInfo>()) };
    assert_eq!((callbacks.struct_size, version.struct_size, version.version), (16, 24, 3));
    // SAFETY: any number may be asked for.
    assert!(unsafe { get(2) }.is_null());
    // SAFETY: any number may be given.
    unsafe { (version.set_injection_version)(3) };

    let table = |module: c_int, slots: c_uint| {
        let (mut table, mut size) = (ptr::null(), 0);
        // SAFETY: both variables are there.
        let ok =
            unsafe { (callbacks.get_module_function_table)(module, &raw mut table, &raw mut size) };
        assert_eq!((ok, size), (1, slots));
        // SAFETY: the array has so many entries and a null at its end.
        unsafe { std::slice::from_raw_parts(table, slots as usize + 1) }
    };
    for (module, slots) in [(1, 16), (2, 9), (3, 15), (4, 7), (5, 16), (6, 7)] {
        let table = table(module, slots);
        assert!(table[0].is_null() && table[slots as usize].is_null());
        assert!(table[1..slots as usize].iter().all(|slot| !slot.is_null()));
    }
    for wrong in [-1, 0, 7] {
        // SAFETY: nothing is written.
        let ok = unsafe {
            (callbacks.get_module_function_table)(wrong, ptr::null_mut(), ptr::null_mut())
        };
        assert_eq!(ok, 0);
    }

    let put = |slot: *const Slot, function: *mut c_void| {
        // SAFETY: the table points to slots that live for ever.
        unsafe { &*slot }.store(function, Ordering::Release);
    };
    let core = table(1, 16);
    put(core[5], range_start as *mut c_void);
    put(core[7], range_end as *mut c_void);
    put(core[9], push as *mut c_void);
    put(core[11], pop as *mut c_void);
    let core2 = table(5, 16);
    put(core2[1], domain_mark as *mut c_void);
    put(core2[4], domain_push as *mut c_void);
    put(core2[5], domain_pop as *mut c_void);
    put(core2[12], create as *mut c_void);
    1
}

unsafe extern "C" fn refuse(_get: abi::GetExportTable) -> c_int {
    0
}

#[test]
fn a_tool_sees_every_event_in_order() {
    assert!(attach::attach(refuse).is_err());
    attach::attach_for_test(initialize);
    let default = Domain::DEFAULT;
    default.push("A");
    default.mark("now");
    end(start("cut\0off"));
    default.pop();
    let domain = Domain::new("model");
    domain.push("A::A1");
    domain.mark("{}");
    domain.pop();
    assert_eq!(
        *SEEN.lock().unwrap(),
        [
            "push A",
            "0x0 mark now",
            "start cut",
            "end 41",
            "pop",
            "create model",
            "0xd0 push A::A1",
            "0xd0 mark {}",
            "0xd0 pop",
        ]
    );
}
