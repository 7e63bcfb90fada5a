//! Looking things up in a log.

/// The most lines that are shown as evidence.
const MOST_LINES: usize = 4;
/// The longest line that is shown as it is.
const LONGEST_LINE: usize = 300;

/// The lines that hold one of the texts, without repetitions.
pub(super) fn lines_with(log: &str, needles: &[&str]) -> Vec<String> {
    lines_of(log.lines(), needles)
}

fn lines_of<'l>(lines: impl Iterator<Item = &'l str>, needles: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        let line = line.trim();
        if needles.iter().any(|needle| line.contains(needle)) {
            let shown: String = line.chars().take(LONGEST_LINE).collect();
            if !found.contains(&shown) && found.len() < MOST_LINES {
                found.push(shown);
            }
        }
    }
    found
}

/// The lines of ncu's own that hold one of the texts, without repetitions. What a program prints looks like that only if it wants to.
pub(super) fn ncu_lines_with(log: &str, needles: &[&str]) -> Vec<String> {
    lines_of(log.lines().filter(|line| line.starts_with("==")), needles)
}

/// The last line that holds one of the texts.
pub(super) fn last_line_with(log: &str, needles: &[&str]) -> Option<String> {
    let mut lines = log.lines().rev().map(str::trim);
    let line = lines.find(|line| needles.iter().any(|needle| line.contains(needle)))?;
    Some(line.chars().take(LONGEST_LINE).collect())
}

/// What stands between two texts in the first line that has both.
pub(super) fn between<'l>(log: &'l str, before: &str, after: &str) -> Option<&'l str> {
    log.lines().find_map(|line| {
        let (_, rest) = line.split_once(before)?;
        rest.split_once(after).map(|(found, _)| found)
    })
}
