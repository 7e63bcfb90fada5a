//! What only single results hold: opcodes and samples over time, of the longest launches of the heaviest kernels.

use rangescope_analyze::insight::kernel::{LongestLaunch, PmSeries};
use serde::Serialize;

use super::number::Number;
use super::pool::Texts;
use crate::plot::{columns_of, length_ns};

/// Columns and series of samples, and opcodes, that are kept of a launch.
const COLUMNS: usize = 160;
const MOST_SERIES: usize = 40;
const MOST_OPCODES: usize = 24;

/// The longest launch of a kernel.
#[derive(Debug, Serialize)]
pub(crate) struct PageLaunch {
    kernel: u32,
    result: u64,
    ns: Number,
    /// Opcode, instructions and share.
    opcodes: Vec<(u32, Number, Number)>,
    opcodes_left_out: usize,
    series: Vec<Series>,
    series_left_out: usize,
    /// What is not known of the series.
    unknown: u32,
}

/// Means of the samples in equal steps of time, null where a step has none.
#[derive(Debug, Serialize)]
struct Series {
    label: u32,
    metric: u32,
    unit: u32,
    ns: Number,
    largest: Number,
    means: Vec<Option<Number>>,
}

impl PageLaunch {
    pub(crate) fn of(texts: &mut Texts, launch: &LongestLaunch) -> Self {
        let sampled = &launch.sampled;
        let is_number = |series: &&PmSeries| series.values.iter().any(Option::is_some);
        let shown = || sampled.series.iter().filter(is_number);
        let opcodes = launch.opcodes.iter().take(MOST_OPCODES).map(|one| {
            let (count, share) = (Number::new(one.instructions), Number::new(one.share));
            (texts.add(&one.opcode), count, share)
        });
        Self {
            opcodes: opcodes.collect(),
            opcodes_left_out: launch.opcodes.len().saturating_sub(MOST_OPCODES),
            kernel: texts.add(&launch.kernel),
            result: sampled.launch,
            ns: Number::ns(sampled.duration_ms),
            series: shown().take(MOST_SERIES).map(|one| series(texts, one)).collect(),
            series_left_out: shown().count().saturating_sub(MOST_SERIES),
            unknown: texts.add(&sampled.unknown().join(" ")),
        }
    }
}

fn series(texts: &mut Texts, series: &PmSeries) -> Series {
    // Four digits are more than a column of a drawing shows.
    let rounded = |mean: f64| Number::new(format!("{mean:.3e}").parse().unwrap_or(mean));
    let means = columns_of(series, COLUMNS).into_iter();
    Series {
        label: texts.add(&series.label),
        metric: texts.add(&series.metric),
        unit: texts.add(&series.unit),
        ns: Number::new(length_ns(series)),
        largest: Number::new(series.values.iter().flatten().copied().fold(0.0, f64::max)),
        means: means.map(|mean| mean.map(rounded)).collect(),
    }
}
