//! Kernel filters: rangescope's lists of patterns as the one `--kernel-name` that ncu takes.
//!
//! ncu knows a single name or a single regular expression. Lists become alternatives, and exclusion becomes a negative look-ahead, which Boost has: so a filter
//! saves time at capture and not only lines in a report. What cannot be said exactly is left to the report.

use rangescope_config::settings::NcuOptions;

use super::CommandError;
use crate::applied::{AppliedFilters, FilterKind};
use crate::glob;
use crate::selector::to_boost::{self, ANYTHING};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFilter {
    /// The value of `--kernel-name`.
    pub value: Option<String>,
    pub filters: AppliedFilters,
}

/// One pattern, as an expression that is tried at the start of a name.
struct FromStart<'p> {
    pattern: &'p str,
    text: String,
    exact: bool,
}

const IN_RANGES: &str = "range replay takes no kernel filter, and its results are whole ranges";
const NOT_EXACT: &str = "ncu's regular expressions look at bytes and not at characters";

/// Makes one filter of the three keys; `kernel_name` counts as one more pattern to include.
///
/// Range replay takes no kernel filter at all, so everything is left for afterwards.
pub fn kernel_filter(options: &NcuOptions) -> Result<KernelFilter, CommandError> {
    let include: Vec<&str> =
        options.kernel_name.iter().chain(&options.kernel_include).map(String::as_str).collect();
    let exclude: Vec<&str> = options.kernel_exclude.iter().map(String::as_str).collect();
    let mut filter = KernelFilter::default();
    if options.replay_mode.is_range() {
        for (kind, patterns) in
            [(FilterKind::Kernel, include), (FilterKind::ExcludedKernel, exclude)]
        {
            for pattern in patterns {
                filter.filters.add(kind, pattern, Some(IN_RANGES));
            }
        }
        return Ok(filter);
    }
    if let ([only], []) = (include.as_slice(), exclude.as_slice())
        && !only.starts_with("glob:")
        // The one pattern that is ncu's own may be in a dialect that is not understood here.
        && (is_portable(only) || options.kernel_name.is_some())
    {
        filter.filters.add(FilterKind::Kernel, only, None);
        filter.value = Some((*only).to_owned());
        return Ok(filter);
    }
    let includes = include.into_iter().map(from_start).collect::<Result<Vec<_>, _>>()?;
    let excludes = exclude.into_iter().map(from_start).collect::<Result<Vec<_>, _>>()?;
    Ok(combined(&includes, &excludes))
}

fn combined(includes: &[FromStart<'_>], excludes: &[FromStart<'_>]) -> KernelFilter {
    let mut filter = KernelFilter::default();
    let mut text = String::new();
    // Excluding more than was asked for would lose results.
    let refused: Vec<&str> = excludes
        .iter()
        .filter(|pattern| pattern.exact)
        .map(|pattern| pattern.text.as_str())
        .collect();
    if !refused.is_empty() {
        text = format!("(?!{})", refused.join("|"));
    }
    let taken: Vec<&str> = includes.iter().map(|pattern| pattern.text.as_str()).collect();
    if !taken.is_empty() {
        text = format!("{text}(?:{})", taken.join("|"));
    }
    filter.value = (!text.is_empty()).then(|| format!("regex:\\A{text}"));

    let all_exact = includes.iter().all(|pattern| pattern.exact);
    let includes = includes.iter().map(|pattern| (FilterKind::Kernel, pattern.pattern, all_exact));
    let excludes =
        excludes.iter().map(|pattern| (FilterKind::ExcludedKernel, pattern.pattern, pattern.exact));
    for (kind, pattern, exact) in includes.chain(excludes) {
        filter.filters.add(kind, pattern, (!exact).then_some(NOT_EXACT));
    }
    filter
}

fn from_start(pattern: &str) -> Result<FromStart<'_>, CommandError> {
    if let Some(wildcards) = pattern.strip_prefix("glob:") {
        let text = format!("{}\\z", to_boost::glob(&glob::parse(wildcards)));
        return Ok(FromStart { pattern, text, exact: true });
    }
    let Some(expression) = pattern.strip_prefix("regex:") else {
        return Ok(FromStart {
            pattern,
            text: format!("{}\\z", to_boost::literal(pattern)),
            exact: true,
        });
    };
    let wrong =
        |message: String| CommandError::KernelPattern { pattern: pattern.to_owned(), message };
    regex::Regex::new(expression).map_err(|error| {
        let text = error.to_string();
        wrong(text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })?;
    if is_portable(pattern) {
        return Ok(FromStart { pattern, text: format!("{ANYTHING}(?:{expression})"), exact: true });
    }
    let translated =
        to_boost::regex(expression).ok_or_else(|| wrong("it is too large".to_owned()))?;
    Ok(FromStart {
        pattern,
        text: format!("{ANYTHING}{}", translated.text),
        exact: translated.exact,
    })
}

