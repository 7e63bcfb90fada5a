//! How long kernels last: calls and GPU time by duration, in steps of 1, 2, 5.
//!
//! A document holds calls and mean duration of each kernel, not the duration of each call, so all calls of a kernel are counted at its mean; the drawing says so.

use rangescope_model::number::weight;
use std::collections::BTreeMap;

use crate::palette::Colour;
use crate::plot::chosen::Chosen;
use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::frame::{Frame, SMALL};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape, line, text};
use rangescope_model::number;

/// Height of both panels where the drawing may be as high as it needs.
const NATURAL: f64 = 420.0;

/// Height of the axis below.
const AXIS: f64 = 44.0;

/// Height of the name of a panel.
const HEAD: f64 = 38.0;

/// The calls whose duration lies between two neighbouring steps.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    calls: u64,
    kernels: u64,
    ms: f64,
}

/// Draws the durations of the kernels of the scope or of one region.
pub(crate) fn histogram(chosen: &Chosen<'_>, request: &PlotRequest) -> Result<Scene, PlotError> {
    let bins = bins(chosen);
    let (Some((&first, _)), Some((&last, _))) = (bins.first_key_value(), bins.last_key_value())
    else {
        return Err(PlotError::NoTime { what: chosen.name() });
    };
    let title = format!("Kernel durations of {}", chosen.name());
    let explanation = "All calls of a kernel are counted at its mean duration; a bar is from one mark to the next.";
    let mut frame = Frame::new(chosen, request, &title, explanation, NATURAL);
    let body = frame.body;
    let panel = (body.height - AXIS) / 2.0;
    let upper = Area { y: body.y + HEAD, height: (panel - HEAD).max(10.0), ..body };
    let lower = Area { y: body.y + panel + HEAD, ..upper };
    let total: f64 = bins.values().map(|bin| bin.ms).sum();

    let count = f64::from(last - first) + 1.0;
    // Few bars would otherwise be as wide as the page.
    let width = (body.width / count).min(120.0);
    let left = body.x + (body.width - width * count) / 2.0;
    let place = |step: i32| left + f64::from(step - first) * width;

    let (blue, orange) = (frame.palette.bar(), frame.palette.second_bar);
    let calls: Vec<Bar> = bins
        .iter()
        .map(|(&step, bin)| Bar::new(step, bin, bin.calls as f64, number::thousands(bin.calls)))
        .collect();
    let times: Vec<Bar> = bins
        .iter()
        .map(|(&step, bin)| Bar::new(step, bin, bin.ms, number::percent(bin.ms / total)))
        .collect();
    for (area, words, colour, bars) in
        [(upper, "Calls", blue, calls), (lower, "Share of GPU time", orange, times)]
    {
        let ink = frame.palette.text;
        frame.scene.push(text((body.x, area.y - HEAD + 16.0), Anchor::Start, 13.0, ink, words));
        panel_bars(&mut frame, area, colour, &bars, &place, width);
    }
    axis(&mut frame, first, last, &place, lower.bottom());
    Ok(frame.finish(chosen))
}

struct Bar {
    step: i32,
    height: f64,
    label: String,
    tooltip: String,
}

impl Bar {
    fn new(step: i32, bin: &Bin, height: f64, label: String) -> Self {
        let tooltip = format!(
            "{} to {}\n{} of {}\n{}",
            number::time(edge(step)),
            number::time(edge(step + 1)),
            number::count(bin.calls, "call", "calls"),
            number::count(bin.kernels, "kernel", "kernels"),
            number::time(bin.ms),
        );
        Self { step, height, label, tooltip }
    }
}

