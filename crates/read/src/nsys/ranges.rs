//! NVTX ranges as the program opened them: kind, domain, thread, name, times, and for push/pop ranges the one around.
//!
//! nsys has already paired pushes with pops and starts with ends. What is left to do is to find names (a message is in the row, or registered and kept
//! elsewhere), the domain (known by a number that is the process' own) and the nesting: one stack per thread and domain, as in NVTX itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Rename;
use crate::nsys::database::Database;
use crate::nsys::error::NsysError;
use rangescope_model::region::{DEFAULT_DOMAIN, RangeKind};

use crate::nsys::identity::{GlobalProcess, GlobalThread};
use crate::nsys::names::{NameId, Names};
use crate::nsys::regions::{RegionId, RegionTable};
use crate::nsys::strings::{Message, Strings};

const PUSH_POP: [i64; 2] = [59, 70];
const START_END: [i64; 2] = [60, 71];
const DOMAIN_CREATE: i64 = 75;

#[derive(Clone, Debug)]
pub struct Range {
    /// The number of its row in the table.
    pub row: i64,
    /// The message.
    pub name: NameId,
    /// Only ranges with a registered message can start a recording by default.
    pub is_registered: bool,
    pub domain: NameId,
    pub kind: RangeKind,
    pub thread: GlobalThread,
    /// The thread that ended it, if it was another one.
    pub end_thread: Option<GlobalThread>,
    /// When it was opened, in nanoseconds of the trace.
    pub start: i64,
    /// When it was closed; the end of the trace if it never was.
    pub end: i64,
    /// The push/pop range around it: an index into the ranges of the trace.
    pub parent: Option<usize>,
    pub region: RegionId,
    pub(crate) stack: u32,
}

struct RawRange {
    row: i64,
    message: Message,
    domain: i64,
    kind: RangeKind,
    thread: GlobalThread,
    end_thread: Option<GlobalThread>,
    start: i64,
    end: Option<i64>,
}

/// The rows of the table of NVTX events, before registered strings are known.
#[derive(Default)]
pub(crate) struct RawRanges {
    ranges: Vec<RawRange>,
    /// When a domain was made and what it is called; the first one counts.
    domains: BTreeMap<(GlobalProcess, i64), (i64, Message)>,
    /// Rows that lack what every range has.
    pub(crate) skipped: u64,
    pub(crate) latest: Option<i64>,
}

impl RawRanges {
    pub(crate) fn read(database: &Database, names: &mut Names) -> Result<Self, NsysError> {
        let columns = [
            "eventType",
            "start",
            "globalTid",
            "end",
            "text",
            "textId",
            "endGlobalTid",
            "domainId",
        ];
        let mut raw = Self::default();
        let nameless = names.id("");
        database.rows("NVTX_EVENTS", &columns, 3, |cells| {
            let event = cells.integer(0);
            let kind = match event {
                Some(event) if PUSH_POP.contains(&event) => Some(RangeKind::PushPop),
                Some(event) if START_END.contains(&event) => Some(RangeKind::StartEnd),
                _ => None,
            };
            if kind.is_none() && event != Some(DOMAIN_CREATE) {
                return;
            }
            let (Some(start), Some(thread)) = (cells.integer(1), cells.integer(2)) else {
                raw.skipped += 1;
                return;
            };
            let thread = GlobalThread::new(thread);
            let message = match (cells.text(4), cells.integer(5)) {
                (Some(text), _) => Message::Inline(names.id(&text)),
                (None, Some(id)) => Message::Registered(id),
                (None, None) => Message::Inline(nameless),
            };
            let domain = cells.integer(7).unwrap_or(0);
            let Some(kind) = kind else {
                let made =
                    raw.domains.entry((thread.process(), domain)).or_insert((start, message));
                if start < made.0 {
                    *made = (start, message);
                }
                return;
            };
            let end = cells.integer(3);
            raw.latest = raw.latest.max(Some(start)).max(end);
            let end_thread = cells.integer(6).map(GlobalThread::new).filter(|&end| end != thread);
            raw.ranges.push(RawRange {
                row: cells.row_number(),
                message,
                domain,
                kind,
                thread,
                end_thread,
                start,
                end,
            });
        })?;
        Ok(raw)
    }

    /// The numbers of registered strings that are needed.
    pub(crate) fn registered(&self) -> impl Iterator<Item = i64> {
        let of_domains = self.domains.values().map(|&(_, message)| message);
        let messages = self.ranges.iter().map(|range| range.message).chain(of_domains);
        messages.filter_map(|message| match message {
            Message::Registered(id) => Some(id),
            Message::Inline(_) => None,
        })
    }

