//! The defaults list: which files are loaded, in which order, and where each is put.
//!
//! [`list`] reads the list of one file, [`entry`] is one entry of it and knows its group, package and name, [`choices`] is what overrides decided about groups, [`expand`] follows the lists from the primary configuration on and gives the flat list of files to merge.

mod choices;
mod entry;
mod expand;
mod list;
mod repository;

pub(crate) use choices::Choices;
pub(crate) use expand::expand;
pub(crate) use repository::Repository;

#[cfg(test)]
mod tests;
