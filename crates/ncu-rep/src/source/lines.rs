//! A line program: for every instruction of a function, the lines that it was made from.
//!
//! ptxas writes the calls that it inlined as further rows at one address. Each of them names, in an extended opcode of NVIDIA's, the function that it is in and the row of the call, counted from 1 within the sequence. Without that opcode it is the line program of any compiler.

use std::ops::Range;

use gimli::{
    DebugLine, DebugLineOffset, DwLne, EndianSlice, LineInstruction, LineRow, LittleEndian, Reader,
    Relocate, RelocateReader,
};

use crate::limits;

/// Context and name of an inlined function, both ULEB128.
const INLINED_CALL: DwLne = DwLne(0x90);
/// Calls within calls that are followed.
const MOST_FRAMES: usize = 128;
/// Bytes of an address of the device.
const ADDRESS_BYTES: u8 = 8;
/// A longer path is no path.
const LONGEST_PATH: usize = 4 << 10;

/// Where the address at some place of the program leads: a section and an offset in it, as one number.
pub(super) trait Addresses: Fn(usize, u64) -> Option<Address> {}
impl<F: Fn(usize, u64) -> Option<Address>> Addresses for F {}

/// An offset in a section with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) section: u32,
    pub(super) offset: u32,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// Number of the file in its module.
    pub file: u32,
    /// Counted from 1; 0 where the compiler knew none.
    pub line: u32,
}

/// A line, and the function that it is in where that was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub line: Line,
    /// Place of the mangled name among the module's names; 0 is the function itself.
    pub name: u32,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    offset: u32,
    /// Nothing at the end of a sequence.
    line: Option<Line>,
    /// Number of the row of the call, from 1; 0 for none.
    caller: u32,
    name: u32,
}

/// The lines of one section with code, by offset.
#[derive(Clone, Debug, Default)]
pub(super) struct LineTable {
    /// Ascending by offset; rows at one offset are in the order of the program.
    rows: Vec<Row>,
}

impl LineTable {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The line of an instruction, as NVIDIA's reader gives it: of several at one address the first, which is the outermost call.
    pub(super) fn line(&self, offset: u32) -> Option<Line> {
        self.at(offset).iter().find_map(|row| row.line)
    }

    /// The line that the instruction was written in, and then the calls that were inlined, the innermost first.
    pub(super) fn frames(&self, offset: u32) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut next = self.at(offset).iter().rfind(|row| row.line.is_some());
        while let Some(row) = next.filter(|_| frames.len() < MOST_FRAMES) {
            frames.extend(row.line.map(|line| Frame { line, name: row.name }));
            next = row.caller.checked_sub(1).and_then(|caller| self.rows.get(caller as usize));
        }
        frames
    }

    /// The rows that are in force at an offset.
    fn at(&self, offset: u32) -> &[Row] {
        let end = self.rows.partition_point(|row| row.offset <= offset);
        let Some(last) = end.checked_sub(1).and_then(|last| self.rows.get(last)) else {
            return &[];
        };
        let start = self.rows.partition_point(|row| row.offset < last.offset);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// Puts the rows of all sequences into order. A call is a row before its own in a well-formed table; what is not is no call.
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..).take(self.rows.len()).collect();
        order.sort_by_key(|&row| self.rows.get(row as usize).map(|row| row.offset));
        let mut places = vec![0; order.len()];
        for (place, &row) in (1..).zip(&order) {
            if let Some(slot) = places.get_mut(row as usize) {
                *slot = place;
            }
        }
        let sorted = (1..).zip(&order).filter_map(|(place, &row)| {
            let row = *self.rows.get(row as usize)?;
            let caller = row.caller.checked_sub(1).and_then(|caller| places.get(caller as usize));
            Some(Row {
                caller: caller.copied().filter(|&caller| caller < place).unwrap_or(0),
                ..row
            })
        });
        self.rows = sorted.collect();
    }
}

/// A source file as the compiler saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// Its length, if the compiler kept it.
    pub bytes: Option<u64>,
}

