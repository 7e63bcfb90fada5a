//! The nouns of a report: values, metrics, NVTX state, sections, rule results and whole results.
//!
//! Every text is a [`Text`], borrowed from the bytes of a result while these are at hand and owned otherwise, so that one set of types serves reader, CSV and writer.
//! Nothing here does I/O or knows protobuf.

use std::borrow::Cow;

/// Text that is borrowed from the file where possible; bytes that are not UTF-8 are replaced, which makes a copy.
pub type Text<'a> = Cow<'a, str>;

/// A text that borrows nothing.
pub(crate) fn owned(text: Text<'_>) -> Text<'static> {
    Cow::Owned(text.into_owned())
}

/// The name that ncu gives to NVTX's default domain.
pub const DEFAULT_DOMAIN: &str = "<default domain>";

/// One value of a metric or of an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text, for example a device name or a list of metric names.
    Text(Text<'a>),
    /// A single-precision number; not seen in real files.
    F32(f32),
    /// A double-precision number.
    F64(f64),
    /// A 32-bit counter; not seen in real files.
    U32(u32),
    /// A 64-bit counter.
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

    /// The value as text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A copy that borrows nothing.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Text(text) => Value::Text(owned(text)),
            Self::F32(v) => Value::F32(v),
            Self::F64(v) => Value::F64(v),
            Self::U32(v) => Value::U32(v),
            Self::U64(v) => Value::U64(v),
        }
    }
}

/// One instance of a metric: a value with what it belongs to (an address, a time stamp, an opcode …).
#[derive(Clone, Debug, PartialEq)]
pub struct Instance<'a> {
    /// What the value belongs to.
    pub correlation: Option<Value<'a>>,
    /// The value.
    pub value: Option<Value<'a>>,
}

/// A metric of a result, decoded whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric<'a> {
    /// The name, for example `gpu__time_duration.sum`.
    pub name: Text<'a>,
    /// The value over all instances; absent for metrics that have instances only.
    pub value: Option<Value<'a>>,
    /// The values by instance, in stored order.
    pub instances: Vec<Instance<'a>>,
}

/// What one result of a report stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultKind {
    /// One kernel launch.
    Kernel,
    /// A range of API calls and launches, replayed as one (range and app-range replay).
    Range,
    /// A command list.
    Cmdlist,
    /// A CUDA graph, profiled as one.
    Graph,
}

impl ResultKind {
    /// The word for it in every output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Range => "range",
            Self::Cmdlist => "cmdlist",
            Self::Graph => "graph",
        }
    }
}

/// The process that a result came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Process<'a> {
    /// Process id; absent when the file does not say.
    pub pid: Option<u32>,
    /// Host name or address.
    pub host: Text<'a>,
    /// Path of the executable.
    pub executable: Text<'a>,
}

/// The NVTX state at the time of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxState<'a> {
    /// The domains with the ranges that count for the result: its own thread's stack and all open start/end ranges.
    /// In the order of the file; a domain without open ranges is listed too.
    pub domains: Vec<NvtxDomain<'a>>,
    /// With ncu's process-wide scope of push/pop ranges, for each domain the stacks of all threads one after another, as stored; every range names its thread.
    /// ncu's filters go by these. NVIDIA's readers list the launching thread's ranges alone all the same, and so does `domains`.
    pub process_stacks: Option<Vec<Vec<NvtxRange<'a>>>>,
}

/// One NVTX domain with its open ranges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxDomain<'a> {
    /// The name; [`DEFAULT_DOMAIN`] for the default one.
    pub name: Text<'a>,
    /// The push/pop stack of the launching thread, bottom first.
    pub push_pop: Vec<NvtxRange<'a>>,
    /// The open start/end ranges of the process, in stored order.
    pub start_end: Vec<NvtxRange<'a>>,
}

/// One open NVTX range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxRange<'a> {
    /// The effective name: the range's name, else its message, else the registered string of its handle.
    pub name: Text<'a>,
    /// The id of a start/end range (and of push/pop ranges in newer files).
    pub id: Option<u64>,
    /// The thread that opened a start/end range, or that a range of [`NvtxState::process_stacks`] belongs to.
    pub thread: Option<u32>,
    /// The attributes, if the program gave any.
    pub attributes: Option<NvtxAttributes<'a>>,
}

/// The attributes of an NVTX range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxAttributes<'a> {
    /// Version of the attribute structure.
    pub version: u32,
    /// Category number.
    pub category: u32,
    /// Colour as type (0 unknown, 1 ARGB) and value.
    pub color: Option<(u32, u32)>,
    /// Payload as the type number of the file and its value.
    pub payload: Option<(u32, Option<PayloadValue<'a>>)>,
    /// Message as type number (1 ASCII, 2 Unicode, 3 registered), text and handle.
    pub message: Option<NvtxMessage<'a>>,
}

/// The value of an NVTX payload.
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

/// The message of an NVTX range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxMessage<'a> {
    /// 1 ASCII, 2 Unicode, 3 registered.
    pub kind: u32,
    /// The text, if stored with the range or registered in its domain.
    pub text: Option<Text<'a>>,
    /// The handle of a registered string.
    pub handle: Option<u64>,
}