fn panel_bars(
    frame: &mut Frame,
    area: Area,
    colour: Colour,
    bars: &[Bar],
    place: &impl Fn(i32) -> f64,
    width: f64,
) {
    let highest = bars.iter().map(|bar| bar.height).fold(0.0, f64::max);
    for bar in bars {
        let part = if highest > 0.0 { bar.height / highest } else { 0.0 };
        // A single call beside a million must still be seen.
        let height = (part * area.height).max(1.5);
        let x = place(bar.step);
        let filled =
            Area { x: x + 1.5, y: area.bottom() - height, width: (width - 3.0).max(1.0), height };
        let mut shapes = vec![Shape::Rect { area: filled, fill: colour, stroke: None }];
        if font::width(&bar.label, SMALL) <= width {
            let at = (x + width / 2.0, filled.y - 5.0);
            shapes.push(text(at, Anchor::Middle, SMALL, frame.palette.text, bar.label.clone()));
        }
        frame.scene.push_with(bar.tooltip.clone(), shapes);
    }
    let base = area.bottom();
    frame.scene.push(line((area.x, base), (area.right(), base), frame.palette.axis));
}

fn axis(frame: &mut Frame, first: i32, last: i32, place: &impl Fn(i32) -> f64, y: f64) {
    let mut free_from = f64::NEG_INFINITY;
    for step in first..=last + 1 {
        let (x, words) = (place(step), number::time(edge(step)));
        frame.scene.push(line((x, y), (x, y + 5.0), frame.palette.axis));
        let half = font::width(&words, SMALL) / 2.0;
        // At the edges of the drawing a mark in the middle of its place would be cut.
        let middle = x.clamp(half + 2.0, frame.scene.width - half - 2.0);
        if middle - half >= free_from {
            frame.note((middle, y + 18.0), Anchor::Middle, words);
            free_from = middle + half + 8.0;
        }
    }
    let middle = frame.body.x + frame.body.width / 2.0;
    frame.note((middle, y + 38.0), Anchor::Middle, "mean duration of a call");
}

fn bins(chosen: &Chosen<'_>) -> BTreeMap<i32, Bin> {
    let mut bins: BTreeMap<i32, Bin> = BTreeMap::new();
    for kernel in chosen.kernels() {
        let Some(mean) = kernel.mean_ms.filter(|mean| *mean > 0.0 && mean.is_finite()) else {
            continue;
        };
        let bin = bins.entry(step_of(mean)).or_default();
        bin.calls =
            bin.calls.saturating_add(timed_calls(kernel.calls, weight(kernel.total_ms), mean));
        bin.kernels += 1;
        bin.ms += weight(kernel.total_ms);
    }
    bins
}

/// Calls that have a duration: as many as make the total of the mean.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never more than the calls"
)]
fn timed_calls(calls: u64, total: f64, mean: f64) -> u64 {
    let timed = (total / mean).round();
    if timed >= 0.0 && timed < calls as f64 { timed as u64 } else { calls }
}

/// The milliseconds at which a step begins: 1, 2, 5, 10, 20, …, with 1 ms at step 0.
fn edge(step: i32) -> f64 {
    let factor = [1.0, 2.0, 5.0][usize::try_from(step.rem_euclid(3)).unwrap_or_default()];
    let power = 10_f64.powi(step.div_euclid(3).abs());
    if step < 0 { factor / power } else { factor * power }
}

/// The step in which a duration lies. Durations from a picosecond to an hour differ; others are counted with these.
fn step_of(ms: f64) -> i32 {
    const FIRST: i32 = -27;
    const LAST: i32 = 20;
    (FIRST..=LAST).rev().find(|&step| edge(step) <= ms).unwrap_or(FIRST)
}

#[cfg(test)]
mod tests {
    use super::{edge, step_of, timed_calls};
    use rangescope_model::number::three_digits;

    #[test]
    fn steps_hold_their_durations() {
        assert_eq!(
            [-2, -1, 0, 1, 2, 3].map(|step| three_digits(edge(step))),
            ["0.2", "0.5", "1", "2", "5", "10"]
        );
        assert_eq!([0.2, 0.49, 0.5, 1.0, 1.99, 7.0].map(step_of), [-2, -2, -1, 0, 0, 2]);
        assert_eq!(step_of(1e-300), -27);
        assert_eq!(timed_calls(10, 8.0, 2.0), 4);
        assert_eq!(timed_calls(3, 8.0, 2.0), 3);
    }
}
