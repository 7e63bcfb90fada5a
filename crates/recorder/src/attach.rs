//! The two functions that NVTX looks for, and how they put the hooks into its tables.
//!
//! Both are called once by every shared object that contains NVTX, so a process may see many calls.

use core::ffi::{c_int, c_uint, c_void};

use crate::{hooks, process, sys};

/// Any function, as NVTX's tables hold it.
type AnyFunction = *const c_void;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
pub(crate) struct CallbackTable {
    size: usize,
    module_functions: Option<ModuleFunctions>,
}

/// Gives the places of a module's functions, and how many there are.
type ModuleFunctions =
    unsafe extern "C" fn(c_int, *mut *mut *mut AnyFunction, *mut c_uint) -> c_int;

/// `NvtxGetExportTableFunc_t`.
pub(crate) type GetExportTable = unsafe extern "C" fn(u32) -> *const c_void;

/// `nvtxExtModuleSegment_t`.
#[repr(C)]
pub(crate) struct ModuleSegment {
    id: usize,
    slot_count: usize,
    slots: *mut AnyFunction,
}

/// `nvtxExtModuleInfo_t`.
#[repr(C)]
pub(crate) struct ModuleInfo {
    nvtx_version: u16,
    size: u16,
    module: u16,
    compatibility: u16,
    segment_count: usize,
    segments: *mut ModuleSegment,
    export_function: *const c_void,
    info: *const c_void,
}

const CALLBACKS: u32 = 1;
const MODULE_CORE: c_int = 1;
const MODULE_CORE2: c_int = 5;
const PAYLOAD_EXTENSION: u16 = 2;

const ATTACHED: c_int = 1;
/// NVTX unloads the library then.
const NOT_WANTED: c_int = 0;

/// A function and its place in a table.
type Slot = (usize, AnyFunction);

macro_rules! slots {
    ($($place:literal $hook:ident)*) => { [$(($place, hooks::$hook as AnyFunction)),*] };
}

fn core_slots() -> [Slot; 15] {
    slots! {
        1 mark_ex            2 mark_a            3 mark_w
        4 range_start_ex     5 range_start_a     6 range_start_w     7 range_end
        8 range_push_ex      9 range_push_a     10 range_push_w     11 range_pop
        12 name_category_a  13 name_category_w  14 name_thread_a    15 name_thread_w
    }
}

fn core2_slots() -> [Slot; 11] {
    slots! {
        1 domain_mark_ex
        2 domain_range_start_ex      3 domain_range_end
        4 domain_range_push_ex       5 domain_range_pop
        8 domain_name_category_a     9 domain_name_category_w
        10 domain_register_string_a  11 domain_register_string_w
        12 domain_create_a           13 domain_create_w
    }
}

fn payload_slots() -> [Slot; 6] {
    slots! {
        2 mark_payload
        3 range_push_payload   4 range_pop_payload
        5 range_start_payload  6 range_end_payload
        // Python's `nvtx` 0.2.12 and later sends nothing unless this says 1.
        7 domain_is_enabled
    }
}

/// Called by NVTX when it is used for the first time in a shared object.
///
/// # Safety
/// Called by NVTX, with its own function for getting tables.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn InitializeInjectionNvtx2(
    get_table: Option<GetExportTable>,
) -> c_int {
    let errno = sys::errno();
    // SAFETY: the caller says so.
    let answer = get_table.map_or(NOT_WANTED, |get_table| unsafe { attach(get_table) });
    sys::set_errno(errno);
    answer
}

/// # Safety
/// The function is NVTX's own.
unsafe fn attach(get_table: GetExportTable) -> c_int {
    if !process::prepare() {
        return NOT_WANTED;
    }
    if !records() {
        // With no hook in place, events cost nothing; the library stays loaded to say at the end what went wrong.
        return ATTACHED;
    }
    // SAFETY: this is NVTX's own function; the table of this number has this type, if there is one, and begins with its size.
    let module_functions = unsafe {
        let table = get_table(CALLBACKS).cast::<CallbackTable>();
        if table.is_null() || (&raw const (*table).size).read() < size_of::<CallbackTable>() {
            return NOT_WANTED;
        }
        (&raw const (*table).module_functions).read()
    };
    let Some(module_functions) = module_functions else { return NOT_WANTED };
    // SAFETY: the slots are those of these modules.
    unsafe {
        fill(module_functions, MODULE_CORE, &core_slots());
        fill(module_functions, MODULE_CORE2, &core2_slots());
    }
    ATTACHED
}

/// Called by NVTX when one of its extensions is used for the first time in a shared object.
///
/// # Safety
/// Called by NVTX, with a description of the extension.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn InitializeInjectionNvtxExtension(module: *mut ModuleInfo) -> c_int {
    let errno = sys::errno();
    // SAFETY: the caller says so.
    let answer = unsafe { attach_extension(module) };
    sys::set_errno(errno);
    answer
}

/// # Safety
/// The description is NVTX's own, or null.
unsafe fn attach_extension(module: *mut ModuleInfo) -> c_int {
    if !process::prepare() {
        return NOT_WANTED;
    }
    if module.is_null() {
        return NOT_WANTED;
    }
    // SAFETY: NVTX gives a description, whose second field says how long it is.
    let size = unsafe { (&raw const (*module).size).read() };
    if usize::from(size) < size_of::<ModuleInfo>() {
        return NOT_WANTED;
    }
    // SAFETY: by its size, the whole description is there.
    let module = unsafe { module.read() };
    let wanted = module.module == PAYLOAD_EXTENSION
        && module.segment_count > 0
        && !module.segments.is_null();
    if !wanted || !records() {
        return ATTACHED;
    }
    // SAFETY: there is at least one segment.
    let segment = unsafe { module.segments.read() };
    for (index, function) in payload_slots() {
        if index < segment.slot_count && !segment.slots.is_null() {
            // SAFETY: the segment has that many slots.
            unsafe { segment.slots.add(index).write(function) };
        }
    }
    ATTACHED
}

/// Begins the recording if it has not begun; false if there is none.
fn records() -> bool {
    process::current().is_some_and(process::Process::begin)
}

/// Puts functions into the table of a module.
///
/// # Safety
/// The functions have the types that NVTX expects at these places.
unsafe fn fill(module_functions: ModuleFunctions, module: c_int, slots: &[Slot]) {
    let mut functions = core::ptr::null_mut();
    let mut count = 0;
    // SAFETY: both are only written to.
    if unsafe { module_functions(module, &raw mut functions, &raw mut count) } == 0
        || functions.is_null()
    {
        return;
    }
    for (index, function) in slots {
        if *index < count as usize {
            // SAFETY: the table has `count` places, each null or leading to a function pointer that may be set while NVTX initialises.
            unsafe {
                let place = *functions.add(*index);
                if !place.is_null() {
                    place.write(*function);
                }
            }
        }
    }
}
