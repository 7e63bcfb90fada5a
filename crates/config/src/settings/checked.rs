//! A tree that was checked against the table of keys, so that reading it cannot meet a wrong type.
//!
//! A key that is absent is null where null is allowed, and otherwise has the value of the embedded tree.

use super::keys::{KeyInfo, find, keys};
use super::kind::Kind;
use super::section::Setting;
use crate::error::{ConfigError, Problem};
use crate::origin::Origin;
use crate::path::joined;
use crate::value::{Node, Value};
use rangescope_model::nearest::nearest;

/// A tree that has only known keys, each with a value that it may have.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    root: Node,
    defaults: Node,
}

impl Checked {
    /// Both trees are without interpolations.
    pub(super) fn new(root: Node, defaults: Node) -> Result<Self, ConfigError> {
        check(&root, "")?;
        Ok(Self { root, defaults })
    }

    pub(super) fn get<T: Setting>(&self, path: &str) -> T {
        let key = find(path);
        let own = self.root.at(path);
        let node = match key {
            Some(key) if own.is_none() && !key.nullable => self.defaults.at(path),
            _ => own,
        };
        let kind = key.map_or(Kind::Free, |key| key.kind);
        T::read(node.filter(|node| node.value != Value::Null), kind)
    }

    pub(super) fn origin(&self, path: &str) -> Option<&Origin> {
        self.root.at(path).or_else(|| self.defaults.at(path)).map(|node| &node.origin)
    }
}

/// Checks a node and everything below it against the table of keys.
fn check(node: &Node, path: &str) -> Result<(), ConfigError> {
    if let Some(key) = find(path) {
        return check_value(node, key);
    }
    let Value::Map(map) = &node.value else {
        let error = ConfigError::expected("a map", node.value.kind());
        return Err(error.at(&node.origin).with_key(path));
    };
    for (key, child) in map {
        let below = joined(path, key);
        let is_branch = || {
            keys().any(|known| {
                known.path.strip_prefix(below.as_str()).is_some_and(|rest| rest.starts_with('.'))
            })
        };
        if find(&below).is_none() && !is_branch() {
            return Err(unknown(&below, child));
        }
        check(child, &below)?;
    }
    Ok(())
}

fn check_value(node: &Node, key: &KeyInfo) -> Result<(), ConfigError> {
    if key.nullable && node.value == Value::Null {
        return Ok(());
    }
    key.kind.check(node).map_err(|error| error.with_key(key.path))
}

/// The error for a key that does not exist: the nearest key beside it, else the nearest key anywhere.
fn unknown(path: &str, node: &Node) -> ConfigError {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let prefix = if parent.is_empty() { String::new() } else { format!("{parent}.") };
    let beside = keys()
        .filter_map(|key| key.path.strip_prefix(prefix.as_str()))
        .map(|rest| rest.split('.').next().unwrap_or(rest));
    let near = nearest(name, beside).map(|near| format!("{prefix}{near}"));
    let near = near.or_else(|| {
        let same_name =
            keys().map(|key| key.path).find(|known| known.rsplit('.').next() == Some(name));
        same_name.map(str::to_owned).or_else(|| nearest(path, keys().map(|key| key.path)))
    });
    ConfigError::new(Problem::UnknownKey).at(&node.origin).with_key(path).with_nearest(near)
}
