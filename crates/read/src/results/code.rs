//! What was counted at the instructions of one launch.

use indexmap::IndexMap;
use ncu_rep::{ResultParts, Value};

/// Counts by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedCode {
    /// The module that the kernel is in, by the number with which its report knows it.
    pub module: Option<u64>,
    pub mangled: String,
    pub counters: Vec<(String, Vec<(u64, u64)>)>,
}

/// The wanted counters of a result; nothing if it has none.
pub(super) fn counted<'n>(
    parts: &ResultParts,
    name_of: impl Fn(u32) -> Option<&'n str>,
    wanted: &dyn Fn(&str) -> bool,
) -> Option<CountedCode> {
    let mut code = CountedCode {
        module: parts.source,
        mangled: parts.mangled().into_owned(),
        ..CountedCode::default()
    };
    let mut counters: IndexMap<&str, Vec<(u64, u64)>> = IndexMap::new();
    for metric in parts.metrics() {
        let Some(name) = name_of(metric.name_id).filter(|name| wanted(name)) else { continue };
        let pair = |instance: ncu_rep::Instance<'_>| match (instance.correlation?, instance.value?)
        {
            (Value::U64(address), Value::U64(count)) => Some((address, count)),
            _ => None,
        };
        let counts: Vec<(u64, u64)> = metric.instances().filter_map(pair).collect();
        // Of a repeated metric the last entry counts.
        counters.insert(name, counts);
    }
    counters.retain(|_, counts| !counts.is_empty());
    let named = |(name, counts): (&str, _)| (name.to_owned(), counts);
    code.counters = counters.into_iter().map(named).collect();
    (!code.counters.is_empty()).then_some(code)
}
