//! The code of a module: an ELF file of NVIDIA's, with a section for each function and, where it was built with `-lineinfo`, a line table.
//!
//! Of a hostile file as much is read as can be checked, and never more rows than [`limits`](crate::limits) allow.

use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader as _, Rel as _, Rela as _, SectionHeader as _, Sym as _};
use rustc_hash::FxHashMap;

use super::lines::{self, Address, File, Frame, Line, LineTable};

type Header = elf::FileHeader64<LittleEndian>;
const E: LittleEndian = LittleEndian;
/// What a section with the code of a function is called, before its mangled name.
const TEXT: &str = ".text.";
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
    /// By mangled name.
    by_name: FxHashMap<String, usize>,
    files: Vec<Option<File>>,
    /// The names of inlined functions, each ended by a zero byte.
    names: Vec<u8>,
    ptx: Vec<u8>,
}

/// A function of a module, with everything that was compiled into its section.
#[derive(Clone, Debug)]
pub struct Function {
    /// Mangled.
    pub name: String,
    /// Bytes of code.
    pub size: u32,
    /// Where the function was in the device's memory, if the module was saved from there.
    pub address: Option<u64>,
    lines: LineTable,
    ptx: LineTable,
}

impl Module {
    pub fn parse(bytes: &[u8]) -> Result<Self, ModuleError> {
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
        // Symbols hold offsets in their section, or addresses in a module that was saved from the device's memory.
        let mut starts: FxHashMap<usize, u64> = FxHashMap::default();
        for symbol in symbols.iter() {
            let start = starts.entry(usize::from(symbol.st_shndx(E).0)).or_insert(u64::MAX);
            *start = (*start).min(symbol.st_value(E));
        }
        let data = |name: &str| -> &[u8] {
            let (_, section) = sections.section_by_name(E, name.as_bytes()).unzip();
            section.and_then(|section| section.data(E, bytes).ok()).unwrap_or_default()
        };
        let table = |name: &str| {
            let mut places: FxHashMap<usize, (u32, Option<i64>)> = FxHashMap::default();
            for kind in [".rel", ".rela"] {
                let Some((_, section)) =
                    sections.section_by_name(E, format!("{kind}{name}").as_bytes())
                else {
                    continue;
                };
                if let Ok(Some((entries, _))) = section.rel(E, bytes) {
                    let place = |r: &elf::Rel64<_>| (r.r_offset(E), (r.r_sym(E), None));
                    places.extend(entries.iter().map(place).filter_map(in_memory));
                }
                if let Ok(Some((entries, _))) = section.rela(E, bytes) {
                    let place = |r: &elf::Rela64<_>| {
                        (r.r_offset(E), (r.r_sym(E, false), Some(r.r_addend(E))))
                    };
                    places.extend(entries.iter().map(place).filter_map(in_memory));
                }
            }
            let address = |place: usize, stored: u64| {
                let &(symbol, addend) = places.get(&place)?;
                let symbol = symbols.symbol(object::SymbolIndex(symbol as usize)).ok()?;
                let section = usize::from(symbol.st_shndx(E).0);
                let start = *starts.get(&section)?;
                let absolute = match addend {
                    Some(addend) => symbol.st_value(E).wrapping_add_signed(addend),
                    // It was relocated when the module was loaded.
                    None if start > 0 && stored >= start => stored,
                    None => symbol.st_value(E).wrapping_add(stored),
                };
                Some(Address {
                    section: u32::try_from(section).ok()?,
                    offset: u32::try_from(absolute.checked_sub(start)?).ok()?,
                })
            };
            lines::read(data(name), address)
        };
        let mut lines = table(".debug_line");
        let mut ptx = table(".nv_debug_line_sass");
        let mut module = Self {
            files: lines.files,
            names: data(".debug_str").to_vec(),
            ptx: data(".nv_debug_ptx_txt").to_vec(),
            ..Self::default()
        };
        for (index, section) in sections.iter().enumerate() {
            let name = sections.section_name(E, section).ok().and_then(|n| str::from_utf8(n).ok());
            let Some(name) = name.and_then(|name| name.strip_prefix(TEXT)) else { continue };
            let Ok(size) = u32::try_from(section.sh_size(E)) else { continue };
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            module.by_name.insert(name.to_owned(), module.functions.len());
            module.functions.push(Function {
                name: name.to_owned(),
                size,
                address: starts.get(&index).copied().filter(|&start| start > 0 && start < u64::MAX),
                lines: lines.tables.remove(&number).unwrap_or_default(),
                ptx: ptx.tables.remove(&number).unwrap_or_default(),
            });
        }
        Ok(module)
    }

    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub fn function(&self, mangled: &str) -> Option<&Function> {
        self.functions.get(*self.by_name.get(mangled)?)
    }

    /// The source files by number; those that no instruction comes from are absent. Paths are as the compiler was given them, in one way of writing.
    pub fn files(&self) -> &[Option<File>] {
        &self.files
    }

    /// Whether any line is known: the program was built with `-lineinfo`.
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
        let line = function.ptx.line(offset)?.line;
        let text = lines::text_line(&self.ptx, line)?;
        Some(String::from_utf8_lossy(self.ptx.get(text)?).into_owned())
    }
}

impl Function {
    /// The line of the instruction at an offset, as NVIDIA's reader gives it.
    pub fn line(&self, offset: u32) -> Option<Line> {
        self.lines.line(offset).filter(|_| offset < self.size)
    }

    /// The line that the instruction was written in, and then the calls that were inlined, the innermost first.
    pub fn frames(&self, offset: u32) -> Vec<Frame> {
        if offset < self.size { self.lines.frames(offset) } else { Vec::new() }
    }
}

fn in_memory<T>((place, what): (u64, T)) -> Option<(usize, T)> {
    Some((usize::try_from(place).ok()?, what))
}
