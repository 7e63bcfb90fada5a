//! Sections: identifier, title, order and the metrics of the header. Bodies (charts and tables) are passed over.

use crate::limits;
use crate::model::{Section, SectionMetric};
use crate::wire::{Fields, Wire, before};

pub(crate) fn section(bytes: &[u8]) -> Section<'_> {
    Fields::new(head(bytes).unwrap_or(bytes)).fill(
        Section::default(),
        |section, number, content| match number {
            1 => section.id = content.text(),
            2 => section.name = content.text(),
            3 => section.order = content.number32(),
            4 => {
                let room = limits::ITEMS.saturating_sub(section.header.len());
                section.header.extend(content.message().repeated(2).take(room).map(metric));
            }
            _ => {}
        },
    )
}

/// The bytes of a section before its body, or nothing if it does not begin in these bytes; fields are written in ascending order. Sections with equal heads are equal for [`section`], which makes a cheap cache key.
pub(crate) fn head(bytes: &[u8]) -> Option<&[u8]> {
    before(bytes, |number| number > 4)
}

fn metric(fields: Fields<'_>) -> SectionMetric<'_> {
    let (name, label) = fields.pair(Wire::text);
    SectionMetric { name, label }
}
