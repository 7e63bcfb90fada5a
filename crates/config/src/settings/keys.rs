//! A key of the configuration: what its value may be, and which option of ncu or nsys it is.
//!
//! The keys are the rows of the sections. They decide which keys are known, check their values, make the command lines, say which version has what, and are printed into
//! docs/configuration.md.

use std::sync::LazyLock;

use super::kind::Kind;
use super::{Launch, Ncu, NcuOptions, Nsys, Regions, Report, Run, Simulate, Workload};
use crate::version::Since;

#[derive(Clone, Copy, Debug)]
pub struct KeyInfo {
    /// Keys joined by dots.
    pub path: &'static str,
    pub kind: Kind,
    pub nullable: bool,
    /// The option of a profiler that it stands for.
    pub option: Option<ToolOption>,
    /// In a line.
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct ToolOption {
    /// Without dashes.
    pub name: &'static str,
    pub short: Option<char>,
    /// The plan decides about it: patterns are compiled, and what ncu refuses in some mode is applied afterwards.
    pub planned: bool,
    /// A list is one value with commas; otherwise the option is repeated.
    pub joined: bool,
    /// `None` where every supported version has it.
    pub since: Option<Since>,
    /// Values that came later than the option.
    pub newer_values: &'static [(&'static str, Since)],
    /// Another key, or `KEY=VALUE`, without which it means nothing.
    pub needs: Option<&'static str>,
}

impl KeyInfo {
    pub(super) const fn new(
        path: &'static str,
        kind: Kind,
        nullable: bool,
        help: &'static str,
    ) -> Self {
        Self { path, kind, nullable, option: None, help }
    }

    /// For lists, where null is the empty one.
    pub(super) const fn or_null(mut self) -> Self {
        self.nullable = true;
        self
    }

    pub(super) const fn option(mut self, name: &'static str) -> Self {
        self.option = Some(ToolOption {
            name,
            short: None,
            planned: false,
            joined: false,
            since: None,
            newer_values: &[],
            needs: None,
        });
        self
    }
}

/// Methods of a key that set a field of its option.
macro_rules! option_attributes {
    ($($name:ident($($argument:ident: $type:ty)?) { $field:ident = $value:expr })+) => {
        impl KeyInfo {
            $(pub(super) const fn $name(mut self $(, $argument: $type)?) -> Self {
                if let Some(option) = &mut self.option {
                    option.$field = $value;
                }
                self
            })+
        }
    };
}

option_attributes! {
    short(letter: char) { short = Some(letter) }
    planned() { planned = true }
    joined() { joined = true }
    since(since: Since) { since = Some(since) }
    newer(values: &'static [(&'static str, Since)]) { newer_values = values }
    needs(other: &'static str) { needs = Some(other) }
}

/// Keys that no setting is made of: for interpolation, and for `rangescope config list`.
const FOR_OTHERS: &[KeyInfo] = &[
    KeyInfo::new("vars", Kind::Free, false, "Values of your own, for interpolation"),
    KeyInfo::new("model", Kind::Free, true, "The chosen model, as its configuration says"),
    KeyInfo::new("infer", Kind::Free, true, "How the chosen model is run"),
    KeyInfo::new("pipeline.nsys.description", Kind::Text, true, "What the preset is for"),
    KeyInfo::new("pipeline.ncu.description", Kind::Text, true, "What the preset is for"),
];

/// In the order in which documents list them.
pub fn keys() -> impl Iterator<Item = &'static KeyInfo> + Clone {
    [
        Run::KEYS,
        FOR_OTHERS,
        Workload::KEYS,
        Launch::KEYS,
        Nsys::KEYS,
        Ncu::KEYS,
        NcuOptions::KEYS,
        Regions::KEYS,
        Report::KEYS,
        Simulate::KEYS,
    ]
    .into_iter()
    .flatten()
}

pub fn find(path: &str) -> Option<&'static KeyInfo> {
    static SORTED: LazyLock<Vec<&'static KeyInfo>> = LazyLock::new(|| {
        let mut sorted: Vec<_> = keys().collect();
        sorted.sort_by_key(|key| key.path);
        sorted
    });
    let index = SORTED.binary_search_by_key(&path, |key| key.path).ok()?;
    SORTED.get(index).copied()
}
