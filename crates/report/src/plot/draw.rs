//! From a request to a drawing.

use rangescope_model::document::RegionDocument;

use crate::plot::chosen::Chosen;
use crate::plot::error::PlotError;
use crate::plot::request::{Kind, PlotRequest};
use crate::plot::svg::Svg;
use crate::plot::{frame, histogram, icicle, kernels, raster, roofline};

/// The smallest side of a drawing; below it the labels would not fit.
const LEAST: u32 = 320;

/// Draws what is asked for.
pub fn draw(document: &RegionDocument, request: &PlotRequest) -> Result<Svg, PlotError> {
    let (width, height) = (request.width, request.height.unwrap_or(LEAST));
    if !(LEAST..=frame::MOST).contains(&width) || !(LEAST..=frame::MOST).contains(&height) {
        return Err(PlotError::Size { width, height });
    }
    let chosen =
        Chosen::find(document, request.scope.as_deref(), request.region.as_deref())?.with_time()?;
    let scene = match request.kind {
        Kind::Roofline => roofline::roofline(&chosen, request)?,
        Kind::Icicle => icicle::icicle(&chosen, request),
        Kind::Kernels => kernels::kernels(&chosen, request),
        Kind::Histogram => histogram::histogram(&chosen, request)?,
    };
    Ok(Svg::new(scene))
}

/// The same drawing as a PNG file, with two pixels for each of the drawing's.
pub fn png(svg: &Svg) -> Result<Vec<u8>, PlotError> {
    raster::png(&svg.scene)
}
