//! Copies of the nouns that outlive the bytes that they were decoded from.

use std::borrow::Cow;

use crate::model::{
    FocusMetric, Instance, MessageKind, Metric, NvtxAttributes, NvtxDomain, NvtxMessage, NvtxRange,
    NvtxState, PayloadValue, Process, ResultData, ResultKind, RuleColumn, RuleItem, RuleMessage,
    RuleResult, RuleTable, Section, SectionMetric, Speedup, Text, Value,
};

/// Something that may borrow from a file, made to borrow nothing.
pub(crate) trait IntoOwned {
    type Owned;
    fn owned(self) -> Self::Owned;
}

impl IntoOwned for Text<'_> {
    type Owned = Text<'static>;
    fn owned(self) -> Text<'static> {
        Cow::Owned(Cow::into_owned(self))
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;
    fn owned(self) -> Option<T::Owned> {
        self.map(T::owned)
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;
    fn owned(self) -> Vec<T::Owned> {
        self.into_iter().map(T::owned).collect()
    }
}

impl<A: IntoOwned, B: IntoOwned> IntoOwned for (A, B) {
    type Owned = (A::Owned, B::Owned);
    fn owned(self) -> (A::Owned, B::Owned) {
        (self.0.owned(), self.1.owned())
    }
}

macro_rules! plain {
    ($($name:ty),*) => {$(
        impl IntoOwned for $name {
            type Owned = Self;
            fn owned(self) -> Self {
                self
            }
        }
    )*};
}

macro_rules! structs {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl IntoOwned for $name<'_> {
            type Owned = $name<'static>;
            fn owned(self) -> $name<'static> {
                $name { $($field: self.$field.owned()),* }
            }
        }
    )*};
}

macro_rules! enums {
    ($($name:ident { $($variant:ident),* })*) => {$(
        impl IntoOwned for $name<'_> {
            type Owned = $name<'static>;
            fn owned(self) -> $name<'static> {
                match self {
                    $(Self::$variant(content) => $name::$variant(content.owned())),*
                }
            }
        }
    )*};
}

impl ResultData<'_> {
    /// The same, borrowing nothing of its report.
    #[must_use]
    pub fn into_owned(self) -> ResultData<'static> {
        self.owned()
    }
}

impl Value<'_> {
    /// The same, borrowing nothing of its report.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        self.owned()
    }
}

plain!(f32, f64, i32, i64, u32, u64, [u64; 3], MessageKind, ResultKind, Speedup);
structs! {
    FocusMetric { message_id, name, value, severity, info }
    Instance { correlation, value }
    Metric { name, value, instances }
    NvtxAttributes { version, category, color, payload, message }
    NvtxDomain { name, push_pop, start_end }
    NvtxMessage { kind, text, handle }
    NvtxRange { name, id, thread, attributes }
    NvtxState { domains, process_stacks }
    Process { pid, host, executable }
    ResultData {
        kind, process, thread, api_call, nvtx, sections, rules, function, demangled, mangled, grid,
        block, context, stream, context_name, stream_name, time, source, metrics, sampled
    }
    RuleItem { message, speedup, focus_metrics, tables }
    RuleMessage { text, kind, id, title }
    RuleResult { id, name, section, items }
    RuleTable { title, description, columns }
    Section { id, name, order, header, timeline }
    SectionMetric { name, label }
}
enums! {
    PayloadValue { U64, I64, F64, U32, I32, F32, Text }
    RuleColumn { Text, F64, I64 }
    Value { Text, F32, F64, U32, U64 }
}
