//! Applying overrides of keys to a composed tree.

use crate::error::{ConfigError, Problem};
use crate::interpolate::{self, Failure, Found, Resolver};
use crate::merge::{NewKeys, Target};
use crate::overrides::{Action, Element, Given, Override};
use crate::path::{Step, Steps, index, split, written};
use crate::python;
use crate::value::{Key, Map, Node, Value};

impl Target<'_> {
    pub(crate) fn apply(&mut self, change: &Override) -> Result<(), ConfigError> {
        let outcome = match change.action {
            Action::Delete => self.delete(change),
            Action::Change => self.update(change, NewKeys::Refused),
            Action::ForceAdd => self.update(change, NewKeys::Allowed),
            Action::Add => self.add(change),
        };
        outcome.map_err(|error| error.at(&change.origin).with_key(change.key.clone()))
    }

    fn add(&mut self, change: &Override) -> Result<(), ConfigError> {
        let is_container =
            matches!(&change.value, Some(Given::Element(Element::List(_) | Element::Map(_))));
        let is_free = self.selected(&change.key)?.is_none_or(|(_, value)| value == Value::Null);
        if is_free || is_container {
            return self.update(change, NewKeys::Allowed);
        }
        let advice = "write `++key=value` to add or change it, `key=value` to change it";
        Err(ConfigError::new(Problem::KeyExists).with_advice(advice))
    }

    fn update(&mut self, change: &Override, new_keys: NewKeys) -> Result<(), ConfigError> {
        let node = match &change.value {
            Some(Given::Element(element)) => element.node(change)?,
            _ => Node::new(Value::Null, change.origin.clone()),
        };
        let keys = split(&change.key);
        let mut at = Steps::new();
        for (position, key) in keys.iter().enumerate() {
            let is_last = position + 1 == keys.len();
            at.push(self.step(&at, key)?);
            let found = self.root.walk(&at).map(|node| node.value.is_container());
            if found.is_none() && new_keys == NewKeys::Refused {
                let advice = format!("to add a key, write `+{}`", text_of(change));
                return Err(self.unknown(&at).with_advice(advice));
            }
            if found.is_none() && matches!(at.last(), Some(Step::Index(_))) {
                return Err(self.unknown(&at));
            }
            if is_last {
                return match found {
                    Some(true) if node.value.is_container() => self.merge(&at, node, new_keys),
                    _ => self.set(&at, node),
                };
            }
            if found != Some(true) {
                // Anything that is not a map gives way to one, as in Hydra.
                self.set(&at, Node::new(Value::Map(Map::new()), change.origin.clone()))?;
            }
        }
        Ok(())
    }

    /// The step that a key of an override means below a node.
    fn step(&self, at: &Steps, key: &str) -> Result<Step, ConfigError> {
        match self.root.walk(at).map(|node| &node.value) {
            Some(Value::List(_)) => {
                let index = index(key).and_then(|index| usize::try_from(index).ok());
                index.map(Step::Index).ok_or_else(|| {
                    let got = format!("`{key}`");
                    ConfigError::expected("an index of the list", got).with_key(written(at))
                })
            }
            _ => Ok(Step::Key(Key::from(key))),
        }
    }

    /// Interpolations are followed; `None` where nothing or a missing value is.
    fn selected(&self, key: &str) -> Result<Option<(Option<Steps>, Value)>, ConfigError> {
        let resolver = Resolver::new(&self.root, None, self.context);
        let found = match resolver.select(Steps::new(), &split(key), false, &mut Vec::new()) {
            Ok(found) => found,
            Err(Failure::NoContainer(_)) => None,
            Err(Failure::Failed(message)) => {
                return Err(ConfigError::interpolation(key, message));
            }
        };
        Ok(found.and_then(|found| {
            let steps = match &found {
                Found::At(steps) => Some(steps.clone()),
                Found::Made(_) => None,
            };
            let value = resolver.value(found);
            (!value.is_missing()).then_some((steps, value))
        }))
    }

    fn delete(&mut self, change: &Override) -> Result<(), ConfigError> {
        let present = self.selected(&change.key)?.filter(|(_, value)| *value != Value::Null);
        let Some((_, present)) = present else {
            let at: Steps =
                split(&change.key).iter().map(|key| Step::Key(Key::from(key.as_str()))).collect();
            return Err(self.unknown(&at));
        };
        if let Some(Given::Element(element)) = &change.value {
            let expected = element.node(change)?.value;
            if expected != Value::Null && !loosely_equal(&expected, &present) {
                let [expected, got] =
                    [&expected, &present].map(|value| format!("`{}`", python::text(value)));
                return Err(ConfigError::expected(expected, got));
            }
        }
        let (parent, last) = change.key.rsplit_once('.').unwrap_or(("", &change.key));
        let parent = if parent.is_empty() {
            Some(Steps::new())
        } else {
            self.selected(parent)?.and_then(|found| found.0)
        };
        let parent = parent.and_then(|steps| self.root.walk_mut(&steps));
        match parent.map(|node| &mut node.value) {
            Some(Value::Map(map)) => {
                map.shift_remove(&Key::from(last));
                Ok(())
            }
            _ => Err(ConfigError::new(Problem::Override(
                "only keys of maps can be removed".to_owned(),
            ))),
        }
    }
}

/// Equality as Python has it: numbers of different types may be equal.
fn loosely_equal(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    };
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| loosely_equal(&a.value, &b.value))
        }
        (Value::Map(a), Value::Map(b)) => {
            let equal = |(key, node): (&Key, &Node)| {
                b.get(key).is_some_and(|other| loosely_equal(&node.value, &other.value))
            };
            a.len() == b.len() && a.iter().all(equal)
        }
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
            _ => a == b,
        },
    }
}

fn text_of(change: &Override) -> String {
    use crate::origin::Origin;
    match &change.origin {
        Origin::Override { text, .. } | Origin::Flag { text, .. } => text.to_string(),
        Origin::File { .. } => change.key.clone(),
    }
}

impl Element {
    /// Texts with interpolations must be well-formed.
    fn node(&self, change: &Override) -> Result<Node, ConfigError> {
        let value = match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Text(text) | Self::Quoted(text, _) => {
                interpolate::check(text)
                    .map_err(|message| ConfigError::interpolation(text, message))?;
                Value::Text(text.clone())
            }
            Self::List(items) => {
                Value::List(items.iter().map(|item| item.node(change)).collect::<Result<_, _>>()?)
            }
            Self::Map(entries) => {
                let key = |key: &Self| {
                    let refused = || ConfigError::expected("text as a key", "null");
                    Key::of(&key.node(change)?.value).ok_or_else(refused)
                };
                let entry = |(name, value): &(Self, Self)| Ok((key(name)?, value.node(change)?));
                Value::Map(entries.iter().map(entry).collect::<Result<Map, ConfigError>>()?)
            }
        };
        Ok(Node::new(value, change.origin.clone()))
    }
}