    /// Names and nests the ranges, in order of time. `end_of_trace` is for ranges that were never closed.
    pub(crate) fn nest(
        self,
        names: &mut Names,
        strings: &Strings,
        rename: Rename<'_>,
        regions: &mut RegionTable,
        end_of_trace: i64,
    ) -> Vec<Range> {
        let mut stacks: IndexSet<(GlobalThread, i64), FxBuildHasher> = IndexSet::default();
        let mut domains: FxHashMap<(GlobalProcess, i64), NameId> = FxHashMap::default();
        let mut renamed: FxHashMap<NameId, NameId> = FxHashMap::default();
        let mut ranges: Vec<Range> = Vec::with_capacity(self.ranges.len());
        for raw in self.ranges {
            let key = (raw.thread.process(), raw.domain);
            let domain = *domains.entry(key).or_insert_with(|| match self.domains.get(&key) {
                _ if raw.domain == 0 => names.id(DEFAULT_DOMAIN),
                Some(&(_, message)) => strings.name(message, names),
                // It was made before the recording began.
                None => names.id(&format!("(domain {})", raw.domain)),
            });
            let own = strings.name(raw.message, names);
            let name = *renamed
                .entry(own)
                .or_insert_with(|| rename(names.get(own)).map_or(own, |name| names.id(&name)));
            let stack = stacks.insert_full((raw.thread, raw.domain)).0;
            ranges.push(Range {
                row: raw.row,
                name,
                is_registered: matches!(raw.message, Message::Registered(_)),
                domain,
                kind: raw.kind,
                thread: raw.thread,
                end_thread: raw.end_thread,
                start: raw.start,
                end: raw.end.unwrap_or(end_of_trace).max(raw.start),
                parent: None,
                region: RegionId::default(),
                stack: u32::try_from(stack).unwrap_or(u32::MAX),
            });
        }
        ranges.sort_by_key(|range| (range.start, Reverse(range.end), range.row));

        let mut open: Vec<Stack> = vec![Stack::default(); stacks.len()];
        for index in 0..ranges.len() {
            let Range { kind, domain, name, end, stack, .. } = ranges[index];
            let parent = match kind {
                RangeKind::PushPop => open[stack as usize].push(index, end),
                RangeKind::StartEnd => None,
            };
            let around = parent.map(|parent| ranges[parent].region);
            ranges[index].parent = parent;
            ranges[index].region = regions.child(around, domain, kind, name);
        }
        ranges
    }
}

/// The push/pop ranges of one thread and domain that are open at a time, each with its end.
///
/// Every range on it lies within the one below, whatever a file claims: one that does not ends those it leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack(Vec<(usize, i64)>);

impl Stack {
    /// Opens a range; the one around it.
    pub(crate) fn push(&mut self, range: usize, end: i64) -> Option<usize> {
        while self.0.pop_if(|&mut (_, open_until)| open_until < end).is_some() {}
        let around = self.0.last().map(|&(around, _)| around);
        self.0.push((range, end));
        around
    }

    /// The innermost range that is open from `start` to `end`. Time only goes forward from call to call.
    pub(crate) fn innermost(&mut self, start: i64, end: i64) -> Option<usize> {
        while self.0.pop_if(|&mut (_, open_until)| open_until < start).is_some() {}
        let around = self.0.partition_point(|&(_, open_until)| open_until >= end);
        around.checked_sub(1).map(|index| self.0[index].0)
    }
}

#[cfg(test)]
mod tests {
    use super::Stack;

    #[test]
    fn a_call_belongs_to_the_innermost_range_that_holds_all_of_it() {
        let mut stack = Stack::default();
        assert_eq!(stack.push(0, 100), None);
        assert_eq!(stack.push(1, 50), Some(0));
        assert_eq!(stack.innermost(10, 20), Some(1));
        assert_eq!(stack.innermost(20, 60), Some(0));
        assert_eq!(stack.innermost(50, 50), Some(1));
        assert_eq!(stack.innermost(51, 100), Some(0));
        assert_eq!(stack.innermost(60, 101), None);
        assert_eq!(stack.push(2, 70), Some(0));
        assert_eq!(stack.push(3, 200), None);
        assert_eq!(stack.innermost(61, 61), Some(3));
    }
}
