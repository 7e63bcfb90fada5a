//! Turns words into options by the rules and with the messages of ncu's own parser: a unique beginning of a name is enough, a value is in the same word or the
//! next, the first word that is no option is the program, and everything after it belongs to the program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::options::{OptionSpec, Takes, all};
use super::refusal::Refusal;

#[derive(Debug, Default)]
pub(super) struct Parsed {
    given: Vec<Given>,
    /// The program and its arguments.
    pub(super) program: Vec<OsString>,
}

/// An option as it was given.
#[derive(Debug)]
struct Given {
    option: &'static OptionSpec,
    value: String,
    /// The original, which may be a path that is not UTF-8.
    raw: OsString,
}

impl Parsed {
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.find(name).map(|given| given.value.as_str())
    }

    /// The value of an option that takes a path.
    pub(super) fn path(&self, name: &str) -> Option<&OsStr> {
        self.find(name).map(|given| given.raw.as_os_str())
    }

    /// The values of an option that may be given several times.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let values = self.given.iter().filter(|given| given.option.name == name);
        values.map(|given| given.value.clone()).collect()
    }

    fn find(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.option.name == name)
    }

    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        self.text(name).and_then(switch)
    }

    /// A negative number wraps around, as in ncu.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(number)
    }
}

fn number(word: &str) -> Option<u64> {
    match word.strip_prefix('-') {
        Some(digits) => digits.parse().ok().map(u64::wrapping_neg),
        None => word.strip_prefix('+').unwrap_or(word).parse().ok(),
    }
}

fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "yes" | "1" | "true" => Some(true),
        "off" | "no" | "0" | "false" => Some(false),
        _ => None,
    }
}

/// Takes a command line apart.
pub(super) fn parse(args: Vec<OsString>) -> Result<Parsed, Refusal> {
    let mut parsed = Parsed::default();
    let mut words = args.into_iter();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        if bytes.len() > 1 && bytes[0] == b'-' || bytes.is_empty() {
            if bytes.is_empty() || bytes.starts_with(b"--") {
                parsed.long(bytes.get(2..).unwrap_or_default(), &mut words)?;
            } else {
                parsed.short(bytes.get(1..).unwrap_or_default(), &mut words)?;
            }
        } else {
            parsed.program = std::iter::once(word).chain(words).collect();
            break;
        }
    }
    parsed.check()?;
    Ok(parsed)
}

