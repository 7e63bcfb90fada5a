//! What the tests of several crates share: documents and inputs made by hand, and the way to the real reports beside the checkout.
//!
//! Only ever a dev-dependency.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

pub mod documents;
#[cfg(feature = "inputs")]
pub mod nsys;
#[cfg(feature = "inputs")]
pub mod recording;

use std::path::PathBuf;

/// The ncu of `RANGESCOPE_NCU` and the older one of `RANGESCOPE_NCU_OLD`; says so where one is absent. On CI both must be there.
pub fn real_ncus(what: &str) -> Vec<PathBuf> {
    let found = ["RANGESCOPE_NCU", "RANGESCOPE_NCU_OLD"].into_iter().filter_map(|variable| {
        let path = std::env::var_os(variable).map(PathBuf::from);
        if path.is_none() {
            assert!(std::env::var_os("CI").is_none(), "{variable} is needed on CI for {what}");
            eprintln!("SKIPPED: {what}, because {variable} is not set");
        }
        path
    });
    found.collect()
}

/// The folder with real reports. Where it is absent the test says what it skips; on CI nothing may be skipped.
pub fn shared(what: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let shared =
        PathBuf::from(std::env::var("RANGESCOPE_SHARED").unwrap_or_else(|_| beside.to_owned()));
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var("CI").is_err(), "../shared is needed on CI for {what}");
    eprintln!("SKIPPED: {what}, because ../shared is absent");
    None
}
