//! Reading `ncu --help` and the tables of `ncu --list-sets` and `ncu --list-sections`.
//!
//! Many options came to ncu in a version that is known only roughly, so its own help is the best witness of what it takes.

use std::collections::{BTreeMap, BTreeSet};

/// Names of options begin left of this column; descriptions are further right.
const DEEPEST_OPTION: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpOption {
    pub short: Option<char>,
    pub takes_value: bool,
    pub description: String,
}

impl HelpOption {
    /// Whether the description has this value as a word of its own.
    pub fn names(&self, value: &str) -> bool {
        self.description
            .split(|character: char| {
                !(character.is_alphanumeric() || character == '-' || character == '_')
            })
            .any(|word| word == value)
    }
}

/// Keys are long names without dashes.
pub fn parse_help(text: &str) -> BTreeMap<String, HelpOption> {
    let mut options = BTreeMap::new();
    let mut current: Option<(String, HelpOption)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some((name, option)) =
            option_line(trimmed).filter(|_| (1..DEEPEST_OPTION).contains(&indent))
        {
            options.extend(current.replace((name, option)));
        } else if indent < DEEPEST_OPTION {
            // A heading, or the examples at the end.
            options.extend(current.take());
        } else if let Some((_, option)) = &mut current {
            option.description.push(' ');
            option.description.push_str(trimmed.trim_end());
        }
    }
    options.extend(current);
    options
}

/// `--long …`, or `-s [ --long ] …`.
fn option_line(line: &str) -> Option<(String, HelpOption)> {
    let (short, rest) = match line.strip_prefix("--") {
        Some(rest) => (None, rest),
        None => {
            let (letter, rest) = line.strip_prefix('-')?.split_once(" [ --")?;
            (letter.chars().next(), rest)
        }
    };
    let end = rest
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '-'))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    let rest = rest.strip_prefix(" ]").unwrap_or(rest);
    let takes_value = rest.split_whitespace().next() == Some("arg");
    let description = rest.trim().to_owned();
    Some((name.to_owned(), HelpOption { short, takes_value, description }))
}

/// Identifiers are in the first column; continuation lines have none.
pub fn parse_listing(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| !line.starts_with([' ', '-', '=']))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "Identifier")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{parse_help, parse_listing};

    const HELP: &str = "\
usage: ncu [options] [program] [program-arguments]

General Options:
  -h [ --help ]                         Print this help message.
  --config-file arg (=1)                Use config.ncu-cfg config file to set parameters.
  --injection-path-32 arg (=../linux-desktop-glibc_2_11_3-x86)
                                        Override the default path for the 32-bit injection libraries.
  --nvtx                                Enable NVTX support.
  --replay-mode arg (=kernel)           Mechanism used for replaying a kernel launch multiple times:
                                          kernel (default)
                                          app-range
                                          (Profile ranges without API capture.)
  -k [ --kernel-name ] arg              Filter the kernel. Replaces deprecated option
                                        --fp.

Usage of --nvtx-include and --nvtx-exclude:
  ncu --nvtx --nvtx-include \"Domain A@Range A\"
";

    #[test]
    fn options_are_read_from_the_help() {
        let options = parse_help(HELP);
        let names: Vec<&str> = options.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["config-file", "help", "injection-path-32", "kernel-name", "nvtx", "replay-mode"]
        );
        assert_eq!(options["kernel-name"].short, Some('k'));
        assert!(options["kernel-name"].takes_value && !options["nvtx"].takes_value);
        assert!(options["injection-path-32"].takes_value);
    }

    #[test]
    fn values_are_words_of_the_description() {
        let replay = &parse_help(HELP)["replay-mode"];
        assert!(replay.names("app-range") && replay.names("kernel"));
        assert!(!replay.names("range") && !replay.names("application"));
    }

    #[test]
    fn identifiers_are_read_from_tables() {
        let table = "\
---------- ------------------ -------
Identifier Sections           Enabled
---------- ------------------ -------
basic      LaunchStats, Occup yes
           ancy
full       Everything         no
==WARNING== something
";
        assert_eq!(parse_listing(table).into_iter().collect::<Vec<_>>(), ["basic", "full"]);
    }
}
