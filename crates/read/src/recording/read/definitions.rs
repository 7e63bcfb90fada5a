//! What handles stand for: names of domains, registered strings, categories and threads.

use rangescope_recorder::format::{Body, Kind, Record};
use rustc_hash::FxHashMap;

use super::Stretch;

#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// By handle.
    pub(crate) domains: FxHashMap<u32, String>,
    /// By handle.
    pub(crate) strings: FxHashMap<u64, String>,
    /// (domain handle, category, name), in order of the file.
    pub(crate) categories: Vec<(u32, u32, String)>,
    /// By the system's id; the last name counts.
    pub(crate) threads: FxHashMap<u32, String>,
}

/// Kept of a file for the children of its process.
#[derive(Debug)]
pub(crate) struct Ancestors {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) first_handle: u64,
    pub(crate) definitions: Definitions,
}

impl Definitions {
    pub(crate) fn of(stretches: &[Stretch<'_>]) -> Self {
        let mut definitions = Self::default();
        for record in stretches.iter().flat_map(Stretch::records) {
            definitions.add(&record);
        }
        definitions
    }

    fn add(&mut self, record: &Record<'_>) {
        let number = || u32::try_from(record.id).ok();
        match record.kind {
            Kind::Domain => {
                self.domains.insert(record.domain, text(record));
            }
            Kind::String => {
                self.strings.insert(record.id, text(record));
            }
            Kind::Category => {
                self.categories.extend(number().map(|id| (record.domain, id, text(record))));
            }
            Kind::ThreadName => {
                self.threads.extend(number().map(|id| (id, text(record))));
            }
            _ => {}
        }
    }
}

/// The text of a record, with what is not UTF-8 replaced.
fn text(record: &Record<'_>) -> String {
    match record.body {
        Body::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

/// The definitions of a file's ancestors, nearest first, each with the first handle that no longer means the ancestor's, because both processes went on counting.
pub(crate) fn inherited<'d>(known: &'d [Ancestors], name: &str) -> Vec<(u64, &'d Definitions)> {
    let find = |name: &str| known.iter().find(|file| file.name == name);
    let mut found = Vec::new();
    let mut child = find(name);
    let mut below = u64::MAX;
    // A file cannot be its own ancestor, but a hostile one can say so.
    while let Some(file) = child.filter(|_| found.len() < known.len()) {
        below = below.min(file.first_handle);
        child = file.parent.as_deref().and_then(find);
        found.extend(child.map(|parent| (below, &parent.definitions)));
    }
    found
}
