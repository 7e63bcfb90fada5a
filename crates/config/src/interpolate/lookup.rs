//! Going down a tree by keys, through interpolations on the way.

use super::resolve::{Failure, Found, Resolver, Stack};
use crate::path::{Step, Steps, index, split, written};
use crate::value::{Key, Value};
use rangescope_model::nearest::nearest;

impl Resolver<'_> {
    /// From the root, or from `parent` where the path begins with a dot.
    pub(super) fn lookup(
        &self,
        path: &str,
        parent: &Steps,
        refuse_missing: bool,
        stack: &mut Stack,
    ) -> Result<Option<Found>, Failure> {
        let mut start = Steps::new();
        let mut path = path;
        if let Some(rest) = path.strip_prefix('.') {
            start.clone_from(parent);
            path = rest;
            while let Some(rest) = path.strip_prefix('.') {
                if start.pop().is_none() {
                    return Err(Failure::Failed("there is no level above the root".to_owned()));
                }
                path = rest;
            }
        }
        if path.is_empty() {
            return Ok(Some(Found::At(start)));
        }
        self.select(start, &split(path), refuse_missing, stack)
    }

    /// Goes down from a node by keys, through interpolations on the way.
    pub(crate) fn select(
        &self,
        start: Steps,
        keys: &[String],
        refuse_missing: bool,
        stack: &mut Stack,
    ) -> Result<Option<Found>, Failure> {
        let mut at = start;
        for (position, key) in keys.iter().enumerate() {
            let is_last = position + 1 == keys.len();
            let Some(step) = self.step(&at, key)? else { return Ok(None) };
            at.push(step);
            let is_missing = self.root.walk(&at).is_some_and(|node| node.value.is_missing());
            if is_missing && refuse_missing {
                return Err(Failure::Failed(format!("`{}` has to be given a value", written(&at))));
            }
            let found = self.follow(&at, stack)?;
            if is_last {
                return Ok(Some(found));
            }
            match found {
                Found::At(target)
                    if self.root.walk(&target).is_some_and(|node| node.value.is_container()) =>
                {
                    at = target;
                }
                _ => return Err(Failure::NoContainer(format!("`{}` has no keys", written(&at)))),
            }
        }
        Ok(Some(Found::At(at)))
    }

    /// The step that a key means below a node, if there is something.
    fn step(&self, at: &Steps, key: &str) -> Result<Option<Step>, Failure> {
        match self.root.walk(at).map(|node| &node.value) {
            Some(Value::Map(map)) => {
                let key = Key::from(key);
                Ok(map.contains_key(&key).then_some(Step::Key(key)))
            }
            Some(Value::List(items)) => {
                let index = index(key).ok_or_else(|| {
                    format!("`{key}` is not an index of the list `{}`", written(at))
                })?;
                Ok(usize::try_from(index)
                    .ok()
                    .filter(|index| *index < items.len())
                    .map(Step::Index))
            }
            _ => Ok(None),
        }
    }

    /// Says that a path leads nowhere, and which key was nearly right.
    pub(super) fn not_found(&self, path: &str, parent: &Steps) -> String {
        let mut at = if path.starts_with('.') { parent.clone() } else { Steps::new() };
        for key in split(path.trim_start_matches('.')) {
            match self.step(&at, &key) {
                Ok(Some(step)) => at.push(step),
                _ => {
                    let near = match self.root.walk(&at).map(|node| &node.value) {
                        Some(Value::Map(map)) => nearest(&key, map.keys().filter_map(Key::text)),
                        _ => None,
                    };
                    let near =
                        near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
                    return format!("there is no `{path}`{near}");
                }
            }
        }
        format!("there is no `{path}`")
    }
}
