//! Where the functions of a module were in the device's memory, and from an address back to its instruction.
//!
//! What is not certain is said to be unknown: an address leads to an instruction only where nothing in the report contradicts that.

use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{Sym as _, SymbolTable};
use rustc_hash::FxHashMap;

use super::{LoadedFunction, Module};

const E: LittleEndian = LittleEndian;
/// Bytes of an instruction.
const INSTRUCTION: u32 = 16;
/// The bits of an instruction that say what it does, and those of the one that does nothing.
const OPCODE: u16 = 0xfff;
const NOP: u16 = 0x918;
/// Instructions that do nothing, at the end of a function: a compiler fills a few hundred bytes with them at the most.
const MOST_NOPS: usize = 1 << 10;
/// Functions around one address that are looked at.
const MOST_OVERLAPS: usize = 64;

/// Why an address leads to no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Unplaced {
    #[error("the kernel is not in the module that its result names")]
    NoKernel,
    #[error("the report does not say for certain where the kernel's code was")]
    NoAddress,
    #[error("the instructions that were counted are not those of the kernel's code")]
    OtherCode,
    #[error("the address is in no function of the module")]
    Outside,
    #[error("the address is between two instructions")]
    Misaligned,
    #[error("the address is in several functions")]
    Ambiguous,
}

/// An instruction of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Position in [`Module::functions`].
    pub function: usize,
    pub offset: u32,
}

/// Where sections with code were, by their numbers; nothing where statements contradict each other.
#[derive(Debug, Default)]
pub(super) struct Bases(FxHashMap<usize, Option<u64>>);

/// The symbols of a module.
pub(super) type Symbols<'b> = SymbolTable<'b, FileHeader64<LittleEndian>, &'b [u8]>;

impl Bases {
    /// As ncu says where it found functions, by their symbols; `names` are those of sections with code, by number.
    pub(super) fn stated(
        loaded: &[LoadedFunction],
        symbols: &Symbols<'_>,
        names: &FxHashMap<usize, (&str, u64)>,
    ) -> Self {
        let mut bases = Self::default();
        for one in loaded {
            let index = object::SymbolIndex(one.symbol as usize);
            let Ok(symbol) = symbols.symbol(index) else { continue };
            let Ok(Some(section)) = symbols.symbol_section(E, symbol, index) else { continue };
            if names.contains_key(&section.0) {
                let is_named = symbols.symbol_name(E, symbol) == Ok(one.name.as_bytes());
                let base = one.address.checked_sub(symbol.st_value(E));
                bases.state(section.0, base.filter(|_| is_named && is_function(symbol)));
            }
        }
        bases
    }

    /// As the symbols of a module that was saved from the device's memory have it.
    pub(super) fn relocated(symbols: &Symbols<'_>, names: &FxHashMap<usize, (&str, u64)>) -> Self {
        let mut bases = Self::default();
        for (index, symbol) in symbols.enumerate() {
            let Ok(Some(section)) = symbols.symbol_section(E, symbol, index) else { continue };
            let Some((name, size)) = names.get(&section.0) else { continue };
            let is_named = symbols.symbol_name(E, symbol) == Ok(name.as_bytes());
            // What is smaller is an offset in the section.
            if is_named && is_function(symbol) && symbol.st_value(E) >= *size {
                bases.state(section.0, Some(symbol.st_value(E)));
            }
        }
        bases
    }

    fn state(&mut self, section: usize, base: Option<u64>) {
        let base = base.filter(|base| base.is_multiple_of(u64::from(INSTRUCTION)));
        let known = self.0.entry(section).or_insert(base);
        if *known != base {
            *known = None;
        }
    }

    pub(super) fn of(&self, section: usize) -> Option<u64> {
        self.0.get(&section).copied().flatten()
    }
}

fn is_function(symbol: &elf::Sym64<LittleEndian>) -> bool {
    symbol.st_type() == elf::STT_FUNC
}

