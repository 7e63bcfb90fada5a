//! Rule results: messages, estimated speed-ups, the metrics that they rest on, and tables. Charts are passed over.

use crate::model::{
    FocusMetric, MessageKind, RuleColumn, RuleItem, RuleMessage, RuleResult, RuleTable, Speedup,
    Text,
};
use crate::wire::Fields;

pub(crate) fn rule(bytes: &[u8]) -> RuleResult<'_> {
    Fields::new(bytes).fill(RuleResult::default(), |rule, number, content| match number {
        1 => rule.id = content.text(),
        2 => rule.name = content.text(),
        3 => rule.items.extend(content.message().repeated(1).map(item)),
        4 => rule.section = content.text(),
        _ => {}
    })
}

/// Counts what [`rule`] would make of these bytes.
pub(crate) fn items(bytes: &[u8]) -> usize {
    let of_table = |table: Fields<'_>| -> usize {
        1 + table.repeated(2).map(|column| 1 + column.count()).sum::<usize>()
    };
    let of_item = |item: Fields<'_>| -> usize {
        1 + item
            .map(|(number, content)| match number {
                8 => 1,
                12 => of_table(content.message()),
                _ => 0,
            })
            .sum::<usize>()
    };
    Fields::new(bytes).repeated(3).flat_map(|body| body.repeated(1)).map(of_item).sum()
}

fn item(fields: Fields<'_>) -> RuleItem<'_> {
    fields.fill(RuleItem::default(), |item, number, content| match number {
        1 => item.message = Some(message(content.message())),
        8 => item.focus_metrics.push(focus_metric(content.message())),
        10 => item.speedup = Some(speedup(content.message())),
        12 => item.tables.push(table(content.message())),
        _ => {}
    })
}

fn message(fields: Fields<'_>) -> RuleMessage<'_> {
    fields.fill(RuleMessage::default(), |message, number, content| match number {
        1 => message.text = content.text(),
        2 => message.kind = MessageKind(content.number32()),
        3 => message.id = Some(content.number32().cast_signed()),
        4 => message.title = content.text(),
        _ => {}
    })
}

fn speedup(fields: Fields<'_>) -> Speedup {
    fields.fill(Speedup::default(), |speedup, number, content| match number {
        1 => speedup.kind = content.number32(),
        2 => speedup.pct = content.float64(),
        _ => {}
    })
}

fn focus_metric(fields: Fields<'_>) -> FocusMetric<'_> {
    fields.fill(FocusMetric::default(), |metric, number, content| match number {
        1 => metric.message_id = Some(content.number32().cast_signed()),
        2 => metric.name = content.text(),
        3 => metric.value = content.float64(),
        4 => metric.severity = content.number32(),
        5 => metric.info = content.text(),
        _ => {}
    })
}

fn table(fields: Fields<'_>) -> RuleTable<'_> {
    fields.fill(RuleTable::default(), |table, number, content| match number {
        1 => {
            for (number, content) in content.message() {
                match number {
                    1 => table.title = content.text(),
                    2 => table.description = content.text(),
                    _ => {}
                }
            }
        }
        2 => table.columns.push(column(content.message())),
        _ => {}
    })
}

/// Reads a column. NVIDIA's reader goes by the cells that are there, whatever type and size the column states.
fn column(fields: Fields<'_>) -> (Text<'_>, RuleColumn<'_>) {
    let mut name = Text::default();
    let (mut texts, mut floats, mut integers) = (Vec::new(), Vec::new(), Vec::new());
    for (number, content) in fields {
        match number {
            1 => name = content.text(),
            4 => texts.push(content.text()),
            5 => floats.push(content.float64()),
            6 => integers.push(content.number().cast_signed()),
            _ => {}
        }
    }
    let cells = match (floats.is_empty(), integers.is_empty()) {
        (false, _) => RuleColumn::F64(floats),
        (_, false) => RuleColumn::I64(integers),
        _ => RuleColumn::Text(texts),
    };
    (name, cells)
}
