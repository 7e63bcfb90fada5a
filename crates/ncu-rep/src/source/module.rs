//! The code of a module: an ELF file of NVIDIA's, with a section for each function and, where it was built with `-lineinfo`, a line table.
//!
//! Of a hostile file as much is read as can be checked, and never more rows than [`limits`](crate::limits) allow.

use object::LittleEndian;
use object::elf;
use object::read::elf::{
    FileHeader as _, Rel as _, Rela as _, SectionHeader as _, SectionTable, Sym as _,
};
use rustc_hash::FxHashMap;

use super::LoadedFunction;
use super::lines::{self, Address, File, Frame, Line, LineTable};
use super::place::{Bases, Span, end_of_counted, spans};

type Header = elf::FileHeader64<LittleEndian>;
const E: LittleEndian = LittleEndian;
/// What a section with the code of a function is called, before its mangled name.
const TEXT: &str = ".text.";
const LINES: &str = ".debug_line";
/// What sections with PTX begin with; a linked module has one of each object, with a number behind.
const PTX: &str = ".nv_debug_ptx_txt";
/// ELF's number for CUDA code.
const EM_CUDA: u16 = 190;

/// Why a module gives no functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModuleError {
    #[error("the module holds no code")]
    Empty,
    #[error("the module's code is no ELF file, or a damaged one")]
    NotElf,
    #[error("the module's code is for machine {0} and not for CUDA (190)")]
    Machine(u16),
}

/// The functions of a module, with their lines.
#[derive(Clone, Debug, Default)]
pub struct Module {
    functions: Vec<Function>,
    /// By mangled name; nothing where several functions have it.
    by_name: FxHashMap<String, Option<usize>>,
    pub(super) spans: Vec<Span>,
    has_line_table: bool,
    files: Vec<Option<File>>,
    /// The names of inlined functions, each ended by a zero byte.
    names: Vec<u8>,
    /// Texts of PTX, and by the number of a file of their line tables which of them it is, if it is there. The first is that of files without a name.
    ptx: Vec<Vec<u8>>,
    ptx_of_file: Vec<Option<usize>>,
}

/// A function of a module, with everything that was compiled into its section.
#[derive(Clone, Debug)]
pub struct Function {
    /// Mangled.
    pub name: String,
    /// Bytes of code.
    pub size: u32,
    /// Where the function was in the device's memory, if that is certain.
    pub address: Option<u64>,
    /// Where the instructions end that ncu counts.
    pub(super) counted_end: Option<u32>,
    lines: LineTable,
    ptx: LineTable,
}

