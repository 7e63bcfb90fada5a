//! Names and regular expressions of filter options. ncu uses Boost's expressions on bytes, where a dot also matches the end of a line.

use regex::bytes::{Regex, RegexBuilder};

/// An exact name, or an expression that is searched for.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Exact(String),
    Search(Regex),
    /// Does not begin with a match of the first expression, but with one of the second: how Boost's language writes an exclusion.
    AllBut(Regex, Regex),
}

impl Pattern {
    /// Reads `NAME` or `regex:EXPRESSION`; the error is in the words of ncu.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("regex:") {
            Some(expression) => match all_but(expression) {
                Some((not, rest)) => Ok(Self::AllBut(
                    compile(&format!(r"\A(?:{not})"))?,
                    compile(&format!(r"\A(?:{rest})"))?,
                )),
                None => compile(expression).map(Self::Search),
            },
            None => Ok(Self::Exact(text.to_owned())),
        }
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Search(regex) => regex.is_match(name.as_bytes()),
            Self::AllBut(not, rest) => {
                !not.is_match(name.as_bytes()) && rest.is_match(name.as_bytes())
            }
        }
    }
}

/// Takes `\A(?!NOT)REST` apart, the one look-ahead that is understood, because the engine here has none.
fn all_but(expression: &str) -> Option<(&str, &str)> {
    let inside = expression.strip_prefix(r"\A(?!")?;
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class && depth == 0 => {
                return Some((inside.get(..at)?, inside.get(at + 1..)?));
            }
            b')' if !in_class => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The error is in the words of ncu.
pub(super) fn compile(expression: &str) -> Result<Regex, String> {
    RegexBuilder::new(expression)
        .unicode(false)
        .dot_matches_new_line(true)
        .size_limit(1 << 24)
        .build()
        .map_err(|error| complaint(expression, &error.to_string()))
}

/// Boost's complaint, as far as it follows from that of this engine.
fn complaint(expression: &str, error: &str) -> String {
    let known = [
        ("unclosed group", "Unmatched marking parenthesis ( or \\(."),
        ("unopened group", "Found a closing ) with no corresponding opening parenthesis."),
        ("unclosed character class", "Unmatched [ or [^ in character class declaration."),
        ("missing expression", "The repeat operator cannot start a regular expression."),
        ("invalid repetition count range", "Invalid content of repeat range."),
        (
            "invalid character class range",
            "Invalid character class name, collating name, or character range.",
        ),
        ("incomplete escape", "Incomplete escape sequence found."),
    ];
    let text = known
        .iter()
        .find(|(said, _)| error.contains(said))
        .map_or("The regular expression is not supported.", |(_, text)| *text);
    format!(
        "{text}  The error occurred while parsing the regular expression: '{expression}>>>HERE>>>'."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact_and_expressions_are_searched_for() {
        assert!(Pattern::parse("conv").unwrap().matches("conv"));
        assert!(!Pattern::parse("con").unwrap().matches("conv"));
        assert!(Pattern::parse("regex:^co|x").unwrap().matches("conv"));
        assert!(Pattern::parse("bogus:conv").unwrap().matches("bogus:conv"));
        assert!(Pattern::parse("regex:").unwrap().matches("anything"));
        let all_but =
            Pattern::parse(r"regex:\A(?!.*(?:mem[()]set)|.*\)x)(?:.*(?:conv|mem))").unwrap();
        assert!(all_but.matches("a conv") && all_but.matches("memset"));
        assert!(
            !all_but.matches("gemm") && !all_but.matches("a mem(set") && !all_but.matches("conv)x")
        );
        let error = Pattern::parse("regex:(").unwrap_err();
        assert!(error.starts_with("Unmatched marking parenthesis ( or \\(."), "{error}");
    }
}
