//! Lists of names or wildcards, as metrics and sections are asked for.

use crate::glob::Glob;

/// Names or wildcards that were asked for; an empty list means everything.
#[derive(Debug, Default)]
pub struct NameList {
    /// Each entry as it was written, with what it matches.
    pub asked: Vec<(String, Glob)>,
}

impl NameList {
    /// Compiles the entries.
    pub fn new(texts: &[String]) -> Self {
        Self { asked: texts.iter().map(|text| (text.clone(), Glob::new(text))).collect() }
    }

    /// Whether nothing was asked for, which means everything.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    pub fn names(&self, name: &str) -> bool {
        self.asked.iter().any(|(_, glob)| glob.matches(name))
    }

    /// The entries that match none of the names.
    pub fn not_found<'n>(&self, names: &(impl Iterator<Item = &'n str> + Clone)) -> Vec<String> {
        let missing =
            self.asked.iter().filter(|(_, glob)| !names.clone().any(|name| glob.matches(name)));
        missing.map(|(text, _)| text.clone()).collect()
    }
}
