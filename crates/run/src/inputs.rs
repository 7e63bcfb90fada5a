//! `inputs.yaml`: what was typed and the program, with secrets masked, and the seal over it and the configuration.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rangescope_config::{MASK, json_as_yaml, read_yaml};
use serde::{Deserialize, Serialize};

use crate::{RunError, TOOL, Typed, seal};

const SCHEMA_VERSION: &str = "1.1";

/// What it takes to make the run again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Inputs {
    schema_version: String,
    tool: String,
    pub(crate) typed: Typed,
    program: Vec<Argument>,
    working_folder: Option<String>,
    /// See [`seal`].
    #[serde(default)]
    seal: Option<String>,
}

/// An argument: text where it is text, else its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Argument {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Argument {
    fn from(argument: &OsStr) -> Self {
        match argument.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(argument.as_bytes().to_vec()),
        }
    }
}

impl From<Argument> for OsString {
    fn from(argument: Argument) -> Self {
        match argument {
            Argument::Text(text) => text.into(),
            Argument::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

impl Inputs {
    /// Both are masked already.
    pub(crate) fn new(typed: Typed, program: &[OsString], working_folder: Option<String>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            tool: format!("{} {}", TOOL.0, TOOL.1),
            typed,
            program: program.iter().map(|argument| argument.as_os_str().into()).collect(),
            working_folder,
            seal: None,
        }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, RunError> {
        serde_json::from_value(read_yaml(path)?.to_json()).map_err(|error| RunError::Earlier {
            path: path.to_owned(),
            message: error.to_string(),
        })
    }

    /// The text of the file, sealed together with that of the configuration.
    pub(crate) fn sealed_yaml(mut self, config: &str) -> Result<String, serde_json::Error> {
        self.seal = seal::seal(&[config, &self.without_seal()?]);
        Ok(json_as_yaml(&serde_json::to_value(&self)?))
    }

    /// Whether this user wrote it, and nobody changed it or the configuration since.
    pub(crate) fn is_own(&self, config: &str) -> bool {
        let fits = |seal: &String| Some(seal::fits(seal, &[config, &self.without_seal().ok()?]));
        self.seal.as_ref().and_then(fits).unwrap_or(false)
    }

    pub(crate) fn program(&self) -> Vec<OsString> {
        self.program.iter().cloned().map(OsString::from).collect()
    }

    fn without_seal(&self) -> Result<String, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("seal");
        }
        Ok(value.to_string())
    }
}

/// What stands for the masks if the arguments are those that were recorded; `None` if they are others.
pub(crate) fn behind_masks(recorded: &[OsString], given: &[OsString]) -> Option<Vec<String>> {
    if recorded.len() != given.len() {
        return None;
    }
    let mut found = Vec::new();
    for (recorded, given) in recorded.iter().zip(given) {
        match recorded.to_str().filter(|text| text.contains(MASK)) {
            Some(pattern) => found.extend(behind(pattern, given.to_str()?)?),
            None if recorded != given => return None,
            None => {}
        }
    }
    Some(found)
}

/// The texts at the places of the masks, each as short as it can be but for the last.
fn behind(pattern: &str, given: &str) -> Option<Vec<String>> {
    let mut parts = pattern.split(MASK);
    let mut rest = given.strip_prefix(parts.next()?)?;
    let mut parts = parts.peekable();
    let mut found = Vec::new();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let at = if is_last { rest.strip_suffix(part)?.len() } else { rest.find(part)? };
        found.push(rest[..at].to_owned());
        rest = &rest[at + part.len()..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::behind_masks;

    fn compared(recorded: &[&str], given: &[&str]) -> Option<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        behind_masks(&words(recorded), &words(given))
    }

    #[test]
    fn a_program_is_the_same_but_for_its_masks() {
        let recorded = ["app", "--token=__masked__", "https://__masked__@host?key=__masked__&x"];
        assert_eq!(
            compared(&recorded, &["app", "--token=abc", "https://me:pw@host?key=k&x"]),
            Some(vec!["abc".to_owned(), "me:pw".to_owned(), "k".to_owned()])
        );
        for other in [
            &["app", "--token=abc"][..],
            &["other", "--token=abc", "https://me:pw@host?key=k&x"],
            &["app", "--key=abc", "https://me:pw@host?key=k&x"],
            &["app", "--token=abc", "https://me:pw@elsewhere?key=k&x"],
            &["app", "--token=abc", "https://me:pw@host?key=k&y"],
        ] {
            assert_eq!(compared(&recorded, other), None, "{other:?}");
        }
        assert_eq!(compared(&["app", "a"], &["app", "a"]), Some(Vec::new()));
        assert_eq!(compared(&["a__masked__a"], &["a"]), None, "no part is used twice");
    }
}
