//! The two NVTX columns, read back into domains, stacks and attributes.
//!
//! A range is `domain:name:payload type:payload:colour type:colour:message type:message`, and domain, name, payload and message may hold colons and quotes themselves. The parts with
//! few possible values (types, colours) are found from the end, and the name is what is left between; of several ways to read a range the one in which the message repeats the name is
//! taken, because that is what NVTX makes of a range with a message. The domain ends at the first colon.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::model::{NvtxAttributes, NvtxDomain, NvtxMessage, NvtxRange, NvtxState, PayloadValue};

use super::note;
use super::nvtx_text::{COLOR_TYPE, INVALID_HANDLE, MESSAGE_TYPES, PAYLOAD_TYPES, REGISTERED};

/// The longest number that a payload may print, which is that of the largest double.
const LONGEST_NUMBER: usize = 330;

#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) state: NvtxState<'static>,
    /// The thread of the push/pop ranges.
    pub(super) thread: Option<u32>,
    /// The last range that could not be read.
    pub(super) unread: Option<String>,
    places: FxHashMap<String, usize>,
}

impl Read {
    /// Adds a cell of the push/pop column, as it stands in the file with its doubled quotes.
    pub(super) fn push_pop(&mut self, raw: &str) {
        for (thread, item) in items(raw) {
            self.thread = self.thread.or(thread);
            match range(item) {
                Some((domain, range)) => self.add(&domain, range, |domain| &mut domain.push_pop),
                None => self.unread = Some(note::excerpt(item)),
            }
        }
        // A cell may name the thread and nothing else.
        self.thread = self.thread.or_else(|| raw.trim().parse().ok());
    }

    pub(super) fn start_stop(&mut self, raw: &str) {
        for (_, item) in items(raw) {
            let numbered =
                item.split_once(':').and_then(|(id, rest)| Some((id.parse().ok()?, range(rest)?)));
            match numbered {
                Some((id, (domain, range))) => {
                    self.add(&domain, NvtxRange { id: Some(id), ..range }, |domain| {
                        &mut domain.start_end
                    });
                }
                None => self.unread = Some(note::excerpt(item)),
            }
        }
    }

    /// Adds a column that names one range, as scripts make them.
    pub(super) fn range_name(&mut self, name: &str) {
        if !name.trim().is_empty() {
            let range = NvtxRange { name: Cow::Owned(name.to_owned()), ..NvtxRange::default() };
            self.add(crate::DEFAULT_DOMAIN, range, |domain| &mut domain.push_pop);
        }
    }

    fn add(
        &mut self,
        domain: &str,
        range: NvtxRange<'static>,
        list: for<'l> fn(&'l mut NvtxDomain<'static>) -> &'l mut Vec<NvtxRange<'static>>,
    ) {
        let domains = &mut self.state.domains;
        let place = match self.places.get(domain) {
            Some(place) => *place,
            None => {
                self.places.insert(domain.to_owned(), domains.len());
                domains.push(NvtxDomain {
                    name: Cow::Owned(domain.to_owned()),
                    ..NvtxDomain::default()
                });
                domains.len() - 1
            }
        };
        if let Some(domain) = domains.get_mut(place) {
            list(domain).push(range);
        }
    }
}

/// The ranges of a cell, each with the thread that is named before it.
fn items(raw: &str) -> impl Iterator<Item = (Option<u32>, &str)> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once(" \"\"")?;
        // The end is a pair of quotes and a blank, and then the end of the cell, the next range or the next thread.
        let end = after.match_indices("\"\" ").map(|(end, _)| end).find(|end| {
            let next = after.get(end + 3..).unwrap_or_default();
            let next = next.trim_start_matches(|char: char| char.is_ascii_digit());
            next.is_empty() || next.starts_with(" \"\"")
        });
        let end = end.or_else(|| after.strip_suffix("\"\"").map(str::len)).unwrap_or(after.len());
        let item = after.get(..end)?;
        rest = after.get(end + 3..).unwrap_or_default();
        Some((before.trim().parse().ok(), item))
    })
}

