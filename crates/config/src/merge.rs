//! Putting one tree over another.
//!
//! Maps are merged key by key, lists and scalars are replaced, a missing value (`???`) changes nothing. A key that is an interpolation of a map or list becomes a copy of that before something is merged into it, as in OmegaConf.

use crate::error::{ConfigError, Problem};
use crate::interpolate::{Context, Found, Resolver};
use crate::limits;
use crate::path::{Step, Steps, written};
use crate::value::{Key, Map, Node, Value};
use rangescope_model::nearest::nearest;

/// Whether keys that are not there may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewKeys {
    Allowed,
    Refused,
}

/// A tree under composition.
pub(crate) struct Target<'a> {
    pub(crate) root: Node,
    pub(crate) context: &'a Context<'a>,
}

impl Target<'_> {
    /// The node at `at` must be of the same kind.
    pub(crate) fn merge(
        &mut self,
        at: &Steps,
        source: Node,
        new_keys: NewKeys,
    ) -> Result<(), ConfigError> {
        let Some(target) = self.root.walk_mut(at) else { return Ok(()) };
        match (&mut target.value, source.value) {
            (Value::Map(_), Value::Map(map)) => {
                for (key, node) in map {
                    self.merge_key(at, key, node, new_keys)?;
                }
                Ok(())
            }
            (Value::List(_), Value::List(items)) => {
                self.set(at, Node::new(Value::List(items), source.origin))
            }
            (into, from) => {
                let problem = Problem::Merge { from: from.kind(), into: into.kind() };
                Err(ConfigError::new(problem).at(&source.origin).with_key(written(at)))
            }
        }
    }

    fn merge_key(
        &mut self,
        at: &Steps,
        key: Key,
        source: Node,
        new_keys: NewKeys,
    ) -> Result<(), ConfigError> {
        let below = [at.as_slice(), &[Step::Key(key)]].concat();
        self.copy_what_it_refers_to(&below)?;
        match self.root.walk(&below).map(|target| target.value.is_container()) {
            None if new_keys == NewKeys::Refused => Err(self.unknown(&below).at(&source.origin)),
            None => self.set(&below, source),
            Some(_) if source.value.is_missing() => Ok(()),
            Some(true) if source.value.is_container() => self.merge(&below, source, new_keys),
            Some(_) => self.set(&below, source),
        }
    }

    /// Replaces an interpolation of a map or list by a copy of it.
    fn copy_what_it_refers_to(&mut self, at: &Steps) -> Result<(), ConfigError> {
        if self.root.walk(at).is_none_or(|node| node.value.interpolation().is_none()) {
            return Ok(());
        }
        let resolver = Resolver::new(&self.root, None, self.context);
        let Ok(Found::At(target)) = resolver.follow(at, &mut Vec::new()) else { return Ok(()) };
        match self.root.walk(&target) {
            Some(node) if node.value.is_container() => {
                let copy = node.clone();
                // Copies of copies would otherwise double with every file.
                if copy.size().0 + self.root.size().0 > limits::NODES {
                    let error = ConfigError::too_much("the number of values", limits::NODES);
                    return Err(error.at(&copy.origin).with_key(written(at)));
                }
                self.set(at, copy)
            }
            _ => Ok(()),
        }
    }

    /// The parent must exist. An index must exist; a key may be new.
    pub(crate) fn set(&mut self, at: &Steps, node: Node) -> Result<(), ConfigError> {
        if at.len() + node.depth() > limits::TREE_DEPTH {
            let error = ConfigError::too_much("the nesting of a configuration", limits::TREE_DEPTH);
            return Err(error.at(&node.origin).with_key(written(&at[..at.len().min(8)])));
        }
        let Some((last, parent)) = at.split_last() else {
            self.root = node;
            return Ok(());
        };
        match (self.root.walk_mut(parent).map(|parent| &mut parent.value), last) {
            (Some(Value::Map(map)), Step::Key(key)) => {
                map.insert(key.clone(), node);
            }
            (Some(Value::List(items)), Step::Index(index)) => {
                if let Some(item) = items.get_mut(*index) {
                    *item = node;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The error for a key that is not there, with the nearest one that is.
    pub(crate) fn unknown(&self, at: &Steps) -> ConfigError {
        let (last, parent) = match at.split_last() {
            Some((last, parent)) => (written(std::slice::from_ref(last)), parent),
            None => (String::new(), at.as_slice()),
        };
        let near = match self.root.walk(parent).map(|parent| &parent.value) {
            Some(Value::Map(map)) => nearest(&last, map.keys().filter_map(Key::text)),
            _ => None,
        };
        let near = near.map(|near| written(&[parent, &[Step::Key(Key::Text(near))]].concat()));
        ConfigError::new(Problem::UnknownKey).with_key(written(at)).with_nearest(near)
    }
}

/// Puts a tree below the keys of a package.
pub(crate) fn packaged(node: Node, package: &[String]) -> Node {
    package.iter().rev().fold(node, |node, key| {
        let origin = node.origin.clone();
        Node::new(Value::Map(Map::from_iter([(Key::from(key.as_str()), node)])), origin)
    })
}
