//! The report's place: macros in its name, permission to write there, and writing in one step.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::refusal::Refusal;

const EXTENSION: &[u8] = b".ncu-rep";

/// A place that is free and can be written to.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
}

impl Place {
    /// Finds the place for a name with macros.
    pub(super) fn find(name: &OsStr, overwrite: bool, host: &str) -> Result<Self, Refusal> {
        let path = expand(name, host)?;
        let path = std::path::absolute(&path).unwrap_or(path);
        let shown = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.exists() && !overwrite {
            return Err(Refusal::new(format!(
                "File {shown} already exists. Use '-f' for overwriting the file."
            )));
        }
        let place = Self { path };
        // Only a trial: a file that stood there while the program runs would stay if this process were killed.
        place.temporary().map_err(|_| {
            Refusal::new(format!(
                "Unable to write to file {shown}. Please verify this file is not locked, and writable."
            ))
        })?;
        Ok(place)
    }

    fn temporary(&self) -> io::Result<tempfile::NamedTempFile> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        tempfile::Builder::new()
            .prefix(".simulated-")
            .permissions(std::fs::Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the report under its name, unless `content` tells that there is nothing to keep.
    pub(super) fn write(
        self,
        cut: bool,
        content: impl FnOnce(&mut dyn io::Write) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut file = self.temporary()?;
        let mut out = io::BufWriter::new(file.as_file_mut());
        let is_kept = content(&mut out)?;
        io::Write::flush(&mut out)?;
        drop(out);
        if !is_kept {
            return Ok(());
        }
        if cut {
            let length = file.as_file().metadata()?.len();
            // Into the last result, so that some are whole.
            file.as_file().set_len(length - (length / 3).clamp(1, 64))?;
        }
        file.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

/// Replaces macros and adds the extension.
fn expand(name: &OsStr, host: &str) -> Result<PathBuf, Refusal> {
    let mut full = name.as_bytes().to_vec();
    if !full.ends_with(EXTENSION) {
        full.extend(EXTENSION);
    }
    let absolute = std::path::absolute(OsStr::from_bytes(&full))
        .unwrap_or_else(|_| PathBuf::from(OsString::from_vec(full.clone())));
    let name_begins = full.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);

    let mut out = Vec::with_capacity(full.len());
    let mut number_at = None;
    let mut at = 0;
    while let Some(&byte) = full.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let letter = full.get(at).copied().unwrap_or(b'.');
        at += 1;
        if letter == b'%' {
            out.push(b'%');
            continue;
        }
        let shown = char::from(letter);
        if !b"hipq".contains(&letter) {
            return Err(Refusal::new(format!(
                "Unknown macro '%{shown}' in {}.",
                absolute.display()
            )));
        }
        if at <= name_begins {
            return Err(Refusal::new(format!(
                "Macro '%{shown}' can only be used in the file name and not in the file path."
            )));
        }
        match letter {
            b'h' => out.extend(host.as_bytes()),
            b'p' => out.extend(std::process::id().to_string().as_bytes()),
            b'q' => {
                let (value, after) = variable(&full, at)?;
                out.extend(value.as_bytes());
                at = after;
            }
            _ if number_at.is_some() => {
                return Err(Refusal::new("Macro '%i' can only be used once."));
            }
            _ => number_at = Some(out.len()),
        }
    }
    let Some(place) = number_at else {
        return Ok(PathBuf::from(OsString::from_vec(out)));
    };
    // The first number that is free.
    let numbered = |number: u32| {
        let mut path = out.clone();
        path.splice(place..place, number.to_string().into_bytes());
        PathBuf::from(OsString::from_vec(path))
    };
    Ok((0..u32::MAX).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(0)))
}

/// The value of `{NAME}` at a place, and where it ends.
fn variable(text: &[u8], at: usize) -> Result<(OsString, usize), Refusal> {
    let syntax = || {
        Refusal::new(
            "Failed to parse environment variable for macro '%q'. The supported syntax is '%q{ENV_NAME}'.",
        )
    };
    let rest = text.get(at..).unwrap_or_default();
    let inner = rest.strip_prefix(b"{").ok_or_else(syntax)?;
    let length = inner.iter().position(|byte| *byte == b'}').ok_or_else(syntax)?;
    let name = OsStr::from_bytes(inner.get(..length).unwrap_or_default());
    let value = std::env::var_os(name).ok_or_else(|| {
        Refusal::new(format!(
            "Failed to read environment variable '{}' for macro '%q'.",
            name.display()
        ))
    })?;
    Ok((value, at + length + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(name: &str) -> Result<String, String> {
        let path = expand(OsStr::new(name), "node1").map_err(|refusal| refusal.first())?;
        Ok(path.to_string_lossy().into_owned())
    }

    #[test]
    fn macros_are_replaced_in_the_name_only() {
        let pid = std::process::id();
        assert_eq!(expanded("a/b").unwrap(), "a/b.ncu-rep");
        assert_eq!(expanded("a.ncu-rep").unwrap(), "a.ncu-rep");
        assert_eq!(expanded("x%%_%h_%p").unwrap(), format!("x%_node1_{pid}.ncu-rep"));
        assert_eq!(expanded("no/such/folder/r_%i").unwrap(), "no/such/folder/r_0.ncu-rep");
        assert_eq!(
            expanded("dir%p/a").unwrap_err(),
            "Macro '%p' can only be used in the file name and not in the file path."
        );
        assert_eq!(expanded("a_%i_%i").unwrap_err(), "Macro '%i' can only be used once.");
        assert!(expanded("a%z").unwrap_err().starts_with("Unknown macro '%z' in "));
        assert!(expanded("a%").unwrap_err().starts_with("Unknown macro '%.' in "));
        assert!(expanded("a%q").unwrap_err().starts_with("Failed to parse environment variable"));
        assert_eq!(
            expanded("a%q{RANGESCOPE_NO_SUCH}").unwrap_err(),
            "Failed to read environment variable 'RANGESCOPE_NO_SUCH' for macro '%q'."
        );
        assert!(expanded("a%q{PATH}").is_ok());
    }

    #[test]
    fn numbers_that_are_taken_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("r%i");
        fs_err::write(folder.path().join("r0.ncu-rep"), "").unwrap();
        let place = Place::find(name.as_os_str(), false, "h").unwrap();
        assert!(place.path().ends_with("r1.ncu-rep"));
    }
}
