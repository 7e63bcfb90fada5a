//! Configuration: a tree of YAML files, composed as Hydra composes it, and the settings that it amounts to.
//!
//! [`compose`] takes a [`Tree`] and overrides and gives a [`Composed`] configuration in which every value knows its [`Origin`]; [`Settings`] is its strict, typed form. Files are read in one module (`tree`), the environment and the clock are supplied by the caller, nothing is executed, and every quantity that a hostile file could inflate is bounded.

mod apply;
mod compose;
mod composed;
mod defaults;
mod error;
mod flags;
mod grammar;
mod interpolate;
mod limits;
mod merge;
mod origin;
mod overrides;
mod path;
mod python;
mod secrets;
pub mod settings;
mod sweep;
mod tree;
mod value;
mod version;
mod yaml;

pub use compose::compose;
pub use composed::{Composed, Note};
pub use error::{ConfigError, Problem};
pub use flags::{FLAGS, Flag, Takes};
pub use interpolate::Context;
pub use origin::Origin;
pub use overrides::{OverrideArg, quoted};
pub use secrets::{MASK, Secrets};
pub use settings::{CONFIG_NAME, Settings, key_table_markdown};
pub use sweep::sweep;
pub use tree::{Group, GroupOption, Tree, read_yaml};
pub use value::{Key, Map, Node, Value};
pub use version::{Since, Version};
pub use yaml::json_as_yaml;
