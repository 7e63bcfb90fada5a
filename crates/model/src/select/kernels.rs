//! Kernel patterns: an exact name, `glob:…` or `regex:…`, for inclusion and exclusion.
//!
//! Exclusion wins; with nothing to include, every kernel is included.

use super::error::SelectError;
use crate::glob::Glob;
use regex::Regex;

#[derive(Debug, Default)]
pub struct KernelFilter {
    /// A kernel must match one of these, if there are any.
    pub include: Vec<KernelPattern>,
    /// A kernel that matches one of these is left out.
    pub exclude: Vec<KernelPattern>,
}

/// One pattern with the text that it was made from.
#[derive(Debug)]
pub struct KernelPattern {
    /// The pattern as it was written.
    pub text: String,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Exact,
    Glob(Glob),
    Regex(Regex),
}

impl KernelFilter {
    /// Compiles the patterns.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, SelectError> {
        let compile = |texts: &[String]| {
            texts.iter().map(|text| KernelPattern::new(text)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { include: compile(include)?, exclude: compile(exclude)? })
    }

    pub fn selects(&self, name: &str) -> bool {
        let included =
            self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(name));
        included && !self.exclude.iter().any(|pattern| pattern.matches(name))
    }

    pub fn is_active(&self) -> bool {
        !self.include.is_empty() || !self.exclude.is_empty()
    }
}

impl KernelPattern {
    fn new(text: &str) -> Result<Self, SelectError> {
        let matcher = if let Some(pattern) = text.strip_prefix("glob:") {
            Matcher::Glob(Glob::new(pattern))
        } else if let Some(pattern) = text.strip_prefix("regex:") {
            Matcher::Regex(
                Regex::new(pattern)
                    .map_err(|error| SelectError::regex("kernel pattern", pattern, &error))?,
            )
        } else {
            Matcher::Exact
        };
        Ok(Self { text: text.to_owned(), matcher })
    }

    /// Whether a kernel of this name matches; a regular expression may match anywhere in it, as in ncu.
    pub fn matches(&self, name: &str) -> bool {
        match &self.matcher {
            Matcher::Exact => self.text == name,
            Matcher::Glob(glob) => glob.matches(name),
            Matcher::Regex(regex) => regex.is_match(name),
        }
    }

    /// Whether the pattern is a name without `glob:` or `regex:`.
    pub fn is_exact(&self) -> bool {
        matches!(self.matcher, Matcher::Exact)
    }
}

#[cfg(test)]
mod tests {
    use super::KernelFilter;

    fn filter(include: &[&str], exclude: &[&str]) -> KernelFilter {
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        KernelFilter::new(&owned(include), &owned(exclude)).unwrap()
    }

    #[test]
    fn exclusion_wins() {
        let filter = filter(&["glob:*gemm*"], &["regex:s8"]);
        assert!(filter.selects("sgemm_128"));
        assert!(!filter.selects("gemm_s8_128"));
        assert!(!filter.selects("copy"));
    }

    #[test]
    fn a_plain_name_is_exact() {
        assert!(filter(&["copy"], &[]).selects("copy"));
        assert!(!filter(&["copy"], &[]).selects("copy2"));
        assert!(!filter(&["c*"], &[]).selects("copy"));
        assert!(filter(&[], &[]).selects("anything"));
    }

    #[test]
    fn a_malformed_expression_is_named() {
        let error = KernelFilter::new(&["regex:a[".to_owned()], &[]).unwrap_err();
        assert!(error.to_string().contains("`a[`"), "{error}");
    }
}
