//! Whether this machine is fit for profiling: a list of checks, each with what to do if it is not.
//!
//! Nothing is changed and nothing is profiled: files are read, and tools are asked for their version and the like, each with a time limit. Where to look is
//! up to [`Machine`], so that every outcome can be tested on any machine.

mod counters;
mod disk;
mod driver;
mod gpu;
mod machine;
mod ncu;
mod nsys;
mod python;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use rangescope_model::number::count;
use serde::Serialize;

pub use machine::Machine;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// Some things will not work, or it could not be found out.
    Warning,
    Error,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub status: Status,
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, detail: detail.into(), fix: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn error(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Error, detail: detail.into(), fix: Some(fix.into()) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DoctorRequest<'a> {
    /// Empty means `ncu`.
    pub ncu: &'a [OsString],
    /// A name on the path, or a path.
    pub nsys: &'a OsStr,
    /// Its Python is looked at; may be empty.
    pub program: &'a [OsString],
    /// It need not exist yet.
    pub folder: &'a Path,
    pub machine: &'a Machine,
}

/// What the checks amount to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether ncu can profile here; warnings do not stand against it.
    pub can_profile: bool,
    /// The same in a sentence, with what is in the way.
    pub verdict: String,
    pub checks: Vec<Check>,
}

pub fn doctor(request: &DoctorRequest<'_>) -> Verdict {
    Verdict::of(checks(request))
}

impl Verdict {
    fn of(checks: Vec<Check>) -> Self {
        let with = |status| checks.iter().filter(move |check| check.status == status);
        let errors = with(Status::Error).count();
        let warnings = match with(Status::Warning).count() as u64 {
            0 => String::new(),
            number => format!("; {} above", count(number, "warning", "warnings")),
        };
        let verdict = match with(Status::Error).next() {
            None => format!("this machine can profile with ncu{warnings}"),
            Some(first) => format!(
                "this machine cannot profile with ncu: {}, first {}: {}",
                count(errors as u64, "problem", "problems"),
                first.name,
                first.detail
            ),
        };
        Self { can_profile: errors == 0, verdict, checks }
    }
}

fn checks(request: &DoctorRequest<'_>) -> Vec<Check> {
    let machine = request.machine;
    let (nsys, nsys_version) = nsys::check(request.nsys, machine);
    let (driver, driver_version) = driver::module(machine);
    vec![
        ncu::check(request.ncu, machine),
        nsys,
        driver,
        driver::library(driver_version.as_deref(), machine),
        gpu::check(machine),
        counters::permission(machine),
        counters::in_use(machine),
        disk::room("run folder", request.folder, machine),
        disk::room("temporary folder", &machine.temporary, machine),
        disk::lock(machine),
        python::check(request.program, nsys_version, machine),
    ]
}
