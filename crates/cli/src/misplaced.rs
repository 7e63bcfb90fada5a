//! A program that was given without `--` before it, which is the commonest slip: the command line that was meant.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rangescope_capture::plan::command_line;

use crate::args::Cli;
use crate::failure::Failure;

/// Verbs that take a program, with what they call the words that are no flags.
const VERBS: [(&str, &str); 4] =
    [("profile", "overrides"), ("plan", "overrides"), ("regions", "recording"), ("doctor", "")];

/// The failure of a command line of which clap understood the words before the program.
pub(crate) fn in_refused(error: &clap::Error, words: &[OsString]) -> Option<Failure> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let matches = Cli::command().ignore_errors(true).try_get_matches_from(words).ok()?;
    let (verb, given) = matches.subcommand()?;
    let (_, positional) = VERBS.iter().find(|(name, _)| *name == verb)?;
    let understood = given.try_get_raw(positional).ok().flatten();
    let mut understood = understood.into_iter().flatten().filter(|word| !is_override(word));
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if !word.starts_with('-') => Some(OsStr::new(word)),
        _ => None,
    };
    let first = understood.next().or(refused)?;
    let (ours, program) = words.split_at(position(words, verb, first)?);
    Some(failure(verb, first, ours, program))
}

/// The failure of a command line whose words were taken for overrides.
pub(crate) fn in_overrides(overrides: &[String]) -> Option<Failure> {
    let first = overrides.iter().position(|word| !is_override(word.as_ref()))?;
    let program: Vec<OsString> = overrides.iter().skip(first).map(OsString::from).collect();
    let first = program.first()?;
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_verb = |word: &OsString| VERBS.iter().find(|(verb, _)| word == verb);
    let (verb, _) = words.iter().find_map(is_verb)?;
    let (before, after) = words.split_at(position(&words, verb, first)?);
    // What was not taken for an override is ours, wherever it stands.
    let mut expected = program.iter().peekable();
    let after = after.iter().filter(|word| expected.next_if_eq(word).is_none());
    let ours: Vec<OsString> = before.iter().chain(after).cloned().collect();
    Some(failure(verb, first, &ours, &program))
}

/// Overrides have a value; only the deletion of a key has none.
fn is_override(word: &OsStr) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.contains(&b'=') || bytes.starts_with(b"~")
}

/// Where the program begins; nowhere if something stands behind a `--` already.
fn position(words: &[OsString], verb: &str, first: &OsStr) -> Option<usize> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let verb = words.iter().position(|word| word == verb)?;
    let after = words.iter().skip(verb + 1).position(|word| word == first)?;
    Some(verb + 1 + after)
}

fn failure(verb: &str, first: &OsStr, ours: &[OsString], program: &[OsString]) -> Failure {
    let ours = ours.iter().skip(1).cloned();
    let line: Vec<OsString> = std::iter::once("rangescope".into())
        .chain(ours)
        .chain(["--".into()])
        .chain(program.iter().cloned())
        .collect();
    let what = match verb {
        "profile" | "plan" => "no override of the form `key=value`",
        "regions" => "a program, or one recording too many",
        _ => "a program",
    };
    Failure::Usage {
        message: format!("`{}` is {what}", first.display()),
        hint: format!(
            "a program stands behind `--`, flags of rangescope before it: {}",
            command_line(&line)
        ),
    }
}
