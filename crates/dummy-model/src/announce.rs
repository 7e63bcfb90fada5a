//! Announcing launches to a simulated device, which works from any language.
//!
//! For each launch the program makes an NVTX mark in the domain [`DOMAIN`] whose message is a JSON object:
//!
//! ```json
//! {"kernel": "conv3x3_bias_relu", "signature": "const float *, float *, int", "grid": [2, 2, 32], "block": [16, 16, 1],
//!  "registers": 40, "shared": 0, "flops": 9437184, "read": 140544, "written": 131072, "l2_hit": 0.85,
//!  "stream": 7, "device": 0, "api": "cuLaunchKernel",
//!  "source": {"file": "kernels.cu", "lines": [44, 62], "function": "convolve", "called_at": 72}}
//! ```
//!
//! Only `kernel` is required. `grid` and `block` are in blocks and threads, `registers` a thread, `shared` in bytes a block, `flops` and the bytes `read` and `written` for the whole launch, `l2_hit` from 0 to 1.
//! `source` says which lines of which file the kernel is made from. In the first launch of a process it has the `text` of the file too.
//! The launch belongs to the ranges that are open on the marking thread at that moment, as a kernel does to those open when it is launched.
//! A program marks only when asked to: rangescope sets the variable [`VARIABLE`] for the programs that it runs on a simulated device.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::args::Dtype;
use crate::launch::Launch;
use crate::nvtx::Domain;
use crate::source::{self, Place, TEXT};

use rangescope_recorder::format::{SIMULATE_VARIABLE as VARIABLE, SIMULATOR_DOMAIN as DOMAIN};

/// Announces the launches of one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announcer {
    domain: Domain,
    device: u32,
    stream: u32,
}

#[derive(Serialize)]
struct Announcement<'a> {
    kernel: &'a str,
    signature: String,
    grid: [u32; 3],
    block: [u32; 3],
    registers: u32,
    shared: u32,
    flops: f64,
    read: f64,
    written: f64,
    l2_hit: f64,
    stream: u32,
    device: u32,
    api: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
}

#[derive(Serialize)]
struct Source {
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

/// The text was announced.
static TOLD: AtomicBool = AtomicBool::new(false);

/// The number that ncu gives to the default stream.
const DEFAULT_STREAM: u32 = 7;

impl Announcer {
    /// Streams are numbered as in the program.
    pub(crate) fn new(device: u32, stream: u32) -> Self {
        Self { domain: Domain::new(DOMAIN), device, stream: DEFAULT_STREAM + stream }
    }

    pub(crate) fn announce(&self, launch: &Launch, dtype: Dtype) {
        let text = (!TOLD.swap(true, Ordering::Relaxed)).then_some(TEXT);
        self.domain.mark(&self.message(launch, dtype, text));
    }

    fn message(&self, launch: &Launch, dtype: Dtype, text: Option<&'static str>) -> String {
        let work = launch.work(dtype);
        let announcement = Announcement {
            kernel: launch.kernel.name(),
            signature: launch.signature(dtype),
            grid: launch.grid(),
            block: launch.block(),
            registers: launch.kernel.registers(),
            shared: 0,
            flops: work.flops,
            read: work.read,
            written: work.written,
            l2_hit: launch.kernel.l2_hit(),
            stream: self.stream,
            device: self.device,
            api: "cuLaunchKernel",
            source: source::place(launch.kernel).map(|place| Source { place, text }),
        };
        // Numbers and texts cannot fail to become JSON.
        serde_json::to_string(&announcement).unwrap_or_default()
    }
}

/// A simulated device stands in for a GPU.
pub(crate) fn wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

#[cfg(test)]
mod tests {
    use rangescope_recorder::format::LONGEST_TEXT;

    use super::*;

    #[test]
    fn the_text_of_the_kernels_fits_into_a_mark() {
        // What else a launch says is a few hundred bytes.
        let escaped = serde_json::to_string(TEXT).unwrap();
        assert!(escaped.len() + 1024 < LONGEST_TEXT, "{}", escaped.len());
    }
}
