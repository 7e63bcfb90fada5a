//! From a request to a drawing.

use rangescope_analyze::insight::kernel::PmSampling;
use rangescope_model::document::RegionDocument;

use crate::plot::chosen::Chosen;
use crate::plot::error::PlotError;
use crate::plot::request::{Kind, PlotRequest};
use crate::plot::svg::svg;
use crate::plot::{frame, histogram, icicle, kernels, memory, parts, roofline, sampling};

/// The smallest side of a drawing; below it the labels would not fit.
const LEAST: u32 = 320;

/// Draws what is asked for, as the text of an SVG file. Samples over time are in no document; see [`draw_with_samples`].
pub fn draw(document: &RegionDocument, request: &PlotRequest) -> Result<String, PlotError> {
    draw_with_samples(document, None, request)
}

/// Draws what is asked for, with the samples of one launch at hand.
pub fn draw_with_samples(
    document: &RegionDocument,
    samples: Option<&PmSampling>,
    request: &PlotRequest,
) -> Result<String, PlotError> {
    let (width, height) = (request.width, request.height.unwrap_or(LEAST));
    if !(LEAST..=frame::MOST).contains(&width) || !(LEAST..=frame::MOST).contains(&height) {
        return Err(PlotError::Size { width, height });
    }
    let chosen = Chosen::find(document, request.scope.as_deref(), request.region.as_deref())?;
    // The charts of kernels need no times.
    let chosen =
        if Kind::OF_KERNELS.contains(&request.kind) { chosen } else { chosen.with_time()? };
    let scene = match request.kind {
        Kind::Roofline => roofline::roofline(&chosen, request)?,
        Kind::Icicle => icicle::icicle(&chosen, request),
        Kind::Kernels => kernels::kernels(&chosen, request),
        Kind::Histogram => histogram::histogram(&chosen, request)?,
        Kind::Memory => memory::memory(&chosen, request)?,
        Kind::Stalls => parts::stalls(&chosen, request)?,
        Kind::Pipes => parts::pipes(&chosen, request)?,
        Kind::PmSampling => sampling::sampling(&chosen, request, samples)?,
    };
    Ok(svg(&scene))
}
