//! Following defaults lists from the primary configuration to the flat list of files to merge.
//!
//! The order of work is Hydra's and matters: the list of a file is walked from its end, so that `override` entries and later options are known when earlier entries are looked at; entries that interpolate options of groups wait until all others of their list are done.

use std::rc::Rc;

use super::choices::Choices;
use super::entry::{Choice, Entry, What};
use super::repository::{Loaded, Repository};
use crate::error::{ConfigError, Problem};
use crate::interpolate::{self, Context, Resolver};
use crate::limits;
use crate::origin::Origin;
use crate::value::{Key, Map, Node, Value};
use rangescope_model::nearest::nearest;

/// A file to merge.
#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) file: Rc<Loaded>,
    /// Keys joined by dots.
    pub(crate) package: String,
    /// The name by which overrides know it; `None` where `_self_` places the file's own content.
    key: Option<String>,
    origin: Origin,
}

pub(crate) struct Expanded {
    pub(crate) loads: Vec<Load>,
    /// Groups that belong to Hydra.
    pub(crate) skipped: Vec<(String, Origin)>,
}

pub(crate) fn expand(
    repository: &mut Repository<'_>,
    name: &str,
    choices: &mut Choices,
    context: &Context<'_>,
) -> Result<Expanded, ConfigError> {
    let Some(primary) = repository.load(name)? else {
        let options = repository.tree.options(name.rsplit_once('/').map_or("", |(group, _)| group));
        let near = nearest(name, options.iter().map(String::as_str));
        return Err(ConfigError::new(Problem::NoConfig(name.to_owned()))
            .with_nearest(near)
            .with_options(options));
    };
    let mut entry = Entry::config(name, None, primary.content.origin.clone());
    entry.primary = true;
    entry.locate("", "");
    let mut expander = Expander { repository, choices, context, skipped: Vec::new(), count: 0 };
    let loads = expander.entry(entry, false, 0)?;
    let skipped = expander.skipped;
    no_duplicates(&loads)?;
    choices.all_used()?;
    Ok(Expanded { loads, skipped })
}

/// The same group cannot be loaded twice into the same place.
fn no_duplicates(loads: &[Load]) -> Result<(), ConfigError> {
    let mut seen = std::collections::BTreeSet::new();
    for load in loads {
        if let Some(key) = &load.key
            && !seen.insert(key)
        {
            let message = format!("`{key}` is loaded twice");
            return Err(ConfigError::defaults(message).at(&load.origin));
        }
    }
    Ok(())
}

struct Expander<'a, 'r> {
    repository: &'a mut Repository<'r>,
    choices: &'a mut Choices,
    context: &'a Context<'a>,
    skipped: Vec<(String, Origin)>,
    count: usize,
}

/// Stands for an entry of a list until the list is done.
enum Slot {
    Done(Vec<Load>),
    /// An interpolation, which waits for the others.
    Waiting(Entry),
}