/// The offset of the last instruction of a function that does something: ncu counts none from there on.
pub(super) fn end_of_counted(code: &[u8]) -> Option<u32> {
    let (instructions, rest) = code.as_chunks::<{ INSTRUCTION as usize }>();
    let does_something =
        |[low, high, ..]: &[u8; 16]| u16::from_le_bytes([*low, *high]) & OPCODE != NOP;
    let behind = instructions.iter().rev().take(MOST_NOPS).position(does_something)?;
    let number = instructions.len().checked_sub(behind + 1).filter(|_| rest.is_empty())?;
    u32::try_from(number).ok()?.checked_mul(INSTRUCTION)
}

/// A function in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: u64,
    size: u32,
    /// The largest end of the spans up to this one, in the order of their starts.
    reach: u64,
    function: usize,
}

/// The functions whose address is known, in the order of their addresses.
pub(super) fn spans(functions: &[super::Function]) -> Vec<Span> {
    let span = |(function, one): (usize, &super::Function)| {
        let (start, size) = (one.address?, one.size);
        Some(Span { start, size, reach: start.checked_add(u64::from(size))?, function })
    };
    let mut spans: Vec<Span> = functions.iter().enumerate().filter_map(span).collect();
    spans.sort_by_key(|span| (span.start, span.function));
    let mut reach = 0;
    for span in &mut spans {
        reach = span.reach.max(reach);
        span.reach = reach;
    }
    spans
}

impl Module {
    /// The function of a result, by its position, if it is known where that was. The addresses at which executed instructions were counted, where they
    /// were, make sure of it: in a kernel that is every instruction up to the branch to itself that ends it, and sometimes what only fills the space behind.
    pub fn kernel(
        &self,
        mangled: &str,
        executed: Option<impl Iterator<Item = u64>>,
    ) -> Result<usize, Unplaced> {
        let (position, kernel) = self.find(mangled).ok_or(Unplaced::NoKernel)?;
        let start = kernel.address.ok_or(Unplaced::NoAddress)?;
        let Some(executed) = executed else { return Ok(position) };
        let mut offsets: Vec<u64> = executed
            .filter_map(|address| address.checked_sub(start))
            .filter(|offset| *offset < u64::from(kernel.size))
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        let end = kernel.counted_end.unwrap_or(0);
        let expected = (0..end).step_by(INSTRUCTION as usize).map(u64::from);
        let (counted, behind) =
            offsets.split_at(offsets.partition_point(|offset| *offset < u64::from(end)));
        let is_kernel = !counted.is_empty()
            && counted.iter().copied().eq(expected)
            && behind.first() != Some(&u64::from(end))
            && behind.iter().all(|offset| offset.is_multiple_of(u64::from(INSTRUCTION)));
        is_kernel.then_some(position).ok_or(Unplaced::OtherCode)
    }

    /// The instruction at an address.
    pub fn place(&self, address: u64) -> Result<At, Unplaced> {
        let end = self.spans.partition_point(|span| span.start <= address);
        let before = self.spans.get(..end).unwrap_or_default().iter().rev();
        let near = before.take_while(|span| span.reach > address).take(MOST_OVERLAPS + 1);
        let mut found: Option<At> = None;
        for (number, span) in near.enumerate() {
            if number == MOST_OVERLAPS {
                return Err(Unplaced::Ambiguous);
            }
            let offset = u32::try_from(address - span.start).ok();
            let Some(offset) = offset.filter(|offset| *offset < span.size) else { continue };
            let at = At { function: span.function, offset };
            if found.is_some_and(|found| self.line(found) != self.line(at)) {
                return Err(Unplaced::Ambiguous);
            }
            found = found.or(Some(at));
        }
        let at = found.ok_or(Unplaced::Outside)?;
        let is_instruction = at.offset.is_multiple_of(INSTRUCTION);
        is_instruction.then_some(at).ok_or(Unplaced::Misaligned)
    }

    fn line(&self, at: At) -> Option<super::Line> {
        self.functions().get(at.function)?.line(at.offset)
    }
}
