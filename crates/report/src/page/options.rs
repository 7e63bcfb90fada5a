//! What the page shows and how much of it.
//!
//! The limits are there for the reader's browser: what goes beyond them is left out where it weighs least, and the page says so.

/// Settings of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageOptions {
    /// Title of the run; without it the names of the files that were read.
    pub title: Option<String>,
    /// Values of metrics that stand in no section's header and are not key metrics: regions get them heaviest first while this lasts.
    pub max_metric_values: usize,
    /// Rows of kernels in all regions: beyond this, further regions keep their heaviest kernels only.
    pub max_kernel_rows: usize,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self { title: None, max_metric_values: 600_000, max_kernel_rows: 200_000 }
    }
}
