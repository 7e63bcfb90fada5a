#![no_main]
//! Any text as a filter expression, matched against a stack made from the rest of the input.

use libfuzzer_sys::fuzz_target;
use ncu_rep::filter::Expression;
use ncu_rep::{DEFAULT_DOMAIN, NvtxDomain, NvtxRange, NvtxState};

fuzz_target!(|input: (&str, Vec<&str>, Vec<&str>)| {
    let (expression, stack, started) = input;
    let Ok(expression) = Expression::parse(expression) else { return };
    let ranges = |names: Vec<&str>| {
        names.into_iter().map(|name| NvtxRange { name: name.to_owned().into(), ..NvtxRange::default() }).collect()
    };
    let domain = NvtxDomain { name: DEFAULT_DOMAIN.into(), push_pop: ranges(stack), start_end: ranges(started) };
    let _ = expression.matches(&NvtxState { domains: vec![domain], ..NvtxState::default() });
});