impl Expander<'_, '_> {
    /// The files that an entry stands for. `deferred`: it is below an interpolated entry.
    fn entry(
        &mut self,
        mut entry: Entry,
        deferred: bool,
        depth: usize,
    ) -> Result<Vec<Load>, ConfigError> {
        self.count += 1;
        if depth > limits::DEPTH || self.count > limits::LOADS {
            let message =
                format!("the lists include each other without end, at `{}`", entry.config_path());
            return Err(ConfigError::defaults(message).at(&entry.origin));
        }
        let path = entry.config_path();
        let is_nothing = entry.name().is_none();
        let file =
            if is_nothing || entry.is_missing() { None } else { self.repository.load(&path)? };
        if let Some(file) = &file {
            entry.set_header(file.package.as_deref());
        }
        if self.choices.removes(&entry) {
            return Ok(Vec::new());
        }
        self.choices.know(&entry)?;
        if is_nothing {
            return Ok(Vec::new());
        }
        let Some(file) = file else {
            return if entry.optional && !path.ends_with("???") {
                Ok(Vec::new())
            } else {
                Err(self.not_found(&entry))
            };
        };
        let mut list = file.defaults.clone();
        let mut has_own_self = true;
        if !list.is_empty() || (entry.primary && !self.choices.appended.is_empty()) {
            has_own_self = complete_with_self(&mut list, &file)?;
        }
        if entry.primary {
            list.extend(self.choices.appended.iter().cloned());
        }
        self.locate_and_collect_overrides(&mut list, &entry, deferred)?;
        let slots = self.slots(&list, &entry, &file, deferred, depth)?;
        if slots.is_empty() {
            let key = matches!(entry.what, What::Group { .. }).then(|| entry.override_key());
            return Ok(vec![Load {
                file,
                package: entry.final_package(),
                key,
                origin: entry.origin,
            }]);
        }
        let known = self.known_choices(&list, !has_own_self);
        let mut loads = Vec::new();
        for slot in slots {
            let done = match slot {
                Slot::Done(done) => done,
                Slot::Waiting(waiting) => {
                    let ready = self.interpolated(waiting, &known, &entry)?;
                    self.entry(ready, true, depth + 1)?
                }
            };
            loads.push(done);
        }
        Ok(loads.into_iter().rev().flatten().collect())
    }

    /// Tells every entry where it stands, and notes those that override others.
    fn locate_and_collect_overrides(
        &mut self,
        list: &mut Vec<Entry>,
        parent: &Entry,
        deferred: bool,
    ) -> Result<(), ConfigError> {
        let (group, package) = (parent.group(), parent.final_package());
        for entry in list.iter_mut().filter(|entry| !entry.is_self()) {
            entry.locate(&group, &package);
        }
        for entry in list.extract_if(.., |entry| !entry.is_self() && entry.is_about_hydra()) {
            self.skipped.push((entry.group(), entry.origin));
        }
        let mut last_override: Option<String> = None;
        for entry in list.iter().filter(|entry| !entry.is_self()) {
            if let Some(last) = &last_override
                && !entry.is_override()
                && !entry.is_appended()
            {
                let message =
                    format!("`override {last}` must come after all other entries of the list");
                return Err(ConfigError::defaults(message).at(&entry.origin));
            }
            if !entry.is_override() {
                continue;
            }
            last_override = Some(entry.override_key());
            if deferred {
                let message = "entries below one that interpolates options cannot override others";
                return Err(ConfigError::defaults(message).at(&entry.origin));
            }
            self.choices.add(entry);
        }
        Ok(())
    }

    /// From the last to the first; interpolated entries wait.
    fn slots(
        &mut self,
        list: &[Entry],
        parent: &Entry,
        file: &Rc<Loaded>,
        deferred: bool,
        depth: usize,
    ) -> Result<Vec<Slot>, ConfigError> {
        let mut slots = Vec::new();
        for entry in list.iter().rev().filter(|entry| entry.is_self() || !entry.is_override()) {
            if entry.is_self() {
                let own = Load {
                    file: Rc::clone(file),
                    package: parent.final_package(),
                    key: None,
                    origin: entry.origin.clone(),
                };
                slots.push(Slot::Done(vec![own]));
                continue;
            }
            let mut entry = entry.clone();
            self.choices.replace(&mut entry);
            if let What::Group { group, choice: Choice::Many(options), .. } = &entry.what {
                for option in options.iter().rev() {
                    if option.contains("${") {
                        let message = "lists of options cannot have interpolations";
                        return Err(ConfigError::defaults(message).at(&entry.origin));
                    }
                    let mut one = Entry::config(
                        format!("{group}/{option}"),
                        entry.package.clone(),
                        entry.origin.clone(),
                    );
                    one.optional = entry.optional;
                    one.locate(&entry.parent_group, &entry.parent_package);
                    slots.push(Slot::Done(self.entry(one, deferred, depth + 1)?));
                }
            } else if entry.is_interpolation() {
                slots.push(Slot::Waiting(entry));
            } else {
                slots.push(Slot::Done(self.entry(entry, deferred, depth + 1)?));
            }
        }
        Ok(slots)
    }

