//! The ncu and nsys that a run uses.

use std::ffi::OsString;

use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::ncu::probe::locate;
use rangescope_capture::nsys::NsysInfo;
use rangescope_config::Version;

use crate::{Job, RunError};

#[derive(Clone, Debug, Default)]
pub struct ToolsRequest {
    /// The words that start the simulated ncu; used only when the job asks for simulation.
    pub simulator: Vec<OsString>,
    /// Plan for an ncu of this version, whether or not there is one.
    pub ncu_version: Option<Version>,
}

#[derive(Clone, Debug)]
pub struct Tools {
    /// ncu, if the run uses it.
    pub ncu: Option<NcuInfo>,
    /// nsys, if the run uses it.
    pub nsys: Option<NsysInfo>,
}

impl Tools {
    /// Finds the tools that a job needs and asks them what they can do.
    pub fn find(job: &Job, request: &ToolsRequest) -> Result<Self, RunError> {
        let ncu = match (job.settings.ncu.enable, request.ncu_version) {
            (false, _) => None,
            (true, _) if job.is_simulated() => Some(NcuInfo::probe(&request.simulator)?),
            (true, Some(version)) => Some(NcuInfo::of_version(vec!["ncu".into()], version)),
            (true, None) => {
                let executable = locate(job.settings.ncu.executable.as_ref())?;
                Some(NcuInfo::probe(&[executable.into_os_string()])?)
            }
        };
        let nsys = &job.settings.nsys;
        let launcher = [OsString::from(&nsys.executable)];
        let nsys = nsys.enable.then(|| NsysInfo::probe(&launcher)).transpose()?;
        Ok(Self { ncu, nsys })
    }
}