/// Whether a pattern means the same to ncu on every kernel name, which is one line of ASCII, so that it can stay as the user wrote it.
fn is_portable(pattern: &str) -> bool {
    let Some(expression) = pattern.strip_prefix("regex:") else { return true };
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        let fine = match character {
            // A backslash before a punctuation mark only takes its meaning away, except where Boost gives it one.
            '\\' => characters.next().is_some_and(|next| {
                matches!(next, 'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'n' | 't')
                    || (next.is_ascii_punctuation()
                        && !matches!(next, '<' | '>' | '`' | '\'' | '_'))
            }),
            // Classes and counts have rules of their own in each dialect.
            '[' | ']' | '{' | '}' => false,
            '(' => !characters.as_str().starts_with('?') || characters.as_str().starts_with("?:"),
            // A plus after a repetition repeats it again in one dialect and makes it possessive in the other.
            '*' | '+' | '?' => !characters.as_str().starts_with('+'),
            other => other.is_ascii_graphic() || other == ' ',
        };
        if !fine {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::kernel_filter;
    use rangescope_config::settings::NcuOptions;
    use rangescope_model::ReplayMode;

    fn filter(name: Option<&str>, include: &[&str], exclude: &[&str]) -> String {
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let options = NcuOptions {
            kernel_name: name.map(str::to_owned),
            kernel_include: owned(include),
            kernel_exclude: owned(exclude),
            ..NcuOptions::default()
        };
        match kernel_filter(&options) {
            Ok(filter) if filter.filters.after.is_empty() => filter.value.unwrap_or_default(),
            Ok(filter) => {
                let after: Vec<String> = filter
                    .filters
                    .after
                    .iter()
                    .map(|left| format!("{} {}", left.kind.as_str(), left.pattern))
                    .collect();
                format!("{} then {}", filter.value.unwrap_or_default(), after.join(", "))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_single_pattern_stays_as_it_was_written() {
        assert_eq!(filter(Some("regex:.*conv.*"), &[], &[]), "regex:.*conv.*");
        assert_eq!(filter(None, &["gemm"], &[]), "gemm");
        assert_eq!(filter(Some(r"regex:a(?!b)"), &[], &[]), r"regex:a(?!b)");
        assert_eq!(filter(None, &[], &[]), "");
    }

    #[test]
    fn lists_become_one_expression() {
        assert_eq!(
            filter(None, &["a<int>", "regex:conv"], &[]),
            r"regex:\A(?:a<int>\z|.*(?:conv))"
        );
        assert_eq!(filter(None, &["glob:*gemm*"], &[]), r"regex:\A(?:.*gemm.*\z)");
        assert_eq!(
            filter(None, &[], &["regex:memcpy.*", "regex:memset.*"]),
            r"regex:\A(?!.*(?:memcpy.*)|.*(?:memset.*))"
        );
        assert_eq!(filter(Some("k"), &[], &["regex:s8"]), r"regex:\A(?!.*(?:s8))(?:k\z)");
    }

    #[test]
    fn what_is_not_exact_is_applied_afterwards() {
        assert_eq!(
            filter(None, &[], &[r"regex:\bs8", "x"]),
            r"regex:\A(?!x\z) then all but kernel regex:\bs8"
        );
        assert_eq!(
            filter(None, &[r"regex:\bs8"], &[]),
            r"regex:\A(?:.*(?:(?:)s8)) then kernel regex:\bs8"
        );
    }

    #[test]
    fn range_replay_takes_no_filter() {
        let options = NcuOptions {
            kernel_include: vec!["a".to_owned()],
            kernel_exclude: vec!["b".to_owned()],
            replay_mode: ReplayMode::Range,
            ..NcuOptions::default()
        };
        let filter = kernel_filter(&options).unwrap();
        let after: Vec<&str> =
            filter.filters.after.iter().map(|left| left.pattern.as_str()).collect();
        assert_eq!((filter.value, after), (None, vec!["a", "b"]));
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        assert_eq!(
            filter(None, &["a", "regex:("], &[]),
            "kernel pattern `regex:(`: unclosed group"
        );
    }
}
