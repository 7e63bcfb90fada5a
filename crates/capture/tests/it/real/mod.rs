//! What the tests with the real ncu share.

#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(unreachable_pub, reason = "each test takes this in as a module of its own")]

use std::ffi::OsString;
use std::path::Path;

use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::settings::NcuOptions;

/// [`rangescope_testing::real_ncus`], asked what they can do.
pub fn real_ncus(what: &str) -> Vec<NcuInfo> {
    let found = rangescope_testing::real_ncus(what).into_iter();
    found.map(|path| NcuInfo::probe(&[path.into_os_string()]).unwrap()).collect()
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
        inside: None,
    };
    Plan::new(&request).unwrap()
}

/// A list as options have it.
pub fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}
