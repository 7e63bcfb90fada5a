//! Names and lists in sentences.

/// Columns of a kernel's name in a sentence; some names are ten thousand characters long.
pub(crate) const LONGEST_NAME: usize = 100;

/// The name of everything that was profiled.
pub(crate) const THE_RUN: &str = "the run";

/// The name at the beginning of a sentence; regions are quoted and keep their own letters.
pub(crate) fn capital(name: &str) -> String {
    if name == THE_RUN { "The run".to_owned() } else { name.to_owned() }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn for_reading() {
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
