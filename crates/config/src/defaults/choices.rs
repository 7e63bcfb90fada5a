//! What overrides decided about groups, and which options were known when.
//!
//! Overrides of the command line come first, `override` entries of defaults lists after them; whoever decides first about a group wins.

use indexmap::IndexMap;

use super::entry::{Choice, Entry, What};
use crate::error::{ConfigError, Problem};
use crate::origin::Origin;
use crate::overrides::{Action, Element, Given, Override};
use crate::tree::Tree;
use rangescope_model::nearest::nearest;

/// An option that replaces the one in a defaults list.
struct Replacement {
    choice: Choice,
    origin: Origin,
    used: bool,
}

/// A group to leave out; with an option, only if that is the one chosen.
struct Removal {
    option: Option<String>,
    origin: Origin,
    used: bool,
}

#[derive(Default)]
pub(crate) struct Choices {
    replacements: IndexMap<String, Replacement>,
    removals: IndexMap<String, Removal>,
    /// Entries that the command line adds to the primary defaults list.
    pub(super) appended: Vec<Entry>,
    /// The option of every group that was met so far.
    pub(crate) known: IndexMap<String, Option<String>>,
}

impl Choices {
    /// Keeps the overrides of groups here and gives those of keys back.
    pub(crate) fn new<'o>(
        tree: &Tree,
        overrides: &'o [Override],
    ) -> Result<(Self, Vec<&'o Override>), ConfigError> {
        let mut choices = Self::default();
        let mut of_keys = Vec::new();
        for change in overrides {
            let is_map = matches!(change.value, Some(Given::Element(Element::Map(_))));
            if !is_map && tree.is_group(&change.key) {
                choices
                    .take(change)
                    .map_err(|error| error.at(&change.origin).with_key(change.target()))?;
            } else if change.package.is_some() || change.key.contains('/') {
                let groups = tree.group_names();
                let near = nearest(&change.key, groups.iter().map(String::as_str));
                let error =
                    ConfigError::new(Problem::NoGroup(change.key.clone())).at(&change.origin);
                return Err(error.with_nearest(near).with_options(groups.into_iter().collect()));
            } else {
                of_keys.push(change);
            }
        }
        Ok((choices, of_keys))
    }

    fn take(&mut self, change: &Override) -> Result<(), ConfigError> {
        let refuse = |message: &str| Err(ConfigError::new(Problem::Override(message.to_owned())));
        let text = |element: &Element| match element {
            Element::Text(text) | Element::Quoted(text, _) => Some(text.clone()),
            _ => None,
        };
        let element = match &change.value {
            Some(Given::Element(element)) => Some(element),
            _ => None,
        };
        if change.action == Action::ForceAdd {
            return refuse("`++` is for keys; to add a group write `+`");
        }
        if change.action == Action::Delete {
            let option = match element {
                None | Some(Element::Null) => None,
                Some(element) => match text(element) {
                    Some(option) => Some(option),
                    None => return refuse("the option of a group is text"),
                },
            };
            self.removals.insert(
                change.target(),
                Removal { option, origin: change.origin.clone(), used: false },
            );
            return Ok(());
        }
        let choice = match element {
            Some(Element::List(items)) => {
                let Some(options) = items.iter().map(text).collect::<Option<Vec<_>>>() else {
                    return refuse("the options of a group are texts");
                };
                Choice::Many(options)
            }
            Some(element) => match text(element) {
                Some(option) => Choice::One(option),
                None => {
                    return refuse(
                        "the option of a group is text or a list of texts; to leave a group out write `~group`",
                    );
                }
            },
            None => return refuse("the option of a group is missing"),
        };
        if change.action == Action::Add {
            let what =
                What::Group { group: change.key.clone(), choice, overrides: false, appended: true };
            self.appended.push(Entry::new(what, change.package.clone(), change.origin.clone()));
        } else {
            self.replacements.insert(
                change.target(),
                Replacement { choice, origin: change.origin.clone(), used: false },
            );
        }
        Ok(())
    }

    /// An `override` entry of a defaults list.
    pub(super) fn add(&mut self, entry: &Entry) {
        if let What::Group { choice, .. } = &entry.what {
            self.replacements.entry(entry.override_key()).or_insert_with(|| Replacement {
                choice: choice.clone(),
                origin: entry.origin.clone(),
                used: false,
            });
        }
    }

    pub(super) fn replace(&mut self, entry: &mut Entry) {
        let key = entry.override_key();
        if let What::Group { choice, .. } = &mut entry.what
            && let Some(replacement) = self.replacements.get_mut(&key)
        {
            *choice = replacement.choice.clone();
            // An option that does not exist is the fault of whoever asked for it.
            entry.origin = replacement.origin.clone();
            replacement.used = true;
        }
    }

    pub(super) fn removes(&mut self, entry: &Entry) -> bool {
        if !matches!(entry.what, What::Group { .. }) {
            return false;
        }
        match self.removals.get_mut(&entry.override_key()) {
            Some(removal)
                if removal.option.as_deref().is_none_or(|option| Some(option) == entry.name()) =>
            {
                removal.used = true;
                true
            }
            _ => false,
        }
    }

    /// Two different options for the same place are an error.
    pub(super) fn know(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        if !matches!(entry.what, What::Group { .. }) {
            return Ok(());
        }
        let key = entry.override_key();
        let option = entry.name().map(str::to_owned);
        match self.known.get(&key) {
            Some(known) if *known != option => {
                let known = known.as_deref().unwrap_or("null");
                let message = format!("`{key}` is `{known}` already");
                let advice =
                    format!("to change it, write `override {key}: OPTION` at the end of the list");
                Err(ConfigError::defaults(message).at(&entry.origin).with_advice(advice))
            }
            _ => {
                self.known.insert(key, option);
                Ok(())
            }
        }
    }

    /// Overrides that met nothing are errors.
    pub(super) fn all_used(&self) -> Result<(), ConfigError> {
        let unused = |key: &str, origin: &Origin, advice: Option<String>| {
            let group = key.split('@').next().unwrap_or(key);
            let of_group = self.known.keys().filter(|known| known.split('@').next() == Some(group));
            let near = of_group.map(String::as_str).next().map(str::to_owned);
            let near = near.or_else(|| nearest(key, self.known.keys().map(String::as_str)));
            let error = ConfigError::new(Problem::NotInDefaults(key.to_owned()))
                .at(origin)
                .with_nearest(near);
            match advice {
                Some(advice) => error.with_advice(advice),
                None => error,
            }
        };
        if let Some((key, replacement)) =
            self.replacements.iter().find(|(_, replacement)| !replacement.used)
        {
            let from_user = !matches!(replacement.origin, Origin::File { .. });
            let advice = from_user.then(|| format!("to add it, write `+{key}=OPTION`"));
            return Err(unused(key, &replacement.origin, advice));
        }
        match self.removals.iter().find(|(_, removal)| !removal.used) {
            Some((key, removal)) => Err(unused(key, &removal.origin, None)),
            None => Ok(()),
        }
    }
}
