//! The root of the injection library: the modules of the crate, without the standard library and with a panic handler that must never be linked in.
//!
//! A build script compiles this file on its own. A test of the result shows that it cannot panic: it would have to import `abort`.

#![no_std]
#![expect(unsafe_code, reason = "an injection library speaks C on both sides")]
#![expect(dead_code, reason = "the library writes the format, it does not read it")]

mod attach;
mod environment;
mod format;
mod header;
mod guard;
mod hooks;
mod line;
mod message;
mod process;
mod storage;
mod sys;
mod thread;
mod threads;

unsafe extern "C" {
    fn abort() -> !;
}

#[panic_handler]
fn never(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: has no conditions.
    unsafe { abort() }
}
