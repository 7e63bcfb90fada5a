//! The region tree from above: width is inclusive time, colour a metric, time in no region a block of its own.

use rangescope_model::document::Region;
use rangescope_model::number::weight;

use crate::palette::Colour;
use crate::phrases;
use crate::plot::chosen::{Chosen, full_name, percentage};
use crate::plot::font;
use crate::plot::frame::{Frame, LEGEND, SMALL};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape, text};
use crate::tree::Tree;
use rangescope_model::number;

/// Height of a row where the drawing may be as high as it needs.
const ROW: f64 = 28.0;

/// The least height of a row in which its label can be read.
const LEAST_ROW: f64 = 18.0;

/// Height of the name of a group.
const GROUP: f64 = 20.0;

/// Blocks that are narrower are not drawn.
const NARROWEST: f64 = 0.5;

/// Draws the regions of the scope, or those of one region.
pub(crate) fn icicle(chosen: &Chosen<'_>, request: &PlotRequest) -> Scene {
    let tree = Tree::of(chosen.report);
    let lanes = lanes(chosen, &tree);
    let labels = lanes.iter().filter(|lane| lane.label.is_some()).count() as f64 * GROUP;
    let rows: usize = lanes.iter().map(|lane| lane.rows).sum::<usize>() + 1;
    let title = format!("Regions of {}", chosen.name());
    let explanation = "Width is inclusive GPU time; what is below a block is inside of its range.";
    let natural = rows as f64 * ROW + labels + LEGEND;
    let frame = Frame::new(chosen, request, &title, explanation, natural);
    let room = frame.body.height - labels - LEGEND;
    let row = (room / rows as f64).clamp(LEAST_ROW, ROW.max(40.0));
    let bottom = frame.body.bottom() - LEGEND;
    let mut drawing = Drawing {
        frame,
        chosen,
        request,
        tree: &tree,
        row,
        bottom,
        left_out: 0,
        uncoloured: false,
    };
    drawing.all(&lanes);
    drawing.legend();
    drawing.frame.finish(chosen)
}

/// Trees that are drawn side by side in the same rows.
struct Lane {
    label: Option<String>,
    roots: Vec<usize>,
    rows: usize,
}

fn lanes(chosen: &Chosen<'_>, tree: &Tree<'_>) -> Vec<Lane> {
    let lane = |label: Option<String>, roots: Vec<usize>| Lane {
        label,
        rows: depth_below(tree, &roots),
        roots,
    };
    match chosen.region {
        Some((region, _)) => {
            vec![lane(None, tree.children.get(region).cloned().unwrap_or_default())]
        }
        None => {
            let several = tree.groups.len() > 1;
            let mut lanes: Vec<Lane> = tree
                .groups
                .iter()
                .map(|group| {
                    let plain = || several.then(|| "default domain".to_owned());
                    let label = phrases::group(group.domain, group.kind);
                    lane(label.or_else(plain), group.roots.clone())
                })
                .collect();
            if lanes.is_empty() {
                lanes.push(Lane { label: None, roots: Vec::new(), rows: 1 });
            }
            lanes
        }
    }
}

/// Levels of these regions and those below them.
fn depth_below(tree: &Tree<'_>, roots: &[usize]) -> usize {
    let mut level = roots.to_vec();
    let mut rows = 0;
    while !level.is_empty() {
        rows += 1;
        level = level.iter().flat_map(|&index| tree.children[index].iter().copied()).collect();
    }
    rows
}

struct Drawing<'a> {
    frame: Frame,
    chosen: &'a Chosen<'a>,
    request: &'a PlotRequest,
    tree: &'a Tree<'a>,
    row: f64,
    /// The bottom of the rows; deeper regions are left out.
    bottom: f64,
    /// Regions for which there was no room.
    left_out: usize,
    /// Some block has no value, so the legend explains its colour.
    uncoloured: bool,
}

/// The content of a block.
struct Block<'a> {
    name: &'a str,
    ms: f64,
    tooltip: String,
    fill: Colour,
}

