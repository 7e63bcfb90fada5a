//! Splitting a command into words.

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
