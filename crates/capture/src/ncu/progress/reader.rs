//! Telling ncu's lines from the program's in a stream of bytes, and keeping count.

use super::line::{NcuLine, Workload, parse_line};

/// How every line of ncu's begins.
const MARKS: [&[u8]; 3] = [b"==PROF==", b"==WARNING==", b"==ERROR=="];
/// The longest line of ncu's that is waited for; a demangled name fits easily.
const LONGEST: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressEvent {
    /// A line of ncu's as far as it has come; repeated when it has grown.
    Ncu(NcuLine),
    Program(Vec<u8>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgressState {
    pub processes: u64,
    /// Kernels, ranges and graphs that are done.
    pub profiled: u64,
    pub passes: u64,
    pub current: Option<Workload>,
    pub warnings: u64,
    pub errors: u64,
}

#[derive(Clone, Debug, Default)]
pub struct ProgressReader {
    /// The line that has not ended yet, as long as it may be ncu's.
    line: Vec<u8>,
    /// The line that has not ended yet is the program's.
    in_program_line: bool,
    /// The last event about the line that has not ended yet.
    told: Option<NcuLine>,
    /// The beginning of a line about a kernel that was broken before its bar, as some terminals do.
    broken: Option<String>,
    state: ProgressState,
}

impl ProgressReader {
    pub fn state(&self) -> &ProgressState {
        &self.state
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ProgressEvent> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.piece(piece, &mut events);
        }
        events
    }

    /// What is left when the output has ended.
    pub fn finish(&mut self) -> Vec<ProgressEvent> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_of_line(&mut events);
        }
        events
    }

    fn piece(&mut self, piece: &[u8], events: &mut Vec<ProgressEvent>) {
        let ends = piece.ends_with(b"\n");
        if self.in_program_line {
            program(events, piece);
            self.in_program_line = !ends;
            return;
        }
        self.line.extend_from_slice(piece);
        if ends {
            self.end_of_line(events);
        } else if !(may_be_ncu(&self.line) || self.continues()) || self.line.len() > LONGEST {
            program(events, &std::mem::take(&mut self.line));
            self.in_program_line = true;
        } else {
            self.so_far(events);
        }
    }

    fn continues(&self) -> bool {
        self.broken.is_some() && (self.line.starts_with(b"0%") || self.line == b"0")
    }

    fn parse(&self) -> Option<NcuLine> {
        let line = String::from_utf8_lossy(&self.line);
        match &self.broken {
            Some(broken) if self.continues() => parse_line(&format!("{broken} {line}")),
            _ => parse_line(&line),
        }
    }

    fn end_of_line(&mut self, events: &mut Vec<ProgressEvent>) {
        let said = self.parse();
        let line = std::mem::take(&mut self.line);
        self.told = None;
        self.broken = None;
        let Some(said) = said else { return program(events, &line) };
        if let NcuLine::Profiling(workload) = &said
            && line.trim_ascii_end().ends_with(b":")
        {
            self.state.current = Some(workload.clone());
            self.broken = Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
        } else {
            self.count(&said);
        }
        events.push(ProgressEvent::Ncu(said));
    }

    /// Only lines about a kernel are of interest before they end.
    fn so_far(&mut self, events: &mut Vec<ProgressEvent>) {
        let Some(said @ NcuLine::Profiling(_)) = self.parse() else { return };
        if self.told.as_ref() != Some(&said) {
            if let NcuLine::Profiling(workload) = &said {
                self.state.current = Some(workload.clone());
            }
            events.push(ProgressEvent::Ncu(said.clone()));
            self.told = Some(said);
        }
    }

    fn count(&mut self, said: &NcuLine) {
        match said {
            NcuLine::Connected { .. } => self.state.processes += 1,
            NcuLine::Profiling(workload) => {
                self.state.profiled += 1;
                self.state.passes += u64::from(workload.passes.unwrap_or_default());
                self.state.current = None;
            }
            NcuLine::Warning(_) => self.state.warnings += 1,
            NcuLine::Error(_) => self.state.errors += 1,
            NcuLine::Disconnected { .. } | NcuLine::Report { .. } | NcuLine::Other(_) => {}
        }
    }
}

