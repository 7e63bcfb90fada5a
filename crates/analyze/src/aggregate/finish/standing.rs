//! Which of some times stand out from the others.

/// A time stands out if it is further from the median of all than this many times the median distance …
const OUTLYING: f64 = 5.0;
/// … and than this part of the median itself.
const WORTH: f64 = 0.1;
/// Of fewer values than this the median distance tells nothing: what is further from the median than half of it stands out.
const FEW: usize = 6;
const FAR: f64 = 0.5;

/// Positions of the values that stand out, furthest first.
pub(super) fn standing_out(values: &[f64]) -> Vec<usize> {
    let centre = median(values.to_vec()).unwrap_or_default();
    let distance = |value: f64| (value - centre).abs();
    let usual = median(values.iter().map(|value| distance(*value)).collect()).unwrap_or_default();
    let far = (OUTLYING * usual).max(WORTH * centre);
    let far = if values.len() < FEW { far.min(FAR * centre) } else { far };
    let mut out: Vec<(usize, f64)> = values.iter().copied().map(distance).enumerate().collect();
    out.retain(|(_, distance)| *distance > far);
    out.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    out.into_iter().map(|(at, _)| at).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}