    /// The tree that interpolations in a defaults list look at: the option of every known group.
    fn known_choices(&self, list: &[Entry], self_was_added: bool) -> Node {
        let origin = list
            .first()
            .map_or(Origin::File { file: "".into(), line: 0 }, |entry| entry.origin.clone());
        let node = |value: Value| Node::new(value, origin.clone());
        let option = |option: Option<&str>| {
            option.map_or(Value::Null, |option| Value::Text(option.to_owned()))
        };
        let mut map: Map = self
            .choices
            .known
            .iter()
            .map(|(key, known)| (Key::from(key.as_str()), node(option(known.as_deref()))))
            .collect();
        let listed =
            list.iter().filter(|entry| !(self_was_added && entry.is_self())).map(|entry| {
                node(match &entry.what {
                    What::Config { .. } => Value::Text(entry.config_path()),
                    What::Group { .. } => Value::Map(Map::from_iter([(
                        Key::Text(entry.override_key()),
                        node(option(entry.name())),
                    )])),
                })
            });
        map.insert(Key::from("defaults"), node(Value::List(listed.collect())));
        node(Value::Map(map))
    }

    /// Puts the options of groups into the name of an entry.
    fn interpolated(
        &self,
        mut entry: Entry,
        known: &Node,
        parent: &Entry,
    ) -> Result<Entry, ConfigError> {
        let text = match &entry.what {
            What::Config { .. } => entry.config_path(),
            What::Group { .. } => entry.name().unwrap_or_default().to_owned(),
        };
        let fail = |message: String| {
            ConfigError::interpolation(&text, message).at(&entry.origin).with_key("defaults")
        };
        let is_old_form = text.strip_prefix("${defaults.").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().nth(1) == Some('.')
        });
        if is_old_form && matches!(entry.what, What::Group { .. }) {
            return Err(fail("write the name of the group instead of its position".to_owned()));
        }
        let template = interpolate::parse(&text).map_err(fail)?;
        let resolver = Resolver::new(known, None, self.context);
        let found = resolver
            .evaluate(&template, &Vec::new(), &mut Vec::new())
            .map_err(|failure| fail(failure.message()))?;
        let Value::Text(name) = resolver.value(found) else {
            return Err(fail("the option is not text".to_owned()));
        };
        match &mut entry.what {
            What::Config { path } => *path = name,
            What::Group { choice, .. } => *choice = Choice::One(name),
        }
        entry.locate(&parent.group(), &parent.final_package());
        Ok(entry)
    }

    fn not_found(&self, entry: &Entry) -> ConfigError {
        let group = entry.group();
        let name = entry.name().unwrap_or_default();
        let options = self.repository.tree.options(&group);
        let near = nearest(name, options.iter().map(String::as_str));
        let problem = match (&entry.what, entry.is_missing()) {
            (What::Group { .. }, true) => Problem::OptionMissing(entry.override_key()),
            (What::Group { .. }, false) => Problem::NoOption { group, option: name.to_owned() },
            _ => Problem::NoConfig(entry.config_path()),
        };
        ConfigError::new(problem).at(&entry.origin).with_nearest(near).with_options(options)
    }
}

/// Adds `_self_` at the end of a list that lacks it. `true` if the list had it.
fn complete_with_self(list: &mut Vec<Entry>, file: &Loaded) -> Result<bool, ConfigError> {
    let mut own = list.iter().filter(|entry| entry.is_self());
    let has_self = own.next().is_some();
    if let Some(second) = own.next() {
        return Err(ConfigError::defaults("`_self_` is listed twice").at(&second.origin));
    }
    let has_entries = list.iter().any(|entry| !entry.is_override());
    if (!has_self && has_entries) || list.is_empty() {
        list.push(Entry::this(file.content.origin.clone()));
    }
    Ok(has_self)
}
