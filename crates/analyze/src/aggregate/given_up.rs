//! Results that ncu gave up: it ran the kernel once, measured nothing, and wrote a result all the same.

use crate::aggregate::rules::recipe::DURATION_NAMES;
use crate::aggregate::tally::plan::ResultValues;
use rangescope_model::launch::{Launch, MetricId, Vocabulary};

const PASSES: &str = "profiler__replayer_passes";

/// The metrics that show it.
#[derive(Debug, Default)]
pub(crate) struct GivenUp {
    passes: Option<MetricId>,
    durations: Vec<MetricId>,
}

impl GivenUp {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let handle = |name: &str| {
            let position = vocabulary.metrics.iter().position(|metric| metric == name)?;
            u32::try_from(position).ok().map(MetricId)
        };
        Self {
            passes: handle(PASSES),
            durations: DURATION_NAMES.iter().filter_map(|name| handle(name)).collect(),
        }
    }

    /// Whether the result in the scratch space was given up: one pass at most, and a duration that was asked for but is no number.
    pub(crate) fn is(&self, scratch: &ResultValues, launch: &Launch<'_>) -> bool {
        let few_passes = self.passes.is_some_and(|passes| scratch.value(passes.0 as usize) <= 1.0);
        let measured = |id: &MetricId| !scratch.value(id.0 as usize).is_nan();
        few_passes
            && !self.durations.iter().any(measured)
            && launch.numbers.iter().any(|(id, _)| self.durations.contains(id))
    }
}
