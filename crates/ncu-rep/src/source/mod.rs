//! Sources: the modules that kernels came from, with names and texts of embedded source files.

mod lines;
mod module;
mod names;
mod place;
#[cfg(test)]
mod tests;

pub use lines::{File, Frame, Line, clean_path};
pub use module::{Function, Module, ModuleError};
pub use names::demangled;
pub use place::{At, Unplaced};

use crate::wire::{Fields, Wire};

/// Where a source is in its file: in one message or several, because functions that are loaded later come in messages of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace(pub(crate) Vec<std::ops::Range<usize>>);

/// One module with its code and source files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The number by which results refer to it.
    pub reference: u64,
    /// Present if it is stored as text.
    pub code: String,
    pub ptx: Vec<u8>,
    /// An ELF file.
    pub cubin: Vec<u8>,
    /// Whether there was another one with the same number: then nothing says which a result means.
    pub is_ambiguous: bool,
    /// Compute capability as (major, minor).
    pub compute_capability: (u32, u32),
    /// Embedded source files as name and text.
    pub files: Vec<(String, String)>,
    /// Where functions were loaded; older versions of ncu state it in the cubin itself.
    pub loaded: Vec<LoadedFunction>,
}

/// A function in the memory of the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedFunction {
    /// Mangled.
    pub name: String,
    pub address: u64,
    /// Its place in the cubin's table of symbols.
    pub symbol: u32,
}

impl Source {
    /// Takes from a later message with the same number what was not there yet.
    pub(crate) fn merge(&mut self, later: Self) {
        let keep = |mine: &mut Vec<u8>, later| {
            if mine.is_empty() {
                *mine = later;
            }
        };
        self.is_ambiguous |=
            !self.cubin.is_empty() && !later.cubin.is_empty() && self.cubin != later.cubin;
        keep(&mut self.ptx, later.ptx);
        keep(&mut self.cubin, later.cubin);
        if self.code.is_empty() {
            self.code = later.code;
        }
        if self.compute_capability == (0, 0) {
            self.compute_capability = later.compute_capability;
        }
        self.files.extend(later.files);
        self.loaded.extend(later.loaded);
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut source = Self::default();
        let mut fields = Fields::new(bytes);
        for (number, content) in fields.by_ref() {
            match number {
                1 => source.reference = content.number(),
                2 => source.code = content.text().into_owned(),
                3 => source.ptx = content.bytes().to_vec(),
                4 => source.cubin = content.bytes().to_vec(),
                6 => {
                    source.compute_capability =
                        (content.number32() >> 16, content.number32() & 0xffff);
                }
                8 => source.files.extend(content.message().repeated(1).map(|file| {
                    let (name, text) = file.pair(Wire::text);
                    (name.into_owned(), text.into_owned())
                })),
                9 => source.loaded.extend(content.message().repeated(1).map(|function| {
                    function.fill(LoadedFunction::default(), |loaded, number, content| match number
                    {
                        1 => loaded.name = content.text().into_owned(),
                        2 => loaded.address = content.number(),
                        3 => loaded.symbol = content.number32(),
                        _ => {}
                    })
                })),
                _ => {}
            }
        }
        (!fields.is_malformed()).then_some(source)
    }
}