/// The outcome of reading a section of line programs.
#[derive(Debug, Default)]
pub(super) struct LineTables {
    /// By number of the section with code.
    pub(super) tables: std::collections::BTreeMap<u32, LineTable>,
    /// The files by their numbers. Absent are those that no row names, and those that are too long to be paths.
    pub(super) files: Vec<Option<File>>,
}

struct Relocator<A>(A);

impl<A> std::fmt::Debug for Relocator<A> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Relocator")
    }
}

/// The section is in the upper bits of an address, so that a program's own arithmetic does not leave it unnoticed.
const SECTION_SHIFT: u32 = 40;
const SECTIONS: u32 = 1 << (u64::BITS - SECTION_SHIFT - 1);
/// The address of a sequence that leads nowhere.
const LOST: u64 = u64::MAX;

impl<A: Addresses> Relocate for &Relocator<A> {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        let address = self.0(offset, value).filter(|address| address.section < SECTIONS);
        Ok(address.map_or(LOST, |Address { section, offset }| {
            u64::from(section) << SECTION_SHIFT | u64::from(offset)
        }))
    }

    fn relocate_offset(&self, _: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

/// Reads all line programs of a section. What is malformed ends the reading; what came before stays good.
pub(super) fn read(section: &[u8], addresses: impl Addresses) -> LineTables {
    let relocator = Relocator(addresses);
    let reader = RelocateReader::new(EndianSlice::new(section, LittleEndian), &relocator);
    let mut programs = Programs::default();
    let lines = DebugLine::from(reader);
    let mut at = 0;
    while at < section.len() {
        match programs.unit(&lines, at) {
            Ok(next) if next > at && !programs.is_full() => at = next,
            _ => break,
        }
    }
    programs.tables.values_mut().for_each(LineTable::sort);
    LineTables { tables: programs.tables, files: programs.files }
}

#[derive(Default)]
struct Programs {
    tables: std::collections::BTreeMap<u32, LineTable>,
    files: Vec<Option<File>>,
    rows: usize,
    path_bytes: usize,
}

impl Programs {
    fn is_full(&self) -> bool {
        self.rows >= limits::LINE_ROWS
    }

    fn unit<R: Reader<Offset = usize>>(
        &mut self,
        lines: &DebugLine<R>,
        at: usize,
    ) -> gimli::Result<usize> {
        let mut program = lines.program(DebugLineOffset(at), ADDRESS_BYTES, None, None)?;
        let header = program.header().clone();
        // The length is in front of what it counts.
        let next = at + 4 + header.unit_length();
        let first_file = self.files.len();
        let mut instructions = header.instructions();
        let mut row = LineRow::new(&header);
        let (mut context, mut name) = (0, 0);
        let mut sequence = Sequence::default();
        let outcome = loop {
            let instruction = match instructions.next_instruction(&header) {
                Ok(Some(instruction)) => instruction,
                Ok(None) => break Ok(next),
                Err(error) => break Err(error),
            };
            if let LineInstruction::UnknownExtended(INLINED_CALL, mut operands) = instruction {
                let mut operand =
                    || operands.read_uleb128().ok().and_then(|n| u32::try_from(n).ok());
                (context, name) = (operand().unwrap_or(0), operand().unwrap_or(0));
                continue;
            }
            if let LineInstruction::SetAddress(address) = instruction {
                // The rows of a sequence ascend, within one section.
                let is_other = !sequence.rows.is_empty()
                    && address >> SECTION_SHIFT != row.address() >> SECTION_SHIFT;
                sequence.is_lost |= address == LOST || address < row.address() || is_other;
            }
            match row.execute(instruction, &mut program) {
                Ok(false) => continue,
                Ok(true) if self.is_full() => break Ok(next),
                Ok(true) => {}
                Err(error) => break Err(error),
            }
            let ends = row.end_sequence();
            self.rows += 1;
            let line = (!ends).then(|| Line {
                file: u32::try_from(first_file as u64 + row.file_index()).unwrap_or(u32::MAX),
                line: row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0),
            });
            sequence.push(row.address(), Row { offset: 0, line, caller: context, name });
            row.reset(program.header());
            if ends {
                (context, name) = (0, 0);
                std::mem::take(&mut sequence).end(&mut self.tables);
            }
        };
        sequence.end(&mut self.tables);
        self.add_files(program.header(), first_file);
        outcome
    }

    /// Appends the paths of a unit's files, so that its file numbers, from 0, continue the list.
    fn add_files<R: Reader<Offset = usize>>(
        &mut self,
        header: &gimli::LineProgramHeader<R>,
        first: usize,
    ) {
        let used = self.tables.values().flat_map(|table| &table.rows);
        let used: rustc_hash::FxHashSet<u32> =
            used.filter_map(|row| Some(row.line?.file)).collect();
        let Some(last) = used.iter().max().map(|&file| file as usize) else { return };
        let known = first + header.file_names().len() + 1;
        for number in first..known.min(last.saturating_add(1)) {
            let is_used = u32::try_from(number).is_ok_and(|number| used.contains(&number));
            let file = is_used.then(|| file(header, (number - first) as u64)).flatten();
            let room = limits::LINE_PATHS - self.path_bytes;
            let file = file.filter(|file| file.path.len() <= room);
            self.path_bytes += file.as_ref().map_or(0, |file| file.path.len());
            self.files.push(file);
        }
    }
}

