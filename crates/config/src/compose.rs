//! The story of a composition: overrides → defaults list → files merged in order → overrides applied.

use crate::composed::{Composed, Note};
use crate::defaults::{Choices, Repository, expand};
use crate::error::{ConfigError, Problem};
use crate::interpolate::Context;
use crate::merge::{NewKeys, Target, packaged};
use crate::origin::Origin;
use crate::overrides::{Given, Override, OverrideArg, Sweep, parse};
use crate::path::{Steps, split};
use crate::tree::Tree;
use crate::value::{Key, Map, Node, Value};

/// Composes the configuration `name` of a tree with overrides.
///
/// Interpolations stay as they are written; [`Composed::resolve`] looks them up.
pub fn compose(
    tree: &Tree,
    name: &str,
    overrides: &[OverrideArg],
    context: &Context<'_>,
) -> Result<Composed, ConfigError> {
    let mut parsed = overrides
        .iter()
        .enumerate()
        .map(|(index, arg)| parse(arg, index))
        .collect::<Result<Vec<_>, _>>()?;
    parsed.iter().try_for_each(refuse_sweep)?;
    let mut notes: Vec<Note> = parsed
        .extract_if(.., |change| change.is_about_hydra())
        .map(|change| no_hydra(&change.key, change.origin))
        .collect();

    let (mut choices, of_keys) = Choices::new(tree, &parsed)?;
    let mut repository = Repository::new(tree);
    let expanded = expand(&mut repository, name, &mut choices, context)?;
    notes.extend(expanded.skipped.into_iter().map(|(group, origin)| no_hydra(&group, origin)));

    let top = expanded.loads.first().map_or(Origin::File { file: name.into(), line: 1 }, |load| {
        load.file.content.origin.clone()
    });
    let mut target = Target { root: Node::new(Value::Map(Map::new()), top), context };
    for load in expanded.loads {
        let package = if load.package.is_empty() { Vec::new() } else { split(&load.package) };
        check_depth(&package, &load.file.content)?;
        let content = packaged(load.file.content.clone(), &package);
        target.merge(&Steps::new(), content, NewKeys::Allowed)?;
    }
    for change in of_keys {
        target.apply(change)?;
    }
    let hydra = match &mut target.root.value {
        Value::Map(map) => map.shift_remove(&Key::from("hydra")),
        _ => None,
    };
    if let Some(search) = hydra.as_ref().and_then(|hydra| hydra.get("searchpath")) {
        notes.push(Note {
            message: "`hydra.searchpath` has no effect; name further trees on the command line"
                .to_owned(),
            origin: search.origin.clone(),
        });
    }
    Ok(Composed { root: target.root, hydra, notes, choices: choices.known })
}

fn check_depth(package: &[String], content: &Node) -> Result<(), ConfigError> {
    use crate::limits;
    if package.len() <= limits::DEPTH {
        return Ok(());
    }
    let error = ConfigError::too_much("the number of keys in a package", limits::DEPTH);
    Err(error.at(&content.origin))
}

fn no_hydra(key: &str, origin: Origin) -> Note {
    let message = format!("`{key}` belongs to Hydra's own configuration and has no effect");
    Note { message, origin }
}

/// Several values are for several runs; one composition takes one.
fn refuse_sweep(change: &Override) -> Result<(), ConfigError> {
    let Some(Given::Sweep(sweep)) = &change.value else { return Ok(()) };
    let advice = match sweep {
        Sweep::Choice { simple: true, .. } => {
            "for a list write `key=[a,b]`, for a text with a comma quote it: `key='\"a,b\"'`, for a run per value give `-m`"
        }
        _ => "for a run per value give `-m`",
    };
    let problem = Problem::Override("several values for one key".to_owned());
    Err(ConfigError::new(problem).at(&change.origin).with_key(change.target()).with_advice(advice))
}
