//! What a run prints: the same on every device, within the tolerance of floating-point sums.

use std::fmt::Write as _;

use serde::Serialize;

use crate::args::Args;

#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) model: &'static str,
    pub(crate) scenario: String,
    pub(crate) device: String,
    pub(crate) device_name: Option<String>,
    pub(crate) dtype: &'static str,
    pub(crate) rank: u32,
    pub(crate) batch: u32,
    pub(crate) size: u32,
    pub(crate) channels: u32,
    pub(crate) blocks: u32,
    pub(crate) classes: u32,
    pub(crate) repeats: u32,
    pub(crate) warmup: u32,
    pub(crate) seed: u64,
    /// Kernels that were launched, including the warm-up.
    pub(crate) launches: usize,
    /// The NVTX tool that saw the ranges.
    pub(crate) nvtx: Option<String>,
    pub(crate) checksum: f64,
    /// For each image the value of each class.
    pub(crate) logits: Vec<Vec<f32>>,
}

impl Outcome {
    /// Neighbouring logits have different weights, so that swapping them changes the sum.
    pub(crate) fn checksum(logits: &[f32]) -> f64 {
        let weighted = |(i, &x): (usize, &f32)| f64::from(x) * (1.0 + (i % 7) as f64 / 7.0);
        logits.iter().enumerate().map(weighted).sum()
    }

    pub(crate) fn to_text(&self, args: &Args) -> String {
        let mut text = String::new();
        let name = self.device_name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{} on {}{name}, {}, scenario {}, rank {}",
            self.model, self.device, self.dtype, self.scenario, self.rank
        );
        let _ = writeln!(
            text,
            "{} images of {} x {}, {} channels, {} blocks, {} repeats after {} passes of warm-up, {} kernels",
            args.batch,
            args.size,
            args.size,
            args.channels,
            args.blocks,
            args.repeats,
            args.warmup,
            self.launches
        );
        let _ = writeln!(text, "checksum {:.4}", self.checksum);
        for (number, logits) in self.logits.iter().enumerate() {
            let _ = write!(text, "image {number}:");
            for logit in logits {
                let _ = write!(text, " {logit:.4}");
            }
            text.push('\n');
        }
        text
    }
}
