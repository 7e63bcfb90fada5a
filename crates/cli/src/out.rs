//! What `--out` names: one file, whose format is given or follows from its ending, or a folder. One rule for every command that writes reports.

use std::io::{self, Write};
use std::path::Path;

use anstream::StripStream;
use rangescope_report::{FORMATS, Format, write_atomically};

use crate::failure::Failure;

/// Endings that nobody gives a folder and that no format has.
const OTHER_FILES: &[&str] = &["htm", "pdf", "png", "svg", "tsv", "xls", "xlsx", "xml", "yaml"];

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Out {
    File(&'static Format),
    Folder,
}

/// What a command can write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// The formats that it has.
    pub(crate) formats: fn(&Format) -> bool,
    /// Whether it writes folders too.
    pub(crate) folders: bool,
}

impl Offer {
    /// A format that is given wins; without one a known ending says it, and other names are folders where there are any.
    pub(crate) fn resolve(
        self,
        path: &Path,
        given: Option<&'static Format>,
    ) -> Result<Out, Failure> {
        let shown = path.display();
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        let ending = ending.as_deref();
        let by_ending = ending.and_then(|ending| self.of_ending(ending));
        match (given, by_ending) {
            (Some(format), _) if path.is_dir() => Err(Failure::Usage {
                message: format!("`{shown}` is a folder, and --format {} is one file", format.name),
                hint: format!(
                    "name the file, --out {}{}",
                    path.join("report").display(),
                    if self.folders {
                        format!(".{}, or leave --format out to write a folder", format.extension)
                    } else {
                        format!(".{}", format.extension)
                    }
                ),
            }),
            (Some(format), Some(other)) if other.extension != format.extension => {
                Err(Failure::Usage {
                    message: format!(
                        "`{shown}` ends like {}, but --format is {}",
                        other.name, format.name
                    ),
                    hint: format!(
                        "leave --format out, or choose a name that ends in .{}",
                        format.extension
                    ),
                })
            }
            (Some(format), _) => Ok(Out::File(format)),
            (None, _) if self.folders && path.is_dir() => Ok(Out::Folder),
            (None, Some(format)) => Ok(Out::File(format)),
            (None, None) if self.folders && !ending.is_some_and(|it| OTHER_FILES.contains(&it)) => {
                Ok(Out::Folder)
            }
            (None, None) => Err(Failure::Usage {
                message: format!("the format of `{shown}` does not follow from its ending"),
                hint: format!("end it in {}, or give --format", self.endings()),
            }),
        }
    }

    fn of_ending(self, ending: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| (self.formats)(format) && format.extension == ending)
    }

    /// `.txt, .md or .json`.
    fn endings(self) -> String {
        let mut endings: Vec<String> = Vec::new();
        for format in FORMATS.iter().filter(|format| (self.formats)(format)) {
            let ending = format!(".{}", format.extension);
            if !endings.contains(&ending) {
                endings.push(ending);
            }
        }
        let last = endings.pop().unwrap_or_default();
        format!("{} or {last}", endings.join(", "))
    }
}

/// Writes one file; colours are for terminals.
pub(crate) fn write_file(
    path: &Path,
    format: &Format,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    if !format.coloured {
        return Ok(write_atomically(path, write)?);
    }
    let mut bytes = Vec::new();
    write(&mut StripStream::new(&mut bytes)).map_err(Failure::write(path))?;
    Ok(write_atomically(path, |out| out.write_all(&bytes))?)
}
