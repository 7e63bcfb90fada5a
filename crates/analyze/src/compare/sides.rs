//! One set of results on both sides, run by run, and what is asked about it.

use crate::compare::delta::{Judge, Kind, Reading, verdict};
use crate::compare::quantity::Value;
use crate::compare::row::Row;
use rangescope_model::comparison::{Change, Delta, Interval, MetricDelta, Verdict};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The metrics.
    pub(crate) names: &'a [String],
    pub(crate) judge: Judge<'a>,
}

/// The rows of one set: of the base and of the new side, one place per run.
#[derive(Debug)]
pub(crate) struct Sides<'d> {
    sides: [Vec<Option<Row<'d>>>; 2],
}

/// The time of a set and what makes it up.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) verdict: Verdict,
    pub(crate) time: Delta,
    pub(crate) calls: Delta,
    pub(crate) time_per_call: Delta,
}

impl<'d> Sides<'d> {
    /// Nothing yet of so many runs a side.
    pub(crate) fn of(runs: [usize; 2]) -> Self {
        Self { sides: runs.map(|runs| vec![None; runs]) }
    }

    /// Adds what a run of a side has.
    pub(crate) fn put(&mut self, side: usize, run: usize, row: Row<'d>) {
        match &mut self.sides[side][run] {
            Some(known) => known.add(row),
            place => *place = Some(row),
        }
    }

    pub(crate) fn runs(&self) -> [usize; 2] {
        self.sides.each_ref().map(Vec::len)
    }

    pub(crate) fn is_in_some_runs(&self) -> bool {
        self.sides.iter().any(|runs| {
            let with = runs.iter().flatten().count();
            with > 0 && with < runs.len()
        })
    }

    pub(crate) fn is_one_sided(&self) -> bool {
        self.sides.iter().any(|runs| runs.iter().all(Option::is_none))
    }

    /// Side, run and row of what is there.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, usize, &Row<'d>)> {
        self.sides.iter().enumerate().flat_map(|(side, runs)| {
            runs.iter().enumerate().filter_map(move |(run, row)| Some((side, run, row.as_ref()?)))
        })
    }

    pub(crate) fn timed(&self, judge: Judge<'_>) -> Timed {
        let time = self.time(judge, false, |row| row.calls, Row::time);
        let calls = self.count(judge, |row| row.calls);
        let time_per_call = if calls.change == Change::Same {
            // As many calls: what holds for the sum holds for each, and is not judged twice.
            let measured = self.delta(judge, Kind::Count, Row::time_per_call);
            let calls = calls.base.map_or(1.0, |calls| calls.median);
            let interval = time.interval.map(|interval| Interval {
                low: interval.low / calls,
                high: interval.high / calls,
                ..interval
            });
            Delta { change: time.change, runs_needed: time.runs_needed, interval, ..measured }
        } else {
            self.time(judge, true, |row| row.calls, Row::time_per_call)
        };
        Timed { verdict: verdict(&time, &calls, &time_per_call), time, calls, time_per_call }
    }

    pub(crate) fn exclusive_time(&self, judge: Judge<'_>) -> Delta {
        self.time(judge, false, |row| row.exclusive_calls, Row::exclusive_time)
    }

    fn time(
        &self,
        judge: Judge<'_>,
        is_mean: bool,
        launches: impl Fn(&Row<'d>) -> u64,
        get: impl Fn(&Row<'d>) -> Reading,
    ) -> Delta {
        let most = self.rows().map(|(_, _, row)| launches(row)).max().unwrap_or_default();
        self.delta(judge, Kind::Time { launches: most as f64, is_mean }, get)
    }

    pub(crate) fn count(&self, judge: Judge<'_>, get: impl Fn(&Row<'_>) -> u64) -> Delta {
        self.delta(judge, Kind::Count, |row| Reading::Value(get(row) as f64))
    }

    fn delta(&self, judge: Judge<'_>, kind: Kind<'_>, get: impl Fn(&Row<'d>) -> Reading) -> Delta {
        let [base, new] = self.sides.each_ref().map(|runs| -> Vec<Reading> {
            runs.iter().map(|row| row.as_ref().map_or(Reading::Missing, &get)).collect()
        });
        judge.delta(kind, &base, &new)
    }

    /// The metrics that at least one side has.
    pub(crate) fn metrics(&self, asked: Asked<'_>) -> Vec<MetricDelta> {
        asked.names.iter().filter_map(|name| self.metric(name, asked.judge)).collect()
    }

    fn metric(&self, name: &str, judge: Judge<'_>) -> Option<MetricDelta> {
        let values: Vec<Value> = self.rows().filter_map(|(_, _, row)| row.value(name)).collect();
        let first = values.first()?;
        let reading = |row: &Row<'d>| {
            row.value(name).map_or(Reading::Missing, |value| Reading::Value(value.number))
        };
        Some(MetricDelta {
            name: name.to_owned(),
            unit: first.unit.clone(),
            method: first.method,
            exact: values.iter().all(|value| value.exact),
            delta: self.delta(judge, Kind::Metric(name), reading),
        })
    }
}
