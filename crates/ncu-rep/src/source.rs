//! Sources: the modules that kernels came from, with names and texts of embedded source files.

use crate::model::Text;
use crate::wire::Fields;

/// One module with its code and source files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source<'a> {
    /// The number by which results refer to it.
    pub reference: u64,
    /// Code, if stored as text.
    pub code: Text<'a>,
    /// PTX.
    pub ptx: &'a [u8],
    /// The cubin, an ELF file.
    pub cubin: &'a [u8],
    /// Compute capability as (major, minor).
    pub compute_capability: (u32, u32),
    /// Embedded source files as name and text.
    pub files: Vec<(Text<'a>, Text<'a>)>,
}

impl<'a> Source<'a> {
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut source = Self::default();
        let mut fields = Fields::new(bytes);
        for (number, content) in fields.by_ref() {
            match number {
                1 => source.reference = content.number(),
                2 => source.code = content.text(),
                3 => source.ptx = content.bytes(),
                4 => source.cubin = content.bytes(),
                6 => {
                    source.compute_capability =
                        (content.number32() >> 16, content.number32() & 0xffff);
                }
                8 => source.files.extend(
                    content
                        .message()
                        .filter(|(n, _)| *n == 1)
                        .map(|(_, file)| file_entry(file.message())),
                ),
                _ => {}
            }
        }
        (!fields.is_malformed()).then_some(source)
    }
}

fn file_entry(fields: Fields<'_>) -> (Text<'_>, Text<'_>) {
    let (mut name, mut text) = (Text::default(), Text::default());
    for (number, content) in fields {
        match number {
            1 => name = content.text(),
            2 => text = content.text(),
            _ => {}
        }
    }
    (name, text)
}
