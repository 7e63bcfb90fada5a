//! What the tests with the real ncu share.

#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(unreachable_pub, reason = "each test takes this in as a module of its own")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::settings::NcuOptions;

/// The ncu of `RANGESCOPE_NCU` and the older one of `RANGESCOPE_NCU_OLD`. Where one is absent that is said; on CI both must be there.
pub fn real_ncus(what: &str) -> Vec<NcuInfo> {
    let found = ["RANGESCOPE_NCU", "RANGESCOPE_NCU_OLD"].into_iter().filter_map(|variable| {
        let path = std::env::var_os(variable).map(PathBuf::from);
        if path.is_none() {
            assert!(std::env::var_os("CI").is_none(), "{variable} is needed on CI for {what}");
            eprintln!("SKIPPED: {what}, because {variable} is not set");
        }
        path.map(|path| NcuInfo::probe(&[path.into_os_string()]).unwrap())
    });
    found.collect()
}

/// A plan for a program of which nothing is known.
pub fn plan_of(options: &NcuOptions, ncu: &NcuInfo, folder: &Path, program: &[&str]) -> Plan {
    let program: Vec<OsString> = program.iter().map(OsString::from).collect();
    let request = PlanRequest {
        options,
        ncu,
        program: &program,
        folder,
        known: None,
        labels: &[],
        names_are_folded: false,
    };
    Plan::new(&request).unwrap()
}

/// A list as options have it.
pub fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}
