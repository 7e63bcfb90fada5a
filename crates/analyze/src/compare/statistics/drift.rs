//! Times that move along the order in which the runs were made: a device that warms up makes the later side slower.
//!
//! A line is fitted within the sides, where no change of the program can make one: of what all rows of a run have in common, and of each row beyond that.
//! Of a slope as much is believed as exceeds its own uncertainty.

use super::family::Row;

/// Where each run stands in the order.
#[derive(Debug)]
pub(super) struct Order {
    /// From the middle of its side.
    within: Vec<f64>,
    /// From the middle of all.
    overall: Vec<f64>,
    squares: f64,
    /// From the middle of the base to that of the new side.
    pub(super) apart: f64,
}

impl Order {
    /// Of runs, those of the base first, that stand at these places.
    pub(super) fn of(places: &[f64], base: usize) -> Self {
        let (of_base, of_new) = places.split_at(base.min(places.len()));
        let middles = [mean(of_base), mean(of_new)];
        let side = |run: usize| usize::from(run >= base);
        let within: Vec<f64> =
            places.iter().enumerate().map(|(run, place)| place - middles[side(run)]).collect();
        let middle = mean(places);
        Self {
            squares: within.iter().map(|place| place * place).sum(),
            within,
            overall: places.iter().map(|place| place - middle).collect(),
            apart: middles[1] - middles[0],
        }
    }

    /// Of a slope as much as exceeds so many times its own variance, which is that of a run over the squares; and the share of it that this is.
    fn believed(&self, slope: f64, variance: f64, times: f64) -> [f64; 2] {
        if self.squares <= 0.0 || slope == 0.0 {
            return [0.0; 2];
        }
        let share = (1.0 - times * variance / self.squares / (slope * slope)).max(0.0);
        [slope * share, share]
    }

    /// Takes what all rows share out of them: the change of their logarithms from run to run.
    pub(super) fn take_shared(&self, rows: &mut [Row]) -> f64 {
        let runs = self.within.len();
        let deviations: Vec<Vec<Option<f64>>> = rows.iter().map(Row::deviations).collect();
        let common: Vec<f64> = (0..runs)
            .map(|run| median(deviations.iter().filter_map(|row| row[run]).collect()))
            .collect();
        let pairs = || self.within.iter().zip(&common);
        let slope = pairs().map(|(place, value)| place * value).sum::<f64>() / self.squares;
        let left: f64 = pairs().map(|(place, value)| (value - slope * place).powi(2)).sum();
        let [slope, _] = self.believed(slope, left / (runs as f64 - 3.0).max(1.0), 1.0);
        for row in rows {
            for (value, place) in row.values.iter_mut().zip(&self.overall) {
                *value = value.map(|value| value - slope * place);
            }
        }
        slope
    }

    /// What one row drifts from the base to the new side by itself, and the variance of that. There are many rows, and some seem to drift by chance.
    pub(super) fn own(&self, row: &Row, variance: f64) -> [f64; 2] {
        let deviations = row.deviations();
        let pairs = self.within.iter().zip(&deviations);
        let slope = pairs.filter_map(|(place, value)| Some(place * (*value)?)).sum::<f64>()
            / self.squares.max(f64::MIN_POSITIVE);
        let [slope, share] = self.believed(slope, variance, SEEMING);
        [
            slope * self.apart,
            (share * self.apart).powi(2) * variance / self.squares.max(f64::MIN_POSITIVE),
        ]
    }
}

/// Slopes of single rows are believed from two deviations on.
const SEEMING: f64 = 4.0;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / (values.len() as f64).max(1.0)
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) && half > 0 {
        f64::midpoint(at(half - 1), at(half))
    } else {
        at(half)
    }
}
