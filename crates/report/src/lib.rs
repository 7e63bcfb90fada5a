//! Region reports as terminal text, Markdown, JSON, CSV and folders.
//!
//! Every exporter turns a [`RegionDocument`](rangescope_model::document::RegionDocument) into bytes on a writer and knows nothing of files;
//! [`folder`] is the only part that touches the file system, and does so through [`write_atomically`].
//! Numbers are the document's own; the only arithmetic here is adding up the times that a table leaves out.

pub mod advice;
mod atomic;
pub mod comparison;
mod error;
pub mod export;
pub mod folder;
mod label;
pub mod page;
pub mod plot;
pub mod recorded;
mod view;

pub use atomic::write_atomically;
pub use error::ReportError;
pub use export::{ExportOptions, FORMATS, Format};
pub use folder::{FolderFormats, FolderParts, write_folder};
pub use view::region_identities;

#[cfg(test)]
mod tests;
