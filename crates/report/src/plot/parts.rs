//! Stall reasons and pipes as horizontal bars.

use rangescope_analyze::insight::details::details;
use rangescope_model::number::{percent, percentage};

use crate::kernel::{self as words, LEAST};
use crate::palette::Colour;
use crate::plot::chosen::{Chosen, full_name};
use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::frame::{Frame, SMALL};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape, text};

/// Rows that are drawn.
const MOST: usize = 14;
const ROW: f64 = 34.0;
/// The stacked bar with its room.
const STACK: f64 = 46.0;

/// Draws what warps did: all of it in one bar, and each state with what it means.
pub(crate) fn stalls(chosen: &Chosen<'_>, request: &PlotRequest) -> Result<Scene, PlotError> {
    let found = details(chosen.metrics()).stalls.ok_or_else(|| PlotError::NotCollected {
        what: chosen.subject(),
        chart: "stall reasons",
        section: "WarpStateStats",
    })?;
    let is_worth = |share: Option<f64>| share.is_some_and(|share| share >= LEAST);
    let states: Vec<_> =
        found.states.iter().filter(|state| is_worth(state.share)).take(MOST).collect();
    let title = format!("Warp states of {}", chosen.subject());
    let explanation = found.cycles_per_instruction.as_ref().map_or_else(
        || "Shares of the samples of warps.".to_owned(),
        |cycles| {
            let cycles = words::shown(Some(cycles));
            format!(
                "A warp takes {cycles} cycles from one instruction to the next; shares of that."
            )
        },
    );
    let natural = STACK + states.len() as f64 * ROW;
    let mut frame = Frame::new(chosen, request, &title, &explanation, natural);
    let body = frame.body;
    let mut x = body.x;
    for (state, at) in states.iter().zip(0..) {
        let width = state.share.unwrap_or_default() * body.width;
        let area = Area { x, y: body.y + 4.0, width, height: STACK - 20.0 };
        let fill = colour(&frame, at, state.is_stall);
        let mut shapes = vec![Shape::Rect { area, fill, stroke: Some(frame.palette.background) }];
        let name = full_name(&state.name);
        if font::width(&name, SMALL) + 8.0 <= width {
            let middle = (x + width / 2.0, area.y + 17.0);
            shapes.push(text(middle, Anchor::Middle, SMALL, fill.ink(), name.clone()));
        }
        let share = percent(state.share);
        frame.scene.push_with(format!("{name}: {share}\n{}", state.meaning), shapes);
        x += width;
    }
    let rows = states.iter().zip(0..).map(|(state, at)| Row {
        name: full_name(&state.name),
        below: full_name(&state.meaning),
        bars: vec![(state.share.unwrap_or_default(), colour(&frame, at, state.is_stall))],
        numbers: match &state.cycles {
            Some(cycles) => {
                format!("{}, {} cycles", percent(state.share), words::shown(Some(cycles)))
            }
            None => percent(state.share),
        },
    });
    let rows: Vec<Row> = rows.collect();
    let longest = states.iter().filter_map(|state| state.share).fold(0.0, f64::max);
    draw_rows(&mut frame, &rows, STACK, longest);
    Ok(frame.finish(chosen))
}

/// Draws how busy each pipe was.
pub(crate) fn pipes(chosen: &Chosen<'_>, request: &PlotRequest) -> Result<Scene, PlotError> {
    let found = details(chosen.metrics()).pipes;
    if found.is_empty() {
        return Err(PlotError::NotCollected {
            what: chosen.subject(),
            chart: "pipes",
            section: "ComputeWorkloadAnalysis",
        });
    }
    let shown: Vec<_> =
        found.iter().filter(|pipe| pipe.busiest() >= 100.0 * LEAST).take(MOST).collect();
    let title = format!("Pipes of {}", chosen.subject());
    let explanation = "The upper bar is the cycles in which a pipe was busy, the lower one its instructions, each of what is possible.";
    let natural = shown.len().max(1) as f64 * ROW + 10.0;
    let mut frame = Frame::new(chosen, request, &title, explanation, natural);
    let (upper, lower) = (frame.palette.bar(), frame.palette.second_bar);
    let rows = shown.iter().map(|pipe| {
        let cells = [&pipe.cycles_pct, &pipe.instructions_pct];
        let part = |cell: &Option<_>| {
            cell.as_ref()
                .map_or(0.0, |one: &rangescope_analyze::insight::details::model::Reading| {
                    one.value / 100.0
                })
        };
        Row {
            name: full_name(&pipe.name),
            below: String::new(),
            bars: vec![(part(cells[0]), upper), (part(cells[1]), lower)],
            numbers: cells.map(|cell| words::shown(cell.as_ref())).join(", "),
        }
    });
    let rows: Vec<Row> = rows.collect();
    draw_rows(&mut frame, &rows, 6.0, 1.0);
    if rows.is_empty() {
        let at = (frame.body.x, frame.body.y + 20.0);
        frame.note(at, Anchor::Start, format!("No pipe was busy to {}.", percentage(0.1)));
    }
    Ok(frame.finish(chosen))
}

struct Row {
    name: String,
    /// A line of explanation below the bar.
    below: String,
    /// Parts of the longest, with their colours.
    bars: Vec<(f64, Colour)>,
    numbers: String,
}

fn draw_rows(frame: &mut Frame, rows: &[Row], top: f64, longest: f64) {
    let body = frame.body;
    let names = (body.width * 0.2).clamp(90.0, 210.0);
    let numbers = 150.0_f64.min(body.width * 0.3);
    let room = (body.width - names - numbers - 16.0).max(20.0);
    let step = ROW.min((body.height - top) / rows.len().max(1) as f64);
    for (row, at) in rows.iter().zip(0_u16..) {
        let y = body.y + top + step * f64::from(at);
        let mut shapes = Vec::new();
        let has_below = !row.below.is_empty() && step >= 30.0;
        let height = if has_below { 12.0 } else { (step - 8.0).clamp(4.0, 20.0) };
        let each = height / row.bars.len().max(1) as f64;
        for ((part, fill), nth) in row.bars.iter().zip(0_u8..) {
            let width = (part / longest.max(1e-9)).clamp(0.0, 1.0) * room;
            let area =
                Area { x: body.x + names, y: y + 2.0 + each * f64::from(nth), width, height: each };
            shapes.push(Shape::Rect { area, fill: *fill, stroke: None });
        }
        let baseline = y + 2.0 + height / 2.0 + SMALL * 0.36;
        let ink = frame.palette.text;
        if let Some(name) = font::cut(&row.name, SMALL, names - 8.0) {
            shapes.push(text((body.x, baseline), Anchor::Start, SMALL, ink, name));
        }
        if let Some(words) = font::cut(&row.numbers, SMALL, numbers) {
            shapes.push(text((body.right(), baseline), Anchor::End, SMALL, ink, words));
        }
        if has_below && let Some(words) = font::cut(&row.below, SMALL, body.width - names) {
            let at = (body.x + names, y + 2.0 + height + 12.0);
            shapes.push(text(at, Anchor::Start, SMALL, frame.palette.muted, words));
        }
        frame.scene.push_with(format!("{}: {}\n{}", row.name, row.numbers, row.below), shapes);
    }
}

/// Issuing is no stall and has the quiet colour.
fn colour(frame: &Frame, at: usize, is_stall: bool) -> Colour {
    if is_stall { frame.palette.of_kind(at) } else { frame.palette.plain }
}
