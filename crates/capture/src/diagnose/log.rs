//! Looking things up in a log.

const MOST_LINES: usize = 4;
const LONGEST_LINE: usize = 300;

/// Without repetitions.
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

/// Only lines that begin as ncu's own do, without repetitions.
pub(super) fn ncu_lines_with(log: &str, needles: &[&str]) -> Vec<String> {
    lines_of(log.lines().filter(|line| line.starts_with("==")), needles)
}

pub(super) fn last_line_with(log: &str, needles: &[&str]) -> Option<String> {
    let mut lines = log.lines().rev().map(str::trim);
    let line = lines.find(|line| needles.iter().any(|needle| line.contains(needle)))?;
    Some(line.chars().take(LONGEST_LINE).collect())
}

/// The text between the two in the first line that has both.
pub(super) fn between<'l>(log: &'l str, before: &str, after: &str) -> Option<&'l str> {
    log.lines().find_map(|line| {
        let (_, rest) = line.split_once(before)?;
        rest.split_once(after).map(|(found, _)| found)
    })
}