/// The rows of one sequence; their callers are counted within it.
#[derive(Default)]
struct Sequence {
    rows: Vec<(u64, Row)>,
    /// Whether an address in it leads nowhere.
    is_lost: bool,
}

impl Sequence {
    fn push(&mut self, address: u64, row: Row) {
        self.rows.push((address, row));
    }

    fn end(self, tables: &mut std::collections::BTreeMap<u32, LineTable>) {
        let rows = if self.is_lost { Vec::new() } else { self.rows };
        let Some(section) = rows.first().map(|(address, _)| address >> SECTION_SHIFT) else {
            return;
        };
        let Ok(number) = u32::try_from(section) else { return };
        let table = tables.entry(number).or_default();
        let before = u32::try_from(table.rows.len()).unwrap_or(u32::MAX);
        let rows = (1_u32..).zip(rows).map(|(place, (address, row))| Row {
            offset: address
                .checked_sub(section << SECTION_SHIFT)
                .and_then(|offset| u32::try_from(offset).ok())
                .unwrap_or(u32::MAX),
            caller: match row.caller {
                0 => 0,
                caller if caller < place => caller.saturating_add(before),
                _ => 0,
            },
            ..row
        });
        table.rows.extend(rows);
    }
}

fn file<R: Reader<Offset = usize>>(
    header: &gimli::LineProgramHeader<R>,
    number: u64,
) -> Option<File> {
    let file = header.file(number)?;
    let text = |value: gimli::AttributeValue<R>| match value {
        gimli::AttributeValue::String(text) if text.len() <= LONGEST_PATH => {
            Some(text.to_string_lossy().ok()?.into_owned())
        }
        _ => None,
    };
    let name = text(file.path_name())?;
    let folder = file.directory(header).and_then(text).unwrap_or_default();
    let whole = if folder.is_empty() || is_absolute(&name) { name } else { folder + "/" + &name };
    let path = Some(clean_path(&whole)).filter(|path| path.len() <= LONGEST_PATH)?;
    Some(File { path, bytes: Some(file.size()).filter(|&bytes| bytes > 0) })
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.starts_with(b"/") || bytes.starts_with(b"\\") || bytes.get(1) == Some(&b':')
}

/// One way to write a path, as NVIDIA's reader does it: `/` once between names, and no `.` or `a/..` among them.
pub fn clean_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
        match names.last() {
            Some(&last) if name == ".." && last != ".." => drop(names.pop()),
            _ => names.push(name),
        }
    }
    root.to_owned() + &names.join("/")
}

/// Lines of a text that is stored with a zero byte after each.
pub(super) fn text_line(text: &[u8], line: u32) -> Option<Range<usize>> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.iter().position(|&byte| matches!(byte, 0 | b'\n'))? + 1;
    }
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let length = rest.iter().position(|&byte| matches!(byte, 0 | b'\n')).unwrap_or(rest.len());
    Some(start..start + length)
}
