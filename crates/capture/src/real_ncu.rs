//! The real ncu for tests: where the environment says it is.

use std::path::PathBuf;

/// The ncu of `RANGESCOPE_NCU` and the older one of `RANGESCOPE_NCU_OLD`; says so where one is absent. On CI both must be there.
pub(crate) fn real_ncus(what: &str) -> Vec<PathBuf> {
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
