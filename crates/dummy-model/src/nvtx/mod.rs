//! A client of NVTX v3: ranges and marks that any NVTX tool sees, without NVIDIA's headers and without a C compiler.
//!
//! NVTX is a convention rather than a library. A client has a table of empty function slots; on its first call it loads the library that `NVTX_INJECTION64_PATH` names, and that library puts its functions into the slots. Without a tool, a call costs one load and one comparison.
//! The layout (`abi`) is that of version 3, in which it is frozen. This client has only the functions that the model needs.

mod abi;
mod attach;

pub(crate) use attach::{Attachment, attachment};

use std::ffi::CString;
use std::ptr;

use abi::EventAttributes;

/// A domain: ranges of different domains nest apart from each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Domain(Option<Named>);

/// The tool's handle for a name; null without a tool.
#[derive(Clone, Copy, Debug)]
struct Named(abi::DomainHandle);

#[expect(unsafe_code, reason = "the handle is a name that only the tool looks into")]
// SAFETY: NVTX allows a domain to be used from any thread.
unsafe impl Send for Named {}
#[expect(unsafe_code, reason = "the handle is a name that only the tool looks into")]
// SAFETY: as above.
unsafe impl Sync for Named {}

/// A range that [`start`] began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeId(u64);

#[expect(unsafe_code, reason = "a tool's functions are called through its slots")]
impl Domain {
    /// The domain of ranges that name none.
    pub(crate) const DEFAULT: Self = Self(None);

    /// Makes a domain, a new one with every call.
    pub(crate) fn new(name: &str) -> Self {
        let name = text(name);
        let handle = abi::DOMAIN_CREATE_A.get().map(|create| {
            // SAFETY: the slot holds a function of its type, and the name is a C string that NVTX copies.
            unsafe { create(name.as_ptr()) }
        });
        Self(Some(Named(handle.unwrap_or(ptr::null_mut()))))
    }

    /// Opens a range on this thread's stack.
    pub(crate) fn push(self, name: &str) {
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
    pub(crate) fn pop(self) {
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

    /// Marks a moment.
    pub(crate) fn mark(self, message: &str) {
        let message = text(message);
        if let Some(mark) = abi::DOMAIN_MARK.get() {
            let domain = self.0.map_or(ptr::null_mut(), |Named(domain)| domain);
            let attributes = EventAttributes::message(message.as_ptr());
            // SAFETY: the slot holds a function of its type; attributes and message live during the call. A null domain is the default one.
            unsafe { mark(domain, &raw const attributes) };
        }
    }
}

/// Begins a range of the process, which may overlap others and end on another thread.
#[expect(unsafe_code, reason = "a tool's functions are called through its slots")]
pub(crate) fn start(name: &str) -> RangeId {
    let name = text(name);
    // SAFETY: the slot holds a function of its type, and the name is a C string.
    RangeId(abi::RANGE_START_A.get().map_or(0, |start| unsafe { start(name.as_ptr()) }))
}

#[expect(unsafe_code, reason = "a tool's functions are called through its slots")]
pub(crate) fn end(RangeId(id): RangeId) {
    if let Some(end) = abi::RANGE_END.get() {
        // SAFETY: the slot holds a function of its type.
        unsafe { end(id) };
    }
}

/// A text as C has it. What follows a zero byte is lost, as it would be in C.
fn text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests;
