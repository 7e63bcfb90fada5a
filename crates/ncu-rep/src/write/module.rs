//! The code of a module as NVIDIA's compilers lay it out, with a line table: for simulated devices and tests.
//!
//! It holds what [`crate::source::Module`] reads, and nothing that a device could run.

/// A function of a module to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenFunction {
    /// Mangled.
    pub name: String,
    /// Bytes of code before the branch to itself with which every function ends.
    pub size: u32,
    /// Ascending by offset.
    pub rows: Vec<WrittenRow>,
}

/// The line that the code from an offset on comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRow {
    pub offset: u32,
    /// Number of the file, from 0.
    pub file: u32,
    pub line: u32,
    /// For inlined code: the mangled name of its function, and the row of the call, counted from 1.
    pub inlined: Option<(String, u32)>,
}

const SECTION_HEADER: usize = 64;
const HEADER: usize = 64;
const SYMBOL: usize = 24;
const RELOCATION: usize = 16;
const CUDA: u16 = 190;
const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const REL: u32 = 9;
/// Registers of a thread, which stand with the code.
const REGISTERS: u32 = 32;
/// Code that is loaded and run.
const CODE: u64 = 6;
/// The device that the code is for, real and virtual, with addresses of 64 bits. nvdisasm refuses a module without one.
const COMPUTE_8_6: u32 = 0x0056_0556;
/// The instruction that does nothing.
const NOP: [u8; 16] = [0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0f, 0];
/// The branch to itself behind the last instruction.
const STOP: [u8; 16] =
    [0x47, 0x79, 0, 0, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x83, 3, 0, 0xc0, 0x0f, 0];

struct Section {
    name: String,
    kind: u32,
    link: u32,
    info: u32,
    entry: usize,
    bytes: Vec<u8>,
}

impl Section {
    fn is_code(&self) -> bool {
        self.name.starts_with(".text.")
    }

    fn alignment(&self) -> usize {
        match self.entry {
            0 if self.is_code() => 128,
            0 => 1,
            _ => 8,
        }
    }
}

impl WrittenFunction {
    fn whole_size(&self) -> u32 {
        self.size.saturating_add(16)
    }
}

/// Writes a module with these functions; files are given by path and length.
pub fn module(functions: &[WrittenFunction], files: &[(String, u64)]) -> Vec<u8> {
    let (mut names, mut symbols) = (vec![0], vec![0; SYMBOL]);
    // Sections: none, names of sections, names of symbols, symbols, lines, their names, their relocations, then the code.
    let first_code = 7_u16;
    for (section, function) in (first_code..).zip(functions) {
        symbols.extend(long(names.len()));
        // A global function.
        symbols.extend([0x12, 0x10]);
        symbols.extend(section.to_le_bytes());
        symbols.extend(0_u64.to_le_bytes());
        symbols.extend(u64::from(function.whole_size()).to_le_bytes());
        names.extend(function.name.bytes().chain([0]));
    }
    let (lines, strings, addresses) = line_program(functions, files);
    let mut relocations = Vec::new();
    for (symbol, place) in (1_u64..).zip(addresses) {
        relocations.extend((place as u64).to_le_bytes());
        relocations.extend((symbol << 32 | 2).to_le_bytes());
    }
    let section = |name: &str, kind, link, info, entry, bytes| Section {
        name: name.to_owned(),
        kind,
        link,
        info,
        entry,
        bytes,
    };
    let mut sections = vec![
        section("", 0, 0, 0, 0, Vec::new()),
        section(".shstrtab", STRTAB, 0, 0, 0, Vec::new()),
        section(".strtab", STRTAB, 0, 0, 0, names),
        section(".symtab", SYMTAB, 2, 1, SYMBOL, symbols),
        section(".debug_line", PROGBITS, 0, 0, 0, lines),
        section(".debug_str", PROGBITS, 0, 0, 0, strings),
        section(".rel.debug_line", REL, 3, 4, RELOCATION, relocations),
    ];
    for (symbol, function) in (1..).zip(functions) {
        let code = NOP.iter().copied().cycle().take(function.size as usize);
        let code = code.chain(STOP).collect();
        let info = REGISTERS << 24 | symbol;
        sections.push(section(&format!(".text.{}", function.name), PROGBITS, 3, info, 0, code));
    }
    elf(sections)
}

