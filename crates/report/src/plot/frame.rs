//! What all drawings have in common: heading, summary, the mark of simulated data, and the legend of a colour scale.

use crate::palette::{Colour, Palette};
use crate::plot::chosen::Chosen;
use crate::plot::font;
use crate::plot::request::{ColourMetric, PlotRequest};
use crate::plot::scene::{Anchor, Area, Scene, Shape, Text, text};

/// The smallest letters of a drawing.
pub(crate) const SMALL: f64 = 12.0;

/// Room at the sides.
pub(crate) const MARGIN: f64 = 20.0;

/// Height of heading and summary.
pub(crate) const HEADER: f64 = 70.0;

/// Height of a line of legend.
pub(crate) const LEGEND: f64 = 34.0;

/// The largest side of a drawing.
pub(crate) const MOST: u32 = 3000;

/// A drawing with its heading, and the area that is left for its content.
pub(crate) struct Frame {
    pub(crate) scene: Scene,
    pub(crate) palette: Palette,
    pub(crate) body: Area,
}

impl Frame {
    /// `natural` is the height of the content where the request does not say how high the drawing is.
    pub(crate) fn new(
        chosen: &Chosen<'_>,
        request: &PlotRequest,
        title: &str,
        explanation: &str,
        natural: f64,
    ) -> Self {
        let palette = Palette::new(request.dark);
        let width = f64::from(request.width);
        let tallest = f64::from(MOST);
        let height = request
            .height
            .map_or_else(|| (HEADER + natural + MARGIN).ceil().clamp(160.0, tallest), f64::from);
        let summary = chosen.summary();
        let simulated = chosen.document.simulated;
        let mark = if simulated { " The data is simulated." } else { "" };
        let mut scene = Scene {
            width,
            height,
            title: title.to_owned(),
            description: format!("{summary}. {explanation}{mark}"),
            prefix: match request.kind {
                crate::plot::Kind::Roofline => "rangescope-roofline",
                crate::plot::Kind::Icicle => "rangescope-icicle",
                crate::plot::Kind::Kernels => "rangescope-kernels",
                crate::plot::Kind::Histogram => "rangescope-histogram",
                crate::plot::Kind::Memory => "rangescope-memory",
                crate::plot::Kind::Stalls => "rangescope-stalls",
                crate::plot::Kind::Pipes => "rangescope-pipes",
                crate::plot::Kind::PmSampling => "rangescope-pm-sampling",
            },
            background: palette.background,
            items: Vec::new(),
        };
        let room = width - 2.0 * MARGIN;
        let badge = if simulated { font::width("SIMULATED DATA", 13.0) + 12.0 } else { 0.0 };
        let mut heading = |y: f64, size: f64, room: f64, colour: Colour, words: &str| {
            if let Some(words) = font::cut(words, size, room) {
                scene.push(text((MARGIN, y), Anchor::Start, size, colour, words));
            }
        };
        heading(28.0, 18.0, room - badge, palette.text, title);
        heading(46.0, 12.5, room, palette.muted, &summary);
        heading(62.0, SMALL, room, palette.muted, explanation);
        if simulated {
            let at = (width - MARGIN, 28.0);
            scene.push(text(at, Anchor::End, 13.0, palette.warning, "SIMULATED DATA"));
        }
        let body =
            Area { x: MARGIN, y: HEADER, width: room, height: (height - HEADER - MARGIN).max(0.0) };
        Self { scene, palette, body }
    }

    /// The drawing, with the mark of simulated data over everything.
    pub(crate) fn finish(mut self, chosen: &Chosen<'_>) -> Scene {
        if chosen.document.simulated {
            let (width, height) = (self.scene.width, self.scene.height);
            self.scene.push(Shape::Text(Text {
                at: (width / 2.0, HEADER + (height - HEADER) * 0.6),
                anchor: Anchor::Middle,
                size: (width / 8.0).min((height - HEADER) / 2.5).clamp(24.0, 160.0),
                colour: self.palette.warning,
                angle: -16.0,
                opacity: 0.1,
                halo: false,
                words: "simulated".to_owned(),
            }));
        }
        self.scene
    }

    /// A text of the smallest size in the quiet colour.
    pub(crate) fn note(&mut self, at: (f64, f64), anchor: Anchor, words: impl Into<String>) {
        self.scene.push(text(at, anchor, SMALL, self.palette.muted, words));
    }

    /// The legend of the colour scale, from `x` on; gives the end of it.
    pub(crate) fn scale_legend(&mut self, x: f64, y: f64, metric: ColourMetric) -> f64 {
        const STEPS: u32 = 20;
        let size = if self.body.width < 560.0 { 3.0 } else { 7.0 };
        self.note((x, y + 11.0), Anchor::Start, metric.label());
        let mut at = x + font::width(metric.label(), SMALL) + 10.0;
        self.note((at, y + 11.0), Anchor::Start, "0 %");
        at += font::width("0 %", SMALL) + 6.0;
        for step in 0..STEPS {
            let percent = (f64::from(step) + 0.5) / f64::from(STEPS) * 100.0;
            let area = Area { x: at, y, width: size + 0.2, height: 14.0 };
            let fill = self.palette.of_percent(percent);
            self.scene.push(Shape::Rect { area, fill, stroke: None });
            at += size;
        }
        self.note((at + 6.0, y + 11.0), Anchor::Start, "100 %");
        at + 6.0 + font::width("100 %", SMALL) + 22.0
    }

    /// A coloured square with its meaning, where there is room for it; gives the end of it.
    pub(crate) fn swatch(&mut self, x: f64, y: f64, fill: Colour, meaning: &str) -> f64 {
        let end = x + 20.0 + font::width(meaning, SMALL);
        if end > self.body.right() {
            return x;
        }
        let area = Area { x, y, width: 14.0, height: 14.0 };
        self.scene.push(Shape::Rect { area, fill, stroke: None });
        self.note((x + 20.0, y + 11.0), Anchor::Start, meaning);
        end + 22.0
    }
}
