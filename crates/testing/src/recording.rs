//! Recordings made by hand, record by record, as the recorder writes them.

#![expect(clippy::unwrap_used, reason = "a record that does not fit is a mistake of the test")]

use rangescope_recorder::format::{
    Attributes, CHUNK_HEADER_LEN, CHUNK_MAGIC, HEADER_LEN, Kind, MAGIC, VERSION, Word, field, flag,
    key,
};

/// Bytes of every chunk.
const CHUNK: usize = 64 << 10;

/// The message of a record.
pub enum Said<'a> {
    Text(&'a str),
    Handle(u64),
    Nothing,
}

/// A file in the making.
pub struct File {
    pub bytes: Vec<u8>,
    chunk: Option<usize>,
    stretches: u64,
}

impl File {
    pub fn new(pid: u32) -> Self {
        let mut file = Self { bytes: vec![0; HEADER_LEN], chunk: None, stretches: 0 };
        file.put(0, &MAGIC.to_le_bytes());
        file.put(field::VERSION, &VERSION.to_le_bytes());
        file.put(field::PID, &pid.to_le_bytes());
        file.put(field::MONOTONIC, &1000_u64.to_le_bytes());
        file.put(field::REALTIME, &(1_000_000 + u64::from(pid)).to_le_bytes());
        file.entry(key::HOST, b"host").entry(key::COMMAND, b"/bin/app\0--steps\x003\0");
        file
    }

    pub fn put(&mut self, at: usize, value: &[u8]) -> &mut Self {
        self.bytes[at..at + value.len()].copy_from_slice(value);
        self
    }

    pub fn entry(&mut self, key: &str, value: &[u8]) -> &mut Self {
        let len = u32::from_le_bytes(self.bytes[field::ENTRIES_LEN..][..4].try_into().unwrap());
        let at = field::ENTRIES + len as usize;
        self.put(at, &u16::try_from(key.len()).unwrap().to_le_bytes());
        self.put(at + 2, &u16::try_from(value.len()).unwrap().to_le_bytes());
        self.put(at + 4, key.as_bytes());
        self.put(at + 4 + key.len(), value);
        let len = len + 4 + u32::try_from(key.len() + value.len()).unwrap();
        self.put(field::ENTRIES_LEN, &len.to_le_bytes())
    }

    /// Begins a chunk; what follows is of this thread.
    pub fn thread(&mut self, tid: u32, number: u64) -> &mut Self {
        self.bytes.resize(self.bytes.len().next_multiple_of(CHUNK), 0);
        let at = self.bytes.len();
        self.bytes.resize(at + CHUNK, 0);
        self.put(at, &CHUNK_MAGIC.to_le_bytes());
        self.put(at + 8, &(CHUNK as u64).to_le_bytes());
        self.chunk = Some(at + CHUNK_HEADER_LEN);
        let stretch = self.stretches.to_le_bytes();
        self.stretches += 1;
        self.raw(Kind::Thread, tid, 0, Some(number), None, &stretch, 0)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the fields of a record")]
    fn raw(
        &mut self,
        kind: Kind,
        domain: u32,
        time: u64,
        id: Option<u64>,
        attributes: Option<Attributes>,
        body: &[u8],
        mut flags: u8,
    ) -> &mut Self {
        let mut record = vec![0; 4];
        record.extend(domain.to_le_bytes());
        record.extend(time.to_le_bytes());
        record.extend(id.into_iter().flat_map(u64::to_le_bytes));
        if let Some(attributes) = attributes {
            flags |= flag::ATTRIBUTES;
            record.extend(attributes.encode().into_iter().flat_map(u64::to_le_bytes));
        }
        record.extend(body);
        let padding = record.len().next_multiple_of(8) - record.len();
        record.resize(record.len() + padding, 0);
        let word = Word {
            units: u16::try_from(record.len() / 8).unwrap(),
            kind: kind as u8,
            padding: u8::try_from(padding).unwrap(),
            flags,
        };
        record[..4].copy_from_slice(&word.encode().to_le_bytes());
        let at = self.chunk.unwrap();
        self.put(at, &record);
        self.chunk = Some(at + record.len());
        self
    }

    pub fn record(
        &mut self,
        kind: Kind,
        domain: u32,
        time: u64,
        id: u64,
        said: &Said<'_>,
    ) -> &mut Self {
        self.full(kind, domain, time, id, None, said)
    }

    pub fn full(
        &mut self,
        kind: Kind,
        domain: u32,
        time: u64,
        id: u64,
        attributes: Option<Attributes>,
        said: &Said<'_>,
    ) -> &mut Self {
        let id = kind.has_id().then_some(id);
        match said {
            Said::Text(text) => self.raw(kind, domain, time, id, attributes, text.as_bytes(), 0),
            Said::Handle(handle) => {
                self.raw(kind, domain, time, id, attributes, &handle.to_le_bytes(), flag::HANDLE)
            }
            Said::Nothing => self.raw(kind, domain, time, id, attributes, &[], flag::SILENT),
        }
    }

    pub fn push(&mut self, time: u64, name: &str) -> &mut Self {
        self.record(Kind::Push, 0, time, 0, &Said::Text(name))
    }

    pub fn pop(&mut self, time: u64) -> &mut Self {
        self.record(Kind::Pop, 0, time, 0, &Said::Nothing)
    }

    pub fn start(&mut self, time: u64, id: u64, name: &str) -> &mut Self {
        self.record(Kind::Start, 0, time, id, &Said::Text(name))
    }

    pub fn end(&mut self, time: u64, id: u64) -> &mut Self {
        self.record(Kind::End, 0, time, id, &Said::Nothing)
    }

    pub fn mark(&mut self, time: u64, name: &str) -> &mut Self {
        self.record(Kind::Mark, 0, time, 0, &Said::Text(name))
    }
}

/// Two threads with nested, overlapping and open ranges, another domain, registered names and marks.
pub fn sample() -> File {
    let mut file = File::new(7);
    file.thread(11, 0);
    file.record(Kind::Domain, 1, 0, 0, &Said::Text("lib"));
    file.record(Kind::String, 1, 0, 2, &Said::Text("registered"));
    for step in 0..200 {
        file.push(10 * step, "outer").record(Kind::Push, 1, 10 * step + 1, 0, &Said::Handle(2));
        file.start(10 * step + 2, step, "async").mark(10 * step + 3, "m");
        file.record(Kind::Pop, 1, 10 * step + 4, 0, &Said::Nothing).pop(10 * step + 5);
        file.end(10 * step + 6, step);
    }
    file.thread(12, 1).push(1, "other").pop(5000);
    file
}
