//! From the events of the YAML parser to a tree.
//!
//! The tree is built on an own stack, so that nesting costs no stack space; aliases are expanded within a budget of nodes and text, so that a small file cannot become a large tree.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::scalar;
use crate::error::{ConfigError, Problem};
use crate::limits;
use crate::origin::Origin;
use crate::value::{Key, Map, Node, Value};

/// `origin` names the file; an empty file is an empty map.
pub(crate) fn load(text: &str, origin: &Origin) -> Result<Node, ConfigError> {
    if text.len() > limits::FILE_BYTES {
        return Err(
            ConfigError::too_much("the size of a file", limits::FILE_BYTES).at(&origin.at_line(1))
        );
    }
    let mut builder = Builder::new(origin);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let line = error.marker().line();
            ConfigError::new(Problem::Yaml(format!("not valid YAML: {}", error.info())))
                .at(&origin.at_line(line))
        })?;
        builder.line = span.start.line();
        let here = builder.here();
        builder.take(event).map_err(|error| error.at(&here))?;
    }
    let empty = || Node::new(Value::Map(Map::new()), origin.at_line(1));
    let root = builder.root.unwrap_or_else(empty);
    match root.value {
        Value::Null => Ok(empty()),
        Value::List(_) | Value::Map(_) => Ok(root),
        other => {
            let expected = "a map or a list in the file";
            Err(ConfigError::expected(expected, other.kind()).at(&root.origin))
        }
    }
}

fn yaml(message: impl Into<String>) -> ConfigError {
    ConfigError::new(Problem::Yaml(message.into()))
}

/// A list or map that is not complete yet.
struct Frame {
    anchor: usize,
    line: usize,
    kind: FrameKind,
}

enum FrameKind {
    List(Vec<Node>),
    Map { merged: Vec<(Key, Node)>, own: Map, key: Option<PendingKey> },
}

/// A key whose value has not come yet.
enum PendingKey {
    Key(Key, usize),
    /// `<<`, whose value is merged into the map.
    Merge,
}

struct Builder<'a> {
    origin: &'a Origin,
    line: usize,
    stack: Vec<Frame>,
    anchors: BTreeMap<usize, Node>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
    bytes: usize,
}

impl<'a> Builder<'a> {
    fn new(origin: &'a Origin) -> Self {
        let anchors = BTreeMap::new();
        Self {
            origin,
            line: 1,
            stack: Vec::new(),
            anchors,
            root: None,
            documents: 0,
            nodes: 0,
            bytes: 0,
        }
    }

