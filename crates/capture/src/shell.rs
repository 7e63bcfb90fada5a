//! Arguments and paths, which may be any bytes, as text: for a shell to read back, and for JSON.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use rangescope_model::text::acts;

/// A command line that a shell splits into exactly these arguments.
pub fn command_line(argv: &[OsString]) -> String {
    let words: Vec<String> = argv.iter().map(|argument| quoted(argument)).collect();
    words.join(" ")
}

/// In single quotes, inside which nothing has a meaning, not even to an interactive shell.
pub(crate) fn quoted(argument: &OsStr) -> String {
    if let Some(text) = argument.to_str()
        && !text.contains(acts)
    {
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "_-./=:,+%@".contains(character);
        // A word with `=` that is not an option may be taken for an assignment, or for a path if it begins with it.
        let assigns = text.contains('=') && !text.starts_with('-');
        return if !text.is_empty() && !assigns && text.chars().all(is_plain) {
            text.to_owned()
        } else {
            format!("'{}'", text.replace('\'', r"'\''"))
        };
    }
    // Some characters could act on a terminal, and other bytes are not text: they are written by number, which most shells read.
    let mut out = "$'".to_owned();
    for byte in argument.as_bytes() {
        let _ = match byte {
            b'\'' | b'\\' => write!(out, "\\{}", char::from(*byte)),
            b' '..=b'~' => write!(out, "{}", char::from(*byte)),
            _ => write!(out, "\\x{byte:02x}"),
        };
    }
    out.push('\'');
    out
}

/// A file name that is not taken for an option.
pub(crate) fn operand(path: &Path) -> OsString {
    if path.as_os_str().as_bytes().starts_with(b"-") {
        return Path::new(".").join(path).into_os_string();
    }
    path.as_os_str().to_owned()
}

/// ncu and nsys expand `%p` and the like in the name of a report; here a path is meant literally.
pub(crate) fn without_macros(path: &OsStr) -> OsString {
    let doubled = |&byte: &u8| std::iter::repeat_n(byte, if byte == b'%' { 2 } else { 1 });
    OsString::from_vec(path.as_bytes().iter().flat_map(doubled).collect())
}

/// Arguments as texts; one that is not text becomes the list of its bytes.
pub fn arguments<S: Serializer>(argv: &[OsString], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(argv.len()))?;
    for argument in argv {
        match argument.to_str() {
            Some(text) => list.serialize_element(text)?,
            None => list.serialize_element(argument.as_bytes())?,
        }
    }
    list.end()
}

/// A path as text; one that is not text becomes the list of its bytes.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => serializer.serialize_str(text),
        None => path.as_os_str().as_bytes().serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fmt::Write as _;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::time::Duration;

    use super::command_line;

    #[test]
    fn a_shell_reads_a_command_line_as_it_is_meant() {
        let texts = [
            "echo",
            "a b",
            "it's",
            "$HOME",
            "",
            "ü",
            "x\ny",
            "\u{1b}[2J",
            "*",
            "a\\b",
            "A=b",
            "--x=y",
            "=ls",
            "!!",
            "~",
            "{a,b}",
            "\u{202e}olleh",
            "`id`",
            "a;b",
            "#x",
        ];
        let mut argv = texts.map(OsString::from).to_vec();
        argv.push(OsString::from_vec(b"\xff'\\\x01z".to_vec()));
        let line = command_line(&argv);
        assert!(!line.contains(['\n', '\u{1b}', '\u{202e}']), "{line}");
        let script = format!("printf '%s\\0' {line} | od -An -v -tx1 | tr -d ' \\n'");
        let answer = crate::child::quick(
            ["bash", "-c", &script].map(OsString::from).to_vec(),
            Vec::new(),
            Duration::from_secs(20),
        );
        let mut expected = String::new();
        for byte in argv.iter().flat_map(|argument| argument.as_bytes().iter().chain([&0])) {
            write!(expected, "{byte:02x}").unwrap();
        }
        assert_eq!(answer.unwrap().stdout, expected);
    }
}
