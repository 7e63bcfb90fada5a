//! Sections of the configuration, each written down once: a row is a key, and the field, its type, what its value may be, the option of a profiler that it is, and its line in the
//! documents all come from it.

use super::kind::Kind;
use super::shell_words::split_command;
use crate::python;
use crate::value::{Node, Value};
use rangescope_model::words::Word;
use rangescope_model::{KernelNameBase, ReplayMode};

/// Defines a section: the type with a field for each row, its keys, and the way from a checked tree to it.
///
/// A row is `field: TYPE, KIND, "help" => attributes;`, where a key whose name differs from its field follows `as`, and the attributes are methods of
/// [`KeyInfo`](super::keys::KeyInfo).
macro_rules! section {
    (
        $(#[$about:meta])*
        $name:ident $prefix:literal {
            $($field:ident $(as $key:literal)?: $type:ty, $kind:expr, $help:literal
                $(=> $($attribute:ident($($argument:expr),*)).+)?;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $(#[doc = $help] pub $field: $type,)+
        }

        impl $name {
            pub(in crate::settings) const KEYS: &'static [$crate::settings::KeyInfo] = &[$(
                $crate::settings::KeyInfo::new(
                    $crate::settings::section::section!(@path $prefix $field $($key)?),
                    $kind,
                    <$type as $crate::settings::section::Setting>::NULLABLE,
                    $help,
                )$($(.$attribute($($argument),*))+)?
            ),+];

            pub(in crate::settings) fn read(values: &$crate::settings::checked::Checked) -> Self {
                Self { $($field: values.get($crate::settings::section::section!(@path $prefix $field $($key)?)),)+ }
            }

            pub fn keys() -> &'static [$crate::settings::KeyInfo] {
                Self::KEYS
            }

            /// Every key in order, with its value as a profiler is given it.
            pub fn written(&self) -> Vec<(&'static $crate::settings::KeyInfo, $crate::settings::Written)> {
                let values = [$($crate::settings::section::Setting::written(&self.$field)),+];
                Self::KEYS.iter().zip(values).collect()
            }
        }
    };
    (@path $prefix:literal $field:ident) => { concat!($prefix, stringify!($field)) };
    (@path $prefix:literal $field:ident $key:literal) => { concat!($prefix, $key) };
}

pub(super) use section;

/// A value as a profiler is given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// The matter is left to the profiler.
    Nothing,
    Switch(bool),
    Values(Vec<String>),
    /// A value that is also the default of a profiler that does not have the option yet.
    Usual(String),
}

impl Written {
    /// What is switched off is not asked for.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Nothing | Self::Switch(false) => false,
            Self::Switch(true) => true,
            Self::Values(values) => !values.iter().all(is_off),
            Self::Usual(value) => !is_off(value),
        }
    }

    /// `true` is a switch, or `on`.
    pub fn has(&self, wanted: &str) -> bool {
        let is_wanted = |value: &String| value == if wanted == "true" { ON } else { wanted };
        match self {
            Self::Nothing => false,
            Self::Switch(on) => wanted == "true" && *on,
            Self::Values(values) => values.iter().any(is_wanted),
            Self::Usual(value) => is_wanted(value),
        }
    }
}

const ON: &str = "on";
const OFF: &str = "off";

fn is_off(value: &String) -> bool {
    value == OFF || value == "none"
}

/// A type that the value of a key may have. Values are checked before they are read, so reading cannot fail.
pub(super) trait Setting {
    const NULLABLE: bool = false;

    /// `None` for null.
    fn read(node: Option<&Node>, kind: Kind) -> Self;

    fn written(&self) -> Written {
        Written::Nothing
    }
}

/// A value that is given unless it is null, because the profiler's own choice changed between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned<T>(pub Option<T>);

impl<T: Default> Default for Pinned<T> {
    fn default() -> Self {
        Self(Some(T::default()))
    }
}

impl<T: Default + PartialEq> Setting for Pinned<T>
where
    Option<T>: Setting,
{
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, kind: Kind) -> Self {
        Self(Option::read(node, kind))
    }

    fn written(&self) -> Written {
        match self.0.written() {
            Written::Values(mut values) if *self == Self::default() => {
                values.pop().map_or(Written::Nothing, Written::Usual)
            }
            other => other,
        }
    }
}

impl Setting for bool {
    fn read(node: Option<&Node>, _: Kind) -> Self {
        node.is_some_and(|node| node.value == Value::Bool(true))
    }

    fn written(&self) -> Written {
        Written::Switch(*self)
    }
}

