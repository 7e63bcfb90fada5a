//! The nouns of a report: values, metrics, NVTX state, sections, rule results and whole results.
//!
//! Every text is a [`Text`], borrowed from the bytes of a result while these are at hand and owned otherwise, so that one set of types serves reader, CSV and writer.
//! Nothing here does I/O or knows protobuf.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// Text that is borrowed from the file where possible; bytes that are not UTF-8 are replaced, which makes a copy.
pub type Text<'a> = Cow<'a, str>;

/// The name that ncu gives to NVTX's default domain.
pub const DEFAULT_DOMAIN: &str = "<default domain>";

#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text, for example a device name or a list of metric names.
    Text(Text<'a>),
    /// A single-precision number; not seen in real files.
    F32(f32),
    F64(f64),
    /// A 32-bit counter; not seen in real files.
    U32(u32),
    U64(u64),
}

impl Value<'_> {
    /// The value as a number, if it is one. Counters above 2^53 lose precision here.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Text(_) => None,
            Self::F32(v) => Some(f64::from(*v)),
            Self::F64(v) => Some(*v),
            Self::U32(v) => Some(f64::from(*v)),
            Self::U64(v) => Some(*v as f64),
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// One instance of a metric: a value with what it belongs to (an address, a time stamp, an opcode …).
#[derive(Clone, Debug, PartialEq)]
pub struct Instance<'a> {
    pub correlation: Option<Value<'a>>,
    pub value: Option<Value<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Metric<'a> {
    /// For example `gpu__time_duration.sum`.
    pub name: Text<'a>,
    /// The value over all instances; absent for metrics that have instances only.
    pub value: Option<Value<'a>>,
    pub instances: Vec<Instance<'a>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultKind {
    #[default]
    Kernel,
    /// A range of API calls and launches, replayed as one (range and app-range replay).
    Range,
    Cmdlist,
    /// A CUDA graph, profiled as one.
    Graph,
}

impl ResultKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Range => "range",
            Self::Cmdlist => "cmdlist",
            Self::Graph => "graph",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Process<'a> {
    pub pid: Option<u32>,
    /// Host name or address.
    pub host: Text<'a>,
    pub executable: Text<'a>,
}

/// The NVTX state at the time of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxState<'a> {
    /// The domains with the ranges that count for the result: its own thread's stack and all open start/end ranges.
    /// In the order of the file, those of one name in the order of their ids; a domain without open ranges is listed too.
    pub domains: Vec<NvtxDomain<'a>>,
    /// With ncu's process-wide scope of push/pop ranges, for each domain the stacks of all threads one after another, as stored; every range names its thread.
    /// ncu's filters go by these. NVIDIA's readers list the launching thread's ranges alone all the same, and so does `domains`.
    pub process_stacks: Option<Vec<Vec<NvtxRange<'a>>>>,
}

