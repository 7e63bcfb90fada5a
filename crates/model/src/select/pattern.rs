//! Region selectors as data, for code that has to say them in another language or to look at regions outside of an analysis.
//!
//! The meaning is the same as in an analysis, because the same code decides it.

use super::error::SelectError;
use super::regions::{Pattern, parse_pattern, split_list, split_unescaped};
use crate::region::display_name;

/// One selector: its text, what it consists of, and what it names.
#[derive(Debug)]
pub struct RegionSelector {
    text: String,
    form: SelectorForm,
    pattern: Option<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectorForm {
    /// An expression of ncu's own, without the `ncu:` before it.
    Ncu(String),
    /// A pattern over domain and path.
    Pattern(PatternForm),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternForm {
    /// The domain; none means every domain.
    pub domain: Option<NameForm>,
    /// The segments from the root. A single name stands for a region at any depth, by its own or by its display name.
    pub segments: Vec<SegmentForm>,
}

/// One segment of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentForm {
    /// `**`: any number of levels, also none.
    AnyDepth,
    /// One level.
    Name(NameForm),
}

/// How one name is compared; it always has to match as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameForm {
    /// A wildcard pattern: `*` is any run of characters, `?` is one, `\` makes the next one literal.
    Wildcard(String),
    /// A regular expression of the `regex` crate.
    Regex(String),
}

impl RegionSelector {
    /// Parses selectors, each text of which may be a list.
    pub fn parse(texts: &[String]) -> Result<Vec<Self>, SelectError> {
        split_list(texts).into_iter().map(Self::parse_one).collect()
    }

    fn parse_one(text: String) -> Result<Self, SelectError> {
        if let Some(expression) = text.strip_prefix("ncu:") {
            let form = SelectorForm::Ncu(expression.replace("\\;", ";"));
            return Ok(Self { text, form, pattern: None });
        }
        let pattern = parse_pattern(&text)?;
        let form = SelectorForm::Pattern(form_of(&text));
        Ok(Self { text, form, pattern: Some(pattern) })
    }

    /// The selector as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn form(&self) -> &SelectorForm {
        &self.form
    }

    /// Whether it names the region with this domain and path. An expression of ncu's names results and no regions, so it names none.
    pub fn names(&self, domain: &str, path: &[&str]) -> bool {
        let names = |pattern: &Pattern| pattern.matches(domain, path, &display_name(path));
        self.pattern.as_ref().is_some_and(names)
    }
}

/// Takes a pattern apart that is known to be well formed.
fn form_of(text: &str) -> PatternForm {
    let (body, is_regex) = match text.strip_prefix("regex:") {
        Some(body) => (body, true),
        None => (text, false),
    };
    let name = |text: &str| {
        if is_regex {
            NameForm::Regex(text.to_owned())
        } else {
            NameForm::Wildcard(text.to_owned())
        }
    };
    let (domain, path) = match split_unescaped(body, '@').as_slice() {
        [(_, domain), (_, path)] => (Some(name(domain)), *path),
        _ => (None, body),
    };
    let segments = split_unescaped(path, '/')
        .into_iter()
        .map(|(_, segment)| match segment {
            "**" => SegmentForm::AnyDepth,
            segment => SegmentForm::Name(name(segment)),
        })
        .collect();
    PatternForm { domain, segments }
}

#[cfg(test)]
mod tests {
    use super::{NameForm, PatternForm, RegionSelector, SegmentForm, SelectorForm};

    fn parse(text: &str) -> Vec<RegionSelector> {
        RegionSelector::parse(&[text.to_owned()]).unwrap()
    }

    #[test]
    fn selectors_are_taken_apart() {
        let selectors = parse(r"decode*; LLM@a\/b/**/c; regex:x.*; ncu:A/\;");
        let forms: Vec<SelectorForm> =
            selectors.iter().map(|selector| selector.form().clone()).collect();
        let wildcard = |text: &str| NameForm::Wildcard(text.to_owned());
        let pattern = |domain, segments| SelectorForm::Pattern(PatternForm { domain, segments });
        assert_eq!(
            forms,
            [
                pattern(None, vec![SegmentForm::Name(wildcard("decode*"))]),
                pattern(
                    Some(wildcard("LLM")),
                    vec![
                        SegmentForm::Name(wildcard(r"a\/b")),
                        SegmentForm::AnyDepth,
                        SegmentForm::Name(wildcard("c")),
                    ]
                ),
                pattern(None, vec![SegmentForm::Name(NameForm::Regex("x.*".to_owned()))]),
                SelectorForm::Ncu("A/;".to_owned()),
            ]
        );
        assert_eq!(selectors[1].text(), r"LLM@a\/b/**/c");
    }

    #[test]
    fn selectors_name_regions() {
        let selectors = parse("A::A1; LLM@B; ncu:C/");
        let named = |domain: &str, path: &[&str]| {
            selectors.iter().map(|selector| selector.names(domain, path)).collect::<Vec<_>>()
        };
        assert_eq!(named("x", &["A", "A1"]), [true, false, false]);
        assert_eq!(named("LLM", &["A", "B"]), [false, true, false]);
        assert_eq!(named("x", &["C"]), [false, false, false]);
        assert!(RegionSelector::parse(&["a//b".to_owned()]).is_err());
    }
}
