//! What a user can ask of an analysis, as plain data.

use crate::aggregate::normalise::NormaliseRule;
use rangescope_model::KernelNameBase;
use rangescope_model::select::ranks::RankSelection;
use rangescope_model::select::regions::split_list;
use rangescope_model::select::shape::ShapeSelector;
use rangescope_model::words::Word;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysisOptions {
    /// Region selectors; a string may hold several, separated by `;`. None means every region.
    pub regions: Vec<String>,
    /// Regions to leave out, with everything in them; wins over selection.
    pub exclude_regions: Vec<String>,
    /// Kernels to include: an exact name, `glob:…` or `regex:…`. None means all.
    pub kernel_include: Vec<String>,
    /// Kernels to exclude; wins over inclusion.
    pub kernel_exclude: Vec<String>,
    pub kernel_name_base: KernelNameBase,
    /// Take only launches of this grid and block.
    pub shape: Option<ShapeSelector>,
    /// Take only results of these ranks.
    pub ranks: RankSelection,
    /// Take only the result of this number, counted from 0 over all files; whoever reads them takes no other.
    pub launch: Option<u64>,
    /// Metrics to show, by name or wildcard. None means every metric that can be aggregated.
    pub metrics: Vec<String>,
    /// Sections to show, by identifier, title or wildcard. None means all.
    pub sections: Vec<String>,
    /// Metrics that the capture was asked to collect; those that no result has are listed as not found.
    pub expected_metrics: Vec<String>,
    /// Sections that the capture was asked to collect; likewise.
    pub expected_sections: Vec<String>,
    /// Rules that fold range names, in order.
    pub normalisation: Vec<NormaliseRule>,
    pub aggregate: bool,
    /// Which scopes to report: `process`, `device`, `aggregate`, `process:<pid>`, `process:<pid>@<host>`, `rank:<n>`, `device:<id>`. None means all.
    pub scopes: Vec<String>,
    /// Metrics that are summarised per kernel besides the key metrics. They select nothing, so that they are no part of the fingerprint.
    pub per_kernel: Vec<String>,
}

impl Default for AnalysisOptions {
    fn default() -> Self {
        Self {
            regions: Vec::new(),
            exclude_regions: Vec::new(),
            kernel_include: Vec::new(),
            kernel_exclude: Vec::new(),
            kernel_name_base: KernelNameBase::default(),
            shape: None,
            ranks: RankSelection::All,
            launch: None,
            metrics: Vec::new(),
            sections: Vec::new(),
            expected_metrics: Vec::new(),
            expected_sections: Vec::new(),
            normalisation: Vec::new(),
            aggregate: true,
            scopes: Vec::new(),
            per_kernel: Vec::new(),
        }
    }
}

/// A short hash of everything that was asked for; options that ask for the same have the same one, however they are written.
///
/// Lists whose order has no meaning are sorted, `;`-separated selectors are taken apart.
pub fn fingerprint(options: &AnalysisOptions) -> String {
    let mut canonical = Canonical::default();
    canonical.set("regions", split_list(&options.regions));
    canonical.set("exclude_regions", split_list(&options.exclude_regions));
    canonical.set("kernel_include", options.kernel_include.clone());
    canonical.set("kernel_exclude", options.kernel_exclude.clone());
    canonical.list("kernel_name_base", [options.kernel_name_base.as_str()]);
    // Most selections have none of these, and keep the fingerprint that they always had.
    if options.ranks != RankSelection::All {
        canonical.list("ranks", [options.ranks.to_string().as_str()]);
    }
    if let Some(shape) = options.shape {
        canonical.list("shape", [shape.to_string().as_str()]);
    }
    if let Some(launch) = options.launch {
        canonical.list("launch", [launch.to_string().as_str()]);
    }
    canonical.set("metrics", options.metrics.clone());
    canonical.set("sections", options.sections.clone());
    canonical.set("expected_metrics", options.expected_metrics.clone());
    canonical.set("expected_sections", options.expected_sections.clone());
    canonical.list(
        "normalisation",
        options
            .normalisation
            .iter()
            .flat_map(|rule| [rule.pattern.as_str(), rule.replacement.as_str()]),
    );
    canonical.list("aggregate", [if options.aggregate { "yes" } else { "no" }]);
    canonical.set("scopes", options.scopes.clone());
    canonical.finish()
}

/// Texts with their lengths, so that no two lists run into each other.
#[derive(Default)]
struct Canonical {
    hasher: blake3::Hasher,
}

impl Canonical {
    fn set(&mut self, key: &str, mut values: Vec<String>) {
        values.sort_unstable();
        values.dedup();
        self.list(key, values.iter().map(String::as_str));
    }

    fn list<'t>(&mut self, key: &str, values: impl IntoIterator<Item = &'t str>) {
        self.text(key);
        let mut count: u64 = 0;
        for value in values {
            self.text(value);
            count += 1;
        }
        self.hasher.update(&count.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.hasher.update(&(text.len() as u64).to_le_bytes());
        self.hasher.update(text.as_bytes());
    }

    fn finish(self) -> String {
        self.hasher.finalize().to_hex().chars().take(16).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{AnalysisOptions, RankSelection, fingerprint};

    #[test]
    fn the_same_wish_has_the_same_fingerprint() {
        let list =
            AnalysisOptions { regions: vec!["b".into(), "a".into()], ..AnalysisOptions::default() };
        let joined = AnalysisOptions { regions: vec!["a; b".into()], ..AnalysisOptions::default() };
        assert_eq!(fingerprint(&list), fingerprint(&joined));
        assert_eq!(fingerprint(&list).len(), 16);
    }

    #[test]
    fn another_wish_has_another_fingerprint() {
        let plain = AnalysisOptions::default();
        let others = [
            AnalysisOptions { metrics: vec!["x".into()], ..AnalysisOptions::default() },
            AnalysisOptions { sections: vec!["x".into()], ..AnalysisOptions::default() },
            AnalysisOptions { aggregate: false, ..AnalysisOptions::default() },
            AnalysisOptions { kernel_include: vec!["x".into()], ..AnalysisOptions::default() },
            AnalysisOptions { kernel_exclude: vec!["x".into()], ..AnalysisOptions::default() },
            AnalysisOptions { launch: Some(1), ..AnalysisOptions::default() },
            AnalysisOptions { ranks: RankSelection::of(&[1]), ..AnalysisOptions::default() },
        ];
        let mut prints: Vec<String> = others.iter().chain([&plain]).map(fingerprint).collect();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), others.len() + 1);
    }
}
