//! Sections: identifier, title, order and the metrics of the header. Bodies (charts and tables) are passed over.

use crate::model::{Section, SectionMetric};
use crate::wire::Fields;

pub(crate) fn section(bytes: &[u8]) -> Section<'_> {
    let mut section = Section::default();
    for (number, content) in Fields::new(bytes) {
        match number {
            1 => section.id = content.text(),
            2 => section.name = content.text(),
            3 => section.order = content.number32(),
            4 => section.header.extend(
                content.message().filter(|(n, _)| *n == 2).map(|(_, m)| metric(m.message())),
            ),
            // Fields are written in ascending order; what follows is the body.
            _ => break,
        }
    }
    section
}

/// The bytes of a section up to its body: sections of different results with equal heads are equal for [`section`], which makes a cheap cache key.
pub(crate) fn head(bytes: &[u8]) -> &[u8] {
    let mut end = 0;
    for (number, content) in Fields::new(bytes) {
        if number > 4 {
            break;
        }
        let consumed = content.bytes();
        end = if consumed.is_empty() {
            end
        } else {
            consumed.as_ptr().addr() + consumed.len() - bytes.as_ptr().addr()
        };
    }
    &bytes[..end.min(bytes.len())]
}

fn metric(fields: Fields<'_>) -> SectionMetric<'_> {
    let mut metric = SectionMetric::default();
    for (number, content) in fields {
        match number {
            1 => metric.name = content.text(),
            2 => metric.label = content.text(),
            _ => {}
        }
    }
    metric
}
