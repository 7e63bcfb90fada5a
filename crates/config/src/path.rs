//! Paths into a tree: as people write them (`a.b[0].c`), and as steps from node to node.

use crate::value::{Key, Node, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(Key),
    Index(usize),
}

/// From the root to a node.
pub(crate) type Steps = Vec<Step>;

/// Splits a path as OmegaConf does: `a.b`, `a[b]`, `[a].b`. A leading dot gives an empty first key.
pub(crate) fn split(path: &str) -> Vec<String> {
    let dots = path.len() - path.trim_start_matches('.').len();
    let head_end = path[dots..].find(['.', '[']).map_or(path.len(), |end| dots + end);
    let mut keys: Vec<String> = path[..head_end].split('.').map(str::to_owned).collect();
    let mut rest = &path[head_end..];
    if rest.starts_with('[') && keys.last().is_some_and(String::is_empty) {
        keys.pop();
    }
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            keys.push(after[..end].to_owned());
            rest = &after[end..];
        } else if let Some((key, after)) =
            rest.strip_prefix('[').and_then(|inner| inner.split_once(']'))
        {
            keys.push(key.to_owned());
            rest = after;
        } else {
            // Text between a bracket and a dot means nothing, and neither does a bracket that is not closed.
            let mut chars = rest.chars();
            chars.next();
            rest = chars.as_str();
        }
    }
    keys
}

/// The steps as people write them.
pub(crate) fn written(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Step::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&key.to_string());
            }
            Step::Index(index) => out.extend(["[", &index.to_string(), "]"]),
        }
    }
    out
}

pub(crate) fn joined(path: &str, key: &Key) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

impl Node {
    pub(crate) fn child(&self, step: &Step) -> Option<&Self> {
        match (&self.value, step) {
            (Value::Map(map), Step::Key(key)) => map.get(key),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            _ => None,
        }
    }

    fn child_mut(&mut self, step: &Step) -> Option<&mut Self> {
        match (&mut self.value, step) {
            (Value::Map(map), Step::Key(key)) => map.get_mut(key),
            (Value::List(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        }
    }

    pub(crate) fn walk(&self, steps: &[Step]) -> Option<&Self> {
        steps.iter().try_fold(self, Self::child)
    }

    pub(crate) fn walk_mut(&mut self, steps: &[Step]) -> Option<&mut Self> {
        steps.iter().try_fold(self, Self::child_mut)
    }
}

/// A text that Python's `int()` takes for an index.
pub(crate) fn index(text: &str) -> Option<i64> {
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_split_at_dots_and_brackets() {
        let cases: [(&str, &[&str]); 8] = [
            ("a", &["a"]),
            ("a.b", &["a", "b"]),
            ("a[b]", &["a", "b"]),
            ("[a].b", &["a", "b"]),
            ("a.b[0].c", &["a", "b", "0", "c"]),
            (".a.b", &["", "a", "b"]),
            ("..[a]", &["", "", "a"]),
            ("", &[""]),
        ];
        for (path, expected) in cases {
            assert_eq!(split(path), expected, "{path}");
        }
    }
}
