//! Sources: the modules that kernels came from, with names and texts of embedded source files.

mod lines;
mod module;
mod names;
#[cfg(test)]
mod tests;

pub use lines::{File, Frame, Line, clean_path};
pub use module::{Function, Module, ModuleError};
pub use names::demangled;

use crate::wire::{Fields, Wire};

/// Where a source is in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace(pub(crate) std::ops::Range<usize>);

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
    /// Compute capability as (major, minor).
    pub compute_capability: (u32, u32),
    /// Embedded source files as name and text.
    pub files: Vec<(String, String)>,
    /// Where functions were loaded, by mangled name. NVIDIA's readers find the code of an address by that.
    pub loaded: Vec<(String, u64)>,
}

impl Source {
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
                    function.fill((String::new(), 0), |loaded, number, content| match number {
                        1 => loaded.0 = content.text().into_owned(),
                        2 => loaded.1 = content.number(),
                        _ => {}
                    })
                })),
                _ => {}
            }
        }
        (!fields.is_malformed()).then_some(source)
    }
}
