//! A client of NVTX v3: ranges and marks that any NVTX tool sees, without NVIDIA's headers and without a C compiler.
//!
//! NVTX is a convention rather than a library. A client has a table of empty function slots; on its first call it loads the library that `NVTX_INJECTION64_PATH` names, and that library puts its functions into the slots. Without a tool, a call costs one load and one comparison.
//! The layout (`abi`) is that of version 3, in which it is frozen. What this client leaves out: categories, colours, payloads, wide and registered strings, names of CUDA and OpenCL objects, and the extensions.

mod abi;
mod attach;

pub use attach::{Attachment, attachment};

use std::ffi::CString;
use std::ptr;

use abi::EventAttributes;

/// A domain: ranges of different domains nest apart from each other.
#[derive(Clone, Copy, Debug)]
pub struct Domain(Option<Named>);

/// The tool's handle for a name; null without a tool.
#[derive(Clone, Copy, Debug)]
struct Named(abi::DomainHandle);

#[expect(unsafe_code, reason = "the handle is a name that only the tool looks into")]
// SAFETY: NVTX allows a domain to be used from any thread.
unsafe impl Send for Named {}
#[expect(unsafe_code, reason = "the handle is a name that only the tool looks into")]
// SAFETY: as above.
unsafe impl Sync for Named {}

/// A range that [`Domain::start`] began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeId(u64);

#[expect(unsafe_code, reason = "a tool's functions are called through its slots")]
impl Domain {
    /// The domain of ranges that name none.
    pub const DEFAULT: Self = Self(None);

    /// Makes a domain, a new one with every call.
    pub fn new(name: &str) -> Self {
        let name = text(name);
        let handle = abi::DOMAIN_CREATE_A.get().map(|create| {
            // SAFETY: the slot holds a function of its type, and the name is a C string that NVTX copies.
            unsafe { create(name.as_ptr()) }
        });
        Self(Some(Named(handle.unwrap_or(ptr::null_mut()))))
    }

    /// Opens a range on this thread's stack.
    pub fn push(self, name: &str) {
        let name = text(name);
        match self.0 {
            None => {
                if let Some(push) = abi::RANGE_PUSH_A.get() {
                    // SAFETY: the slot holds a function of its type, and the name is a C string.
                    unsafe { push(name.as_ptr()) };
                }
            }
            Some(Named(domain)) => {
                if let Some(push) = abi::DOMAIN_PUSH.get() {
                    let attributes = EventAttributes::message(name.as_ptr());
                    // SAFETY: the slot holds a function of its type; attributes and message live during the call.
                    unsafe { push(domain, &raw const attributes) };
                }
            }
        }
    }

    /// Closes the innermost range of this thread's stack.
    pub fn pop(self) {
        match self.0 {
            None => {
                if let Some(pop) = abi::RANGE_POP.get() {
                    // SAFETY: the slot holds a function of its type.
                    unsafe { pop() };
                }
            }
            Some(Named(domain)) => {
                if let Some(pop) = abi::DOMAIN_POP.get() {
                    // SAFETY: the slot holds a function of its type, and the handle is the tool's own.
                    unsafe { pop(domain) };
                }
            }
        }
    }

    /// Begins a range of the process, which may overlap others and end on another thread.
    pub fn start(self, name: &str) -> RangeId {
        let name = text(name);
        let id = match self.0 {
            None => abi::RANGE_START_A.get().map(|start| {
                // SAFETY: the slot holds a function of its type, and the name is a C string.
                unsafe { start(name.as_ptr()) }
            }),
            Some(Named(domain)) => {
                abi::DOMAIN_START.get().map(|start| {
                    let attributes = EventAttributes::message(name.as_ptr());
                    // SAFETY: the slot holds a function of its type; attributes and message live during the call.
                    unsafe { start(domain, &raw const attributes) }
                })
            }
        };
        RangeId(id.unwrap_or(0))
    }

    /// Ends a range that [`start`](Self::start) of this domain began.
    pub fn end(self, RangeId(id): RangeId) {
        match self.0 {
            None => {
                if let Some(end) = abi::RANGE_END.get() {
                    // SAFETY: the slot holds a function of its type.
                    unsafe { end(id) };
                }
            }
            Some(Named(domain)) => {
                if let Some(end) = abi::DOMAIN_END.get() {
                    // SAFETY: the slot holds a function of its type, and the handle is the tool's own.
                    unsafe { end(domain, id) };
                }
            }
        }
    }

    /// Marks a moment.
    pub fn mark(self, message: &str) {
        let message = text(message);
        match self.0 {
            None => {
                if let Some(mark) = abi::MARK_A.get() {
                    // SAFETY: the slot holds a function of its type, and the message is a C string.
                    unsafe { mark(message.as_ptr()) };
                }
            }
            Some(Named(domain)) => {
                if let Some(mark) = abi::DOMAIN_MARK.get() {
                    let attributes = EventAttributes::message(message.as_ptr());
                    // SAFETY: the slot holds a function of its type; attributes and message live during the call.
                    unsafe { mark(domain, &raw const attributes) };
                }
            }
        }
    }
}

/// A text as C has it. What follows a zero byte is lost, as it would be in C.
fn text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests;
