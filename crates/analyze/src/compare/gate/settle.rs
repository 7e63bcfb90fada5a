//! What runs allow a gate to say, and how many would allow more.

use super::evaluate::Subject;
use super::{Gate, Limit, Quantity};
use crate::compare::delta::TIME_FAMILY;
use crate::compare::statistics::{
    SURELY, USUAL_LIMIT, Verdicts, are_enough, least_runs, more_runs, runs_worth,
};
use rangescope_model::comparison::Delta;

/// The runs that a gate judges by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'v> {
    pub(crate) runs: [usize; 2],
    /// The step of the timer.
    pub(crate) step_ms: f64,
    pub(crate) verdicts: &'v Verdicts,
}

impl Evidence<'_> {
    /// Why nobody can say whether a difference of measured numbers is beyond a limit, whatever it is; nothing where a side has a single run, by which
    /// gates are judged without an interval.
    pub(super) fn lacks(&self, gate: &Gate, subject: &Subject<'_>) -> Option<String> {
        let delta = subject.delta?;
        let [base, new] = self.runs;
        if base < 2 || new < 2 {
            return None;
        }
        if !are_enough(self.runs) {
            let settling = self.runs_needed(gate, subject).map_or_else(
                || format!("; {} a side are the least that can", least_runs()),
                |runs| format!("; about {runs} a side would settle it"),
            );
            return Some(format!(", which {base} and {new} runs are too few to judge{settling}"));
        }
        let has_one = [(delta.base, "base"), (delta.new, "new side")]
            .into_iter()
            .find(|(spread, _)| spread.is_some_and(|spread| spread.runs < 2));
        match has_one {
            Some((_, side)) => Some(format!(", which only one run of the {side} has")),
            None if delta.interval.is_none() && !is_constant(delta) => {
                Some(", which cannot be judged: a value is zero or below".to_owned())
            }
            None => None,
        }
    }

    /// How many runs would settle what the interval leaves open.
    pub(super) fn settling(&self, gate: &Gate, subject: &Subject<'_>) -> String {
        self.runs_needed(gate, subject)
            .map_or_else(String::new, |runs| format!("; about {runs} runs a side would settle it"))
    }

    /// About how many runs a side put the whole interval on one side of the limit, if noise is what it is now. Steps of the timer are not narrowed by runs.
    fn runs_needed(&self, gate: &Gate, subject: &Subject<'_>) -> Option<u32> {
        let delta = subject.delta?;
        let (interval, base, absolute) = (delta.interval?, delta.base?, delta.absolute?);
        let limit = match gate.limit {
            Limit::Relative(percent) => percent.number() / 100.0 * base.median.abs(),
            Limit::Absolute { value, .. } => value.number(),
        };
        let apart = (absolute - limit).abs() - self.steps(gate, subject.launches);
        if apart <= 0.0 {
            return None;
        }
        // Where runs are few the interval is far wider than that of more runs will be, whatever their noise.
        let family = gate.metric();
        let few = self.verdicts.few_limit(family.as_deref().unwrap_or(TIME_FAMILY));
        let narrower = few.map_or(1.0, |few| USUAL_LIMIT / few);
        let half = (interval.high - interval.low) / 2.0 * narrower;
        more_runs(runs_worth(self.runs) * (half / apart * SURELY).powi(2), self.runs)
    }

    /// How much the steps of the timer may move a time of so many launches at most: as when all are rounded alike.
    fn steps(&self, gate: &Gate, launches: f64) -> f64 {
        match gate.quantity {
            Quantity::Time | Quantity::ExclusiveTime => self.step_ms * launches,
            Quantity::TimePerCall => self.step_ms,
            _ => 0.0,
        }
    }
}

/// Whether all runs of both sides have one value.
#[expect(clippy::float_cmp, reason = "a value is the same in all runs or it is not")]
fn is_constant(delta: &Delta) -> bool {
    let spreads = || delta.base.iter().chain(&delta.new);
    delta.absolute == Some(0.0) && spreads().all(|spread| spread.min == spread.max)
}
