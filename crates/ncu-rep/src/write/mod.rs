//! Writing reports that NVIDIA's readers open: for tests, for merging, and for simulated devices.
//!
//! Each result becomes a block of its own, written at once, with the strings that it is the first to use; so that a file that is cut short holds everything before the cut.

mod encode;
pub mod module;
mod result;

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::model::{Process, ResultData, ResultKind};
use crate::report::Report;
use crate::result::ResultView;
use crate::session::{Session, System};
use crate::source::Source;
use crate::wire::{Fields, Wire};
use encode::Message;

/// The level of a module's code: instructions of a device.
const SASS: u64 = 8;

#[derive(Debug)]
pub struct ReportWriter<W: Write> {
    out: W,
    names: FxHashMap<String, u64>,
    /// Names that no block holds yet.
    pending: Vec<String>,
}

impl<W: Write> ReportWriter<W> {
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"NVR\0\x02\0\0\0\x08\x07")?;
        Ok(Self { out, names: FxHashMap::default(), pending: Vec::new() })
    }

    /// Writes what is known of the session. To be called before the results.
    pub fn session(&mut self, session: &Session<'_>, process: &Process<'_>) -> io::Result<()> {
        self.block(None, process, Some(encode_session(session)), &[])
    }

    pub fn result(&mut self, data: &ResultData<'_>) -> io::Result<()> {
        let entry = result::result(data, |name| intern(&mut self.names, &mut self.pending, name));
        self.block(Some(data.kind), &data.process, None, entry.as_slice())
    }

    /// Writes a module. Results that refer to it come behind it.
    pub fn source(&mut self, source: &Source, process: &Process<'_>) -> io::Result<()> {
        let mut entry = Message::default();
        entry.uint(1, source.reference);
        entry.text(2, &source.code);
        entry.bytes(3, &source.ptx);
        entry.bytes(4, &source.cubin);
        let (major, minor) = source.compute_capability;
        entry.uint(6, u64::from(major) << 16 | u64::from(minor));
        if !source.cubin.is_empty() {
            entry.uint(5, SASS);
            entry.uint(7, 0);
        }
        entry.message(8, |m| {
            for (name, text) in &source.files {
                m.message(1, |m| {
                    m.text(1, name);
                    m.text(2, text);
                });
            }
        });
        if !source.loaded.is_empty() {
            entry.message(9, |m| {
                for function in &source.loaded {
                    m.message(1, |m| {
                        m.text(1, &function.name);
                        m.uint(2, function.address);
                        m.uint(3, u64::from(function.symbol));
                    });
                }
            });
        }
        self.write_block(&[(1, 1)], process, None, entry.as_slice())
    }

    /// Copies a result of another report with everything in it; only the ids of metric names change.
    pub fn copy_result(&mut self, report: &Report, view: &ResultView<'_>) -> io::Result<()> {
        let metrics = if view.kind() == ResultKind::Kernel { 13 } else { 4 };
        let mut entry = Message::default();
        for (number, content) in Fields::new(&view.raw_bytes()?) {
            match content {
                Wire::Bytes(metric) if number == metrics => {
                    entry.message(number, |m| self.copy_metric(report, metric, m));
                }
                _ => entry.wire(number, content),
            }
        }
        self.block(Some(view.kind()), &view.process(), None, entry.as_slice())
    }

    /// Copies everything of another report that this crate knows: session, sources and results.
    pub fn copy_report(&mut self, report: &Report) -> io::Result<()> {
        let processes = report.processes();
        let process = processes.first().cloned().unwrap_or_default();
        for piece in report.session_pieces() {
            self.block(None, &process, Some(piece.to_vec()), &[])?;
        }
        for source in report.source_bytes() {
            self.write_block(&[(1, 1)], &process, None, &source?)?;
        }
        for view in report.results() {
            self.copy_result(report, &view)?;
        }
        Ok(())
    }

    /// Ends the report and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn copy_metric(&mut self, report: &Report, metric: &[u8], out: &mut Message) {
        for (number, content) in Fields::new(metric) {
            match content {
                Wire::Varint(id) if number == 1 => {
                    let name =
                        u32::try_from(id).ok().and_then(|id| report.string(id)).unwrap_or_default();
                    out.uint(1, intern(&mut self.names, &mut self.pending, name));
                }
                _ => out.wire(number, content),
            }
        }
    }

    fn block(
        &mut self,
        kind: Option<ResultKind>,
        process: &Process<'_>,
        session: Option<Vec<u8>>,
        entry: &[u8],
    ) -> io::Result<()> {
        let counts: &[(u32, u64)] = match kind {
            None => &[],
            Some(ResultKind::Kernel) => &[(2, 1)],
            Some(ResultKind::Range) => &[(7, 1)],
            Some(ResultKind::Cmdlist) => &[(8, 1)],
            Some(ResultKind::Graph) => &[(9, 1)],
        };
        self.write_block(counts, process, session, entry)
    }

    /// Writes a block with at most one entry. NVIDIA's own writers do the same, and its readers take only one kind a block.
    fn write_block(
        &mut self,
        counts: &[(u32, u64)],
        process: &Process<'_>,
        session: Option<Vec<u8>>,
        entry: &[u8],
    ) -> io::Result<()> {
        let count = |field| counts.iter().find(|(f, _)| *f == field).map_or(0, |(_, n)| *n);
        let payload_size = if counts.is_empty() { 0 } else { entry.len() + 4 };
        let too_large =
            || io::Error::new(io::ErrorKind::InvalidInput, "a block of a report cannot hold 4 GiB");
        let size = u32::try_from(payload_size).map_err(|_| too_large())?;
        let mut header = Message::default();
        header.uint(1, count(1));
        header.uint(2, count(2));
        if let Some(session) = session {
            header.bytes(3, &session);
        }
        header.message(4, |m| self.pending.drain(..).for_each(|name| m.text(1, &name)));
        header.uint(5, u64::from(size));
        // ncu's command line crashes on blocks without a process.
        header.message(6, |m| {
            m.uint(1, u64::from(process.pid.unwrap_or(0)));
            m.text(2, &process.host);
            m.text(3, &process.executable);
        });
        for field in 7..=9 {
            if count(field) > 0 {
                header.uint(field, count(field));
            }
        }
        let header_size = u32::try_from(header.as_slice().len()).map_err(|_| too_large())?;
        self.out.write_all(&header_size.to_le_bytes())?;
        self.out.write_all(header.as_slice())?;
        if !counts.is_empty() {
            self.out.write_all(&(size - 4).to_le_bytes())?;
            self.out.write_all(entry)?;
        }
        Ok(())
    }
}

