//! NVTX v3 as it is in memory: modules, slots, the structure of an event, the types of the functions.
//!
//! Facts of the public interface, checked in a test lane against NVIDIA's own headers. A tool asks for the tables of all modules, even of those whose functions this client never calls.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::attach::attached;

/// The version of NVTX that this client is.
pub(super) const VERSION: u16 = 3;
/// The most slots that a module has, with slot 0, which is never used.
pub(super) const MOST_SLOTS: usize = 16;
/// Slots of each module by its number: none, core, CUDA, OpenCL, CUDA runtime, core 2, synchronisation.
pub(super) const SLOTS: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
const CORE: usize = 1;
const CORE2: usize = 5;

/// Numbers of export tables.
pub(super) const CALLBACKS: u32 = 1;
pub(super) const VERSION_INFO: u32 = 3;

/// A place for a function of the tool.
pub(super) type Slot = AtomicPtr<c_void>;
pub(super) static MODULES: [[Slot; MOST_SLOTS]; SLOTS.len()] =
    [const { [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST_SLOTS] }; SLOTS.len()];

pub(super) type DomainHandle = *mut c_void;

/// The function that a tool exports, and the one that it gets for fetching tables.
pub(super) type InitializeInjection = unsafe extern "C" fn(GetExportTable) -> c_int;
pub(super) type GetExportTable = unsafe extern "C" fn(u32) -> *const c_void;
pub(super) type GetModuleFunctionTable =
    unsafe extern "C" fn(c_int, *mut *const *const Slot, *mut c_uint) -> c_int;

/// The export table through which a tool reaches the slots.
#[repr(C)]
pub(super) struct Callbacks {
    pub(super) struct_size: usize,
    pub(super) get_module_function_table: GetModuleFunctionTable,
}

/// The export table that says which version the client is.
#[repr(C)]
pub(super) struct VersionInfo {
    pub(super) struct_size: usize,
    pub(super) version: u32,
    pub(super) reserved: u32,
    pub(super) set_injection_version: unsafe extern "C" fn(u32),
}

/// `nvtxEventAttributes_t`.
#[repr(C)]
#[derive(Debug)]
pub(super) struct EventAttributes {
    pub(super) version: u16,
    pub(super) size: u16,
    pub(super) category: u32,
    pub(super) color_type: i32,
    pub(super) color: u32,
    pub(super) payload_type: i32,
    pub(super) reserved: i32,
    pub(super) payload: u64,
    pub(super) message_type: i32,
    pub(super) message: *const c_char,
}

const ATTRIBUTES_SIZE: u16 = 48;
const _: () = assert!(size_of::<EventAttributes>() == ATTRIBUTES_SIZE as usize);
const ASCII: i32 = 1;

impl EventAttributes {
    /// An event with a message, which must live as long as the event is used.
    pub(super) fn message(message: *const c_char) -> Self {
        Self {
            version: VERSION,
            size: ATTRIBUTES_SIZE,
            category: 0,
            color_type: 0,
            color: 0,
            payload_type: 0,
            reserved: 0,
            payload: 0,
            message_type: ASCII,
            message,
        }
    }
}

/// A slot together with the type of the function that belongs into it.
pub(super) struct Function<F> {
    slot: &'static Slot,
    of: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    const fn new(module: usize, slot: usize) -> Self {
        assert!(slot < SLOTS[module] && size_of::<F>() == size_of::<*mut c_void>());
        Self { slot: &MODULES[module][slot], of: PhantomData }
    }

    /// The tool's function, if it has put one there.
    #[expect(unsafe_code, reason = "an address becomes a function")]
    pub(super) fn get(&self) -> Option<F> {
        if !attached() {
            return None;
        }
        let address = self.slot.load(Ordering::Acquire);
        // SAFETY: by the agreement of NVTX, what a tool puts into a slot is null or a function of the slot's type, and the table below is that agreement.
        (!address.is_null())
            .then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }
}

type Name = *const c_char;
type Event = *const EventAttributes;

pub(super) static RANGE_START_A: Function<unsafe extern "C" fn(Name) -> u64> =
    Function::new(CORE, 5);
pub(super) static RANGE_END: Function<unsafe extern "C" fn(u64)> = Function::new(CORE, 7);
pub(super) static RANGE_PUSH_A: Function<unsafe extern "C" fn(Name) -> c_int> =
    Function::new(CORE, 9);
pub(super) static RANGE_POP: Function<unsafe extern "C" fn() -> c_int> = Function::new(CORE, 11);
pub(super) static DOMAIN_MARK: Function<unsafe extern "C" fn(DomainHandle, Event)> =
    Function::new(CORE2, 1);
pub(super) static DOMAIN_PUSH: Function<unsafe extern "C" fn(DomainHandle, Event) -> c_int> =
    Function::new(CORE2, 4);
pub(super) static DOMAIN_POP: Function<unsafe extern "C" fn(DomainHandle) -> c_int> =
    Function::new(CORE2, 5);
pub(super) static DOMAIN_CREATE_A: Function<unsafe extern "C" fn(Name) -> DomainHandle> =
    Function::new(CORE2, 12);