impl Module {
    /// Reads the code of a module; `loaded` is where the functions were, as far as the report says.
    pub fn parse(bytes: &[u8], loaded: &[LoadedFunction]) -> Result<Self, ModuleError> {
        if bytes.is_empty() {
            return Err(ModuleError::Empty);
        }
        let header = Header::parse(bytes).map_err(|_| ModuleError::NotElf)?;
        let machine = header.e_machine.get(E).0;
        if machine != EM_CUDA {
            return Err(ModuleError::Machine(machine));
        }
        let sections = header.sections(E, bytes).map_err(|_| ModuleError::NotElf)?;
        let symbols = sections.symbols(E, bytes, elf::SHT_SYMTAB).unwrap_or_default();
        let data = |name: &str| -> &[u8] {
            let (_, section) = sections.section_by_name(E, name.as_bytes()).unzip();
            section.and_then(|section| section.data(E, bytes).ok()).unwrap_or_default()
        };
        let code = code_sections(&sections);
        let bases = match loaded {
            [] => Bases::relocated(&symbols, &code),
            _ => Bases::stated(loaded, &symbols, &code),
        };
        let table = |name: &str| {
            let places = relocations(&sections, bytes, name);
            let address = |place: usize, stored: u64| {
                let &(symbol, addend) = places.get(&place)?;
                let index = object::SymbolIndex(symbol as usize);
                let symbol = symbols.symbol(index).ok()?;
                let section = symbols.symbol_section(E, symbol, index).ok()??.0;
                let (_, size) = code.get(&section)?;
                // Symbols hold offsets in their section. In a module that was saved from the device's memory they, and what they were put into, may be addresses.
                let base = bases.of(section).filter(|_| loaded.is_empty());
                let in_section = |value: u64| {
                    base.and_then(|base| value.checked_sub(base)).filter(|offset| offset < size)
                };
                let offset = in_section(stored).or_else(|| {
                    let value = symbol.st_value(E);
                    let start = in_section(value).unwrap_or(value);
                    match addend {
                        Some(addend) => start.checked_add_signed(addend),
                        None => start.checked_add(stored),
                    }
                });
                Some(Address {
                    section: u32::try_from(section).ok()?,
                    offset: u32::try_from(offset?).ok()?,
                })
            };
            lines::read(data(name), address)
        };
        let mut lines = table(LINES);
        let mut ptx = table(".nv_debug_line_sass");
        let mut module = Self {
            has_line_table: !data(LINES).is_empty(),
            files: lines.files,
            names: data(".debug_str").to_vec(),
            ..Self::default()
        };
        let mut numbers: Vec<usize> = code.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some((name, size)) = code.get(&number) else { continue };
            let Ok(size) = u32::try_from(*size) else { continue };
            let section = sections.section(object::SectionIndex(number)).ok();
            let bytes = section.and_then(|section| section.data(E, bytes).ok());
            let position = module.functions.len();
            let number_of_lines = u32::try_from(number).unwrap_or(u32::MAX);
            module
                .by_name
                .entry((*name).to_owned())
                .and_modify(|known| *known = None)
                .or_insert(Some(position));
            module.functions.push(Function {
                name: (*name).to_owned(),
                size,
                address: bases.of(number),
                counted_end: bytes.and_then(end_of_counted),
                lines: lines.tables.remove(&number_of_lines).unwrap_or_default(),
                ptx: ptx.tables.remove(&number_of_lines).unwrap_or_default(),
            });
        }
        module.spans = spans(&module.functions);
        module.keep_ptx(&ptx.files, bytes.len(), data);
        Ok(module)
    }

    /// Keeps the sections with PTX, which are files to the line tables; no more bytes of them than the module has.
    fn keep_ptx<'b>(
        &mut self,
        files: &[Option<File>],
        mut room: usize,
        data: impl Fn(&str) -> &'b [u8],
    ) {
        let unnamed = data(PTX);
        room = room.saturating_sub(unnamed.len());
        self.ptx.push(unnamed.to_vec());
        let mut kept: FxHashMap<&str, Option<usize>> = FxHashMap::from_iter([(PTX, Some(0))]);
        let paths = files.iter().map(|file| file.as_ref().map(|file| file.path.as_str()));
        let number = |path: Option<_>| {
            let Some(path): Option<&str> = path else { return Some(0) };
            *kept.entry(path).or_insert_with(|| {
                let text = data(path);
                room = room.checked_sub(text.len()).filter(|_| path.starts_with(PTX))?;
                self.ptx.push(text.to_vec());
                Some(self.ptx.len() - 1)
            })
        };
        self.ptx_of_file = paths.map(number).collect();
    }

    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub fn function(&self, mangled: &str) -> Option<&Function> {
        Some(self.find(mangled)?.1)
    }

    /// A function and its position.
    pub(super) fn find(&self, mangled: &str) -> Option<(usize, &Function)> {
        let position = self.by_name.get(mangled).copied().flatten()?;
        Some((position, self.functions.get(position)?))
    }

    /// The source files by number; those that no instruction comes from are absent. Paths are as the compiler was given them, in one way of writing.
    pub fn files(&self) -> &[Option<File>] {
        &self.files
    }

    /// Whether the program was built with `-lineinfo`.
    pub fn has_line_table(&self) -> bool {
        self.has_line_table
    }

    /// Whether any line is known.
    pub fn has_lines(&self) -> bool {
        self.files.iter().any(Option::is_some)
    }

    /// The mangled name of the inlined function that a frame is in.
    pub fn inlined(&self, frame: Frame) -> Option<&str> {
        let name = self.names.get(frame.name as usize..).filter(|_| frame.name > 0)?;
        let length = name.iter().position(|&byte| byte == 0)?;
        str::from_utf8(name.get(..length)?).ok()
    }

    /// The line of PTX that an instruction was made from, where the module holds PTX.
    pub fn ptx(&self, function: &Function, offset: u32) -> Option<String> {
        let line = function.ptx.line(offset)?;
        let number = self.ptx_of_file.get(line.file as usize).copied().unwrap_or(Some(0))?;
        let text = self.ptx.get(number)?;
        let line = lines::text_line(text, line.line)?;
        Some(String::from_utf8_lossy(text.get(line)?).into_owned())
    }
}

impl Function {
    /// Whether any instruction has a line.
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The line of the instruction at an offset, as NVIDIA's reader gives it.
    pub fn line(&self, offset: u32) -> Option<Line> {
        self.lines.line(offset).filter(|_| offset < self.size)
    }

    /// The line that the instruction was written in, and then the calls that were inlined, the innermost first.
    pub fn frames(&self, offset: u32) -> Vec<Frame> {
        if offset < self.size { self.lines.frames(offset) } else { Vec::new() }
    }
}

/// The sections with code, by number: the mangled name of their function, and their bytes.
fn code_sections<'b>(sections: &SectionTable<'b, Header>) -> FxHashMap<usize, (&'b str, u64)> {
    let code = |(number, section): (object::SectionIndex, &'b elf::SectionHeader64<_>)| {
        let name = str::from_utf8(sections.section_name(E, section).ok()?).ok()?;
        let is_code = section.sh_flags(E).contains(elf::SHF_EXECINSTR);
        Some((number.0, (name.strip_prefix(TEXT).filter(|_| is_code)?, section.sh_size(E))))
    };
    sections.enumerate().filter_map(code).collect()
}

/// What is to be put into a section, by its place there: the number of a symbol, and what is added to it where that does not stand at the place itself.
fn relocations(
    sections: &SectionTable<'_, Header>,
    bytes: &[u8],
    name: &str,
) -> FxHashMap<usize, (u32, Option<i64>)> {
    let mut places = FxHashMap::default();
    for kind in [".rel", ".rela"] {
        let name = format!("{kind}{name}");
        let Some((_, section)) = sections.section_by_name(E, name.as_bytes()) else { continue };
        if let Ok(Some((entries, _))) = section.rel(E, bytes) {
            let place = |r: &elf::Rel64<_>| (r.r_offset(E), (r.r_sym(E), None));
            places.extend(entries.iter().map(place).filter_map(in_memory));
        }
        if let Ok(Some((entries, _))) = section.rela(E, bytes) {
            let place =
                |r: &elf::Rela64<_>| (r.r_offset(E), (r.r_sym(E, false), Some(r.r_addend(E))));
            places.extend(entries.iter().map(place).filter_map(in_memory));
        }
    }
    places
}

fn in_memory<T>((place, what): (u64, T)) -> Option<(usize, T)> {
    Some((usize::try_from(place).ok()?, what))
}
