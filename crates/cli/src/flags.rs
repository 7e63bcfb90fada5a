//! The flags that stand for overrides, made from the one list of them.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Result;
use clap::{Arg, ArgAction, ArgMatches, Command};
use rangescope_config::{ConfigError, FLAGS, Flag, OverrideArg, Takes};

/// The flags that were given, with their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverrideFlags {
    given: Vec<(&'static Flag, Vec<String>)>,
}

impl OverrideFlags {
    /// The overrides that they stand for.
    pub(crate) fn overrides(&self) -> Result<Vec<OverrideArg>, ConfigError> {
        self.given.iter().map(|(flag, values)| flag.to_override(values)).collect()
    }

    /// Whether none was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }
}

impl clap::Args for OverrideFlags {
    fn augment_args(command: Command) -> Command {
        FLAGS.iter().fold(command, |command, flag| command.arg(arg(flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for OverrideFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        for flag in FLAGS {
            if flag.takes == Takes::Switch {
                if matches.get_flag(id(flag)) {
                    self.given.push((flag, Vec::new()));
                }
            } else if let Some(values) = matches.get_many::<String>(id(flag)) {
                self.given.push((flag, values.cloned().collect()));
            }
        }
        Ok(())
    }
}

fn id(flag: &Flag) -> &'static str {
    flag.name.trim_start_matches('-')
}

fn arg(flag: &Flag) -> Arg {
    let (action, value_name) = match flag.takes {
        Takes::Switch => (ArgAction::SetTrue, None),
        Takes::Repeated => (ArgAction::Append, Some("PATTERN")),
        Takes::Commas => (ArgAction::Append, Some("NAMES")),
        Takes::One => (ArgAction::Set, Some(if flag.key == "run.dir" { "DIR" } else { "VALUE" })),
        Takes::Option { .. } => (ArgAction::Set, Some("PRESET")),
    };
    let arg = Arg::new(id(flag))
        .long(id(flag))
        .action(action)
        .help(format!("{} (`{}`)", flag.help, flag.key))
        .help_heading("Flags that stand for overrides");
    let arg = match value_name {
        Some(name) => arg.value_name(name),
        None => return arg,
    };
    match flag.built_in_values() {
        values if values.is_empty() => arg,
        // Not in the help: there they would look like all that is allowed.
        values => arg.value_parser(Offered(values)).hide_possible_values(true),
    }
}

/// Takes any text; completions offer these values.
#[derive(Clone)]
pub(crate) struct Offered(pub(crate) Vec<&'static str>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}