    fn here(&self) -> Origin {
        self.origin.at_line(self.line)
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), ConfigError> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(yaml("the file has more than one document"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref())
            }
            Event::Alias(anchor) => self.alias(anchor),
            Event::SequenceStart(anchor, tag) => {
                container_tag(tag.as_deref(), "seq")?;
                self.open(anchor, FrameKind::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                container_tag(tag.as_deref(), "map")?;
                self.open(anchor, FrameKind::Map { merged: Vec::new(), own: Map::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
        }
    }

    fn open(&mut self, anchor: usize, kind: FrameKind) -> Result<(), ConfigError> {
        if self.stack.len() >= limits::DEPTH {
            return Err(ConfigError::too_much("the nesting of a file", limits::DEPTH));
        }
        if self.awaits_key() {
            return Err(yaml("a list or map cannot be a key"));
        }
        self.stack.push(Frame { anchor, line: self.line, kind });
        Ok(())
    }

    fn close(&mut self) -> Result<(), ConfigError> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let value = match frame.kind {
            FrameKind::List(items) => Value::List(items),
            FrameKind::Map { merged, own, .. } if merged.is_empty() => Value::Map(own),
            FrameKind::Map { merged, own, .. } => {
                Value::Map(merged.into_iter().chain(own).collect())
            }
        };
        let node = Node::new(value, self.origin.at_line(frame.line));
        self.nodes += 1;
        self.finish(node, frame.anchor)
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), ConfigError> {
        let is_plain = style == ScalarStyle::Plain && tag.is_none();
        if self.awaits_key() && is_plain && matches!(text, "<<" | "=") {
            let key = if text == "<<" {
                PendingKey::Merge
            } else {
                PendingKey::Key(Key::from("="), self.line)
            };
            return self.set_key(key);
        }
        let value = tagged(text, is_plain, tag).map_err(yaml)?;
        self.spend(1, text.len())?;
        self.finish(Node::new(value, self.here()), anchor)
    }

    fn alias(&mut self, anchor: usize) -> Result<(), ConfigError> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err(yaml("an alias refers to something that contains it"));
        };
        let (nodes, bytes) = target.size();
        let node = target.clone();
        self.spend(nodes, bytes)?;
        self.finish(node, 0)
    }

    fn spend(&mut self, nodes: usize, bytes: usize) -> Result<(), ConfigError> {
        self.nodes += nodes;
        self.bytes += bytes;
        if self.nodes > limits::NODES {
            return Err(ConfigError::too_much(
                "the number of values in a file, aliases expanded,",
                limits::NODES,
            ));
        }
        if self.bytes > limits::TEXT_BYTES {
            return Err(ConfigError::too_much(
                "the text of a file, aliases expanded,",
                limits::TEXT_BYTES,
            ));
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(self.stack.last(), Some(Frame { kind: FrameKind::Map { key: None, .. }, .. }))
    }

    fn set_key(&mut self, pending: PendingKey) -> Result<(), ConfigError> {
        let Some(Frame { kind: FrameKind::Map { own, key, .. }, .. }) = self.stack.last_mut()
        else {
            return Ok(());
        };
        if let PendingKey::Key(name, _) = &pending
            && let Some(first) = own.get(name)
        {
            let first = match &first.origin {
                Origin::File { line, .. } => format!(", first in line {line}"),
                _ => String::new(),
            };
            return Err(yaml(format!("the key appears twice{first}")).with_key(name.to_string()));
        }
        *key = Some(pending);
        Ok(())
    }

    /// A node is complete: it is a key, a value, an item, or the document.
    fn finish(&mut self, mut node: Node, anchor: usize) -> Result<(), ConfigError> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        if self.awaits_key() {
            let key = Key::of(&node.value)
                .ok_or_else(|| yaml(format!("{} cannot be a key", node.value.kind())))?;
            return self.set_key(PendingKey::Key(key, self.line));
        }
        if self.stack.len() + node.depth() > limits::DEPTH {
            return Err(ConfigError::too_much(
                "the nesting of a file, aliases expanded,",
                limits::DEPTH,
            ));
        }
        match self.stack.last_mut().map(|frame| &mut frame.kind) {
            None => self.root = Some(node),
            Some(FrameKind::List(items)) => items.push(node),
            Some(FrameKind::Map { merged, own, key }) => match key.take() {
                Some(PendingKey::Key(key, line)) => {
                    node.origin = node.origin.at_line(line);
                    own.insert(key, node);
                }
                Some(PendingKey::Merge) => merged.extend(to_merge(node)?),
                None => {}
            },
        }
        Ok(())
    }
}

/// The entries that `<<` brings: of a map, or of a list of maps in which the first wins.
fn to_merge(node: Node) -> Result<Vec<(Key, Node)>, ConfigError> {
    let refuse = || yaml("`<<` takes a map or a list of maps");
    match node.value {
        Value::Map(map) => Ok(map.into_iter().collect()),
        Value::List(items) => {
            let mut entries = Vec::new();
            for item in items.into_iter().rev() {
                let Value::Map(map) = item.value else { return Err(refuse()) };
                entries.extend(map);
            }
            Ok(entries)
        }
        _ => Err(refuse()),
    }
}

/// The value of a scalar by its tag, or by its form where it has none.
fn tagged(text: &str, is_plain: bool, tag: Option<&Tag>) -> Result<Value, String> {
    let Some(tag) = tag else {
        return if is_plain { scalar::plain(text) } else { Ok(Value::Text(text.to_owned())) };
    };
    let name = if tag.is_yaml_core_schema() { tag.suffix.as_str() } else { "" };
    match name {
        "str" => Ok(Value::Text(text.to_owned())),
        "int" => scalar::int(text).map(Value::Int),
        "float" => scalar::float(text).map(Value::Float),
        "bool" => scalar::boolean(text)
            .map(Value::Bool)
            .ok_or_else(|| format!("`{text}` is not a boolean")),
        "null" => Ok(Value::Null),
        _ => Err(format!("the tag `{tag}` is not supported")),
    }
}

fn container_tag(tag: Option<&Tag>, expected: &str) -> Result<(), ConfigError> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == expected) => {
            Err(yaml(format!("the tag `{tag}` is not supported")))
        }
        _ => Ok(()),
    }
}
