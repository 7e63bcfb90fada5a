//! Extra arguments: passed on as they are, unless they would not do what they look like.

use rangescope_config::settings::{NcuOptions, ToolOption};

use super::{CommandError, NcuInfo};

/// Checks extra arguments against the options that the command line already has (long names without dashes).
///
/// ncu takes the first argument that is no option for the program, so a stray word would be run instead.
pub(super) fn check_extra(
    extra: &[String],
    given: &[&str],
    ncu: &NcuInfo,
) -> Result<(), CommandError> {
    let mut arguments = extra.iter();
    while let Some(argument) = arguments.next() {
        let refuse = |problem| Err(CommandError::Extra { argument: argument.clone(), problem });
        if argument == "--" {
            return refuse("is refused by ncu, which needs nothing before the program");
        }
        let (name, has_value) = match argument.strip_prefix("--") {
            Some(long) => match long.split_once('=') {
                Some((name, _)) => (name.to_owned(), true),
                None => (long.to_owned(), false),
            },
            None => match argument
                .strip_prefix('-')
                .map(|rest| (rest.chars().next(), rest.chars().count()))
            {
                Some((Some(letter), length)) => match long_name(letter, ncu) {
                    Some(long) => (long, length > 1),
                    None => return refuse("is not an option of this ncu"),
                },
                _ => return refuse("is not an option, and ncu would take it for the program"),
            },
        };
        if !ncu.options.is_empty() && !ncu.options.contains_key(&name) {
            return refuse("is not an option of this ncu (options have to be written out)");
        }
        if given.contains(&name.as_str()) && !is_repeatable(&name) {
            return refuse("is already given by another key, and ncu takes it only once");
        }
        if !has_value && takes_value(&name, ncu) && arguments.next().is_none() {
            return refuse("lacks its value");
        }
    }
    Ok(())
}

fn long_name(letter: char, ncu: &NcuInfo) -> Option<String> {
    let by_help = ncu
        .options
        .iter()
        .find(|(_, option)| option.short == Some(letter))
        .map(|(name, _)| name.as_str());
    let by_heart = || {
        let known = options().find(|option| option.short == Some(letter));
        known.map(|option| option.name)
    };
    by_help.or_else(by_heart).map(str::to_owned)
}

fn options() -> impl Iterator<Item = &'static ToolOption> {
    NcuOptions::keys().iter().filter_map(|key| key.option.as_ref())
}

/// Lists that are not joined are given by repeating their option.
fn is_repeatable(name: &str) -> bool {
    NcuOptions::keys().iter().any(|key| {
        let is_this = |option: ToolOption| option.name == name && !option.joined;
        key.kind.is_list() && key.option.is_some_and(is_this)
    })
}

fn takes_value(name: &str, ncu: &NcuInfo) -> bool {
    // Without the help nothing is known of unusual options; a value is then written with `=`.
    ncu.options.get(name).is_some_and(|option| option.takes_value)
}
