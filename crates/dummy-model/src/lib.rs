//! `dummy_shallow_resnet`: a small residual network with NVTX ranges, the program that rangescope is tried on.
//!
//! It computes the same numbers on a GPU, on the CPU, and on a simulated device, and opens ranges in every manner that a profiler has to cope with ([`Scenario`]).
//! Everything that is launched comes from one list, whichever device runs it, so that a simulated run and a real one have the same kernels in the same ranges.
//! Nothing of CUDA is needed to build it: the driver, NVRTC and an NVTX tool are loaded when they are there.
//!
//! It is a program inside a library, so that `rangescope dummy-model` and the binary `dummy_shallow_resnet` are the same thing.

pub mod announce;
mod args;
mod buffers;
mod device;
mod error;
mod kernel;
mod launch;
mod library;
mod model;
pub mod nvtx;
mod outcome;
mod play;
mod random;
mod rank;
mod run;
mod scenario;

pub use args::{Args, DeviceChoice, Dtype};
pub use error::ModelError;
pub use run::{run, run_with};
pub use scenario::Scenario;
