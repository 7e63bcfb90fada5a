//! Many files at once: beyond the first few, a file is open only while its results are read.
//!
//! An open report takes a file descriptor and an index of its own, which a thousand reports of ranks have no room for. What is asked of all files at the same time is small and is kept; names of metrics, which files of one run share, are kept once. A file that is asked for results again is opened again, and has to be the one that it was.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ncu_rep::ResultData;
use ncu_rep::source::Source;
use rangescope_model::document::Note;
use rangescope_model::launch::{Launch, ProcessInfo};
use rustc_hash::FxHashMap;

use super::{CountedCode, PlainResult, ReadFacts, ResultSource, SourceNumbers};
use crate::{Input, InputError};

/// Parked files that are open at the same time, unless more are being read right now.
const OPEN: usize = 32;
/// What may be kept of all files together, so that they need not be indexed again.
const KEPT: usize = 48 << 20;

type Opened = Arc<dyn ResultSource>;
type Slot = Arc<Mutex<Option<Opened>>>;
type Names = Arc<[Option<Box<str>>]>;

/// What the parked files of a run share.
#[derive(Debug)]
pub(crate) struct Shelf {
    /// Those that are open, the one that was opened last at the end.
    open: Mutex<VecDeque<Slot>>,
    /// By the hash of their texts.
    names: Mutex<FxHashMap<u64, Vec<Names>>>,
    /// How much of [`KEPT`] is left.
    room: Mutex<usize>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { open: Mutex::default(), names: Mutex::default(), room: Mutex::new(KEPT) }
    }
}

/// A file that is opened when its results are asked for.
#[derive(Debug)]
struct Parked {
    path: PathBuf,
    identity: Identity,
    shelf: Arc<Shelf>,
    slot: Slot,
    /// The file as it was closed, where there is room for that.
    closed: Option<Box<dyn ResultSource>>,
    format: &'static str,
    len: usize,
    profiler: Option<String>,
    created: Option<u64>,
    simulated: bool,
    names: Names,
    processes: Vec<ProcessInfo>,
    job_size: Option<u32>,
    notes: Vec<Note>,
    lost: u64,
    unknown_fields: u64,
}

/// Device, inode, length, and time of the last change.
type Identity = (u64, u64, u64, i64, i64);

fn identity(path: &Path) -> Option<Identity> {
    let file = fs_err::metadata(path).ok()?;
    Some((file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shelf {
    /// Opens a file, learns what is asked of all files, and closes it.
    pub(crate) fn park(self: &Arc<Self>, path: &Path) -> Result<Input, InputError> {
        let before = identity(path);
        let input = Input::open(path)?;
        // What changes under way is kept open like a file on its own: it cannot be recognised again.
        let Some(identity) = before.filter(|before| identity(path).as_ref() == Some(before)) else {
            return Ok(input);
        };
        let mut source = input.source;
        let parked = Parked {
            path: path.to_owned(),
            identity,
            shelf: Arc::clone(self),
            slot: Slot::default(),
            closed: None,
            format: source.format(),
            len: source.len(),
            profiler: source.profiler(),
            created: source.created(),
            simulated: source.is_simulated(),
            names: self.names(&source.metric_names()),
            processes: source.processes(),
            job_size: source.job_size(),
            notes: source.notes(),
            lost: source.lost(),
            unknown_fields: source.unknown_fields(),
        };
        let parked = Parked { closed: self.keep(&mut *source).then_some(source), ..parked };
        Ok(Input { path: input.path, source: Box::new(parked) })
    }

    /// Closes a source if there is room for what is left of it.
    fn keep(&self, source: &mut dyn ResultSource) -> bool {
        let mut room = lock(&self.room);
        let kept = source.close(*room);
        *room -= kept.unwrap_or_default();
        kept.is_some()
    }

    fn names(&self, names: &[Option<&str>]) -> Names {
        let hash = std::hash::BuildHasher::hash_one(&rustc_hash::FxBuildHasher, names);
        let mut known = lock(&self.names);
        let alike = known.entry(hash).or_default();
        let is_same = |known: &&Names| {
            known.len() == names.len()
                && known.iter().zip(names).all(|(known, name)| known.as_deref() == *name)
        };
        if let Some(known) = alike.iter().find(is_same) {
            return Arc::clone(known);
        }
        let new: Names = names.iter().map(|name| name.map(Box::from)).collect();
        alike.push(Arc::clone(&new));
        new
    }

    /// Notes that a file was opened, and closes the one that has been open for longest if they are too many.
    fn opened(&self, slot: &Slot) {
        let mut open = lock(&self.open);
        open.push_back(Arc::clone(slot));
        let oldest = if open.len() > OPEN { open.pop_front() } else { None };
        drop(open);
        if let Some(oldest) = oldest {
            lock(&oldest).take();
        }
    }
}

impl Parked {
    /// The file, opened; nothing if it is gone or another one by now.
    fn open(&self) -> Option<Opened> {
        let mut slot = lock(&self.slot);
        if let Some(open) = &*slot {
            return Some(Arc::clone(open));
        }
        let source = match &self.closed {
            Some(closed) => closed.reopened(&self.path)?,
            None => Input::open(&self.path).ok()?.source,
        };
        if identity(&self.path) != Some(self.identity) || source.len() != self.len {
            return None;
        }
        let opened: Opened = Arc::from(source);
        *slot = Some(Arc::clone(&opened));
        drop(slot);
        self.shelf.opened(&self.slot);
        Some(opened)
    }
}

impl ResultSource for Parked {
    fn format(&self) -> &'static str {
        self.format
    }

    fn len(&self) -> usize {
        self.len
    }

    fn profiler(&self) -> Option<String> {
        self.profiler.clone()
    }

    fn created(&self) -> Option<u64> {
        self.created
    }

    fn is_simulated(&self) -> bool {
        self.simulated
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        self.names.iter().map(Option::as_deref).collect()
    }

    fn processes(&self) -> Vec<ProcessInfo> {
        self.processes.clone()
    }

    fn job_size(&self) -> Option<u32> {
        self.job_size
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts {
        match self.open() {
            Some(source) => source.read(range, numbers, take),
            None => ReadFacts { gone: range.len() as u64, ..ReadFacts::default() },
        }
    }

    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>> {
        let source = self.open()?;
        let data = source.decode(index)?;
        Some(Cow::Owned(Cow::into_owned(data).into_owned()))
    }

    fn decode_plain(&self, range: Range<usize>) -> Vec<Option<Cow<'_, PlainResult>>> {
        let Some(source) = self.open() else { return range.map(|_| None).collect() };
        let owned = |plain: Option<Cow<'_, PlainResult>>| Some(Cow::Owned(plain?.into_owned()));
        source.decode_plain(range).into_iter().map(owned).collect()
    }

    fn counted_code(&self, index: usize, wanted: &dyn Fn(&str) -> bool) -> Option<CountedCode> {
        self.open()?.counted_code(index, wanted)
    }

    fn module(&self, number: u64) -> Option<Source> {
        self.open()?.module(number)
    }

    fn notes(&self) -> Vec<Note> {
        self.notes.clone()
    }

    fn lost(&self) -> u64 {
        self.lost
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown_fields
    }
}
