//! The heaviest kernels as horizontal bars, with their share of the time, calls and the region in which they spend most of it.

use rangescope_model::document::{KernelSummary, LaunchKind};
use rangescope_model::number::weight;
use rangescope_model::text::shorten_kernels;
use rustc_hash::FxHashMap;

use crate::plot::chosen::{Chosen, full_name, percentage};
use crate::plot::font;
use crate::plot::frame::{Frame, LEGEND, SMALL};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape, line, text};
use crate::tree::Tree;
use rangescope_model::number;

/// Kernels that are drawn where the drawing may be as high as it needs.
const MOST: usize = 20;

const ROW: f64 = 26.0;

/// Height of the names of the columns.
const HEAD: f64 = 24.0;

/// Draws the kernels of the scope or of one region.
pub(crate) fn kernels(chosen: &Chosen<'_>, request: &PlotRequest) -> Scene {
    let all = chosen.kernels();
    let rows = all.len().min(MOST);
    let natural = HEAD + (rows + usize::from(all.len() > rows)) as f64 * ROW + LEGEND;
    let title = format!("Heaviest kernels of {}", chosen.name());
    let explanation = "Bars are shares of the GPU time; the region is the one in which the kernel spends most of its time.";
    let mut frame = Frame::new(chosen, request, &title, explanation, natural);
    let fitting = fitting(frame.body.height - HEAD - LEGEND, all.len());
    let shown = &all[..fitting.min(rows.max(fitting)).min(all.len())];
    let columns = Columns::of(frame.body);
    columns.head(&mut frame);

    let homes = homes(chosen, shown);
    let limit = columns.name_letters();
    let names = shorten_kernels(shown.iter().map(|kernel| kernel.kernel_name.as_str()), limit);
    let total = chosen.total_ms();
    let longest = shown
        .iter()
        .map(|kernel| weight(kernel.total_ms) / total)
        .fold(0.0_f64, f64::max)
        .max(1e-9);
    let mut y = frame.body.y + HEAD;
    let mut coloured = false;
    for ((kernel, name), home) in shown.iter().zip(&names).zip(&homes) {
        let percent = percentage(&kernel.metrics, request.colour_metric);
        coloured |= percent.is_some();
        let fill = percent.map_or(frame.palette.plain, |percent| frame.palette.of_percent(percent));
        let share = weight(kernel.total_ms) / total;
        let baseline = y + ROW / 2.0 + SMALL * 0.36;
        let ink = frame.palette.text;
        let bar = Area {
            x: columns.bar.0,
            y: y + 4.0,
            width: (share / longest).min(1.0) * columns.bar.1,
            height: ROW - 8.0,
        };
        let mut shapes = vec![Shape::Rect { area: bar, fill, stroke: Some(frame.palette.axis) }];
        let mut cell = |at: f64, anchor: Anchor, room: f64, words: &str| {
            if let Some(words) = font::cut_middle(words, SMALL, room) {
                shapes.push(text((at, baseline), anchor, SMALL, ink, words));
            }
        };
        cell(frame.body.x, Anchor::Start, columns.name, name);
        cell(columns.share, Anchor::End, 80.0, &number::percent(share));
        cell(columns.time, Anchor::End, 80.0, &number::time(kernel.total_ms));
        if let Some(calls) = columns.calls {
            cell(calls, Anchor::End, 80.0, &number::thousands(kernel.calls));
        }
        if let Some((left, room)) = columns.region {
            cell(left, Anchor::Start, room, &home.label());
        }
        frame.scene.push_with(tooltip(kernel, share, percent, home, request), shapes);
        y += ROW;
    }
    if shown.len() < all.len() {
        let rest: f64 = all[shown.len()..].iter().map(|kernel| weight(kernel.total_ms)).sum();
        let more = number::count((all.len() - shown.len()) as u64, "more kernel", "more kernels");
        let words = format!("{more} with {} of the time", number::percent(rest / total));
        frame.note((frame.body.x, y + ROW / 2.0 + SMALL * 0.36), Anchor::Start, words);
    }
    let legend = frame.body.bottom() - 14.0;
    if coloured {
        frame.scale_legend(frame.body.x, legend, request.colour_metric);
    } else {
        let words = format!("{} was not collected", request.colour_metric.label());
        frame.note((frame.body.x, legend + 11.0), Anchor::Start, words);
    }
    frame.finish(chosen)
}

/// The number of kernels that fit, less one row for the remark that some do not.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a height of few pixels"
)]
fn fitting(height: f64, kernels: usize) -> usize {
    let rows = ((height + 0.5) / ROW).floor().max(1.0) as usize;
    if kernels <= rows { kernels } else { rows.saturating_sub(1).max(1) }
}

/// Positions of the columns; narrow drawings leave some out.
struct Columns {
    name: f64,
    /// Left end and width.
    bar: (f64, f64),
    /// Right ends.
    share: f64,
    time: f64,
    calls: Option<f64>,
    /// Left end and width.
    region: Option<(f64, f64)>,
}

