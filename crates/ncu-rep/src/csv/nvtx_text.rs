//! The text of the two NVTX columns, written exactly as ncu writes it.
//!
//! A push/pop cell is the thread's number and then every range of its stacks; a start/stop cell is every open range with its id. A range is eight parts joined by colons, between
//! doubled quotes, which is how ncu makes the quotes survive as CSV. Quotes inside names and payloads are not doubled, which is how it breaks it.

use crate::model::{NvtxAttributes, NvtxMessage, NvtxRange, NvtxState, PayloadValue};

use super::cells;

/// The words for the types of payloads, by the number in the file.
pub(super) const PAYLOAD_TYPES: [&str; 9] =
    ["none", "Uint64", "Int64", "Double", "Uint32", "Int32", "Float", "Json", "JsonRegistered"];
/// The words for the types of messages, by the number in the file.
pub(super) const MESSAGE_TYPES: [&str; 4] = ["none", "ASCII", "UNICODE", "REGISTERED"];
/// The type of a message that is a registered string.
pub(super) const REGISTERED: u32 = 3;
/// The word for a colour that is set.
pub(super) const COLOR_TYPE: &str = "RGB";
/// What stands for the text of a handle that was never registered.
pub(super) const INVALID_HANDLE: &str = "invalid handle";

/// The cell of the push/pop column: empty if the launching thread had no range open.
pub(super) fn push_pop(thread: u32, state: &NvtxState<'_>) -> String {
    let mut text = String::new();
    for domain in &state.domains {
        for range in &domain.push_pop {
            if text.is_empty() {
                text = format!("{thread} ");
            }
            push_range(&mut text, None, &domain.name, range);
        }
    }
    text
}

/// The cell of the start/stop column.
pub(super) fn start_end(state: &NvtxState<'_>) -> String {
    let mut text = String::new();
    for domain in &state.domains {
        for range in &domain.start_end {
            push_range(&mut text, Some(range.id.unwrap_or(0)), &domain.name, range);
        }
    }
    text
}

fn push_range(text: &mut String, id: Option<u64>, domain: &str, range: &NvtxRange<'_>) {
    text.push_str(" \"\"");
    if let Some(id) = id {
        text.push_str(&id.to_string());
        text.push(':');
    }
    for part in [domain, &range.name] {
        text.push_str(part);
        text.push(':');
    }
    match &range.attributes {
        Some(attributes) => text.push_str(&attribute_parts(attributes)),
        None => text.push_str("none:none:none:none:none:none"),
    }
    text.push_str("\"\" ");
}

fn attribute_parts(attributes: &NvtxAttributes<'_>) -> String {
    let payload = match &attributes.payload {
        Some((kind, value)) if *kind != 0 => match PAYLOAD_TYPES.get(*kind as usize) {
            Some(word) => {
                format!("{word}:{}", value.as_ref().map(payload_text).unwrap_or_default())
            }
            None => "none:none".to_owned(),
        },
        _ => "none:none".to_owned(),
    };
    let color = match attributes.color {
        Some((1, argb)) => format!("{COLOR_TYPE}:{argb:#x}"),
        _ => "none:none".to_owned(),
    };
    format!("{payload}:{color}:{}", message_parts(attributes.message.as_ref()))
}

fn message_parts(message: Option<&NvtxMessage<'_>>) -> String {
    let Some(message) = message.filter(|message| message.kind != 0) else {
        return "none:none".to_owned();
    };
    match (&message.text, MESSAGE_TYPES.get(message.kind as usize)) {
        (Some(text), Some(word)) => format!("{word}:{text}"),
        (None, Some(_)) if message.handle.is_some() => format!(":{INVALID_HANDLE}"),
        (None, Some(word)) => format!("{word}:"),
        (_, None) => "none:none".to_owned(),
    }
}

fn payload_text(value: &PayloadValue<'_>) -> String {
    match value {
        PayloadValue::U64(value) => value.to_string(),
        PayloadValue::I64(value) => value.to_string(),
        PayloadValue::F64(value) => cells::fixed(*value),
        PayloadValue::U32(value) => value.to_string(),
        PayloadValue::I32(value) => value.to_string(),
        PayloadValue::F32(value) => cells::fixed(f64::from(*value)),
        PayloadValue::Text(text) => text.to_string(),
    }
}
