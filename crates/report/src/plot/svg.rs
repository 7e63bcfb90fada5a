//! Shapes as SVG text.
//!
//! Everything that comes from names is escaped here and nowhere else. The file holds no script, no style sheet and no reference to anything outside.

use std::fmt::{self, Write as _};

use crate::palette::Colour;
use crate::plot::scene::{Anchor, Scene, Shape, Text};

/// Roboto is the font that texts are measured with; the others are about as wide.
const FONTS: &str = "Roboto, Arial, Helvetica, 'Liberation Sans', sans-serif";

/// The text of an SVG file.
pub(crate) fn svg(scene: &Scene) -> String {
    let mut text = String::new();
    // A String takes everything that is written to it.
    let _ = write_scene(&mut text, scene);
    text
}

/// A coordinate with at most two decimals and no needless ones.
fn coordinate(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

fn write_scene(out: &mut String, scene: &Scene) -> fmt::Result {
    let (width, height) = (coordinate(scene.width), coordinate(scene.height));
    let prefix = scene.prefix;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{prefix}-title {prefix}-desc" font-family="{FONTS}">"#
    )?;
    writeln!(out, r#"<title id="{prefix}-title">{}</title>"#, escaped(&scene.title))?;
    writeln!(out, r#"<desc id="{prefix}-desc">{}</desc>"#, escaped(&scene.description))?;
    writeln!(
        out,
        r#"<rect width="{width}" height="{height}" fill="{}"/>"#,
        scene.background.hex()
    )?;
    for item in &scene.items {
        if let Some(tooltip) = &item.tooltip {
            writeln!(out, "<g><title>{}</title>", escaped(tooltip))?;
        }
        for shape in &item.shapes {
            write_shape(out, shape, scene.background)?;
        }
        if item.tooltip.is_some() {
            writeln!(out, "</g>")?;
        }
    }
    writeln!(out, "</svg>")
}

fn write_shape(out: &mut String, shape: &Shape, background: Colour) -> fmt::Result {
    match shape {
        Shape::Rect { area, fill, stroke } => {
            let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(coordinate);
            write!(
                out,
                r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{}""#,
                fill.hex()
            )?;
            if let Some(stroke) = stroke {
                write!(out, r#" stroke="{}""#, stroke.hex())?;
            }
            writeln!(out, "/>")
        }
        Shape::Line { from, to, width, colour, dashed } => {
            let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(coordinate);
            write!(
                out,
                r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{}" stroke-width="{}""#,
                colour.hex(),
                coordinate(*width)
            )?;
            if *dashed {
                write!(out, r#" stroke-dasharray="4 4""#)?;
            }
            writeln!(out, "/>")
        }
        Shape::Circle { centre, radius, fill, stroke, opacity } => {
            let [x, y, radius] = [centre.0, centre.1, *radius].map(coordinate);
            let fill = fill.map_or_else(|| "none".to_owned(), Colour::hex);
            writeln!(
                out,
                r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" fill-opacity="{}" stroke="{}"/>"#,
                coordinate(*opacity),
                stroke.hex()
            )
        }
        Shape::Text(text) => write_text(out, text, background),
    }
}

fn write_text(out: &mut String, text: &Text, background: Colour) -> fmt::Result {
    let [x, y, size, angle] = [text.at.0, text.at.1, text.size, text.angle].map(coordinate);
    write!(out, r#"<text x="{x}" y="{y}" font-size="{size}" fill="{}""#, text.colour.hex())?;
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => write!(out, r#" text-anchor="middle""#)?,
        Anchor::End => write!(out, r#" text-anchor="end""#)?,
    }
    if angle != "0" {
        write!(out, r#" transform="rotate({angle} {x} {y})""#)?;
    }
    if text.opacity < 1.0 {
        write!(out, r#" fill-opacity="{}""#, coordinate(text.opacity))?;
    }
    if text.halo {
        write!(
            out,
            r#" stroke="{}" stroke-width="3" stroke-linejoin="round" paint-order="stroke""#,
            background.hex()
        )?;
    }
    writeln!(out, ">{}</text>", escaped(&text.words))
}

/// The text with everything that XML reads as markup or does not allow at all replaced.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' => safe.push('\n'),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other if other.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{coordinate, escaped};

    #[test]
    fn coordinates_are_short() {
        assert_eq!([0.0, -0.001, 12.5, 3.337].map(coordinate), ["0", "0", "12.5", "3.34"]);
    }

    #[test]
    fn nothing_stays_markup() {
        assert_eq!(escaped("<a b=\"c\">&'\u{1b}\u{ffff}"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;��");
    }
}
