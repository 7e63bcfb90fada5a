//! Wildcards within one text: `*` is any run of characters, `?` is one character, `\` makes the next character literal.
//!
//! Nothing else is special, so that kernel and range names full of brackets and braces can be written as they are.

/// A compiled wildcard pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Literal(char),
    AnyCharacter,
    AnyRun,
}

/// A `\` at the end stands for itself.
pub fn parse(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let part = match character {
            '*' => Part::AnyRun,
            '?' => Part::AnyCharacter,
            '\\' => Part::Literal(characters.next().unwrap_or('\\')),
            other => Part::Literal(other),
        };
        // Two stars in a row mean what one means; keeping one bounds the work of matching.
        if part != Part::AnyRun || parts.last() != Some(&Part::AnyRun) {
            parts.push(part);
        }
    }
    parts
}

impl Glob {
    /// Every text is a valid pattern.
    pub fn new(pattern: &str) -> Self {
        Self { parts: parse(pattern) }
    }

    /// Whether the whole text matches.
    ///
    /// On a mismatch only the most recent `*` is asked to take one more character, which is enough for patterns without alternatives.
    pub fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut position = 0;
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let at_part = rest.clone();
            match (self.parts.get(position), rest.next()) {
                (Some(Part::AnyRun), _) => {
                    rest = at_part;
                    position += 1;
                    retry = Some((position, rest.clone()));
                    continue;
                }
                (None, None) => return true,
                (Some(Part::AnyCharacter), Some(_)) => {
                    position += 1;
                    continue;
                }
                (Some(Part::Literal(wanted)), Some(found)) if *wanted == found => {
                    position += 1;
                    continue;
                }
                _ => {}
            }
            let Some((after_run, mut taken)) = retry.take() else { return false };
            if taken.next().is_none() {
                return false;
            }
            position = after_run;
            rest = taken.clone();
            retry = Some((after_run, taken));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    fn matches(pattern: &str, text: &str) -> bool {
        Glob::new(pattern).matches(text)
    }

    #[test]
    fn wildcards() {
        for (pattern, text) in [
            ("decode*", "decode"),
            ("decode*", "decode_3"),
            ("*", ""),
            ("**", "anything"),
            ("a?c", "aéc"),
            ("*ab*ab", "abxababab"),
            ("layers.*.attn", "layers.17.attn"),
            (r"\*", "*"),
            (r"a\\b", r"a\b"),
            ("[x]{y}", "[x]{y}"),
            (r"a\", r"a\"),
        ] {
            assert!(matches(pattern, text), "{pattern} should match {text}");
        }
        for (pattern, text) in
            [("decode", "decode2"), ("?", ""), ("a*b", "abc"), (r"\*", "x"), ("", "x"), ("a?", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} should not match {text}");
        }
    }

    #[test]
    fn many_stars_stay_fast() {
        let pattern = "*a".repeat(200);
        assert!(!matches(&pattern, &"b".repeat(20_000)));
    }
}