impl Drawing<'_> {
    fn all(&mut self, lanes: &[Lane]) {
        let body = self.frame.body;
        let total = self.chosen.total_ms();
        self.top_block(Area { height: self.row, ..body });
        let mut y = body.y + self.row;
        for lane in lanes {
            if let Some(label) = &lane.label {
                if let Some(label) = font::cut(label, SMALL, body.width) {
                    self.frame.note((body.x, y + 14.0), Anchor::Start, label);
                }
                y += GROUP;
            }
            let unlabeled = match self.chosen.region {
                Some(_) => 0.0,
                None => weight(self.chosen.report.unlabeled.total_ms),
            };
            let covered = self.sum(&lane.roots) + unlabeled;
            // Start/end ranges can overlap, so that their times add up to more than there is.
            let per_ms = body.width / total.max(covered);
            self.regions(&lane.roots, body.x, y, per_ms);
            let width = unlabeled * per_ms;
            if width >= NARROWEST {
                self.unlabeled(Area { x: body.right() - width, y, width, height: self.row });
            }
            y += self.row * lane.rows as f64;
        }
    }

    fn sum(&self, regions: &[usize]) -> f64 {
        regions.iter().map(|&index| weight(self.region(index).set.total_ms)).sum()
    }

    fn region(&self, index: usize) -> &Region {
        &self.chosen.report.regions[index]
    }

    /// The regions and all that is below them.
    fn regions(&mut self, roots: &[usize], x: f64, y: f64, per_ms: f64) {
        let mut waiting = vec![(roots.to_vec(), x, y, per_ms)];
        while let Some((siblings, mut x, y, per_ms)) = waiting.pop() {
            for index in siblings {
                let ms = weight(self.region(index).set.total_ms);
                let width = ms * per_ms;
                if width < NARROWEST || y + self.row > self.bottom + 0.5 || !width.is_finite() {
                    self.left_out += 1 + self.below(index);
                    continue;
                }
                self.region_block(index, Area { x, y, width, height: self.row });
                let children = self.tree.children[index].clone();
                if !children.is_empty() {
                    let inside = self.sum(&children).max(ms);
                    waiting.push((children, x, y + self.row, width / inside));
                }
                x += width;
            }
        }
    }

    /// The number of regions below one.
    fn below(&self, index: usize) -> usize {
        let mut waiting = self.tree.children[index].clone();
        let mut count = 0;
        while let Some(next) = waiting.pop() {
            count += 1;
            waiting.extend(&self.tree.children[next]);
        }
        count
    }

    fn fill(&mut self, percent: Option<f64>) -> Colour {
        match percent {
            Some(percent) => self.frame.palette.of_percent(percent),
            None => {
                self.uncoloured = true;
                self.frame.palette.plain
            }
        }
    }

    fn top_block(&mut self, area: Area) {
        let chosen = self.chosen;
        let metric = self.request.colour_metric;
        let metrics =
            chosen.region.map_or(&chosen.report.totals.metrics, |(_, region)| &region.set.metrics);
        let percent = percentage(metrics, metric);
        let name = if chosen.region.is_some() { chosen.name() } else { "all results".to_owned() };
        let tooltip = format!(
            "{name}\n{}\n{}\n{}",
            number::time(chosen.total_ms()),
            number::count(chosen.results(), "result", "results"),
            self.metric_line(percent),
        );
        let fill = self.fill(percent);
        self.block(area, &Block { name: &name, ms: chosen.total_ms(), tooltip, fill });
    }

    fn region_block(&mut self, index: usize, area: Area) {
        let region = &self.chosen.report.regions[index];
        let percent = percentage(&region.set.metrics, self.request.colour_metric);
        let tooltip = format!(
            "{}\n{} ({} of {})\nexclusive {}\n{}\n{}",
            full_name(&region.name),
            number::time(region.set.total_ms),
            number::percent(region.set.total_ms.map(|ms| ms / self.chosen.total_ms())),
            self.chosen.name(),
            number::time(region.exclusive_ms),
            number::count(region.set.kernel_count, "result", "results"),
            self.metric_line(percent),
        );
        let fill = self.fill(percent);
        let name = full_name(self.tree.own_name(index));
        self.block(area, &Block { name: &name, ms: weight(region.set.total_ms), tooltip, fill });
    }

    fn unlabeled(&mut self, area: Area) {
        let unlabeled = &self.chosen.report.unlabeled;
        let tooltip = format!(
            "in no region\n{} ({})\n{}",
            number::time(unlabeled.total_ms),
            number::percent(unlabeled.total_ms.map(|ms| ms / self.chosen.total_ms())),
            number::count(unlabeled.kernel_count, "result", "results"),
        );
        let fill = self.frame.palette.unlabeled;
        self.block(
            area,
            &Block {
                name: self.chosen.report.unlabeled_name(),
                ms: weight(unlabeled.total_ms),
                tooltip,
                fill,
            },
        );
    }

    fn metric_line(&self, percent: Option<f64>) -> String {
        let label = self.request.colour_metric.label();
        percent.map_or_else(
            || format!("{label} not collected"),
            |percent| format!("{label} {}", number::percentage(percent)),
        )
    }

    fn block(&mut self, area: Area, block: &Block<'_>) {
        let ink = block.fill.ink();
        let edge = (area.width > 3.0).then_some(self.frame.palette.background);
        let mut shapes = vec![Shape::Rect { area, fill: block.fill, stroke: edge }];
        let baseline = area.y + area.height / 2.0 + SMALL * 0.36;
        let room = area.width - 10.0;
        if let Some(name) = font::cut_middle(block.name, SMALL, room) {
            let left = area.x + 5.0;
            let share = number::percent(block.ms / self.chosen.total_ms());
            let needed = font::width(&name, SMALL) + 14.0 + font::width(&share, SMALL);
            shapes.push(text((left, baseline), Anchor::Start, SMALL, ink, name));
            if needed <= room {
                let right = (area.right() - 5.0, baseline);
                shapes.push(text(right, Anchor::End, SMALL, ink, share));
            }
        }
        self.frame.scene.push_with(block.tooltip.clone(), shapes);
    }

    fn legend(&mut self) {
        let body = self.frame.body;
        let y = body.bottom() - 14.0;
        let mut x = self.frame.scale_legend(body.x, y, self.request.colour_metric);
        if self.uncoloured {
            let fill = self.frame.palette.plain;
            x = self.frame.swatch(x, y, fill, "not collected");
        }
        if self.chosen.region.is_none() && weight(self.chosen.report.unlabeled.total_ms) > 0.0 {
            let fill = self.frame.palette.unlabeled;
            x = self.frame.swatch(x, y, fill, self.chosen.report.unlabeled_name());
        }
        if self.left_out > 0 {
            let words = format!(
                "{} too small to draw",
                number::count(self.left_out as u64, "region", "regions")
            );
            if let Some(words) = font::cut(&words, SMALL, body.right() - x) {
                self.frame.note((body.right(), y + 11.0), Anchor::End, words);
            }
        }
    }
}
