//! Rows of partials as cells of a table, and back.
//!
//! What stands in a file is a contract: docs/scale.md lists items and columns.

use std::borrow::Cow;

use rangescope_model::document::Limit;
use rangescope_model::launch::{DeviceId, LaunchKind, PciAddress, ProcessInfo, SectionInfo};
use rangescope_model::partial::{DomainRanges, Fact, Group, Message, RuleName, Tally, Total};
use rangescope_model::words::Word;
use rangescope_report::tables::Cell;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a row without a group is about.
pub(super) const INPUT: &str = "input";
pub(super) const METRIC: &str = "metric";

/// The columns of `PARTIALS` that tell groups apart.
pub(super) const GROUP_COLUMNS: [&str; 13] = [
    "rank",
    "host",
    "process_id",
    "process",
    "device",
    "pci",
    "kind",
    "function",
    "demangled",
    "mangled",
    "grid",
    "block",
    "ranges",
];

type GroupCells<'a> = [Cell<'a>; GROUP_COLUMNS.len()];

/// A larger count is in no file that was made by reading results, and sums of such counts could overflow.
const MOST: u64 = 1 << 40;

/// Domain, which of its name, push/pop ranges, start/end ranges.
type StoredRanges = (String, u32, Vec<String>, Vec<(u64, String)>);
/// Identifier, title, position, header.
type StoredSection = (String, String, u32, Vec<(String, String)>);
/// Identifier, kind, title, outcome.
type StoredRule = (String, String, String, String);
/// Name, section, text, time.
type StoredMessage = (String, String, String, f64);

pub(super) fn group_cells(group: &Group) -> GroupCells<'_> {
    let process = group.process.as_ref();
    let ranges: Vec<_> = group
        .domains
        .iter()
        .map(|open| (open.domain.as_str(), open.nth, &*open.push_pop, &*open.start_end))
        .collect();
    [
        process.and_then(|process| process.rank).into(),
        process.map(|process| process.host.as_str()).into(),
        process.and_then(|process| process.pid).into(),
        process.map(|process| process.name.as_str()).into(),
        group.device.map(|device| device.index).into(),
        group.device.and_then(|device| device.pci).map(|pci| pci.to_string()).into(),
        group.kind.as_str().into(),
        group.function.as_str().into(),
        group.demangled.as_str().into(),
        group.mangled.as_str().into(),
        group.grid.map(size).into(),
        group.block.map(size).into(),
        json(&ranges).into(),
    ]
}

pub(super) fn no_group() -> GroupCells<'static> {
    std::array::from_fn(|_| Cell::Empty)
}

fn size([x, y, z]: [u64; 3]) -> String {
    format!("{x},{y},{z}")
}

fn json(value: &impl Serialize) -> String {
    // Only maps with keys that are no texts cannot be written.
    serde_json::to_string(value).unwrap_or_default()
}

/// A row of the table.
pub(super) fn cells<'a>(
    input: Option<&'a str>,
    group: &GroupCells<'a>,
    (item, name, by): (&'a str, Cow<'a, str>, Cow<'a, str>),
    tally: &'a Tally,
) -> Vec<Cell<'a>> {
    let mut cells = vec![input.into(), item.into()];
    cells.extend(group.iter().cloned());
    cells.extend([Cell::Text(name), Cell::Text(by), tally.count.into(), tally.part.into()]);
    for total in [tally.sum, tally.weight] {
        let (whole, parts) = match total {
            None => (Cell::Empty, [Cell::Empty, Cell::Empty]),
            Some(Total { whole, high: 0.0, low: 0.0 }) => {
                (whole.into(), [Cell::Empty, Cell::Empty])
            }
            Some(Total { whole, high, low }) => {
                let whole = Some(whole).filter(|whole| *whole != 0);
                (whole.into(), [Cell::Number(high), Cell::Number(low)])
            }
        };
        cells.push(whole);
        cells.extend(parts);
    }
    cells.extend([tally.min.map_or(Cell::Empty, Cell::Number)]);
    cells.extend([tally.max.map_or(Cell::Empty, Cell::Number)]);
    cells.extend([tally.first.as_deref().into(), tally.last.as_deref().into()]);
    cells
}