impl Setting for Option<bool> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, kind: Kind) -> Self {
        node.map(|node| bool::read(Some(node), kind))
    }

    fn written(&self) -> Written {
        values(self.map(|on| if on { ON } else { OFF }))
    }
}

impl Setting for String {
    fn read(node: Option<&Node>, kind: Kind) -> Self {
        Option::read(node, kind).unwrap_or_default()
    }
}

impl Setting for Option<String> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, _: Kind) -> Self {
        node.map(|node| python::text(&node.value))
    }

    fn written(&self) -> Written {
        values(self.as_ref())
    }
}

impl Setting for u64 {
    fn read(node: Option<&Node>, kind: Kind) -> Self {
        Option::read(node, kind).unwrap_or_default()
    }
}

impl Setting for Option<u64> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, _: Kind) -> Self {
        match node?.value {
            Value::Int(value) => Self::from(u64::try_from(value).ok()?),
            _ => None,
        }
    }

    fn written(&self) -> Written {
        values(*self)
    }
}

impl Setting for Option<f64> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, _: Kind) -> Self {
        match node?.value {
            Value::Int(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        }
    }
}

/// A trait of this crate, because only then the compiler knows that numbers and texts are not words.
pub(crate) trait WordSetting: Word {}

impl WordSetting for KernelNameBase {}
impl WordSetting for ReplayMode {}

/// Defines a type of words that a setting can be.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($words:tt)* }) => {
        rangescope_model::words! { $(#[$about])* $name { $($words)* } }
        impl $crate::settings::section::WordSetting for $name {}
    };
}

pub(crate) use words;

impl<T: WordSetting + Default> Setting for T {
    fn read(node: Option<&Node>, kind: Kind) -> Self {
        Option::read(node, kind).unwrap_or_default()
    }

    fn written(&self) -> Written {
        values([self.as_str()])
    }
}

impl<T: WordSetting> Setting for Option<T> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, _: Kind) -> Self {
        T::from_word(text(&node?.value)?)
    }

    fn written(&self) -> Written {
        values(self.map(Word::as_str))
    }
}

impl<T: WordSetting> Setting for Vec<T> {
    fn read(node: Option<&Node>, _: Kind) -> Self {
        items(node).filter_map(|item| T::from_word(text(item)?)).collect()
    }
}

/// Words that nothing but the profiler gives a meaning to.
impl Setting for Option<&'static str> {
    const NULLABLE: bool = true;

    fn read(node: Option<&Node>, kind: Kind) -> Self {
        kind.known_word(text(&node?.value)?)
    }

    fn written(&self) -> Written {
        values(*self)
    }
}

impl Setting for Vec<&'static str> {
    fn read(node: Option<&Node>, kind: Kind) -> Self {
        items(node).filter_map(|item| kind.known_word(text(item)?)).collect()
    }

    fn written(&self) -> Written {
        values(self)
    }
}

impl Setting for Vec<String> {
    fn read(node: Option<&Node>, kind: Kind) -> Self {
        let Some(text) = node.and_then(|node| text(&node.value)) else {
            return items(node).map(item_text).collect();
        };
        let trimmed = |part: &str| Some(part.trim().to_owned()).filter(|part| !part.is_empty());
        match kind {
            Kind::Names => text.split(',').filter_map(trimmed).collect(),
            Kind::Labels => text.split(';').filter_map(trimmed).collect(),
            // A command that cannot be split has been refused.
            Kind::Command => split_command(text).unwrap_or_default(),
            // Region patterns have a syntax of their own, of which blanks and `;` are a part.
            Kind::Regions => vec![text.to_owned()],
            _ => trimmed(text).into_iter().collect(),
        }
    }

    fn written(&self) -> Written {
        values(self)
    }
}

/// Environment variables to set, or to remove where there is no value.
impl Setting for Vec<(String, Option<String>)> {
    fn read(node: Option<&Node>, _: Kind) -> Self {
        let Some(Value::Map(map)) = node.map(|node| &node.value) else { return Self::new() };
        let value = |value: &Value| (*value != Value::Null).then(|| item_text(value));
        map.iter().map(|(name, node)| (name.to_string(), value(&node.value))).collect()
    }
}

fn values<T: ToString>(given: impl IntoIterator<Item = T>) -> Written {
    let values: Vec<String> = given.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() { Written::Nothing } else { Written::Values(values) }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn items(node: Option<&Node>) -> impl Iterator<Item = &Value> {
    let list = match node.map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    list.iter().map(|item| &item.value)
}

/// A boolean is what YAML made of a word, and is written as YAML writes it.
fn item_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        other => python::text(other),
    }
}
