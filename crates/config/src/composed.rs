//! A composed configuration: the tree, what was chosen on the way, and how to print it.

use indexmap::IndexMap;

use crate::error::ConfigError;
use crate::interpolate::{Context, Resolver};
use crate::origin::Origin;
use crate::path::joined;
use crate::secrets::Secrets;
use crate::value::{Node, Value};
use crate::yaml;

#[derive(Clone, Debug)]
pub struct Composed {
    pub(crate) root: Node,
    /// What the tree says about Hydra itself, which is not part of the configuration.
    pub(crate) hydra: Option<Node>,
    pub(crate) notes: Vec<Note>,
    pub(crate) choices: IndexMap<String, Option<String>>,
}

/// Something in the input that has no effect here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub message: String,
    pub origin: Origin,
}

impl Composed {
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Keys are joined by dots.
    pub fn get(&self, path: &str) -> Option<&Node> {
        self.root.at(path)
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The option of every group that was loaded, by the name that overrides use; `None` for `null`.
    pub fn choices(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.choices.iter().map(|(group, option)| (group.as_str(), option.as_deref()))
    }

    /// Replaces every interpolation by what it stands for.
    pub fn resolve(&self, context: &Context<'_>) -> Result<Self, ConfigError> {
        let root = Resolver::new(&self.root, self.hydra.as_ref(), context).tree()?;
        Ok(Self { root, ..self.clone() })
    }

    /// As it is written into a run folder: resolved but for what depends on the environment, which is looked up again by whoever goes on with the run, and with secrets masked.
    pub fn to_keep(&self, context: &Context<'_>, secrets: &Secrets) -> Result<Self, ConfigError> {
        let root = Resolver::new(&self.root, self.hydra.as_ref(), context).tree_to_keep()?;
        Ok(Self { root: secrets.mask_tree(&root, ""), ..self.clone() })
    }

    /// The paths of all values that have to be given and were not.
    pub fn missing(&self) -> Vec<String> {
        fn walk(node: &Node, path: &str, missing: &mut Vec<String>) {
            match &node.value {
                Value::Map(map) => {
                    for (key, child) in map {
                        walk(child, &joined(path, key), missing);
                    }
                }
                Value::List(items) => {
                    items
                        .iter()
                        .enumerate()
                        .for_each(|(index, item)| walk(item, &format!("{path}[{index}]"), missing));
                }
                value if value.is_missing() => missing.push(path.to_owned()),
                _ => {}
            }
        }
        let mut missing = Vec::new();
        walk(&self.root, "", &mut missing);
        missing
    }

    pub fn to_yaml(&self) -> String {
        yaml::write(&self.root, false)
    }

    /// With the origin of every value in a comment.
    pub fn to_yaml_with_origins(&self) -> String {
        yaml::write(&self.root, true)
    }

    pub fn to_json(&self) -> serde_json::Value {
        self.root.to_json()
    }
}