impl NvtxState<'_> {
    /// For each domain: which of those with its name it is, from 0. A program can create several domains of one name.
    pub fn nth_of_name(&self) -> Vec<u32> {
        let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
        let mut numbers = Vec::with_capacity(self.domains.len());
        for domain in &self.domains {
            let next = seen.entry(&domain.name).or_default();
            numbers.push(*next);
            *next = next.saturating_add(1);
        }
        numbers
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxDomain<'a> {
    /// [`DEFAULT_DOMAIN`] for the default one.
    pub name: Text<'a>,
    /// The push/pop stack of the launching thread, bottom first.
    pub push_pop: Vec<NvtxRange<'a>>,
    /// The open start/end ranges of the process, in stored order.
    pub start_end: Vec<NvtxRange<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxRange<'a> {
    /// The effective name: the range's name, else its message, else the registered string of its handle.
    pub name: Text<'a>,
    /// The id of a start/end range (and of push/pop ranges in newer files).
    pub id: Option<u64>,
    /// The thread that opened a start/end range, or that a range of [`NvtxState::process_stacks`] belongs to.
    pub thread: Option<u32>,
    pub attributes: Option<NvtxAttributes<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxAttributes<'a> {
    pub version: u32,
    pub category: u32,
    /// Colour as type (0 unknown, 1 ARGB) and value.
    pub color: Option<(u32, u32)>,
    /// Payload as the type number of the file and its value.
    pub payload: Option<(u32, Option<PayloadValue<'a>>)>,
    pub message: Option<NvtxMessage<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PayloadValue<'a> {
    /// Type 1, and the handle of type 8.
    U64(u64),
    /// Type 2.
    I64(i64),
    /// Type 3.
    F64(f64),
    /// Type 4.
    U32(u32),
    /// Type 5.
    I32(i32),
    /// Type 6.
    F32(f32),
    /// Type 7, JSON text.
    Text(Text<'a>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxMessage<'a> {
    /// 1 ASCII, 2 Unicode, 3 registered.
    pub kind: u32,
    /// The text, if stored with the range or registered in its domain.
    pub text: Option<Text<'a>>,
    /// The handle of a registered string.
    pub handle: Option<u64>,
}

/// A section of a result; only the parts that a summary needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section<'a> {
    /// For example `SpeedOfLight`.
    pub id: Text<'a>,
    /// For example `GPU Speed Of Light Throughput`.
    pub name: Text<'a>,
    pub order: u32,
    pub header: Vec<SectionMetric<'a>>,
    /// Metrics in the rows of its timelines; only of a result that was decoded as a whole.
    pub timeline: Vec<Text<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionMetric<'a> {
    pub name: Text<'a>,
    pub label: Text<'a>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleResult<'a> {
    pub id: Text<'a>,
    pub name: Text<'a>,
    pub section: Text<'a>,
    pub items: Vec<RuleItem<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleItem<'a> {
    pub message: Option<RuleMessage<'a>>,
    pub speedup: Option<Speedup>,
    /// The metrics that the message rests on.
    pub focus_metrics: Vec<FocusMetric<'a>>,
    /// Tables beside the message, in files of 2025 and later.
    pub tables: Vec<RuleTable<'a>>,
}

/// A table of a rule, such as the source lines that a message is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleTable<'a> {
    pub title: Text<'a>,
    pub description: Text<'a>,
    pub columns: Vec<(Text<'a>, RuleColumn<'a>)>,
}

/// The cells of a column, which are all of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleColumn<'a> {
    /// Texts; may hold links, as messages do.
    Text(Vec<Text<'a>>),
    F64(Vec<f64>),
    I64(Vec<i64>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleMessage<'a> {
    /// May hold links such as `@section:Id:label@`.
    pub text: Text<'a>,
    pub kind: MessageKind,
    /// Number within the result, if stored.
    pub id: Option<i32>,
    pub title: Text<'a>,
}

/// The kind of a rule's message, as the number in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MessageKind(pub u32);

impl MessageKind {
    /// The word for it, or `unknown` for a number that newer tools may use.
    pub fn as_str(self) -> &'static str {
        match self.0 {
            0 => "none",
            1 => "ok",
            2 => "warning",
            3 => "error",
            4 => "optimization",
            _ => "unknown",
        }
    }

    /// The number of this kind in NVIDIA's `ncu_report`, which counts `optimization` before `warning` and `error`.
    pub fn api_number(self) -> u32 {
        match self.0 {
            2 => 3,
            3 => 4,
            4 => 2,
            other => other,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speedup {
    /// 0 unknown, 1 local (of one unit), 2 global (of the kernel).
    pub kind: u32,
    pub pct: f64,
}

impl Speedup {
    pub fn kind_str(self) -> &'static str {
        match self.kind {
            1 => "local",
            2 => "global",
            _ => "unknown",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FocusMetric<'a> {
    pub message_id: Option<i32>,
    pub name: Text<'a>,
    pub value: f64,
    /// 0 default, 1 low, 2 high.
    pub severity: u32,
    pub info: Text<'a>,
}

/// A whole result, decoded: what the CSV reader makes, what the writer takes, and what [`crate::ResultView::decode`] gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultData<'a> {
    pub kind: ResultKind,
    pub process: Process<'a>,
    pub thread: u32,
    pub api_call: u64,
    /// Function name without arguments; `range` and `graph` for those kinds.
    pub function: Text<'a>,
    /// Demangled name, may be empty.
    pub demangled: Text<'a>,
    pub mangled: Text<'a>,
    /// Grid and block are absent for ranges and graphs.
    pub grid: Option<[u64; 3]>,
    pub block: Option<[u64; 3]>,
    pub context: Option<u32>,
    pub stream: Option<u32>,
    /// Name that the program gave the context through NVTX, may be empty.
    pub context_name: Text<'a>,
    /// Name that the program gave the stream, may be empty.
    pub stream_name: Text<'a>,
    /// Unix time in seconds.
    pub time: Option<u64>,
    /// The module that a kernel is in, by the number that its report gives it.
    pub source: Option<u64>,
    /// NVTX state; present iff it was collected.
    pub nvtx: Option<NvtxState<'a>>,
    /// Metrics in stored order, each name once.
    pub metrics: Vec<Metric<'a>>,
    /// Names of the metrics whose instances were sampled over time.
    pub sampled: Vec<Text<'a>>,
    pub sections: Vec<Section<'a>>,
    pub rules: Vec<RuleResult<'a>>,
}

impl<'a> ResultData<'a> {
    pub fn metric(&self, name: &str) -> Option<&Metric<'a>> {
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// The device index, which the file holds as a metric.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be in range"
    )]
    pub fn device(&self) -> Option<u32> {
        let index = self.metric(crate::names::DEVICE_INDEX)?.value.as_ref()?.as_f64()?;
        (index >= 0.0 && index <= f64::from(u32::MAX)).then_some(index as u32)
    }
}
