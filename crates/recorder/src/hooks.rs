//! The functions that NVTX calls instead of its own: each turns its arguments into an event and hands it to the thread.
//!
//! Handles given to the program are numbers in the guise of pointers and are never followed.

use core::ffi::{c_char, c_int, c_void};
use core::ptr;

use crate::format::{Attributes, Kind};
use crate::message::{Message, WideChar};
use crate::process;
use crate::thread::{self, Event, NOT_TRACKED, Thread};

/// A domain or registered string, as NVTX passes it around.
pub(crate) type Handle = *const c_void;

/// `nvtxEventAttributes_t`.
#[repr(C)]
pub(crate) struct EventAttributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// The versions of NVTX whose attributes are laid out like this.
const VERSIONS: core::ops::RangeInclusive<u16> = 1..=3;
const MESSAGE_TEXT: i32 = 1;
const MESSAGE_WIDE: i32 = 2;
const MESSAGE_REGISTERED: i32 = 3;
/// A payload with a schema, which is not recorded.
const PAYLOAD_EXTENDED: u32 = 0xdfbd_0009;
const PAYLOAD_32_BITS: core::ops::RangeInclusive<u32> = 4..=6;

/// The number in a handle; a handle that is not ours becomes a number that no domain has.
fn domain_of(handle: Handle) -> u32 {
    u32::try_from(handle.addr()).unwrap_or(u32::MAX)
}

/// Reads the attributes of an event; those of an unknown version, or shorter than they should be, are ignored.
///
/// # Safety
/// The pointer is null or leads to attributes as NVTX defines them, which begin with their version and their size in bytes and need not be longer than that
/// size; their message stays for as long as it is used.
#[inline]
unsafe fn read<'a>(attributes: *const EventAttributes) -> (Option<Attributes>, Message<'a>) {
    if attributes.is_null() {
        return (None, Message::Silent);
    }
    // No reference is made: it would claim that all fields are there.
    // SAFETY: the two fields that the caller vouches for.
    let (version, size) = unsafe {
        let version = (&raw const (*attributes).version).read_unaligned();
        (version, (&raw const (*attributes).size).read_unaligned())
    };
    if !VERSIONS.contains(&version) || usize::from(size) < size_of::<EventAttributes>() {
        return (None, Message::Silent);
    }
    // SAFETY: by version and size, the whole structure is there.
    let given = unsafe { attributes.read_unaligned() };
    let message = match given.message_type {
        // SAFETY: the type says what the message is.
        MESSAGE_TEXT => unsafe { Message::of_text(given.message.cast()) },
        // SAFETY: likewise.
        MESSAGE_WIDE => unsafe { Message::of_wide(given.message.cast()) },
        MESSAGE_REGISTERED => Message::Handle(given.message.addr() as u64),
        _ => Message::Silent,
    };
    let payload_type = given.payload_type.cast_unsigned();
    if given.category == 0 && given.color_type == 0 && payload_type == 0 {
        return (None, message);
    }
    let payload = match payload_type {
        PAYLOAD_EXTENDED => {
            count_extended();
            0
        }
        // The other half of the union may hold anything.
        kind if PAYLOAD_32_BITS.contains(&kind) => given.payload & u64::from(u32::MAX),
        _ => given.payload,
    };
    let attributes = Attributes {
        category: given.category,
        color_type: given.color_type.cast_unsigned(),
        color: given.color,
        payload_type,
        payload,
    };
    (Some(attributes), message)
}

#[cold]
fn count_extended() {
    if let Some(process) = process::current() {
        process.count_extended();
    }
}

#[inline]
fn plain(kind: Kind, domain: u32, id: u64, message: Message<'_>) -> Option<&'static Thread> {
    thread::record(&Event { kind, domain, id, attributes: None, message })
}

/// # Safety
/// As for [`read`].
#[inline]
unsafe fn full(
    kind: Kind,
    domain: u32,
    id: u64,
    attributes: *const EventAttributes,
) -> Option<&'static Thread> {
    // SAFETY: the caller says so.
    let (attributes, message) = unsafe { read(attributes) };
    thread::record(&Event { kind, domain, id, attributes, message })
}

#[inline]
fn push(domain: u32, message: Message<'_>) -> c_int {
    let thread = plain(Kind::Push, domain, 0, message);
    thread.map_or(NOT_TRACKED, |thread| thread.push_level(domain))
}

#[inline]
fn pop(domain: u32) -> c_int {
    let thread = plain(Kind::Pop, domain, 0, Message::Silent);
    thread.map_or(NOT_TRACKED, |thread| thread.pop_level(domain))
}

fn start(domain: u32, message: Message<'_>) -> u64 {
    let id = process::new_range();
    plain(Kind::Start, domain, id, message);
    id
}

fn end(domain: u32, id: u64) {
    plain(Kind::End, domain, id, Message::Silent);
}

/// Makes a handle and records its meaning.
fn define(kind: Kind, domain: u32, message: Message<'_>) -> Handle {
    let handle = process::new_handle();
    match kind {
        Kind::Domain => plain(kind, u32::try_from(handle).unwrap_or(u32::MAX), 0, message),
        _ => plain(kind, domain, handle, message),
    };
    ptr::without_provenance(usize::try_from(handle).unwrap_or(0))
}