/// Reads one range and its domain, without copying anything until it is known how.
fn range(item: &str) -> Option<(Cow<'_, str>, NvtxRange<'static>)> {
    let json = PAYLOAD_TYPES.iter().enumerate().skip(7).find_map(|(kind, word)| {
        let word = format!(":{word}:");
        item.find(&word).map(|start| (kind, start, start + word.len()))
    });
    let mut found = None;
    for tail in tails(item) {
        let Some((head, payload)) = payload(item, tail.start, json) else { continue };
        let Some((domain, name)) = head.split_once(':') else { continue };
        let repeats_name = tail.message.is_none_or(|(_, text)| text == Some(name));
        found = Some((domain, name, payload, tail));
        if repeats_name {
            break;
        }
    }
    let (domain, name, payload, tail) = found?;
    let message =
        tail.message.map(|(kind, text)| NvtxMessage { kind, text: text.map(owned), handle: None });
    let attributes =
        (payload.is_some() || tail.color.is_some() || message.is_some()).then(|| NvtxAttributes {
            color: tail.color,
            payload: payload.map(|(kind, value)| (kind, Some(value.into_owned()))),
            message,
            ..NvtxAttributes::default()
        });
    Some((owned(domain), NvtxRange { name: owned(name), attributes, ..NvtxRange::default() }))
}

/// A copy with doubled quotes made single.
fn owned(raw: &str) -> Cow<'static, str> {
    Cow::Owned(raw.replace("\"\"", "\""))
}

/// The last four parts of a range.
#[derive(Clone, Copy)]
struct Tail<'t> {
    /// The position of the colon before them.
    start: usize,
    color: Option<(u32, u32)>,
    message: Option<(u32, Option<&'t str>)>,
}

/// All ways to read the last four parts. There is more than one only if a name or a message looks like them.
fn tails(item: &str) -> impl Iterator<Item = Tail<'_>> {
    item.match_indices(':').filter_map(move |(start, _)| {
        let rest = item.get(start + 1..)?;
        let (color, rest) = match rest.strip_prefix("none:none:") {
            Some(rest) => (None, rest),
            None => {
                let value = rest.strip_prefix(COLOR_TYPE)?.strip_prefix(":0x")?;
                let (digits, rest) =
                    value.split_at_checked(value.bytes().take(9).position(|byte| byte == b':')?)?;
                (Some((1, u32::from_str_radix(digits, 16).ok()?)), rest.strip_prefix(':')?)
            }
        };
        let message = match rest {
            "none:none" => None,
            _ if rest.strip_prefix(':') == Some(INVALID_HANDLE) => Some((REGISTERED, None)),
            _ => (1..).zip(MESSAGE_TYPES.iter().skip(1)).find_map(|(kind, word)| {
                Some(Some((kind, Some(rest.strip_prefix(word)?.strip_prefix(':')?))))
            })?,
        };
        Some(Tail { start, color, message })
    })
}

/// A payload whose text is still the cell's.
#[derive(Clone, Copy)]
enum Payload<'t> {
    Json(&'t str),
    Number(&'t str, usize),
}

impl Payload<'_> {
    fn into_owned(self) -> PayloadValue<'static> {
        match self {
            Self::Json(text) => PayloadValue::Text(owned(text)),
            // A number that does not fit its type is kept as text.
            Self::Number(text, kind) => {
                number_payload(kind, text).unwrap_or_else(|| PayloadValue::Text(owned(text)))
            }
        }
    }
}