impl Parsed {
    fn long(
        &mut self,
        word: &[u8],
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Refusal> {
        let split = word.iter().position(|byte| *byte == b'=');
        let (name, value) = match split {
            Some(at) => (word.get(..at).unwrap_or_default(), word.get(at + 1..)),
            None => (word, None),
        };
        let name = String::from_utf8_lossy(name);
        let option = find(&name)?;
        if value == Some(&[]) {
            return Err(Refusal::usage(format!(
                "the argument for option '--{}' should follow immediately after the equal sign",
                option.name
            )));
        }
        self.take(option, value.map(OsStr::from_bytes).map(OsStr::to_owned), rest)
    }

    /// `-k NAME`, `-kNAME`, `-fo NAME`.
    fn short(
        &mut self,
        letters: &[u8],
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Refusal> {
        let word = String::from_utf8_lossy(letters);
        for (at, letter) in word.char_indices() {
            let option = all()
                .find(|option| option.short == Some(letter))
                .ok_or_else(|| Refusal::usage(format!("unrecognised option '-{word}'")))?;
            if option.takes != Takes::Nothing {
                let attached = letters.get(at + 1..).filter(|bytes| !bytes.is_empty());
                let attached = attached.map(|bytes| OsString::from_vec(bytes.to_vec()));
                return self.take(option, attached, rest);
            }
            self.take(option, None, rest)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        option: &'static OptionSpec,
        attached: Option<OsString>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Refusal> {
        let name = option.name;
        let value = match (option.takes, attached) {
            (Takes::Nothing, Some(_)) => {
                return Err(Refusal::usage(format!(
                    "option '--{name}' does not take any arguments"
                )));
            }
            (Takes::Nothing, None) => OsString::new(),
            (_, Some(value)) => value,
            (_, None) => rest.next().ok_or_else(|| {
                Refusal::usage(format!("the required argument for option '--{name}' is missing"))
            })?,
        };
        let text = value.to_string_lossy().into_owned();
        self.given.push(Given { option, value: text, raw: value });
        Ok(())
    }

    /// Values are checked when all words are known, as in ncu.
    fn check(&self) -> Result<(), Refusal> {
        for (index, Given { option, value, .. }) in self.given.iter().enumerate() {
            let name = option.name;
            let earlier = self.given.get(..index).unwrap_or_default();
            if !option.repeats && earlier.iter().any(|given| given.option.name == name) {
                return Err(Refusal::usage(format!(
                    "option '--{name}' cannot be specified more than once"
                )));
            }
            let fault = match option.takes {
                Takes::Switch if switch(value).is_none() => format!(
                    "the argument ('{value}') for option '--{name}' is invalid. Valid choices are 'on|off', 'yes|no', '1|0' and 'true|false'"
                ),
                Takes::Number if number(value).is_none() => {
                    format!("the argument ('{value}') for option '--{name}' is invalid")
                }
                Takes::Word(words) if !words.contains(&value.as_str()) => {
                    format!("the argument for option '--{name}' is invalid")
                }
                _ => continue,
            };
            return Err(Refusal::usage(fault));
        }
        Ok(())
    }
}

/// The option of that name, or the only one whose name begins so.
fn find(name: &str) -> Result<&'static OptionSpec, Refusal> {
    if let Some(option) = all().find(|option| option.name == name) {
        return Ok(option);
    }
    let mut matches: Vec<&OptionSpec> =
        all().filter(|option| option.name.starts_with(name)).collect();
    matches.sort_unstable_by_key(|option| option.name);
    match matches.as_slice() {
        [] => Err(Refusal::usage(format!("unrecognised option '--{name}'"))),
        [option] => Ok(*option),
        several => {
            let names: Vec<String> =
                several.iter().map(|option| format!("'{}'", option.name)).collect();
            let (last, first) = names.split_last().map_or(("", &[][..]), |(l, f)| (l.as_str(), f));
            Err(Refusal::usage(format!(
                "option is ambiguous and matches {}, and {last}",
                first.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Parsed, String> {
        parse(line.split(' ').map(OsString::from).collect()).map_err(|refusal| refusal.first())
    }

    #[test]
    fn options_end_where_the_program_begins() {
        let parsed = parsed("--nvtx -kfoo -fo out --set=full app --nvtx -k bar").unwrap();
        assert_eq!(parsed.text("kernel-name"), Some("foo"));
        assert_eq!(parsed.text("export"), Some("out"));
        assert_eq!(parsed.text("set"), Some("full"));
        assert!(parsed.has("force-overwrite"));
        assert_eq!(parsed.program, ["app", "--nvtx", "-k", "bar"]);
    }

    #[test]
    fn names_may_be_shortened_while_they_are_unique() {
        assert_eq!(parsed("--replay range x").unwrap().text("replay-mode"), Some("range"));
        assert_eq!(
            parsed("--kernel-na foo x").unwrap_err(),
            "option is ambiguous and matches 'kernel-name', and 'kernel-name-base'. Use --help for further details."
        );
        assert!(parsed("-- x").unwrap_err().starts_with("option is ambiguous"));
        assert!(parsed("--bogus x").unwrap_err().starts_with("unrecognised option '--bogus'"));
    }

    #[test]
    fn values_are_checked() {
        assert!(parsed("-c abc x").is_err() && parsed("--kill maybe x").is_err());
        assert!(parsed("--replay-mode bogus x").is_err() && parsed("-k").is_err());
        assert_eq!(parsed("-c -1 x").unwrap().number("launch-count"), Some(u64::MAX));
        assert!(parsed("--set a --set b x").is_err());
        assert_eq!(parsed("--section a --section b x").unwrap().texts("section"), ["a", "b"]);
    }
}
