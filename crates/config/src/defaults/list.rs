//! Reading the header and the defaults list of one file.

use super::entry::{Choice, Entry, What};
use crate::error::{ConfigError, Problem};
use crate::origin::Origin;
use crate::value::{Key, Node, Value};

/// The package that a file names in a comment at its top: `# @package a.b`.
pub(super) fn package_header(text: &str, origin: &Origin) -> Result<Option<String>, ConfigError> {
    let mut package = None;
    // Hydra does not look further either.
    let start: String = text.chars().take(512).collect();
    for (index, line) in start.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if !line.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with('@')) {
            break;
        }
        let words: Vec<&str> = line
            .trim_start_matches('#')
            .trim()
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect();
        let [name, value] = words.as_slice() else {
            return Err(
                ConfigError::new(Problem::Header(line.to_owned())).at(&origin.at_line(index + 1))
            );
        };
        if *name == "@package" {
            package = Some((*value).to_owned());
        }
    }
    Ok(package)
}

/// Takes the defaults list out of a file's tree.
pub(super) fn take(root: &mut Node) -> Result<Vec<Entry>, ConfigError> {
    let Value::Map(map) = &mut root.value else { return Ok(Vec::new()) };
    let Some(list) = map.shift_remove(&Key::from("defaults")) else { return Ok(Vec::new()) };
    match list.value {
        Value::List(items) => items.iter().map(entry).collect(),
        ref value if value.is_missing() => Ok(Vec::new()),
        other => {
            let error = ConfigError::expected("a list", other.kind());
            Err(error.at(&list.origin).with_key("defaults"))
        }
    }
}

fn malformed(item: &Node, message: impl Into<String>) -> ConfigError {
    ConfigError::defaults(message).at(&item.origin).with_key("defaults")
}

fn entry(item: &Node) -> Result<Entry, ConfigError> {
    match &item.value {
        Value::Text(text) => {
            let (path, package) = split_package(text);
            let entry = Entry::config(path, package, item.origin.clone());
            if entry.is_self() && entry.package.is_some() {
                return Err(malformed(item, "`_self_` cannot have a package"));
            }
            Ok(entry)
        }
        Value::Map(map) => match map.iter().next() {
            Some((Key::Text(key), value)) if map.len() == 1 => group_entry(item, key, value),
            Some((key, _)) if map.len() == 1 => {
                Err(malformed(item, format!("`{key}` is not the name of a group")))
            }
            Some(_) => Err(malformed(
                item,
                "an entry has one group, write each group as an entry of its own",
            )),
            None => Err(malformed(item, "an entry without a group")),
        },
        other => Err(malformed(
            item,
            format!("expected `_self_`, `file` or `group: option`, got {}", other.kind()),
        )),
    }
}

fn group_entry(item: &Node, key: &str, value: &Node) -> Result<Entry, ConfigError> {
    let choice = match &value.value {
        Value::Null => Choice::Nothing,
        Value::Text(option) => Choice::One(option.clone()),
        Value::List(items) => {
            let text = |item: &Node| match &item.value {
                Value::Text(text) => Ok(text.clone()),
                other => Err(malformed(item, format!("options are text, got {}", other.kind()))),
            };
            Choice::Many(items.iter().map(text).collect::<Result<_, _>>()?)
        }
        other => {
            return Err(malformed(
                item,
                format!("an option is text, a list of texts or null, got {}", other.kind()),
            ));
        }
    };
    let (words, package) = split_package(key);
    let (keywords, group) = words.rsplit_once(' ').unwrap_or(("", words));
    if group.is_empty() {
        return Err(malformed(item, "an entry without a group"));
    }
    let mut entry = Entry::new(
        What::Group { group: group.to_owned(), choice, overrides: false, appended: false },
        package,
        item.origin.clone(),
    );
    for keyword in keywords.split(' ') {
        match (keyword, &mut entry.what) {
            ("optional", _) => entry.optional = true,
            ("override", What::Group { overrides, .. }) => *overrides = true,
            _ => break,
        }
    }
    Ok(entry)
}

/// Splits `group@package`; after a colon in the package comes the old form of renaming, which is ignored.
fn split_package(text: &str) -> (&str, Option<String>) {
    match text.split_once('@') {
        None => (text, None),
        Some((group, package)) => {
            let package = package.split_once(':').map_or(package, |(package, _)| package);
            (group, Some(package.to_owned()))
        }
    }
}
