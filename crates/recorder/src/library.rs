//! The root of the injection library: the modules of the crate, without the standard library and with a panic handler that must never be linked in.
//!
//! `build.rs` compiles this file by itself. That the result cannot panic is tested in `crates/recording`: it would have to import `abort`.

#![no_std]
#![allow(unsafe_code, reason = "an injection library speaks C on both sides")]
#![allow(dead_code, reason = "the library writes the format, it does not read it")]

mod attach;
mod format;
mod header;
mod hooks;
mod line;
mod message;
mod process;
mod spare;
mod storage;
mod sys;
mod thread;

unsafe extern "C" {
    fn abort() -> !;
}

#[panic_handler]
fn never(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: has no conditions.
    unsafe { abort() }
}
