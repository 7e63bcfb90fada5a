//! The ncu and nsys that a run uses.

use std::ffi::OsString;

use rangescope_capture::ncu::probe::locate;
use rangescope_capture::ncu::{NcuInfo, ProbeError};
use rangescope_capture::nsys::{NsysCommandError, NsysInfo};
use rangescope_config::Version;
use rangescope_config::settings::NcuOptions;

use crate::{Job, RunError};

#[derive(Clone, Debug, Default)]
pub struct ToolsRequest {
    /// The words that start the simulated ncu; used only when the job asks for simulation.
    pub simulator: Vec<OsString>,
    /// Plan for an ncu of this version, whether or not there is one.
    pub ncu_version: Option<Version>,
    /// Nothing will be started: for a tool that is not there, the newest known one stands in.
    pub only_plan: bool,
}

#[derive(Clone, Debug)]
pub struct Tools {
    /// ncu, if the run uses it.
    pub ncu: Option<NcuInfo>,
    /// nsys, if the run uses it.
    pub nsys: Option<NsysInfo>,
    /// Why the version of ncu is only assumed.
    pub ncu_assumed: Option<String>,
    /// Likewise of nsys.
    pub nsys_assumed: Option<String>,
}

impl Tools {
    /// Finds the tools that a job needs and asks them what they can do.
    pub fn find(job: &Job, request: &ToolsRequest) -> Result<Self, RunError> {
        let (mut ncu_assumed, mut nsys_assumed) = (None, None);
        let ncu = match (job.settings.ncu.enable, request.ncu_version) {
            (false, _) => None,
            (true, _) if job.is_simulated() => Some(NcuInfo::probe(&request.simulator)?),
            (true, Some(version)) => Some(NcuInfo::of_version(vec!["ncu".into()], version)),
            (true, None) => Some(match locate(job.settings.ncu.executable.as_ref()) {
                Ok(executable) => NcuInfo::probe(&[executable.into_os_string()])?,
                Err(missing @ ProbeError::NotFound { .. }) if request.only_plan => {
                    ncu_assumed = Some(missing.to_string());
                    let launcher = vec![OsString::from(&job.settings.ncu.executable)];
                    NcuInfo::of_version(launcher, NcuOptions::newest_known())
                }
                Err(error) => return Err(error.into()),
            }),
        };
        let options = &job.settings.nsys;
        let launcher = vec![OsString::from(&options.executable)];
        let nsys = match options.enable.then(|| NsysInfo::probe(&launcher)).transpose() {
            Err(missing @ NsysCommandError::NotFound { .. }) if request.only_plan => {
                nsys_assumed = Some(missing.to_string());
                Some(NsysInfo::newest_known(launcher))
            }
            probed => probed?,
        };
        Ok(Self { ncu, nsys, ncu_assumed, nsys_assumed })
    }
}
