//! Finding what interpolations stand for.
//!
//! A [`Resolver`] looks at a tree and changes nothing. Work, text and nesting are bounded, and a value that is needed for itself is reported as a cycle.

use std::cell::Cell;

use super::Context;
use super::kept::escaped;
use super::parse::parse;
use super::syntax::{Argument, Interpolation, Part, Template};
use crate::error::{ConfigError, Problem};
use crate::limits;
use crate::path::{Step, Steps, written};
use crate::python;
use crate::settings::for_reports;
use crate::value::{Key, Map, Node, Value};

#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A node of the tree.
    At(Steps),
    /// A value that is in no tree.
    Made(Value),
}

#[derive(Debug)]
pub(crate) enum Failure {
    /// A key of something that has no keys.
    NoContainer(String),
    Failed(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl Failure {
    pub(crate) fn message(self) -> String {
        match self {
            Self::NoContainer(message) | Self::Failed(message) => message,
        }
    }
}

/// The nodes that are being resolved, outermost first.
pub(super) type Stack = Vec<Steps>;

pub(crate) struct Resolver<'a> {
    pub(super) root: &'a Node,
    /// Hydra's own part of the configuration, which `${hydra:…}` reads.
    pub(super) hydra: Option<&'a Node>,
    pub(super) context: &'a Context<'a>,
    /// Leaves what depends on the environment as it is written.
    keeps_environment: bool,
    /// How often the environment was asked.
    pub(super) asked: Cell<usize>,
    evaluations: Cell<usize>,
    nodes: Cell<usize>,
    bytes: Cell<usize>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(root: &'a Node, hydra: Option<&'a Node>, context: &'a Context<'a>) -> Self {
        let zero = || Cell::new(0);
        Self {
            root,
            hydra,
            context,
            keeps_environment: false,
            asked: zero(),
            evaluations: zero(),
            nodes: zero(),
            bytes: zero(),
        }
    }

    /// The tree as it is written down: only what depends on the environment is left to look up.
    pub(crate) fn tree_to_keep(mut self) -> Result<Node, ConfigError> {
        self.keeps_environment = true;
        self.resolved(&Steps::new(), 0)
    }

    /// The whole tree with nothing left to look up.
    pub(crate) fn tree(&self) -> Result<Node, ConfigError> {
        self.resolved(&Steps::new(), 0)
    }

    fn resolved(&self, at: &Steps, depth: usize) -> Result<Node, ConfigError> {
        let Some(node) = self.root.walk(at) else {
            return Err(ConfigError::new(Problem::UnknownKey));
        };
        let fail = |message: String| {
            let text = node.value.interpolation().map_or_else(|| written(at), str::to_owned);
            ConfigError::interpolation(text, message).at(&node.origin).with_key(written(at))
        };
        if depth > limits::TREE_DEPTH {
            return Err(fail("it contains itself, or is nested too deeply".to_owned()));
        }
        spend(&self.nodes, 1, limits::NODES).map_err(fail)?;
        let below = |step: Step| [at.as_slice(), &[step]].concat();
        let value = match &node.value {
            Value::List(items) => {
                let items = (0..items.len())
                    .map(|index| self.resolved(&below(Step::Index(index)), depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Value::Map(map) => {
                let entry = |key: &Key| {
                    Ok((key.clone(), self.resolved(&below(Step::Key(key.clone())), depth + 1)?))
                };
                Value::Map(map.keys().map(entry).collect::<Result<Map, ConfigError>>()?)
            }
            _ if node.value.interpolation().is_some() => {
                let asked = self.asked.get();
                let value = match self.follow(at, &mut Stack::new()) {
                    Ok(Found::At(target)) => self.resolved(&target, depth + 1)?.value,
                    Ok(Found::Made(Value::Text(text))) if self.keeps_environment => {
                        Value::Text(escaped(&text))
                    }
                    Ok(Found::Made(value)) => value,
                    Err(failure) => return Err(fail(failure.message())),
                };
                let is_kept = self.keeps_environment && !for_reports(&written(at));
                if is_kept && self.asked.get() > asked { node.value.clone() } else { value }
            }
            other => {
                let bytes = if let Value::Text(text) = other { text.len() } else { 0 };
                spend(&self.bytes, bytes, limits::TEXT_BYTES).map_err(fail)?;
                other.clone()
            }
        };
        Ok(Node::new(value, node.origin.clone()))
    }

    /// What the node stands for: itself, unless it is an interpolation.
    pub(crate) fn follow(&self, at: &Steps, stack: &mut Stack) -> Result<Found, Failure> {
        let text = self.root.walk(at).and_then(|node| node.value.interpolation());
        let Some(text) = text else { return Ok(Found::At(at.clone())) };
        if stack.contains(at) || stack.len() > limits::DEPTH {
            let cycle: Vec<String> =
                stack.iter().chain([at]).map(|steps| format!("`{}`", written(steps))).collect();
            return Err(Failure::Failed(format!(
                "interpolations form a cycle: {}",
                cycle.join(" → ")
            )));
        }
        let template = parse(text)?;
        let parent = at.split_last().map(|(_, parent)| parent.to_vec()).unwrap_or_default();
        stack.push(at.clone());
        let found = self.evaluate(&template, &parent, stack);
        stack.pop();
        found
    }

    /// What a text stands for: the value itself where it is one interpolation, else text.
    pub(crate) fn evaluate(
        &self,
        template: &Template,
        parent: &Steps,
        stack: &mut Stack,
    ) -> Result<Found, Failure> {
        match template.as_slice() {
            [Part::Interpolation(only)] => self.interpolation(only, parent, stack),
            parts => Ok(Found::Made(Value::Text(self.text(parts, parent, stack)?))),
        }
    }

    fn text(&self, parts: &[Part], parent: &Steps, stack: &mut Stack) -> Result<String, Failure> {
        self.join(parts, parent, stack, |value| Ok(python::text(&value)))
    }

    /// A path or a name, in which interpolations must stand for text.
    fn name(&self, parts: &[Part], parent: &Steps, stack: &mut Stack) -> Result<String, Failure> {
        self.join(parts, parent, stack, |value| match value {
            Value::Text(text) => Ok(text),
            other => Err(format!("a key must be text, not {}", other.kind())),
        })
    }

    fn join(
        &self,
        parts: &[Part],
        parent: &Steps,
        stack: &mut Stack,
        write: fn(Value) -> Result<String, String>,
    ) -> Result<String, Failure> {
        let mut out = String::new();
        for part in parts {
            let before = out.len();
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Interpolation(inner) => {
                    let found = self.interpolation(inner, parent, stack)?;
                    out.push_str(&write(self.value(found))?);
                }
            }
            spend(&self.bytes, out.len() - before, limits::TEXT_BYTES)?;
        }
        Ok(out)
    }

    fn interpolation(
        &self,
        what: &Interpolation,
        parent: &Steps,
        stack: &mut Stack,
    ) -> Result<Found, Failure> {
        spend(&self.evaluations, 1, limits::EVALUATIONS)?;
        match what {
            Interpolation::Node(path) => {
                let path = self.name(path, parent, stack)?;
                let found = self.lookup(&path, parent, true, stack)?;
                let found = found.ok_or_else(|| Failure::Failed(self.not_found(&path, parent)))?;
                if matches!(&found, Found::At(target) if parent.starts_with(target)) {
                    return Err(Failure::Failed(format!(
                        "`{path}` contains the interpolation itself"
                    )));
                }
                Ok(found)
            }
            Interpolation::Call { name, arguments } => {
                let name = self.name(name, parent, stack)?;
                let arguments = arguments
                    .iter()
                    .map(|argument| self.argument(argument, parent, stack))
                    .collect::<Result<Vec<_>, _>>()?;
                self.call(&name, &arguments, parent, stack)
            }
        }
    }

    pub(super) fn argument(
        &self,
        argument: &Argument,
        parent: &Steps,
        stack: &mut Stack,
    ) -> Result<Value, Failure> {
        let node = |value: Value| Node::new(value, self.root.origin.clone());
        Ok(match argument {
            Argument::Scalar(scalar) => scalar.clone(),
            Argument::Value(interpolation) => {
                let found = self.interpolation(interpolation, parent, stack)?;
                self.value(found)
            }
            Argument::Text(parts) => Value::Text(self.text(parts, parent, stack)?),
            Argument::List(items) => {
                let items = items.iter().map(|item| self.argument(item, parent, stack).map(node));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Argument::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    let key = Key::of(key).ok_or_else(|| "null cannot be a key".to_owned())?;
                    map.insert(key, node(self.argument(value, parent, stack)?));
                }
                Value::Map(map)
            }
        })
    }

    /// The value that was found, as it is written: interpolations inside it stay.
    pub(crate) fn value(&self, found: Found) -> Value {
        match found {
            Found::At(steps) => {
                self.root.walk(&steps).map_or(Value::Null, |node| node.value.clone())
            }
            Found::Made(value) => value,
        }
    }
}

fn spend(counter: &Cell<usize>, amount: usize, limit: usize) -> Result<(), String> {
    counter.set(counter.get() + amount);
    if counter.get() > limit { Err("interpolations produce too much".to_owned()) } else { Ok(()) }
}
