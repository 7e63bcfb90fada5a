//! The memory chart: units as boxes from the kernel to the memories, and what flows between them.

use rangescope_analyze::insight::details::details;
use rangescope_analyze::insight::details::model::{MemoryChart, MemoryLink};

use crate::kernel as words;
use crate::palette::Colour;
use crate::plot::chosen::Chosen;
use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::frame::{Frame, LEGEND, SMALL};
use crate::plot::memory_layout::{LAST_COLUMN, Layout, PlacedBox, PlacedFlow};
use crate::plot::request::{ColourMetric, PlotRequest};
use crate::plot::scene::{Anchor, Area, Scene, Shape, line, text};

/// Room above the boxes.
const TOP: f64 = 8.0;

/// Draws the chart of the kernel, region or scope.
pub(crate) fn memory(chosen: &Chosen<'_>, request: &PlotRequest) -> Result<Scene, PlotError> {
    let found = details(chosen.metrics());
    let chart = found.memory.ok_or_else(|| PlotError::NotCollected {
        what: chosen.subject(),
        chart: "memory chart",
        section: "MemoryWorkloadAnalysis_Tables",
    })?;
    let (links, _) = words::busy_links(&chart);
    let layout = Layout::of(&chart, &links);
    let natural = layout.height + TOP + LEGEND + 24.0;
    let title = format!("Memory chart of {}", chosen.subject());
    let explanation = "Lines are coloured by how much of what they could carry they carry, boxes by how busy they are; links that carry nothing are left out.";
    let mut frame = Frame::new(chosen, request, &title, explanation, natural);
    let room = frame.body.height - TOP - LEGEND - 24.0;
    let scale = (room / layout.height.max(1.0)).clamp(0.0, 1.0);
    let areas: Vec<Area> = layout.boxes.iter().map(|one| area(&frame, one, scale)).collect();
    for flow in &layout.flows {
        if let (Some(left), Some(right)) = (areas.get(flow.left), areas.get(flow.right)) {
            draw_flow(&mut frame, flow, *left, *right, scale);
        }
    }
    draw_boxes(&mut frame, &chart, &layout, &areas);
    draw_rest(&mut frame, &layout.elsewhere);
    frame.scale_legend(frame.body.x, frame.body.bottom() - 14.0, ColourMetric::Busy);
    Ok(frame.finish(chosen))
}

fn area(frame: &Frame, one: &PlacedBox, scale: f64) -> Area {
    let body = frame.body;
    let width = (body.width * 0.105).max(46.0);
    let step = (body.width - width) / LAST_COLUMN;
    Area {
        x: body.x + step * f64::from(one.column),
        y: body.y + TOP + one.y * scale,
        width,
        height: one.height * scale,
    }
}

/// A line with its arrow and, where it fits, how much flows.
fn draw_flow(frame: &mut Frame, flow: &PlacedFlow<'_>, left: Area, right: Area, scale: f64) {
    let link = flow.link;
    let y = frame.body.y + TOP + flow.y * scale;
    let percent = link.peak_pct.as_ref().map(|reading| reading.value);
    let colour = colour(frame, percent);
    let (from, to) = (left.right() + 3.0, right.x - 3.0);
    let (tip, back) = if flow.is_rightward { (to, to - 7.0) } else { (from, from + 7.0) };
    let thick = |from: (f64, f64), to: (f64, f64)| Shape::Line {
        from,
        to,
        width: 2.0,
        colour,
        dashed: link.amount.is_none() && link.rate.is_none(),
    };
    let mut shapes = vec![
        thick((from, y), (to, y)),
        thick((tip, y), (back, y - 4.0)),
        thick((tip, y), (back, y + 4.0)),
    ];
    // Half a number would be another number.
    let fits = |words: &String| font::width(words, SMALL) <= to - from - 2.0;
    let amount = words::shown(link.amount.as_ref().or(link.rate.as_ref()));
    let known = link.amount.is_some() || link.rate.is_some();
    let label = if known { format!("{amount}{}", words::suffix(link)) } else { amount.clone() };
    if let Some(words) = [label, amount].into_iter().find(fits) {
        let at = (f64::midpoint(from, to), y - 5.0);
        shapes.push(text(at, Anchor::Middle, SMALL, frame.palette.text, words));
    }
    frame.scene.push_with(tooltip(link), shapes);
}

fn tooltip(link: &MemoryLink) -> String {
    let mut lines = vec![
        format!("{} to {}, {}", link.from.name(), link.to.name(), link.flow.name()),
        words::carried(link),
    ];
    if let Some(rate) = &link.rate {
        lines.push(words::shown(Some(rate)));
    }
    if let Some(pct) = &link.peak_pct {
        lines.push(format!("{} of its peak", words::shown(Some(pct))));
    }
    lines.extend(link.amount.iter().flat_map(|amount| amount.metrics.iter().cloned()));
    lines.join("\n")
}

fn draw_boxes(frame: &mut Frame, chart: &MemoryChart, layout: &Layout<'_>, areas: &[Area]) {
    for (PlacedBox { place, .. }, area) in layout.boxes.iter().zip(areas) {
        let unit = chart.units.iter().find(|unit| unit.place == *place);
        let busy = unit.and_then(|unit| unit.busy.as_ref());
        let fill = busy.map_or(frame.palette.plain, |busy| frame.palette.of_percent(busy.value));
        let ink = fill.ink();
        let mut lines: Vec<String> = lines_of(place.name(), area.width - 6.0);
        let hit = unit.and_then(|unit| unit.hit_rate.as_ref());
        lines.extend(hit.map(|hit| format!("hit {}", words::shown(Some(hit)))));
        lines.extend(busy.map(|busy| format!("busy {}", words::shown(Some(busy)))));
        let mut shapes = vec![Shape::Rect { area: *area, fill, stroke: Some(frame.palette.axis) }];
        let height = 15.0;
        let mut y = area.y + (area.height - height * lines.len() as f64) / 2.0 + 12.0;
        for words in &lines {
            if font::width(words, SMALL) <= area.width && y <= area.bottom() {
                let at = (area.x + area.width / 2.0, y);
                shapes.push(text(at, Anchor::Middle, SMALL, ink, words.clone()));
            }
            y += height;
        }
        frame.scene.push_with(lines.join("\n"), shapes);
    }
}

/// The words of a name, as few lines as fit.
fn lines_of(name: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(' ') {
        match lines.last_mut() {
            Some(last) if font::width(&format!("{last} {word}"), SMALL) <= room => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Links that have no room in the picture.
fn draw_rest(frame: &mut Frame, links: &[&MemoryLink]) {
    let shown: Vec<String> = links
        .iter()
        .filter(|link| link.amount.is_some())
        .map(|link| {
            let (from, to) = (link.from.name(), link.to.name());
            format!("{from} to {to} ({}): {}", link.flow.name(), words::carried(link))
        })
        .collect();
    if shown.is_empty() {
        return;
    }
    let words = format!("Also {}", shown.join("; "));
    let y = frame.body.bottom() - LEGEND + 8.0;
    if let Some(words) = font::cut(&words, SMALL, frame.body.width) {
        frame.note((frame.body.x, y), Anchor::Start, words);
    }
    let colour = frame.palette.line;
    frame.scene.push(line((frame.body.x, y - 14.0), (frame.body.right(), y - 14.0), colour));
}

/// Light lines are hard to see on paper, so that nothing is lighter than a quarter.
fn colour(frame: &Frame, percent: Option<f64>) -> Colour {
    percent.map_or(frame.palette.axis, |percent| frame.palette.of_percent(percent.max(30.0)))
}
