//! Sections: identifier, title, order, the metrics of the header, and of the body the metrics of timelines. Other charts and tables are passed over.

use crate::limits;
use crate::model::{Section, SectionMetric, Text};
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

/// Where a section names the metrics in the rows of its timelines: body, item, timeline, group, row, metric. Those beside the groups are in no row.
const ROWS: [u32; 6] = [5, 1, 113, 2, 4, 4];

/// The metrics in the rows of the timelines of a section, as often as they are named.
pub(crate) fn timeline(bytes: &[u8]) -> impl Iterator<Item = Text<'_>> {
    let [body, item, timeline, group, row, metric] = ROWS;
    Fields::new(bytes)
        .repeated(body)
        .flat_map(move |fields| fields.repeated(item))
        .flat_map(move |fields| fields.repeated(timeline))
        .flat_map(move |fields| fields.repeated(group))
        .flat_map(move |fields| fields.repeated(row))
        .flat_map(move |fields| fields.repeated(metric))
        .map(|fields| self::metric(fields).name)
        .filter(|name| !name.is_empty())
}

fn metric(fields: Fields<'_>) -> SectionMetric<'_> {
    let (name, label) = fields.pair(Wire::text);
    SectionMetric { name, label }
}
