//! The NVTX injection library: loaded into a program through `NVTX_INJECTION64_PATH`, it writes every range and mark to a file of that process.
//!
//! It runs inside other people's programs, so the rules are strict: no dependencies, no panics, no unwinding into C, and nothing in a hook that is not allowed in a
//! signal handler: no allocation, no lock, little stack, no place where a thread can be cancelled. `errno` stays as it was, and a storage error switches recording off instead of being met again on every event.
//! An event is in the page cache when its call returns, so that a killed program loses nothing.
//!
//! [`format`] is the one definition of the file; the rest is built for 64-bit Linux alone. The flow is short: `attach` fills NVTX's function table with the
//! functions of `hooks`, each of which hands one event to `thread`, which appends a record to the chunk that this thread owns. `threads` is
//! where a thread finds its state, `process` what all threads share, `environment` all that is taken from the program's environment, and `storage` makes the file
//! and its chunks. `guard` keeps a file that somebody else makes shorter from ending the program.
//!
//! The library itself is built from `library.rs` by the build script and is here as [`LIBRARY`]; this crate is the same modules for everyone else.

#![no_std]
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "an injection library speaks C on both sides"),
    expect(clippy::cast_ptr_alignment, reason = "all parts of a file are aligned to eight bytes")
)]

pub mod format;

/// The injection library, an ELF shared object; empty where there is none for the target.
pub static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/librangescope_recorder.so"));

#[cfg(target_os = "linux")]
mod attach;
#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod header;
#[cfg(target_os = "linux")]
mod hooks;
#[cfg(target_os = "linux")]
mod line;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod storage;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod thread;
#[cfg(target_os = "linux")]
mod threads;

#[cfg(all(target_os = "linux", not(all(target_endian = "little", target_pointer_width = "64"))))]
compile_error!(
    "recordings are written as they lie in the memory of a 64-bit little-endian machine"
);
