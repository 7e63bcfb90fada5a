//! Attaching a tool: once, on the first call of the client.

use std::env;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use rangescope_recorder::format::INJECTION_VARIABLE;

use super::abi::{
    CALLBACKS, Callbacks, InitializeInjection, MODULES, MOST_SLOTS, SLOTS, Slot, VERSION,
    VERSION_INFO, VersionInfo,
};
use crate::library::Library;

/// The outcome of looking for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// No tool was asked for.
    None,
    /// This library listens.
    Tool(String),
    /// A library was asked for and cannot listen.
    Failed { library: String, reason: String },
}

static ATTACHMENT: OnceLock<Attachment> = OnceLock::new();

/// Lets a tool attach on the first call; afterwards tells how that went.
pub(crate) fn attachment() -> &'static Attachment {
    ATTACHMENT.get_or_init(|| match env::var_os(INJECTION_VARIABLE) {
        None => Attachment::None,
        Some(path) => {
            let library = path.display().to_string();
            match attach_library(&path) {
                Ok(()) => Attachment::Tool(library),
                Err(reason) => Attachment::Failed { library, reason },
            }
        }
    })
}

pub(super) fn attached() -> bool {
    matches!(attachment(), Attachment::Tool(_))
}

#[expect(unsafe_code, reason = "a tool is a C library")]
fn attach_library(path: &std::ffi::OsStr) -> Result<(), String> {
    let library = Library::open(path).map_err(|error| error.to_string())?;
    // SAFETY: this is the type that NVTX gives to the function of this name.
    let initialize: InitializeInjection =
        unsafe { library.function(c"InitializeInjectionNvtx2") }.map_err(|e| e.to_string())?;
    attach(initialize)
}

/// Lets a tool put its functions into the slots.
#[expect(unsafe_code, reason = "a tool is a C library")]
pub(super) fn attach(initialize: InitializeInjection) -> Result<(), String> {
    // SAFETY: the tool gets the function that it expects, whose tables live for ever.
    match unsafe { initialize(get_export_table) } {
        0 => Err("it refused to start".to_owned()),
        _ => Ok(()),
    }
}

/// A tool gets, for each module, an array of pointers to slots, ended by null.
struct Tables([[*const Slot; MOST_SLOTS + 1]; SLOTS.len()]);

#[expect(unsafe_code, reason = "pointers to statics")]
// SAFETY: the pointers are to statics that are atomic.
unsafe impl Send for Tables {}
#[expect(unsafe_code, reason = "pointers to statics")]
// SAFETY: as above; the table itself does not change.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();

fn tables() -> &'static Tables {
    TABLES.get_or_init(|| {
        let mut tables = [[ptr::null(); MOST_SLOTS + 1]; SLOTS.len()];
        for (module, &slots) in SLOTS.iter().enumerate() {
            for slot in 1..slots {
                tables[module][slot] = &raw const MODULES[module][slot];
            }
        }
        Tables(tables)
    })
}

static CALLBACK_TABLE: Callbacks =
    Callbacks { struct_size: size_of::<Callbacks>(), get_module_function_table };

static VERSION_TABLE: VersionInfo = VersionInfo {
    struct_size: size_of::<VersionInfo>(),
    version: VERSION as u32,
    reserved: 0,
    set_injection_version,
};

extern "C" fn get_export_table(id: u32) -> *const c_void {
    match id {
        CALLBACKS => (&raw const CALLBACK_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => ptr::null(),
    }
}

#[expect(unsafe_code, reason = "a tool asks with pointers of C")]
unsafe extern "C" fn get_module_function_table(
    module: c_int,
    table: *mut *const *const Slot,
    size: *mut c_uint,
) -> c_int {
    let Some(module) = usize::try_from(module).ok().filter(|m| (1..SLOTS.len()).contains(m)) else {
        return 0;
    };
    if !size.is_null() {
        // SAFETY: it is not null, so the tool's variable is there.
        unsafe { size.write(c_uint::try_from(SLOTS[module]).unwrap_or(0)) };
    }
    if !table.is_null() {
        // SAFETY: as above.
        unsafe { table.write(tables().0[module].as_ptr()) };
    }
    1
}

/// Tools may say which version they are; nothing depends on it.
extern "C" fn set_injection_version(_version: u32) {}

/// Lets a tool inside this process attach, whatever the environment says.
#[cfg(test)]
pub(super) fn attach_for_test(initialize: InitializeInjection) {
    attach(initialize).unwrap();
    ATTACHMENT.get_or_init(|| Attachment::Tool("test".to_owned()));
}
