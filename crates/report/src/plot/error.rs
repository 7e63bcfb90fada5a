//! Why there is no drawing.
//!
//! Each error is one line; [`PlotError::hint`] says what the user can do about it.

use rangescope_analyze::insight::model::MissingMetrics;
use rangescope_model::text::{shorten, visible};

/// Why there is no drawing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The document holds no report.
    #[error("there is nothing to draw: the document holds no results")]
    Empty,
    /// The scope is not in the document.
    #[error("no scope is called `{}`", shown(asked))]
    Scope {
        /// The name as it was given.
        asked: String,
        /// The scopes that there are.
        known: Vec<String>,
    },
    /// The region is not in the scope.
    #[error("no region of {} is called `{}`", shown(scope), shown(asked))]
    Region {
        /// The scope.
        scope: String,
        /// The name as it was given.
        asked: String,
        /// The heaviest regions that there are.
        known: Vec<String>,
    },
    /// The drawing would be too small to read or too large to hold.
    #[error("a drawing cannot be {width} × {height} pixels")]
    Size {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// No result has a duration.
    #[error("there is nothing to draw: no result of {} has a duration", shown(what))]
    NoTime {
        /// The scope or region.
        what: String,
    },
    /// The metrics of the roofline are not in the report.
    #[error("the roofline of {} cannot be drawn: {}", shown(what), lacking(missing))]
    NoRoofline {
        /// The scope or region.
        what: String,
        /// Metrics that were not collected.
        missing: Vec<MissingMetrics>,
    },
    /// What a chart shows was not collected.
    #[error("there is nothing to draw: the {chart} of {} {} not collected", shown(what), if chart.ends_with('s') || chart.contains("samples") { "were" } else { "was" })]
    NotCollected {
        /// The kernel, scope or region.
        what: String,
        chart: &'static str,
        /// The section of ncu that collects it.
        section: &'static str,
    },
    /// The program was built without PNG.
    #[error("this rangescope was built without PNG")]
    NoPng,
    /// The PNG could not be written.
    #[error("the PNG could not be made: {cause}")]
    Png {
        /// The error of the renderer.
        cause: String,
    },
}

impl PlotError {
    /// What the user can do about it, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Scope { known, .. } => Some(format!("scopes are {}", list(known))),
            Self::Region { known, .. } if known.is_empty() => {
                Some("the scope has no regions; leave the region out".to_owned())
            }
            Self::Region { known, .. } => Some(format!("the heaviest regions are {}", list(known))),
            Self::Size { .. } => Some("choose 320 to 3000 pixels for each side".to_owned()),
            Self::NoTime { .. } => Some("collect `gpu__time_duration.sum`".to_owned()),
            Self::NoRoofline { missing, .. } => {
                let presets = missing.iter().flat_map(|missing| &missing.presets);
                let mut once: Vec<String> = Vec::new();
                for preset in presets {
                    if !once.contains(preset) {
                        once.push(preset.clone());
                    }
                }
                (!once.is_empty()).then(|| format!("presets that collect them: {}", list(&once)))
            }
            Self::NotCollected { section, .. } => {
                Some(format!("collect it with ncu --section {section}"))
            }
            Self::NoPng => Some("write SVG, or build rangescope with its feature `png`".to_owned()),
            Self::Empty | Self::Png { .. } => None,
        }
    }
}

/// What the roofline lacks, with the first metrics that it would need.
fn lacking(missing: &[MissingMetrics]) -> String {
    if missing.is_empty() {
        return "no work was measured in any precision".to_owned();
    }
    let parts: Vec<String> = missing
        .iter()
        .map(|missing| {
            let first = missing.metrics.first().map_or("", String::as_str);
            let more = missing.metrics.len().saturating_sub(1);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{} (`{}`{more})", missing.what, shown(first))
        })
        .collect();
    format!("missing {}", parts.join(", "))
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    quoted.join(", ")
}

fn shown(name: &str) -> String {
    shorten(&visible(name), 100).into_owned()
}
