//! Samples that were taken at different intervals: each stands for the time between two, and they are scaled before they are added.

/// How many cycles lie between two samples of the program counter.
pub(crate) const INTERVAL: &str = "smsp__pcsamp_interval_cycles";
/// What counters of samples by stall reason begin with, and the counter of all.
pub(crate) const STALLED: &str = "smsp__pcsamp_warps_issue_stalled_";
pub(crate) const SAMPLES: &str = "smsp__pcsamp_sample_count";

/// Whether a metric that is not 0 shows that a launch was sampled.
pub(crate) fn shows_samples(name: &str) -> bool {
    name == SAMPLES || name.starts_with(STALLED)
}

/// The intervals of the launches in which anything was sampled. One without a sample has no say: ncu states the interval that it began to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals {
    pub(crate) sampled: u64,
    /// Those of them whose interval is known.
    pub(crate) known: u64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// What samples are counted as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// As they are: no two intervals differ.
    Same,
    /// As if all had been taken at this interval, the shortest.
    Shortest(f64),
    /// As they are, though intervals differ: some are unknown.
    Unknown,
}

impl Default for Intervals {
    fn default() -> Self {
        Self { sampled: 0, known: 0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Intervals {
    /// Adds a launch that was sampled; its interval is no number or not above 0 where it is unknown.
    pub(crate) fn add(&mut self, interval: f64) {
        let is_known = interval > 0.0;
        let of_one = Self { sampled: 1, ..Self::default() };
        self.merge(if is_known {
            Self { known: 1, min: interval, max: interval, ..of_one }
        } else {
            of_one
        });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.sampled = self.sampled.saturating_add(other.sampled);
        self.known = self.known.saturating_add(other.known);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    pub(crate) fn scale(&self) -> Scale {
        match self.min < self.max {
            false => Scale::Same,
            true if self.known == self.sampled => Scale::Shortest(self.min),
            true => Scale::Unknown,
        }
    }
}

impl Scale {
    /// What it means, where it is not as they are.
    pub(crate) fn reason(self) -> Option<&'static str> {
        match self {
            Self::Same => None,
            Self::Shortest(_) => Some(
                "sampled at different intervals: counted as if all had been sampled at the shortest",
            ),
            Self::Unknown => Some("sampled at different intervals, some of them unknown"),
        }
    }

    /// How many samples one at this interval counts as.
    pub(crate) fn factor(self, interval: f64) -> f64 {
        match self {
            Self::Shortest(shortest) if interval > 0.0 => interval / shortest,
            _ => 1.0,
        }
    }
}
