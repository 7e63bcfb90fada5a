//! Where the fields of a result are: each kind of result has its own numbers for them.

use crate::model::ResultKind;

/// The field numbers of one kind of result; 0 means that the kind has no such field.
pub(crate) struct Layout {
    pub(crate) metrics: u32,
    pub(crate) sections: u32,
    pub(crate) rules: u32,
    pub(crate) nvtx: u32,
    pub(crate) time: u32,
    pub(crate) context: u32,
    pub(crate) stream: u32,
    pub(crate) context_name: u32,
    pub(crate) stream_name: u32,
    pub(crate) mangled: u32,
    pub(crate) function: u32,
    pub(crate) demangled: u32,
    pub(crate) grid: u32,
    pub(crate) block: u32,
    /// A message with the number of the module that the kernel is in.
    pub(crate) source: u32,
    /// A message with grid and block inside.
    pub(crate) launch: u32,
    /// The highest number that is known; larger ones are counted as unknown.
    pub(crate) last: u32,
}

#[rustfmt::skip]
const NONE: Layout = Layout {
    metrics: 0, sections: 0, rules: 0, nvtx: 0, time: 0, context: 0, stream: 0, context_name: 0, stream_name: 0,
    mangled: 0, function: 0, demangled: 0, grid: 0, block: 0, source: 0, launch: 0, last: 0,
};
#[rustfmt::skip]
const KERNEL: Layout = Layout {
    metrics: 13, sections: 17, rules: 19, nvtx: 21, time: 14, context: 22, stream: 23, context_name: 26,
    stream_name: 27, mangled: 5, function: 6, demangled: 7, grid: 10, block: 11, source: 15, last: 39, ..NONE
};
#[rustfmt::skip]
const RANGE: Layout = Layout {
    metrics: 4, sections: 7, rules: 20, nvtx: 10, time: 5, context: 11, context_name: 13, last: 23, ..NONE
};
#[rustfmt::skip]
const CMDLIST: Layout = Layout {
    rules: 21, stream: 12, context_name: 14, stream_name: 15, function: 18, launch: 20, last: 27, ..RANGE
};
#[rustfmt::skip]
const GRAPH: Layout = Layout {
    rules: 22, stream: 12, context_name: 14, stream_name: 15, last: 26, ..RANGE
};

pub(crate) const THREAD: u32 = 1;
pub(crate) const API_CALL: u32 = 2;

impl Layout {
    pub(crate) fn of(kind: ResultKind) -> &'static Self {
        match kind {
            ResultKind::Kernel => &KERNEL,
            ResultKind::Range => &RANGE,
            ResultKind::Cmdlist => &CMDLIST,
            ResultKind::Graph => &GRAPH,
        }
    }
}
