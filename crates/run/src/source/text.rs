//! Texts of source files: from the report, else from disk, and never a wrong one.

use std::path::{Path, PathBuf};

use rangescope_model::source::{LineCode, SourceFile, TextLine, TextOrigin};

use super::code::Modules;

/// Largest source file that is read.
const LARGEST: u64 = 16 << 20;
/// Lines without code that are kept before and after each with code.
pub(super) const AROUND: u32 = 4;
/// Why there is no text where nothing is read from disk.
const NOT_HELD: &str = "the report does not hold it: profile with `--import-source yes`, or see `rangescope source`, which reads it from disk";
/// A report may come from anybody, and names files of this machine that end up in what is shown: nothing is read but what is called like source code.
const ENDINGS: [&str; 30] = [
    "c", "cc", "cpp", "cxx", "c++", "cu", "cuf", "cuh", "f", "f90", "f03", "for", "h", "hh", "hip",
    "hpp", "hxx", "inc", "inl", "ipp", "jl", "mlir", "mojo", "ptx", "py", "rs", "tpp", "ttgir",
    "ttir", "llir",
];

/// Where source files are now: what begins with the first path is looked for under the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceDirs(pub Vec<(String, PathBuf)>);

impl SourceDirs {
    fn place(&self, path: &str) -> PathBuf {
        let moved = self.0.iter().find_map(|(old, new)| {
            let rest = path.strip_prefix(old.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| new.join(rest.trim_start_matches('/')))
        });
        moved.unwrap_or_else(|| PathBuf::from(path))
    }
}

/// Gives the lines of all files their texts, with so many lines around each with code.
pub(super) fn fill(files: &mut [SourceFile], code: &Modules, dirs: Option<&SourceDirs>, near: u32) {
    for file in files {
        let known = code.known(&file.path);
        let last = file.lines.last().map_or(0, |line| line.line);
        let (text, origin) = match known.text {
            Some(text) => (Some(text.to_owned()), TextOrigin::Report),
            None => {
                let Some(dirs) = dirs else {
                    file.text = TextOrigin::Absent(NOT_HELD.to_owned());
                    continue;
                };
                let path = dirs.place(&file.path);
                match from_disk(&path, known.bytes) {
                    Ok(text) => (Some(text), TextOrigin::Disk(path.display().to_string())),
                    Err(reason) => (None, TextOrigin::Absent(reason)),
                }
            }
        };
        let lines: Vec<&str> = text.as_deref().map_or_else(Vec::new, |text| text.lines().collect());
        if text.is_some() && lines.len() < last as usize {
            let reason = format!(
                "the text has {} lines, and there is code of line {last}: it is another version of the file",
                lines.len()
            );
            file.text = TextOrigin::Absent(reason);
            continue;
        }
        file.length = text.is_some().then_some(lines.len() as u64);
        file.text = origin;
        file.around = around(&lines, &file.lines, near);
        for line in &mut file.lines {
            let number = (line.line as usize).checked_sub(1);
            line.text = number.and_then(|number| lines.get(number)).map(|text| (*text).to_owned());
        }
    }
}

/// The lines near those with code, which are ascending.
fn around(texts: &[&str], lines: &[LineCode], near: u32) -> Vec<TextLine> {
    let mut found = Vec::new();
    let mut next = 1;
    let mut with_code = lines.iter().map(|line| line.line).peekable();
    while let Some(line) = with_code.next() {
        let until = with_code.peek().map_or(u32::MAX, |line| line.saturating_sub(1));
        let before = next.max(line.saturating_sub(near))..line;
        let after = line + 1..=until.min(line.saturating_add(near));
        for line in before.chain(after.clone()) {
            let Some(text) = texts.get(line as usize - 1) else { break };
            found.push(TextLine { line, text: (*text).to_owned() });
        }
        next = after.end().saturating_add(1).max(line + 1);
    }
    found
}

fn from_disk(path: &Path, bytes: Option<u64>) -> Result<String, String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if !ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
        return Err("the report does not hold it, and it is not called like source code".to_owned());
    }
    if !path.is_absolute() {
        return Err("the report does not hold it, and its path is not absolute; give the folder with --source-dir".to_owned());
    }
    let text = ncu_rep::file::read_text(path, LARGEST).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            "the report does not hold it, and it is not on this machine; give the folder with --source-dir OLD=NEW, or profile with `--import-source yes`".to_owned()
        }
        _ => error.to_string(),
    })?;
    match bytes {
        Some(bytes) if bytes != text.len() as u64 => Err(format!(
            "the file on this machine has {} bytes, and the compiler saw {bytes}: it is another version",
            text.len()
        )),
        _ => Ok(text),
    }
}
