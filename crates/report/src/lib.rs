//! Every output: terminal, Markdown, JSON, CSV, the HTML page, drawings and run folders.
//!
//! [`formats`] is the table that lists them. A writer turns a document into bytes and knows nothing of files;
//! [`folder`] is the only part that touches the file system, and does so through [`write_atomically`].
//! Numbers are the document's own; the only arithmetic here is adding up the times that a table leaves out.

pub mod advice;
mod atomic;
mod comparison;
mod error;
pub mod folder;
pub mod formats;
mod headline;
pub mod kernel;
pub mod page;
mod palette;
mod phrases;
pub mod plot;
mod ranks;
pub mod recorded;
mod regions;
mod safe_names;
mod scopes;
pub mod source;
#[cfg(feature = "tables")]
pub mod tables;
mod tree;

pub use atomic::{sweep, write_atomically, write_privately};
pub use error::ReportError;
pub use folder::{FolderParts, write_folder};
pub use formats::{ExportOptions, FORMATS, Format};

#[cfg(test)]
mod tests;
