//! Samples over the time of one launch.

use rangescope_analyze::insight::kernel::{PmSampling, PmSeries};
use rangescope_model::number;
use rangescope_model::text::visible;

use crate::kernel::in_unit;
use crate::plot::chosen::{Chosen, full_name};
use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::frame::{Frame, SMALL};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape, line, text};

/// The part of a series that shows the kernel: from its beginning to its end where they are known, else everything.
fn window(series: &PmSeries) -> (i64, i64) {
    // Whoever wrote the file may not have sorted them.
    let (first, last) = (series.at_ns.iter().min(), series.at_ns.iter().max());
    match series.end_ns.filter(|end| *end > 0) {
        Some(end) => (0, end),
        None => (first.copied().unwrap_or(0), last.copied().unwrap_or(0)),
    }
}

/// How long the part of a series is that shows the kernel.
pub(crate) fn length_ns(series: &PmSeries) -> f64 {
    let (from, to) = window(series);
    (i128::from(to) - i128::from(from)).max(1) as f64
}

/// The means of the samples in so many equal steps of time, in fewer where there are fewer samples; nothing where a step has no sample.
pub(crate) fn columns_of(series: &PmSeries, columns: usize) -> Vec<Option<f64>> {
    let (from, to) = window(series);
    let within = series.at_ns.iter().filter(|at| (from..=to).contains(*at)).count();
    let columns = columns.min(within);
    let mut sums = vec![(0.0, 0_u32); columns];
    let length = (i128::from(to) - i128::from(from)).max(1);
    for (at, value) in series.at_ns.iter().zip(&series.values) {
        let (Some(value), true) = (value, (from..=to).contains(at)) else { continue };
        // In whole numbers: what is at the beginning of a step must not be rounded into the one before.
        let step = (i128::from(*at) - i128::from(from)) * columns as i128 / length;
        let step = usize::try_from(step).unwrap_or_default().min(columns.saturating_sub(1));
        if let Some((sum, count)) = sums.get_mut(step) {
            *sum += value;
            *count += 1;
        }
    }
    let means = sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count)));
    means.collect()
}

/// Height of a series.
const ROW: f64 = 40.0;
/// Height of the axis below.
const AXIS: f64 = 40.0;
/// Series that are drawn.
const MOST: usize = 40;

/// Draws every sampled counter over the time of the launch, one below the other.
pub(crate) fn sampling(
    chosen: &Chosen<'_>,
    request: &PlotRequest,
    samples: Option<&PmSampling>,
) -> Result<Scene, PlotError> {
    let samples = samples.ok_or_else(|| PlotError::NotCollected {
        what: chosen.subject(),
        chart: "samples over time",
        section: "PmSampling",
    })?;
    let shown = samples.series.iter().take(MOST);
    let shown: Vec<&PmSeries> =
        shown.filter(|series| series.values.iter().any(Option::is_some)).collect();
    let title = format!("{} over its time", chosen.subject());
    let explanation = format!(
        "Result {}, {}. Each counter has a scale of its own, up to its largest sample. {}",
        samples.launch,
        number::time(samples.duration_ms),
        visible(&samples.unknown().join(" "))
    );
    let natural = shown.len() as f64 * ROW + AXIS;
    let mut frame = Frame::new(chosen, request, &title, &explanation, natural);
    let body = frame.body;
    let names = (body.width * 0.22).clamp(90.0, 220.0);
    let numbers = 110.0_f64.min(body.width * 0.2);
    let plot = Area {
        x: body.x + names,
        y: body.y,
        width: (body.width - names - numbers).max(40.0),
        height: (body.height - AXIS).max(10.0),
    };
    // All passes are put on one scale: that of the longest.
    let longest = shown.iter().map(|series| length_ns(series)).fold(1.0, f64::max);
    let row = ROW.min(plot.height / shown.len().max(1) as f64);
    for (series, at) in shown.iter().zip(0_u16..) {
        let area = Area { y: plot.y + row * f64::from(at) + 3.0, height: row - 6.0, ..plot };
        draw_series(&mut frame, series, at.into(), area, longest);
        let baseline = area.y + area.height / 2.0 + SMALL * 0.36;
        let ink = frame.palette.text;
        if let Some(name) = font::cut(&full_name(&series.label), SMALL, names - 8.0) {
            frame.scene.push(text((body.x, baseline), Anchor::Start, SMALL, ink, name));
        }
        let largest = series.values.iter().flatten().copied().fold(0.0, f64::max);
        let largest = in_unit(largest, &series.unit);
        if let Some(words) = font::cut(&largest, SMALL, numbers - 6.0) {
            frame.note((body.right(), baseline), Anchor::End, words);
        }
    }
    draw_axis(&mut frame, plot, longest);
    Ok(frame.finish(chosen))
}

/// One column a sample, from its time to that of the next.
fn draw_series(frame: &mut Frame, series: &PmSeries, at: usize, area: Area, longest: f64) {
    let (from, to) = window(series);
    let largest = series.values.iter().flatten().copied().fold(0.0, f64::max);
    let fill = frame.palette.of_kind(at % 2 * 4);
    let mut shapes = Vec::new();
    let place = |ns: i64| {
        let part = (i128::from(ns.clamp(from, to)) - i128::from(from)) as f64 / longest;
        area.x + part.clamp(0.0, 1.0) * area.width
    };
    // More columns than pixels would not be seen.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
    let columns = (area.width * (length_ns(series) / longest).clamp(0.0, 1.0)).max(1.0) as usize;
    let means = columns_of(series, columns);
    let end = place(to);
    let width = (end - area.x) / means.len().max(1) as f64;
    for (mean, step) in means.iter().zip(0_u32..) {
        let Some(mean) = mean else { continue };
        let part = if largest > 0.0 { (mean / largest).clamp(0.0, 1.0) } else { 0.0 };
        let height = part * area.height;
        let column = Area {
            x: area.x + width * f64::from(step),
            y: area.bottom() - height,
            width: width + 0.2,
            height,
        };
        if height > 0.0 {
            shapes.push(Shape::Rect { area: column, fill, stroke: None });
        }
    }
    shapes.push(line((area.x, area.bottom()), (area.right(), area.bottom()), frame.palette.line));
    let largest = in_unit(largest, &series.unit);
    frame.scene.push_with(
        format!("{}\n{}\nlargest {largest}", full_name(&series.label), full_name(&series.metric)),
        shapes,
    );
}

fn draw_axis(frame: &mut Frame, plot: Area, longest: f64) {
    let y = plot.bottom() + 4.0;
    for tenth in 0..=5_u8 {
        let part = f64::from(tenth) / 5.0;
        let x = plot.x + part * plot.width;
        frame.scene.push(line((x, plot.y), (x, y), frame.palette.line));
        let words = number::time(longest * part / 1e6);
        frame.note((x, y + 14.0), Anchor::Middle, words);
    }
    let middle = plot.x + plot.width / 2.0;
    frame.note((middle, y + 30.0), Anchor::Middle, "time since the beginning");
}
