//! The chunks of a file, taken apart into stretches: records of one thread, one after the other.

use rangescope_recorder::format::{
    Body, CHUNK_ALIGN, CHUNK_HEADER_LEN, Found, HEADER_LEN, Kind, Record, chunk_len, decode_record,
    u64_at,
};

use rangescope_model::number::count;

/// Records that one thread wrote one after the other. They are decoded whenever they are asked for: all of them at once would take more memory than the file.
#[derive(Debug)]
pub(crate) struct Stretch<'a> {
    /// Number of the thread; unlike the system's id, it is never used again.
    pub(crate) thread: u64,
    /// The system's id of the thread.
    pub(crate) tid: u32,
    pub(crate) number: u64,
    /// What begins after the record that says whose they are.
    bytes: &'a [u8],
}

impl<'a> Stretch<'a> {
    pub(crate) fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || {
            loop {
                let (record, len) = match decode_record(rest) {
                    Found::Record(record, len) => (Some(record), len),
                    Found::Unknown(len) => (None, len),
                    Found::End | Found::Damaged => return None,
                };
                rest = rest.get(len..).unwrap_or_default();
                if record.is_some() {
                    return record;
                }
            }
        })
    }
}

/// All stretches of a file, in the order in which their threads wrote them. What does not fit together is left out and told.
pub(crate) fn stretches<'a>(file: &'a [u8], damage: &mut Vec<String>) -> Vec<Stretch<'a>> {
    let mut found = Vec::new();
    let mut at = HEADER_LEN;
    let mut unknown = 0_u64;
    while let Some(rest) = file.get(at..).filter(|rest| !rest.is_empty()) {
        // A chunk that was never begun has zeros here: its thread was killed or the disk was full.
        let Some(len) = chunk_len(rest) else {
            at += CHUNK_ALIGN;
            continue;
        };
        if len > rest.len() {
            damage.push(format!("the chunk at byte {at} ends after the file"));
        }
        let chunk = rest.get(..len).unwrap_or(rest);
        unknown += chunk_stretches(chunk, at, &mut found, damage);
        at = at.saturating_add(len);
    }
    if unknown > 0 {
        let records = count(unknown, "record is", "records are");
        damage.push(format!("{records} of a kind that this version does not know"));
    }
    found.sort_by_key(|stretch| (stretch.thread, stretch.number));
    found
}

/// The stretches of one chunk; how many records were not understood.
fn chunk_stretches<'a>(
    chunk: &'a [u8],
    offset: usize,
    found: &mut Vec<Stretch<'a>>,
    damage: &mut Vec<String>,
) -> u64 {
    let mut at = CHUNK_HEADER_LEN;
    let mut unknown = 0;
    // Where the stretch begins that the record belongs to.
    let mut begin = None;
    let mut end = |begin: Option<(Record<'a>, usize)>, at: usize| {
        let (of, from) = begin?;
        found.push(stretch(&of, chunk.get(from..at)?));
        Some(())
    };
    while let Some(rest) = chunk.get(at..) {
        match decode_record(rest) {
            Found::Record(record, len) => {
                if record.kind == Kind::Thread {
                    end(begin.take(), at);
                    begin = Some((record, at + len));
                }
                at += len;
            }
            Found::Unknown(len) => {
                at += len;
                unknown += 1;
            }
            Found::End => break,
            Found::Damaged => {
                damage.push(format!("the record at byte {} is damaged", offset + at));
                break;
            }
        }
    }
    end(begin, at.min(chunk.len()));
    unknown
}

fn stretch<'a>(record: &Record<'_>, bytes: &'a [u8]) -> Stretch<'a> {
    let number = match record.body {
        Body::Text(bytes) => u64_at(bytes, 0).unwrap_or_default(),
        _ => 0,
    };
    Stretch { thread: record.id, tid: record.domain, number, bytes }
}
