//! From a tree to YAML text, with or without the origin of every value in a comment.

use super::scalar;
use crate::origin::Origin;
use crate::python;
use crate::value::{Key, Node, Value};

/// Column at which comments begin, where the line is shorter.
const COMMENT_COLUMN: usize = 56;

pub(crate) fn write(node: &Node, origins: bool) -> String {
    let mut writer = Writer { out: String::new(), origins };
    match &node.value {
        Value::Map(map) if map.is_empty() => writer.line("{}".to_owned(), None),
        Value::List(items) if items.is_empty() => writer.line("[]".to_owned(), None),
        Value::Map(_) | Value::List(_) => writer.block(node, 0, ""),
        other => writer.line(scalar_text(other), Some(&node.origin)),
    }
    writer.out
}

/// Writes JSON as YAML that reads back as the same, for records beside a configuration.
pub fn json_as_yaml(value: &serde_json::Value) -> String {
    write(&node_of(value), false)
}

fn node_of(value: &serde_json::Value) -> Node {
    let value = match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(node_of).collect()),
        serde_json::Value::Object(map) => Value::Map(
            map.iter().map(|(key, value)| (Key::from(key.as_str()), node_of(value))).collect(),
        ),
    };
    Node::new(value, Origin::Override { index: 0, text: "".into() })
}

struct Writer {
    out: String,
    origins: bool,
}

impl Writer {
    /// The entries of a list or map that is not empty. `lead` stands before the first one instead of its indent.
    fn block(&mut self, node: &Node, indent: usize, lead: &str) {
        let mut lead = lead.to_owned();
        let mut start = |bullet: &str| {
            let taken = std::mem::take(&mut lead);
            if taken.is_empty() {
                format!("{:indent$}{bullet}", "")
            } else {
                format!("{taken}{bullet}")
            }
        };
        match &node.value {
            Value::Map(map) => {
                for (key, child) in map {
                    let head = format!("{}{}:", start(""), scalar_text(&key.to_value()));
                    self.entry(head, child, indent);
                }
            }
            Value::List(items) => {
                for item in items {
                    let head = start("- ");
                    if block_of(item) {
                        self.block(item, indent + 2, &head);
                    } else {
                        self.line(format!("{head}{}", inline(&item.value)), Some(&item.origin));
                    }
                }
            }
            _ => {}
        }
    }

    /// A key and its value, on one line or with the value below.
    fn entry(&mut self, head: String, child: &Node, indent: usize) {
        if !block_of(child) {
            return self.line(format!("{head} {}", inline(&child.value)), Some(&child.origin));
        }
        let is_list = matches!(child.value, Value::List(_));
        self.line(head, is_list.then_some(&child.origin));
        // Lists stand at the indent of their key, as Hydra writes them.
        self.block(child, if is_list { indent } else { indent + 2 }, "");
    }

    fn line(&mut self, mut text: String, origin: Option<&Origin>) {
        if let (true, Some(origin)) = (self.origins, origin) {
            let width = text.chars().count();
            let gap = COMMENT_COLUMN.saturating_sub(width).max(2);
            // An override may contain line breaks, which would end the comment.
            let origin = origin.to_string().replace(|c: char| c.is_control(), " ");
            text = format!("{text}{:gap$}# {origin}", "");
        }
        self.out.push_str(&text);
        self.out.push('\n');
    }
}

/// Whether the node needs lines of its own.
fn block_of(node: &Node) -> bool {
    match &node.value {
        Value::Map(map) => !map.is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => false,
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Map(_) => "{}".to_owned(),
        Value::List(_) => "[]".to_owned(),
        scalar => scalar_text(scalar),
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => float_text(*value),
        Value::Text(text) => quoted_where_needed(text),
        Value::List(_) | Value::Map(_) => String::new(),
    }
}

/// A float in a form that YAML 1.1 takes for a float too.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        ".nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        python::float_text(value)
    }
}

/// The text as it is, where that reads back as the same text, else in quotes.
fn quoted_where_needed(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let needs_escape =
        |c: char| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}');
    if !text.contains(needs_escape) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => {
                let code = c as u32;
                let escape =
                    if code <= 0xff { format!("\\x{code:02x}") } else { format!("\\u{code:04x}") };
                out.push_str(&escape);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text may stand without quotes: it would be read as text, and nothing in it is YAML's own.
fn is_plain(text: &str) -> bool {
    let starts_well = |c: char| c.is_alphanumeric() || "_/.$(+<^".contains(c);
    let stays_well = |c: char| c.is_alphanumeric() || " _-./*+=@%$()<>:;~^?!".contains(c);
    text.starts_with(starts_well)
        && text.chars().all(stays_well)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && text != "<<"
        && scalar::plain(text).is_ok_and(|value| matches!(value, Value::Text(_)))
        // Other YAML readers take dates for dates.
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}