/// The id of a name; a new name is remembered for the next block's string table.
fn intern(names: &mut FxHashMap<String, u64>, pending: &mut Vec<String>, name: &str) -> u64 {
    if let Some(&id) = names.get(name) {
        return id;
    }
    let id = names.len() as u64;
    names.insert(name.to_owned(), id);
    pending.push(name.to_owned());
    id
}

fn encode_session(session: &Session<'_>) -> Vec<u8> {
    let mut out = Message::default();
    if let Some(created) = session.created {
        out.uint(2, created);
    }
    for (field, system) in [(3, &session.host), (4, &session.target)] {
        if let Some(system) = system {
            out.message(field, |m| encode_system(m, system));
        }
    }
    for device in &session.devices {
        out.message(6, |m| {
            m.uint(1, u64::from(device.id));
            m.text(2, &device.name);
            for (name, value) in &device.attributes {
                m.message(3, |m| {
                    m.text(1, name);
                    m.text(2, value);
                });
            }
        });
    }
    out.text_if(7, &session.comments);
    for (provider, version) in &session.versions {
        out.message(8, |m| {
            m.text(1, provider);
            m.text(2, version);
        });
    }
    if let Some(executable) = &session.executable {
        out.message(9, |m| {
            m.text(1, &executable.path);
            m.text(2, &executable.working_dir);
            m.text(3, &executable.arguments);
            m.text(4, &executable.environment);
        });
    }
    out.text_if(11, &session.command_line);
    out.as_slice().to_vec()
}

fn encode_system(out: &mut Message, system: &System<'_>) {
    out.text(1, &system.os);
    out.text(2, &system.build);
    out.text(3, &system.cpu);
    out.text(4, &system.architecture);
    out.text(5, &system.host_name);
    out.uint(6, u64::from(system.platform));
}
