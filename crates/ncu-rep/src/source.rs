//! Sources: the modules that kernels came from, with names and texts of embedded source files.

use crate::wire::{Fields, Wire};

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
                _ => {}
            }
        }
        (!fields.is_malformed()).then_some(source)
    }
}