// NVTX promises that all pointers below are null or lead to what their type says, which is all that the called functions ask for.
// The functions are reached through NVTX's table alone.

/// Defines a function twice: for a text of bytes and for one of wide characters. The text is the last argument, after a semicolon.
macro_rules! of_bytes_and_wide {
    ($(fn $bytes:ident, $wide:ident($($argument:ident: $kind:ty),*; $text:ident) $(-> $result:ty)? $body:block)*) => {$(
        pub(crate) unsafe extern "C" fn $bytes($($argument: $kind,)* $text: *const c_char) $(-> $result)? {
            // SAFETY: see above.
            let $text = unsafe { Message::of_text($text) };
            $body
        }

        pub(crate) unsafe extern "C" fn $wide($($argument: $kind,)* $text: *const WideChar) $(-> $result)? {
            // SAFETY: see above.
            let $text = unsafe { Message::of_wide($text) };
            $body
        }
    )*};
}

of_bytes_and_wide! {
    fn mark_a, mark_w(; message) {
        plain(Kind::Mark, 0, 0, message);
    }
    fn range_start_a, range_start_w(; message) -> u64 { start(0, message) }
    fn range_push_a, range_push_w(; message) -> c_int { push(0, message) }
    fn name_category_a, name_category_w(category: u32; name) {
        plain(Kind::Category, 0, category.into(), name);
    }
    fn name_thread_a, name_thread_w(thread: u32; name) {
        plain(Kind::ThreadName, 0, thread.into(), name);
    }
    fn domain_name_category_a, domain_name_category_w(domain: Handle, category: u32; name) {
        plain(Kind::Category, domain_of(domain), category.into(), name);
    }
    fn domain_register_string_a, domain_register_string_w(domain: Handle; string) -> Handle {
        define(Kind::String, domain_of(domain), string)
    }
    fn domain_create_a, domain_create_w(; name) -> Handle { define(Kind::Domain, 0, name) }
}

pub(crate) unsafe extern "C" fn mark_ex(attributes: *const EventAttributes) {
    // SAFETY: see above.
    unsafe { full(Kind::Mark, 0, 0, attributes) };
}

pub(crate) unsafe extern "C" fn range_start_ex(attributes: *const EventAttributes) -> u64 {
    // SAFETY: see above.
    unsafe { domain_range_start_ex(ptr::null(), attributes) }
}

pub(crate) unsafe extern "C" fn range_end(id: u64) {
    end(0, id);
}

pub(crate) unsafe extern "C" fn range_push_ex(attributes: *const EventAttributes) -> c_int {
    // SAFETY: see above.
    unsafe { domain_range_push_ex(ptr::null(), attributes) }
}

pub(crate) unsafe extern "C" fn range_pop() -> c_int {
    pop(0)
}

pub(crate) unsafe extern "C" fn domain_mark_ex(domain: Handle, attributes: *const EventAttributes) {
    // SAFETY: see above.
    unsafe { full(Kind::Mark, domain_of(domain), 0, attributes) };
}

pub(crate) unsafe extern "C" fn domain_range_start_ex(
    domain: Handle,
    attributes: *const EventAttributes,
) -> u64 {
    let id = process::new_range();
    // SAFETY: see above.
    unsafe { full(Kind::Start, domain_of(domain), id, attributes) };
    id
}

pub(crate) unsafe extern "C" fn domain_range_end(domain: Handle, id: u64) {
    end(domain_of(domain), id);
}

pub(crate) unsafe extern "C" fn domain_range_push_ex(
    domain: Handle,
    attributes: *const EventAttributes,
) -> c_int {
    // SAFETY: see above.
    let thread = unsafe { full(Kind::Push, domain_of(domain), 0, attributes) };
    thread.map_or(NOT_TRACKED, |thread| thread.push_level(domain_of(domain)))
}

pub(crate) unsafe extern "C" fn domain_range_pop(domain: Handle) -> c_int {
    pop(domain_of(domain))
}

// The payload extension: ranges are recorded, their payloads are not.

pub(crate) unsafe extern "C" fn domain_is_enabled(_: Handle) -> u8 {
    1
}

pub(crate) unsafe extern "C" fn mark_payload(domain: Handle, _: *const c_void, _: usize) {
    count_extended();
    plain(Kind::Mark, domain_of(domain), 0, Message::Silent);
}

pub(crate) unsafe extern "C" fn range_push_payload(
    domain: Handle,
    _: *const c_void,
    _: usize,
) -> c_int {
    count_extended();
    push(domain_of(domain), Message::Silent)
}

pub(crate) unsafe extern "C" fn range_pop_payload(
    domain: Handle,
    _: *const c_void,
    _: usize,
) -> c_int {
    count_extended();
    pop(domain_of(domain))
}

pub(crate) unsafe extern "C" fn range_start_payload(
    domain: Handle,
    _: *const c_void,
    _: usize,
) -> u64 {
    count_extended();
    start(domain_of(domain), Message::Silent)
}

pub(crate) unsafe extern "C" fn range_end_payload(
    domain: Handle,
    id: u64,
    _: *const c_void,
    _: usize,
) {
    count_extended();
    end(domain_of(domain), id);
}