fn may_be_ncu(line: &[u8]) -> bool {
    MARKS.iter().any(|mark| line.starts_with(mark) || mark.starts_with(line))
}

/// Consecutive output of the program is one event.
fn program(events: &mut Vec<ProgressEvent>, bytes: &[u8]) {
    if let Some(ProgressEvent::Program(before)) = events.last_mut() {
        before.extend_from_slice(bytes);
    } else {
        events.push(ProgressEvent::Program(bytes.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::{ProgressEvent, ProgressReader};

    const OUTPUT: &str = "==PROF== Connected to process 74 (/usr/bin/app)\nstep 1\n=\
        \n==PROF== Profiling \"a\" - 0: 0%....50%....100% - 9 passes\n==WARNING== beware\n\
        ==PROF== Profiling \"b\" - 1: 0%....50%....100% - 8 passes\ndone\n==PROF== Disconnected from process 74\nlast";

    fn run(pieces: impl Iterator<Item = Vec<u8>>) -> (String, ProgressReader, usize) {
        let mut reader = ProgressReader::default();
        let mut events: Vec<ProgressEvent> = pieces.flat_map(|piece| reader.feed(&piece)).collect();
        events.extend(reader.finish());
        let mut program = Vec::new();
        let mut said = 0;
        for event in events {
            match event {
                ProgressEvent::Program(bytes) => program.extend(bytes),
                ProgressEvent::Ncu(_) => said += 1,
            }
        }
        (String::from_utf8(program).unwrap(), reader, said)
    }

    #[test]
    fn output_is_told_apart_however_it_is_cut() {
        for size in [1, 2, 3, 7, 20, 1000] {
            let (program, reader, _) = run(OUTPUT.as_bytes().chunks(size).map(<[u8]>::to_vec));
            assert_eq!(program, "step 1\n=\ndone\nlast", "pieces of {size}");
            let state = reader.state();
            assert_eq!((state.processes, state.profiled, state.passes), (1, 2, 17));
            assert_eq!((state.warnings, state.errors, &state.current), (1, 0, &None));
        }
    }

    #[test]
    fn a_kernel_is_told_while_it_runs() {
        let mut reader = ProgressReader::default();
        reader.feed(b"==PROF== Profiling \"a\" - 0: 0%..");
        assert_eq!(reader.state().current.as_ref().map(|current| current.percent), Some(20));
        assert_eq!(reader.feed(b""), []);
        reader.feed(b"..50%");
        assert_eq!(reader.state().current.as_ref().map(|current| current.percent), Some(50));
        reader.feed(b"....100% - 3 passes\n");
        assert_eq!((reader.state().profiled, reader.state().passes), (1, 3));
    }

    #[test]
    fn a_line_that_is_broken_before_its_bar_is_one() {
        let output = "==PROF== Profiling \"a\" - 0: \n0%....50%....100% - 9 passes\n0% is mine\n";
        for size in [1, 5, 1000] {
            let (program, reader, _) = run(output.as_bytes().chunks(size).map(<[u8]>::to_vec));
            assert_eq!(program, "0% is mine\n", "pieces of {size}");
            assert_eq!((reader.state().profiled, reader.state().passes), (1, 9));
        }
    }

    #[test]
    fn output_without_line_ends_does_not_wait() {
        let mut reader = ProgressReader::default();
        assert_eq!(
            reader.feed(b"progress: 10%"),
            [ProgressEvent::Program(b"progress: 10%".to_vec())]
        );
        assert_eq!(reader.feed(b"\r20%\n"), [ProgressEvent::Program(b"\r20%\n".to_vec())]);
        assert_eq!(reader.feed(b"=="), []);
        assert_eq!(reader.feed(b"="), [ProgressEvent::Program(b"===".to_vec())]);
    }
}