/// Reads the payload that ends at `end`. Gives what is before it. `json` is the first place where a JSON payload can begin, which is where it does: it may hold anything.
fn payload(
    item: &str,
    end: usize,
    json: Option<(usize, usize, usize)>,
) -> Option<(&str, Option<(u32, Payload<'_>)>)> {
    let head = item.get(..end)?;
    if let Some(head) = head.strip_suffix(":none:none") {
        return Some((head, None));
    }
    // A number is short and holds no colon.
    let from = head.len().saturating_sub(LONGEST_NUMBER);
    if let Some(colon) = head.as_bytes().get(from..)?.iter().rposition(|byte| *byte == b':') {
        let (before, value) = (head.get(..from + colon)?, head.get(from + colon + 1..)?);
        let number = PAYLOAD_TYPES.iter().enumerate().take(7).skip(1).find_map(|(kind, word)| {
            Some((
                before.strip_suffix(word)?.strip_suffix(':')?,
                (u32::try_from(kind).ok()?, Payload::Number(value, kind)),
            ))
        });
        if let Some((before, payload)) = number {
            return Some((before, Some(payload)));
        }
    }
    let (kind, start, text) = json.filter(|(_, _, text)| *text <= end)?;
    Some((
        item.get(..start)?,
        Some((u32::try_from(kind).ok()?, Payload::Json(item.get(text..end)?))),
    ))
}

fn number_payload(kind: usize, text: &str) -> Option<PayloadValue<'static>> {
    match kind {
        1 => text.parse().ok().map(PayloadValue::U64),
        2 => text.parse().ok().map(PayloadValue::I64),
        3 => text.parse().ok().map(PayloadValue::F64),
        4 => text.parse().ok().map(PayloadValue::U32),
        5 => text.parse().ok().map(PayloadValue::I32),
        6 => text.parse().ok().map(PayloadValue::F32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line per range: domain, name, payload, colour, message.
    fn described(push_pop: &str, start_stop: &str) -> Vec<String> {
        let mut read = Read::default();
        read.push_pop(push_pop);
        read.start_stop(start_stop);
        let mut lines: Vec<_> = read.unread.iter().map(|text| format!("unread {text}")).collect();
        for domain in &read.state.domains {
            for range in domain.push_pop.iter().chain(&domain.start_end) {
                let attributes = range.attributes.clone().unwrap_or_default();
                let id = range.id.map(|id| format!("{id} ")).unwrap_or_default();
                let payload = attributes.payload.map(|payload| format!("|{payload:?}"));
                let color = attributes.color.map(|(_, color)| format!("|{color:x}"));
                let message = attributes.message.map(|message| {
                    format!("|{} {}", message.kind, message.text.as_deref().unwrap_or("?"))
                });
                let more: String = [payload, color, message].into_iter().flatten().collect();
                lines.push(format!("{id}{}|{}{more}", domain.name, range.name));
            }
        }
        lines
    }

    #[test]
    fn stacks_and_domains() {
        let cell = r#"100  ""DomA:A:none:none:RGB:0xff112233:ASCII:A""  ""<default domain>:C:none:none:none:none:none:none"" "#;
        assert_eq!(described(cell, ""), ["DomA|A|ff112233|1 A", "<default domain>|C"]);
        let cell = r#" ""42:D:zeta:Uint32:3:RGB:0x1:ASCII:zeta""  ""7:D:alpha:none:none:none:none:ASCII:alpha"" "#;
        assert_eq!(
            described("", cell),
            ["42 D|zeta|(4, Some(U32(3)))|1|1 zeta", "7 D|alpha|1 alpha"]
        );
    }

    #[test]
    fn the_thread_is_named_first() {
        let mut read = Read::default();
        read.push_pop(r#"129325  ""d:n:none:none:none:none:none:none"" "#);
        assert_eq!(read.thread, Some(129_325));
        let mut read = Read::default();
        read.push_pop("100 ");
        assert_eq!((read.thread, read.state.domains.len()), (Some(100), 0));
    }

    #[test]
    fn names_with_colons_and_quotes() {
        let cell = r#"1  ""d:A::A1:none:none:RGB:0x1:UNICODE:A::A1""  ""d:x "q" y:none:none:none:none:none:none"" "#;
        assert_eq!(described(cell, ""), ["d|A::A1|1|2 A::A1", r#"d|x "q" y"#]);
        let cell = r#"1  ""d:a:none:none:none:none:none:none"" "#;
        assert_eq!(described(cell, ""), ["d|a"]);
        // A name that looks like the parts after it is recognised by the message that repeats it.
        let cell = r#"1  ""d:n:none:none:none:none:ASCII:x:none:none:none:none:ASCII:n:none:none:none:none:ASCII:x"" "#;
        assert_eq!(
            described(cell, ""),
            ["d|n:none:none:none:none:ASCII:x|1 n:none:none:none:none:ASCII:x"]
        );
        let cell = r#"1  ""d:thename:none:none:none:none:ASCII:the message"" "#;
        assert_eq!(described(cell, ""), ["d|thename|1 the message"]);
    }

    #[test]
    fn payloads() {
        let cell = r#"1  ""d:n:Json:{"a":1,"b":[":"]}:RGB:0x1:ASCII:n""  ""d:n:Double:2.500000:none:none::invalid handle"" "#;
        assert_eq!(
            described(cell, ""),
            [
                r#"d|n|(7, Some(Text("{\"a\":1,\"b\":[\":\"]}")))|1|1 n"#,
                "d|n|(3, Some(F64(2.5)))|3 ?"
            ]
        );
    }

    #[test]
    fn what_is_no_range_is_said_to_be_unread() {
        assert_eq!(described(r#"1  ""whatever"" "#, ""), ["unread whatever"]);
        assert_eq!(
            described("", r#" ""x:d:n:none:none:none:none:none:none"" "#),
            ["unread x:d:n:none:none:none:none:none:none"]
        );
        assert!(described("just text", "\"\"").is_empty());
    }
}