/// Item, name and by.
pub(super) fn fact_cells(fact: &Fact) -> (&'static str, Cow<'_, str>, Cow<'_, str>) {
    let nothing = || Cow::Borrowed("");
    let rule =
        |rule: &RuleName| Cow::Owned(json(&(&rule.rule, &rule.kind, &rule.title, &rule.outcome)));
    match fact {
        Fact::Launches => ("launches", nothing(), nothing()),
        Fact::GivenUp => ("given_up", nothing(), nothing()),
        Fact::Value { metric } => ("value", metric.into(), nothing()),
        Fact::Large { metric } => ("large", metric.into(), nothing()),
        Fact::Mean { metric, by } => ("mean", metric.into(), by.into()),
        Fact::Counter { name } => ("counter", name.into(), nothing()),
        Fact::Text { metric } => ("text", metric.into(), nothing()),
        Fact::Unusable { metric } => ("unusable", metric.into(), nothing()),
        Fact::Section(SectionInfo { id, name, order, header }) => {
            ("section", json(&(id, name, order, header)).into(), nothing())
        }
        Fact::Limit { limit, unit } => {
            ("limit", json(limit).into(), unit.as_deref().unwrap_or_default().into())
        }
        Fact::Counters { throughput, listed } => ("counters", throughput.into(), listed.into()),
        Fact::Rule(name) => ("rule", rule(name), nothing()),
        Fact::Concerned(name) => ("concerned", rule(name), nothing()),
        Fact::Estimate { rule: name, kind } => ("estimate", rule(name), kind.into()),
        Fact::Message { rule: name, message: Message { name: title, section, text, time } } => {
            ("message", rule(name), json(&(title, section, text, time)).into())
        }
    }
}

/// What a row is about; nothing if that is not known.
pub(super) fn fact(item: &str, name: &str, by: &str) -> Option<Fact> {
    fn stored<T: DeserializeOwned>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }
    let metric = || name.to_owned();
    let rule = || {
        let (rule, kind, title, outcome) = stored::<StoredRule>(name)?;
        Some(RuleName { rule, kind, title, outcome })
    };
    Some(match item {
        "launches" => Fact::Launches,
        "given_up" => Fact::GivenUp,
        "value" => Fact::Value { metric: metric() },
        "large" => Fact::Large { metric: metric() },
        "mean" => Fact::Mean { metric: metric(), by: by.to_owned() },
        "counter" => Fact::Counter { name: metric() },
        "text" => Fact::Text { metric: metric() },
        "unusable" => Fact::Unusable { metric: metric() },
        "section" => {
            let (id, name, order, header) = stored::<StoredSection>(name)?;
            Fact::Section(SectionInfo { id, name, order, header })
        }
        "limit" => Fact::Limit {
            limit: stored::<Limit>(name)?,
            unit: Some(by).filter(|unit| !unit.is_empty()).map(str::to_owned),
        },
        "counters" => Fact::Counters { throughput: metric(), listed: by.to_owned() },
        "rule" => Fact::Rule(rule()?),
        "concerned" => Fact::Concerned(rule()?),
        "estimate" => Fact::Estimate { rule: rule()?, kind: by.to_owned() },
        "message" => {
            let (name, section, text, time) = stored::<StoredMessage>(by)?;
            Fact::Message { rule: rule()?, message: Message { name, section, text, time } }
        }
        _ => return None,
    })
}

/// The cells of a group as they are read.
pub(super) struct GroupTexts<'a> {
    pub(super) whole: &'a dyn Fn(&str) -> Option<i128>,
    pub(super) text: &'a dyn Fn(&str) -> Option<&'a str>,
}

/// A group; nothing if a cell makes no sense.
pub(super) fn group(cells: &GroupTexts<'_>) -> Option<Group> {
    let number = |column: &str| match (cells.whole)(column) {
        None => Some(None),
        Some(number) => u32::try_from(number).ok().map(Some),
    };
    let text = |column: &str| (cells.text)(column).unwrap_or_default().to_owned();
    let axes = |column: &str| match (cells.text)(column) {
        None => Some(None),
        Some(text) => axes(text).map(Some),
    };
    let (rank, pid) = (number("rank")?, number("process_id")?);
    let process = (cells.text)("host").map(|host| ProcessInfo {
        pid,
        host: host.to_owned(),
        name: text("process"),
        rank,
    });
    let pci = (cells.text)("pci").and_then(PciAddress::parse);
    let ranges: Vec<StoredRanges> = serde_json::from_str((cells.text)("ranges")?).ok()?;
    Some(Group {
        process,
        device: number("device")?.map(|index| DeviceId { index, pci }),
        kind: LaunchKind::from_word((cells.text)("kind")?)?,
        function: text("function"),
        demangled: text("demangled"),
        mangled: text("mangled"),
        grid: axes("grid")?,
        block: axes("block")?,
        domains: ranges
            .into_iter()
            .map(|(domain, nth, push_pop, start_end)| DomainRanges {
                domain,
                nth,
                push_pop,
                start_end,
            })
            .collect(),
    })
}

fn axes(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split(',').map(|part| part.parse().ok());
    let size = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(size)
}

/// A count as it is read; nothing if no results could give it.
pub(super) fn count(number: Option<i128>) -> Option<u64> {
    u64::try_from(number.unwrap_or(0)).ok().filter(|count| *count <= MOST)
}

/// A sum as it is read; nothing where all of its parts are empty.
pub(super) fn total(whole: Option<i128>, high: Option<f64>, low: Option<f64>) -> Option<Total> {
    let is_there = whole.is_some() || high.is_some() || low.is_some();
    is_there.then(|| Total {
        whole: whole.unwrap_or(0),
        high: high.unwrap_or(0.0),
        low: low.unwrap_or(0.0),
    })
}
