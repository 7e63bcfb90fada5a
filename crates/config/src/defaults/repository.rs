//! Files of a tree, loaded once each.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::entry::Entry;
use super::list;
use crate::error::ConfigError;
use crate::interpolate;
use crate::tree::Tree;
use crate::value::{Node, Value};
use crate::yaml;

/// Its content is without the defaults list.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) content: Node,
    pub(super) package: Option<String>,
    pub(super) defaults: Vec<Entry>,
}

/// Loads files of a tree and remembers them.
pub(crate) struct Repository<'a> {
    pub(super) tree: &'a Tree,
    loaded: BTreeMap<String, Option<Rc<Loaded>>>,
}

impl<'a> Repository<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self { tree, loaded: BTreeMap::new() }
    }

    pub(crate) fn load(&mut self, name: &str) -> Result<Option<Rc<Loaded>>, ConfigError> {
        if let Some(known) = self.loaded.get(name) {
            return Ok(known.clone());
        }
        let loaded = match self.tree.read(name)? {
            None => None,
            Some((text, origin)) => {
                let mut content = yaml::load(&text, &origin)?;
                let package = list::package_header(&text, &origin)?;
                check_interpolations(&content)?;
                let defaults = list::take(&mut content)?;
                Some(Rc::new(Loaded { content, package, defaults }))
            }
        };
        self.loaded.insert(name.to_owned(), loaded.clone());
        Ok(loaded)
    }
}

/// Malformed interpolations are errors of the file, even where nothing looks at them.
fn check_interpolations(node: &Node) -> Result<(), ConfigError> {
    match &node.value {
        Value::Text(text) => interpolate::check(text)
            .map_err(|message| ConfigError::interpolation(text, message).at(&node.origin)),
        Value::List(items) => items.iter().try_for_each(check_interpolations),
        Value::Map(map) => map.iter().try_for_each(|(key, node)| {
            check_interpolations(node).map_err(|error| error.with_key(key.to_string()))
        }),
        _ => Ok(()),
    }
}
