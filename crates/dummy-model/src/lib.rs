//! `dummy_shallow_resnet`: a small residual network with NVTX ranges, the program that rangescope is tried on.
//!
//! It computes the same numbers on a GPU, on the CPU and on a simulated device, and opens ranges in every way that a profiler has to cope with (`scenario`).
//! All devices run the same list of launches, so that a simulated run and a real one have the same kernels in the same ranges.
//! Building it needs nothing of CUDA: the driver, NVRTC and an NVTX tool are loaded at run time if they are there.
//!
//! The program is a library, so that `rangescope dummy-model` and the binary `dummy_shallow_resnet` are the same.

mod announce;
mod args;
mod buffers;
mod device;
mod error;
mod kernel;
mod launch;
mod library;
mod model;
mod nvtx;
mod outcome;
mod play;
mod random;
mod rank;
mod run;
mod scenario;
mod source;

pub use args::Args;
pub use run::{run, run_with};