fn elf(mut sections: Vec<Section>) -> Vec<u8> {
    let mut names = Vec::new();
    let mut places = Vec::new();
    for section in &sections {
        places.push(names.len());
        names.extend(section.name.bytes().chain([0]));
    }
    if let Some(table) = sections.get_mut(1) {
        table.bytes = names;
    }
    let count = u16::try_from(sections.len()).unwrap_or(u16::MAX);
    let mut end = HEADER;
    for section in &sections {
        end = end.next_multiple_of(section.alignment()) + section.bytes.len();
    }
    let table = end.next_multiple_of(8);
    let mut out = b"\x7fELF\x02\x01\x01\x33\x07".to_vec();
    out.resize(16, 0);
    // A file that is ready to be loaded, of the first version.
    out.extend(2_u16.to_le_bytes());
    out.extend(CUDA.to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    out.extend((table as u64).to_le_bytes());
    out.extend(COMPUTE_8_6.to_le_bytes());
    for short in [HEADER, 56, 0, SECTION_HEADER] {
        out.extend(u16::try_from(short).unwrap_or(0).to_le_bytes());
    }
    out.extend(count.to_le_bytes());
    out.extend(1_u16.to_le_bytes());
    let mut headers = Vec::new();
    let mut at = HEADER;
    for (section, name) in sections.iter().zip(places) {
        headers.extend(long(name));
        headers.extend(section.kind.to_le_bytes());
        let flags = if section.is_code() { CODE } else { 0 };
        at = at.next_multiple_of(section.alignment());
        headers.extend(flags.to_le_bytes());
        headers.extend(0_u64.to_le_bytes());
        headers.extend((at as u64).to_le_bytes());
        headers.extend((section.bytes.len() as u64).to_le_bytes());
        headers.extend(section.link.to_le_bytes());
        headers.extend(section.info.to_le_bytes());
        headers.extend((section.alignment() as u64).to_le_bytes());
        headers.extend((section.entry as u64).to_le_bytes());
        at += section.bytes.len();
    }
    for section in &sections {
        out.resize(out.len().next_multiple_of(section.alignment()), 0);
        out.extend(&section.bytes);
    }
    out.resize(table, 0);
    out.extend(headers);
    out
}

/// The line program, the names in it, and where the address of each function stands.
fn line_program(
    functions: &[WrittenFunction],
    files: &[(String, u64)],
) -> (Vec<u8>, Vec<u8>, Vec<usize>) {
    let mut names = vec![0];
    let mut head = vec![1, 1, 0xfb, 14, 10];
    // How many operands each standard opcode has, then no folders.
    head.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0]);
    for (path, length) in files {
        head.extend(path.bytes().chain([0, 0, 0]));
        uleb(&mut head, *length);
    }
    head.push(0);
    let mut addresses = Vec::new();
    let mut program = Vec::new();
    // The length, the version, the length of the head, and the head.
    let before = 4 + 2 + 4 + head.len();
    for function in functions {
        program.extend([0, 9, 2]);
        addresses.push(before + program.len());
        program.extend(0_u64.to_le_bytes());
        let (mut offset, mut line) = (0, 1_i64);
        for row in &function.rows {
            let mut call = vec![0x90];
            match &row.inlined {
                Some((name, caller)) => {
                    uleb(&mut call, u64::from(*caller));
                    uleb(&mut call, names.len() as u64);
                    names.extend(name.bytes().chain([0]));
                }
                None => call.extend([0, 0]),
            }
            program.push(0);
            uleb(&mut program, call.len() as u64);
            program.extend(call);
            program.push(4);
            uleb(&mut program, u64::from(row.file) + 1);
            program.push(3);
            sleb(&mut program, i64::from(row.line) - line);
            program.push(2);
            uleb(&mut program, u64::from(row.offset.saturating_sub(offset)));
            program.push(1);
            (offset, line) = (row.offset, i64::from(row.line));
        }
        program.push(2);
        uleb(&mut program, u64::from(function.whole_size().saturating_sub(offset)));
        program.extend([0, 1, 1]);
    }
    let mut out = long(2 + 4 + head.len() + program.len()).to_vec();
    out.extend(2_u16.to_le_bytes());
    out.extend(long(head.len()));
    out.extend(head);
    out.extend(program);
    (out, names, addresses)
}

fn long(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn uleb(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[expect(clippy::cast_sign_loss, reason = "seven bits at a time, with the sign in the last")]
fn sleb(out: &mut Vec<u8>, mut number: i64) {
    loop {
        let bits = (number & 0x7f) as u8;
        number >>= 7;
        let is_last = (number == 0 && bits & 0x40 == 0) || (number == -1 && bits & 0x40 != 0);
        out.push(if is_last { bits } else { bits | 0x80 });
        if is_last {
            return;
        }
    }
}
