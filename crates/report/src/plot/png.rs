//! An SVG file as pixels, drawn with the embedded font and nothing of the machine.

#[cfg(feature = "png")]
pub use enabled::png;

/// Says that this build makes no PNG.
#[cfg(not(feature = "png"))]
pub fn png(_svg: &str) -> Result<Vec<u8>, super::PlotError> {
    Err(super::PlotError::NoPng)
}

#[cfg(feature = "png")]
mod enabled {
    use std::sync::{Arc, LazyLock};

    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, fontdb};

    use crate::plot::error::PlotError;
    use crate::plot::font;

    /// Pixels of the file per pixel of the drawing, for screens that are fine.
    const SCALE: f32 = 2.0;

    static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(font::FILE.to_vec());
        Arc::new(fonts)
    });

    /// A drawing as a PNG file, with two pixels for each of the drawing's.
    pub fn png(svg: &str) -> Result<Vec<u8>, PlotError> {
        let failed = |cause: String| PlotError::Png { cause };
        let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
        let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
        let size = tree.size().to_int_size().scale_by(SCALE);
        let mut pixels = size
            .and_then(|size| Pixmap::new(size.width(), size.height()))
            .ok_or_else(|| failed("the drawing has no size".to_owned()))?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| failed(error.to_string()))
    }
}
