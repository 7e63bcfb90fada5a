//! Words that have a meaning in settings, as types; and splitting a command into words.
//!
//! The words of ncu's options are no types here but lists in the table of keys: what they mean is the business of whoever builds command lines.

/// Defines an enumeration of words: the type, its words, and the way from a word to the value.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// The words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for this value.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The value for a word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// What nsys' recording is bound to.
    CaptureRange {
        /// Nothing: the whole program is recorded.
        None = "none",
        /// An NVTX range.
        Nvtx = "nvtx",
        /// Calls of cudaProfilerStart and cudaProfilerStop.
        CudaProfilerApi = "cudaProfilerApi",
    }
}

words! {
    /// The program's standard input.
    Stdin {
        /// That of rangescope.
        Inherit = "inherit",
        /// None.
        Closed = "closed",
    }
}

words! {
    /// A format of the report.
    ReportFormat {
        /// `report.md`.
        Markdown = "markdown",
        /// `report.json`.
        Json = "json",
        /// `report.html`.
        Html = "html",
        /// Tables as CSV.
        Csv = "csv",
    }
}

/// Splits a command as a shell splits words: at blanks, with quotes and backslashes, without any expansion.
pub(super) fn split_command(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break,
                    Some(c) => word.get_or_insert_default().push(c),
                    None => return Err("a single quote that is not closed".to_owned()),
                }
            },
            '"' => loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => match chars.next() {
                        Some(c @ ('"' | '\\' | '$' | '`')) => word.get_or_insert_default().push(c),
                        Some(c) => word.get_or_insert_default().extend(['\\', c]),
                        None => return Err("a double quote that is not closed".to_owned()),
                    },
                    Some(c) => word.get_or_insert_default().push(c),
                    None => return Err("a double quote that is not closed".to_owned()),
                }
            },
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
        // Quotes make a word even where nothing is between them.
        if matches!(c, '\'' | '"') {
            word.get_or_insert_default();
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split_command;

    #[test]
    fn commands_split_as_in_a_shell() {
        let split = |text| split_command(text).unwrap();
        assert_eq!(split("python infer.py --n 3"), ["python", "infer.py", "--n", "3"]);
        assert_eq!(
            split(r#"a 'b c' "d\"e" f\ g '' x"y"z"#),
            ["a", "b c", "d\"e", "f g", "", "xyz"]
        );
        assert_eq!(split("  "), [""; 0]);
        assert!(split_command("a 'b").is_err());
    }
}
