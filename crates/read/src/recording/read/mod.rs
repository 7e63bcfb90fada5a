//! Recordings as they are on disk: a file, or a folder of them.
//!
//! A child of a fork refers to names that were registered before it was forked; those are in the file of its parent, which is looked for in the same folder.

mod chunks;
mod definitions;
mod events;

use std::path::{Path, PathBuf};

use rangescope_model::document::{Note, NoteLevel};
use rangescope_recorder::format::{EXTENSION, Header, HeaderProblem, key, stopped};

use rustc_hash::FxHashSet;

use crate::recording::RecordingError;
use crate::recording::process::Process;
use chunks::{Stretch, stretches};
use definitions::{Ancestors, Definitions};
use rangescope_model::number::count;

#[derive(Debug, Default)]
pub struct Recording {
    /// The processes in order of their beginning.
    pub processes: Vec<Process>,
    /// Parts that could not be read or were lost while recording.
    pub notes: Vec<Note>,
}

/// A file that has been read and is not yet understood.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Recording {
    /// Reads the recording of one process, or all recordings of a folder.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        if !path.is_dir() {
            let file = load(path)?;
            let ancestors = load_ancestors(path, &file);
            return Self::of_files(vec![file], &ancestors).map_err(|(_, reason)| {
                RecordingError::NotARecording { path: path.to_owned(), reason }
            });
        }
        let mut files = Vec::new();
        for path in recordings_in(path)? {
            files.push(load(&path)?);
        }
        if files.is_empty() {
            return Err(RecordingError::Empty { folder: path.to_owned() });
        }
        Self::of_files(files, &[]).map_err(|(name, reason)| RecordingError::NotARecording {
            path: path.join(name),
            reason,
        })
    }

    /// Makes a recording of files in memory, of which at least one must be readable; `ancestors` are only asked for names.
    fn of_files(files: Vec<Loaded>, ancestors: &[Loaded]) -> Result<Self, (String, String)> {
        let mut recording = Self::default();
        let known = known(ancestors.iter().chain(&files));
        let mut refused = None;
        for file in files {
            match Header::decode(&file.bytes) {
                Ok(header) => {
                    let process = recording.add(&file, &header, &known);
                    recording.processes.push(process);
                }
                Err(problem) => {
                    let reason = reason(problem);
                    recording.warn("unreadable-recording", format!("`{}` {reason}", file.name));
                    refused.get_or_insert((file.name, reason));
                }
            }
        }
        recording
            .processes
            .sort_by(|a, b| (a.began.realtime_ns, &a.file).cmp(&(b.began.realtime_ns, &b.file)));
        match refused {
            Some(refused) if recording.processes.is_empty() => Err(refused),
            _ => Ok(recording),
        }
    }

    fn add(&mut self, file: &Loaded, header: &Header<'_>, known: &[Ancestors]) -> Process {
        let mut damage = Vec::new();
        let missing = header.length.saturating_sub(file.bytes.len() as u64);
        if missing > 0 {
            let bytes = count(missing, "byte is", "bytes are");
            damage.push(format!("{bytes} missing at its end, and the events in them"));
        }
        let stretches = stretches(&file.bytes, &mut damage);
        let own = Definitions::of(&stretches);
        let inherited = definitions::inherited(known, &file.name);
        let process = events::process(file, header, &stretches, &own, &inherited, &mut damage);
        for message in damage {
            self.warn("damaged-recording", format!("`{}`: {message}", file.name));
        }
        let lost = count(process.lost, "event is", "events are");
        let pid = process.pid;
        if let Some(stop) = process.stopped {
            let gone = match stop.0 {
                stopped::BY_TRUNCATION => "; what stood in the rest of it is gone",
                _ => "",
            };
            let message = format!(
                "recording of process {pid} was switched off: {stop}{gone}; after that, {lost} lost"
            );
            self.warn("recording-cut-short", message);
        } else if process.lost > 0 {
            let message = format!(
                "{lost} lost in process {pid}, in signal handlers that interrupted the recorder"
            );
            self.warn("events-lost", message);
        }
        process
    }

    fn warn(&mut self, code: &str, message: String) {
        self.notes.push(Note { level: NoteLevel::Warning, code: code.to_owned(), message });
    }
}

fn reason(problem: HeaderProblem) -> String {
    match problem {
        HeaderProblem::Short | HeaderProblem::Incomplete => {
            "has no complete header: its process could not write or was killed at once, or somebody emptied the file".to_owned()
        }
        HeaderProblem::Foreign => "is not a recording".to_owned(),
        HeaderProblem::Newer(version) => {
            format!("was written by a newer recorder (format {version})")
        }
    }
}

fn load(path: &Path) -> Result<Loaded, RecordingError> {
    let failed = |cause| RecordingError::Io { path: path.to_owned(), cause };
    // The kind is asked before opening, because opening a pipe would wait for its writer.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        let reason = "is not a file".to_owned();
        return Err(RecordingError::NotARecording { path: path.to_owned(), reason });
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = ncu_rep::file::read(path, ncu_rep::limits::RECORDING).map_err(failed)?;
    Ok(Loaded { name, bytes })
}

fn recordings_in(folder: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let failed = |cause| RecordingError::Io { path: folder.to_owned(), cause };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The files that a process's forks go back to, as far as they are there.
fn load_ancestors(path: &Path, file: &Loaded) -> Vec<Loaded> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut found: Vec<Loaded> = Vec::new();
    let mut next = parent_file(&file.bytes);
    while let Some(name) = next {
        let seen = name == file.name || found.iter().any(|file| file.name == name);
        let Some(parent) = (!seen).then(|| load(&folder.join(&name)).ok()).flatten() else { break };
        next = parent_file(&parent.bytes);
        found.push(parent);
    }
    found
}

/// The name of the file of the process that this one was forked from. A name with a folder in it is not one of ours.
fn parent_file(bytes: &[u8]) -> Option<String> {
    let name = Header::decode(bytes).ok()?.entry(key::PARENT_FILE)?;
    let name = std::str::from_utf8(name).ok()?;
    (!name.contains('/')).then(|| name.to_owned())
}

/// What the children of forks need to know of other files: names are looked for only where somebody may ask for them.
fn known<'f>(files: impl Iterator<Item = &'f Loaded> + Clone) -> Vec<Ancestors> {
    let parents: FxHashSet<String> = files.clone().filter_map(|f| parent_file(&f.bytes)).collect();
    let definitions = |file: &Loaded| {
        if !parents.contains(&file.name) {
            return Definitions::default();
        }
        Definitions::of(&stretches(&file.bytes, &mut Vec::new()))
    };
    files
        .map(|file| Ancestors {
            name: file.name.clone(),
            parent: parent_file(&file.bytes),
            first_handle: Header::decode(&file.bytes).map_or(0, |header| header.first_handle),
            definitions: definitions(file),
        })
        .collect()
}
