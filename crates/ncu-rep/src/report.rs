//! A report: indexed when it is opened, and read and decoded on demand.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::bytes::{Bytes, ReadAt};
use crate::error::{Damage, DamageKind, ReadError};
use crate::grid::Counted;
use crate::index::{Index, ResultEntry};
use crate::limits;
use crate::model::{Process, Text};
use crate::result::ResultView;
use crate::session::Session;
use crate::source::{Source, SourcePlace};
use crate::wire::{Fields, LONGEST_NUMBER};
use rustc_hash::FxHashMap;

/// An opened report. Cheap to open whatever its size; results are read and decoded when asked for, from any number of threads.
///
/// The file may change or shrink while it is open: results that it then lacks read as damaged ones, and nothing that was handed out changes.
#[derive(Debug)]
pub struct Report {
    bytes: Bytes,
    index: Arc<Index>,
    /// Found when a result is asked for its grid.
    counted: OnceLock<Counted>,
}

impl Report {
    /// Opens and indexes a `.ncu-rep`, `.ncu-repz` or `.nsight-cuprof-report`; its content decides which it is, not its name.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let (bytes, damage) = Bytes::open(path.as_ref())?;
        Self::new(bytes, damage)
    }

    /// Indexes a report that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        let (bytes, damage) = Bytes::from_vec(bytes)?;
        Self::new(bytes, damage)
    }

    /// Indexes a report that is read where the caller says; only what is asked for is read.
    pub fn from_positions(bytes: impl ReadAt + 'static) -> Result<Self, ReadError> {
        let (bytes, damage) = Bytes::given(Box::new(bytes))?;
        Self::new(bytes, damage)
    }

    fn new(bytes: Bytes, damage: Option<Damage>) -> Result<Self, ReadError> {
        let mut index = Index::build(&bytes)?;
        index.damage.extend(damage);
        if index.session_is_cut() {
            let offset = bytes.len() as u64;
            index.damage.push(Damage { offset, kind: DamageKind::SessionCut });
        }
        Ok(Self { bytes, index: Arc::new(index), counted: OnceLock::new() })
    }

    /// Closes the file and keeps what is known without it: results read as gone. Nothing is done to a report that was decompressed or is in memory.
    pub fn close(&mut self) -> bool {
        self.bytes.close()
    }

    /// The same report with its file opened, for whoever has made sure that it is the same file.
    pub fn reopened(&self, path: &Path) -> Result<Self, ReadError> {
        let (bytes, _) = Bytes::open(path)?;
        Ok(Self { bytes, index: Arc::clone(&self.index), counted: self.counted.clone() })
    }

    /// About how many bytes a closed report takes.
    pub fn kept_bytes(&self) -> usize {
        self.index.kept_bytes()
    }

    /// The results in file order.
    pub fn results(&self) -> impl ExactSizeIterator<Item = ResultView<'_>> + DoubleEndedIterator {
        self.index
            .results
            .iter()
            .enumerate()
            .map(|(index, entry)| ResultView::new(self, entry, index))
    }

    pub(crate) fn entries(&self) -> &[ResultEntry] {
        &self.index.results
    }

    /// Number of results.
    pub fn len(&self) -> usize {
        self.index.results.len()
    }

    pub fn is_empty(&self) -> bool {
        self.index.results.is_empty()
    }

    pub fn result(&self, index: usize) -> Option<ResultView<'_>> {
        self.index.results.get(index).map(|entry| ResultView::new(self, entry, index))
    }

    /// The string with this id. Ids beyond the table and texts that are not UTF-8 give nothing: such a metric has no name.
    pub fn string(&self, id: u32) -> Option<&str> {
        self.index.strings.text(self.index.strings.slot(id)?)
    }

    /// The slot of a string id, for tables by string: ids that repeat a string of an equal piece share its slot.
    #[inline]
    pub fn string_slot(&self, id: u32) -> Option<usize> {
        self.index.strings.slot(id)
    }

    /// The strings by slot.
    pub fn slot_strings(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        (0..self.index.strings.slots()).map(|slot| self.index.strings.text(slot))
    }

    /// The processes, in order of first appearance.
    pub fn processes(&self) -> Vec<Process<'_>> {
        (0..self.index.processes.len()).map(|index| self.process(index)).collect()
    }

    pub(crate) fn process(&self, index: usize) -> Process<'_> {
        let mut process = Process::default();
        match self.index.processes.get(index).cloned().flatten() {
            Some(piece) => {
                for (number, content) in Fields::new(&self.index.kept[piece]) {
                    match number {
                        1 => process.pid = Some(content.number32()),
                        2 => process.host = content.text(),
                        // Paths that were written on Windows carry the NUL that ended them in memory.
                        3 => process.executable = without_nul(content.text()),
                        _ => {}
                    }
                }
            }
            // Files of CUDA 10.0 name the process in the session record only.
            None => process.pid = self.session().pid,
        }
        process
    }

    /// The session record, merged from all blocks.
    pub fn session(&self) -> Session<'_> {
        self.index.session()
    }

    /// What the grids of its results count.
    pub(crate) fn counted(&self) -> Counted {
        *self.counted.get_or_init(|| Counted::by(self.session().ncu_version()))
    }

    /// The messages of sources that can be decoded, in file order.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.source_bytes().filter_map(|bytes| Source::decode(&bytes.ok()?))
    }

    /// Where the sources are in the file, by the numbers with which results refer to them.
    pub fn source_places(&self) -> FxHashMap<u64, SourcePlace> {
        let mut places: FxHashMap<u64, SourcePlace> = FxHashMap::default();
        for piece in &self.index.sources {
            // The number stands first and is short; the code behind it may be long.
            let mut head = [0; LONGEST_NUMBER];
            let length = head.len().min(piece.len());
            if self.read_at(piece.start, &mut head[..length]).is_err() {
                continue;
            }
            if let Some((1, content)) = Fields::new(&head[..length]).next() {
                places.entry(content.number()).or_default().0.push(piece.clone());
            }
        }
        places
    }

    /// One source; nothing if it is damaged, gone, or larger than a part of this file may be.
    pub fn source(&self, place: &SourcePlace) -> Option<Source> {
        if place.0.iter().map(ExactSizeIterator::len).sum::<usize>() > limits::held(self.stored()) {
            return None;
        }
        let decoded = |piece: &Range<usize>| Source::decode(&self.copy(piece.clone()).ok()?);
        let mut pieces = place.0.iter().map(decoded);
        let mut source = pieces.next()??;
        pieces.flatten().for_each(|later| source.merge(later));
        Some(source)
    }

    /// What is lost or irregular in the container. Damage inside single results shows when they are read.
    pub fn damage(&self) -> &[Damage] {
        &self.index.damage
    }

    /// Results that are lost in the container: as many as are known to be, and at least one where nothing says how many.
    pub fn lost_results(&self) -> u64 {
        let known = self.damage().iter().map(Damage::lost_results).fold(0, u64::saturating_add);
        known.max(u64::from(self.damage().iter().any(Damage::is_open_ended)))
    }

    /// Bytes that the file takes on its disk.
    pub(crate) fn stored(&self) -> u64 {
        self.bytes.stored()
    }

    pub fn version(&self) -> u64 {
        self.index.version
    }

    /// Fields of block headers that this reader does not know.
    pub fn unknown_header_fields(&self) -> u64 {
        self.index.unknown_header_fields
    }

    pub(crate) fn session_pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.index.session_pieces()
    }

    pub(crate) fn source_bytes(&self) -> impl Iterator<Item = io::Result<Vec<u8>>> {
        self.index.sources.iter().map(|piece| self.copy(piece.clone()))
    }

    /// A copy of a part of the file.
    pub(crate) fn copy(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        self.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn read_at(&self, start: usize, buffer: &mut [u8]) -> io::Result<()> {
        self.bytes.read_at(start, buffer)
    }
}

fn without_nul(text: Text<'_>) -> Text<'_> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end_matches('\0')),
        Cow::Owned(text) => Cow::Owned(text.trim_end_matches('\0').to_owned()),
    }
}