/// A section as stored with a result; only the parts that a summary needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section<'a> {
    /// Identifier, for example `SpeedOfLight`.
    pub id: Text<'a>,
    /// Title, for example `GPU Speed Of Light Throughput`.
    pub name: Text<'a>,
    /// Where it stands among the sections.
    pub order: u32,
    /// The metrics of its header, in order.
    pub header: Vec<SectionMetric<'a>>,
}

/// A metric in the header of a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionMetric<'a> {
    /// The metric's name.
    pub name: Text<'a>,
    /// Its label for people.
    pub label: Text<'a>,
}

/// What one rule said about a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleResult<'a> {
    /// Identifier of the rule.
    pub id: Text<'a>,
    /// Its name for people.
    pub name: Text<'a>,
    /// The section that it belongs to.
    pub section: Text<'a>,
    /// What it said, in order.
    pub items: Vec<RuleItem<'a>>,
}

/// One item of a rule result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleItem<'a> {
    /// The message.
    pub message: Option<RuleMessage<'a>>,
    /// The estimated speed-up.
    pub speedup: Option<Speedup>,
    /// The metrics that the message rests on.
    pub focus_metrics: Vec<FocusMetric<'a>>,
    /// Tables beside the message, in files of 2025 and later.
    pub tables: Vec<RuleTable<'a>>,
}

/// A table of a rule, such as the source lines that a message is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleTable<'a> {
    /// Title.
    pub title: Text<'a>,
    /// What the table shows.
    pub description: Text<'a>,
    /// The columns, each with its name.
    pub columns: Vec<(Text<'a>, RuleColumn<'a>)>,
}

/// The cells of a column, which are all of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleColumn<'a> {
    /// Texts; may hold links, as messages do.
    Text(Vec<Text<'a>>),
    /// Floating-point numbers.
    F64(Vec<f64>),
    /// Integers.
    I64(Vec<i64>),
}

/// A message of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleMessage<'a> {
    /// The text; may hold links such as `@section:Id:label@`.
    pub text: Text<'a>,
    /// The kind of message as stored; see [`MessageKind`].
    pub kind: MessageKind,
    /// Number within the result, if stored.
    pub id: Option<i32>,
    /// Title.
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

/// An estimated speed-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speedup {
    /// 0 unknown, 1 local (of one unit), 2 global (of the kernel).
    pub kind: u32,
    /// In per cent.
    pub pct: f64,
}

impl Speedup {
    /// The word for [`Speedup::kind`].
    pub fn kind_str(self) -> &'static str {
        match self.kind {
            1 => "local",
            2 => "global",
            _ => "unknown",
        }
    }
}

/// A metric that a rule's message rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FocusMetric<'a> {
    /// The message that it belongs to, if stored.
    pub message_id: Option<i32>,
    /// The metric's name.
    pub name: Text<'a>,
    /// Its value.
    pub value: f64,
    /// 0 default, 1 low, 2 high.
    pub severity: u32,
    /// What the rule says of it.
    pub info: Text<'a>,
}

/// A whole result, decoded: what the CSV reader makes, what the writer takes, and what [`crate::ResultView::decode`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultData<'a> {
    /// What the result stands for.
    pub kind: ResultKind,
    /// The process.
    pub process: Process<'a>,
    /// Launching thread.
    pub thread: u32,
    /// Number of the API call.
    pub api_call: u64,
    /// Function name without arguments; `range` and `graph` for those kinds.
    pub function: Text<'a>,
    /// Demangled name, may be empty.
    pub demangled: Text<'a>,
    /// Mangled name.
    pub mangled: Text<'a>,
    /// Grid dimensions; absent for ranges and graphs.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions; absent for ranges and graphs.
    pub block: Option<[u64; 3]>,
    /// Context id.
    pub context: Option<u32>,
    /// Stream id.
    pub stream: Option<u32>,
    /// Name that the program gave the context through NVTX, may be empty.
    pub context_name: Text<'a>,
    /// Name that the program gave the stream, may be empty.
    pub stream_name: Text<'a>,
    /// Unix time in seconds.
    pub time: Option<u64>,
    /// NVTX state; present iff it was collected.
    pub nvtx: Option<NvtxState<'a>>,
    /// Metrics in stored order, each name once.
    pub metrics: Vec<Metric<'a>>,
    /// Sections in stored order.
    pub sections: Vec<Section<'a>>,
    /// Rule results in stored order.
    pub rules: Vec<RuleResult<'a>>,
}

impl Default for ResultData<'_> {
    fn default() -> Self {
        Self {
            kind: ResultKind::Kernel,
            process: Process::default(),
            thread: 0,
            api_call: 0,
            function: Text::default(),
            demangled: Text::default(),
            mangled: Text::default(),
            grid: None,
            block: None,
            context: None,
            stream: None,
            context_name: Text::default(),
            stream_name: Text::default(),
            time: None,
            nvtx: None,
            metrics: Vec::new(),
            sections: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl<'a> ResultData<'a> {
    /// The metric of that name.
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
