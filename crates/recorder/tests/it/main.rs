//! The recorder as NVTX meets it. Real NVTX programs are recorded by a lane of `scripts/test`; this needs nothing but the compiler.
//!
//! What a process does while it is recorded happens in children: this program started once more, with the name of one of its tests (see `nvtx::child`).

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests may fail and start programs"
)]
#![expect(unsafe_code, reason = "NVTX is a C interface")]

mod attach;
mod environment;
mod nvtx;
mod short;