impl Columns {
    fn of(body: Area) -> Self {
        let region_width = if body.width >= 800.0 { body.width * 0.2 } else { 0.0 };
        let calls_width = if body.width >= 560.0 { 62.0 } else { 0.0 };
        let name = body.width * if body.width >= 560.0 { 0.34 } else { 0.4 };
        let numbers = 62.0 + 74.0 + calls_width;
        let bar_left = body.x + name + 10.0;
        let region_room = if region_width > 0.0 { region_width + 18.0 } else { 0.0 };
        let bar = (body.right() - region_room - numbers - bar_left).max(20.0);
        let share = bar_left + bar + 62.0;
        let time = share + 74.0;
        Self {
            name,
            bar: (bar_left, bar),
            share,
            time,
            calls: (calls_width > 0.0).then_some(time + calls_width),
            region: (region_width > 0.0).then_some((time + calls_width + 18.0, region_width)),
        }
    }

    /// Letters of usual width that fit into the column of names.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a width of few pixels"
    )]
    fn name_letters(&self) -> usize {
        (self.name / (SMALL * 0.56)).floor().max(8.0) as usize
    }

    fn head(&self, frame: &mut Frame) {
        let (body, y) = (frame.body, frame.body.y + 14.0);
        frame.note((body.x, y), Anchor::Start, "kernel");
        frame.note((self.share, y), Anchor::End, "share");
        frame.note((self.time, y), Anchor::End, "time");
        if let Some(calls) = self.calls {
            frame.note((calls, y), Anchor::End, "calls");
        }
        if let Some((region, _)) = self.region {
            frame.note((region, y), Anchor::Start, "region");
        }
        let rule = y + 5.5;
        let colour = frame.palette.line;
        frame.scene.push(line((body.x, rule), (body.right(), rule), colour));
    }
}

/// The region in which a kernel spends most of its time.
#[derive(Clone, Debug, Default)]
struct Home {
    name: Option<String>,
    ms: f64,
    /// In how many regions it runs, each counted for itself alone.
    regions: usize,
}

impl Home {
    fn label(&self) -> String {
        match (&self.name, self.regions) {
            (None, _) => "–".to_owned(),
            (Some(name), 0 | 1) => name.clone(),
            (Some(name), regions) => format!("{name} +{}", regions - 1),
        }
    }
}

/// For each kernel the region that is innermost to most of its time: its time in a region less its time in the regions below.
fn homes(chosen: &Chosen<'_>, shown: &[KernelSummary]) -> Vec<Home> {
    let mut homes = vec![Home::default(); shown.len()];
    let wanted: FxHashMap<(&str, LaunchKind), usize> = shown
        .iter()
        .enumerate()
        .rev()
        .map(|(index, kernel)| ((kernel.kernel_name.as_str(), kernel.kind), index))
        .collect();
    let regions = &chosen.report.regions;
    let tree = Tree::of(chosen.report);
    let inside = |index: usize| match chosen.region {
        None => true,
        Some((_, chosen)) => {
            let region = &regions[index];
            region.domain == chosen.domain
                && region.kind == chosen.kind
                && region.path.starts_with(&chosen.path)
        }
    };
    let times = |index: usize| -> Vec<(usize, f64)> {
        let kernels = regions[index].set.kernels.iter();
        kernels
            .filter_map(|kernel| {
                let key = (kernel.kernel_name.as_str(), kernel.kind);
                Some((*wanted.get(&key)?, weight(kernel.total_ms)))
            })
            .collect()
    };
    for index in (0..regions.len()).filter(|&index| inside(index)) {
        let mut own = vec![0.0; shown.len()];
        for (kernel, ms) in times(index) {
            own[kernel] += ms;
        }
        for &child in &tree.children[index] {
            for (kernel, ms) in times(child) {
                own[kernel] -= ms;
            }
        }
        for (home, ms) in homes.iter_mut().zip(own) {
            // Differences of sums leave crumbs.
            if ms <= 1e-9 {
                continue;
            }
            home.regions += 1;
            if ms > home.ms {
                home.ms = ms;
                home.name = Some(full_name(&regions[index].name));
            }
        }
    }
    homes
}

fn tooltip(
    kernel: &KernelSummary,
    share: f64,
    percent: Option<f64>,
    home: &Home,
    request: &PlotRequest,
) -> String {
    let mut lines = vec![
        full_name(&kernel.kernel_name),
        format!("{} ({})", number::time(kernel.total_ms), number::percent(share)),
        number::count(kernel.calls, "call", "calls"),
    ];
    if let (Some(mean), Some(min), Some(max)) = (kernel.mean_ms, kernel.min_ms, kernel.max_ms) {
        lines.push(format!(
            "mean {}, from {} to {}",
            number::time(mean),
            number::time(min),
            number::time(max)
        ));
    }
    if let Some(percent) = percent {
        lines.push(format!("{} {}", request.colour_metric.label(), number::percentage(percent)));
    }
    if let Some(name) = &home.name {
        lines.push(format!("mostly in {name} ({})", number::time(home.ms)));
    }
    lines.join("\n")
}
