//! What the lines of a source text look like they do. No compiler is asked: a word, a bracket or an operator is enough to put a load, a store or an
//! operation on a line, and what is in a loop runs more often.

use super::Kind;

/// How often a loop is taken to run, and how many loops around a line count.
const ROUNDS: f64 = 8.0;
const DEEPEST: i32 = 3;
/// Loads of one line.
const MOST_LOADS: usize = 4;

const LOOPS: [&str; 2] = ["for (", "while ("];
const BRANCHES: [&str; 6] = ["if (", "return", "continue", "break", "__syncthreads", "__syncwarp"];

/// An instruction of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guess {
    pub(super) line: u32,
    pub(super) kind: Kind,
    pub(super) weight: f64,
}

/// The instructions of the lines from `first` to `last`, counted from 1.
pub(super) fn guess(text: &str, (first, last): (u32, u32)) -> Vec<Guess> {
    let mut found = Vec::new();
    // Loops around the line, by their indentation.
    let mut loops: Vec<usize> = Vec::new();
    let lines = (1_u32..).zip(text.lines()).skip_while(|(line, _)| *line < first);
    for (line, content) in lines.take_while(|(line, _)| *line <= last) {
        let content = content.split("//").next().unwrap_or_default().trim_end();
        let code = content.trim_start();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        let indentation = content.len() - code.len();
        while loops.last().is_some_and(|outer| *outer >= indentation) {
            loops.pop();
        }
        let is_loop = LOOPS.iter().any(|word| code.contains(word));
        let depth = i32::try_from(loops.len()).unwrap_or(DEEPEST) + i32::from(is_loop);
        let weight = ROUNDS.powi(depth.min(DEEPEST));
        found.extend(kinds(code, is_loop).into_iter().map(|kind| Guess { line, kind, weight }));
        if is_loop {
            loops.push(indentation);
        }
    }
    found
}

fn kinds(code: &str, is_loop: bool) -> Vec<Kind> {
    let mut kinds = Vec::new();
    if is_loop {
        kinds.push(Kind::Integer);
    }
    let (condition, statement) = split_condition(code);
    kinds.extend(loads(condition));
    if code.contains("mma") {
        kinds.push(Kind::Tensor);
    }
    if let Some((left, right)) = assignment(statement) {
        kinds.extend(loads(right));
        let is_compound = left.ends_with(['+', '-', '*', '/']);
        let is_index = left.contains("int ") || left.contains('*');
        match is_compound || calculates(right) {
            true if is_index && !is_compound => kinds.push(Kind::Integer),
            true => kinds.push(Kind::Math),
            false => {}
        }
        if left.contains('[') {
            kinds.push(Kind::Store);
        }
    }
    if is_loop || BRANCHES.iter().any(|word| code.contains(word)) {
        kinds.push(Kind::Control);
    }
    kinds
}

/// What stands in the parentheses of a loop or a branch, and what is behind them.
fn split_condition(code: &str) -> (&str, &str) {
    let start = ["for (", "while (", "if ("].iter().find_map(|word| {
        let at = code.find(word)?;
        Some(at + word.len())
    });
    let Some(inside) = start.and_then(|start| code.get(start..)) else { return ("", code) };
    let mut open = 1_u32;
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => continue,
        }
        if open == 0 {
            return (&inside[..at], &inside[at + 1..]);
        }
    }
    (inside, "")
}

/// The sides of the first `=` that is no comparison.
fn assignment(statement: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = from + statement.get(from..)?.find('=')?;
        let (left, right) = (statement.get(..at)?, statement.get(at + 1..)?);
        if right.starts_with('=') {
            from = at + 2;
        } else if left.ends_with(['=', '<', '>', '!']) {
            from = at + 1;
        } else {
            return Some((left, right));
        }
    }
}

fn loads(code: &str) -> impl Iterator<Item = Kind> {
    std::iter::repeat_n(Kind::Load, code.matches('[').count().min(MOST_LOADS))
}

/// There is an operator outside of brackets, whose content is an index.
fn calculates(code: &str) -> bool {
    let mut open = 0_usize;
    code.replace("->", ".").chars().any(|letter| {
        match letter {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && matches!(letter, '+' | '-' | '*' | '/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Control, Integer, Load, Math, Store, Tensor};

    #[test]
    fn lines_do_what_they_look_like() {
        for (line, expected) in [
            ("}", &[][..]),
            ("__global__ void scale(const float *in, float *out) {", &[]),
            ("float sum = load(bias[channel]);", &[Load]),
            ("const int row = y + i - SIZE / 2;", &[Integer]),
            ("const float *plane = input + at * width;", &[Integer]),
            ("for (int k = 0; k < inner; ++k) sum += in[k + 1];", &[Integer, Load, Math, Control]),
            ("if (row < 0 || row >= height) continue;", &[Control]),
            ("if (i < count) out[i] = in[i] * 2.0f;", &[Load, Math, Store, Control]),
            ("mma_sync(sum, left, right, sum);", &[Tensor]),
            ("if (a == b[i]", &[Load, Control]),
            ("x = y == z ? 1 : 0;", &[]),
        ] {
            assert_eq!(kinds(line, line.starts_with("for (")), expected, "{line}");
        }
    }

    #[test]
    fn what_is_in_loops_runs_more_often() {
        let text = "void f() {\n  a[0] = 1; // x = y[0]\n  for (;;) {\n    b[0] = 1;\n    while (x)\n      c[0] = 1;\n  }\n  d[0] = 1;\n}\n";
        let stores: Vec<(u32, f64)> = guess(text, (1, 9))
            .into_iter()
            .filter(|one| one.kind == Store)
            .map(|one| (one.line, one.weight))
            .collect();
        assert_eq!(stores, [(2, 1.0), (4, 8.0), (6, 64.0), (8, 1.0)]);
        assert_eq!(guess(text, (8, u32::MAX)).len(), 1);
        assert!(guess("ä = é[", (1, 1)).len() == 1 && guess(text, (50, 60)).is_empty());
    }
}
