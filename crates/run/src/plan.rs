//! The plan of a run: every command that it will start, without starting any.

use std::fmt::Write as _;
use std::path::PathBuf;

use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{KnownRegions, Plan, PlanRequest};
use rangescope_config::settings::NcuOptions;
use rangescope_model::observed::ObservedRegions;
use rangescope_read::nsys::TopKernels;
use rangescope_read::ranges::observed_regions;
use serde::Serialize;

use crate::{Job, NsysOutcome, NsysStage, RunError, Tools};

const SCHEMA_VERSION: &str = "1.0";

#[derive(Debug, Serialize)]
pub struct RunPlan {
    schema_version: &'static str,
    pub run_folder: PathBuf,
    pub simulated: bool,
    pub nsys: Option<NsysStage>,
    pub ncu: Option<NcuStage>,
}

#[derive(Debug, Serialize)]
pub struct NcuStage {
    pub version: String,
    #[serde(flatten)]
    pub plan: Plan,
    #[serde(skip)]
    pub options: NcuOptions,
    #[serde(skip)]
    pub observed: Option<ObservedRegions>,
}

impl RunPlan {
    pub fn new(job: &Job, tools: &Tools) -> Result<Self, RunError> {
        let nsys = tools.nsys.as_ref().map(|nsys| NsysStage::new(job, nsys)).transpose()?;
        let ncu = tools.ncu.as_ref().map(|ncu| NcuStage::new(job, ncu, None)).transpose()?;
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            run_folder: job.folder.root().to_owned(),
            simulated: job.is_simulated(),
            nsys,
            ncu,
        })
    }

    /// The plan for people, with command lines to copy.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a text cannot fail.
        let _ = writeln!(out, "run folder: {}", self.run_folder.display());
        if self.simulated {
            let _ = writeln!(out, "simulated: no GPU is measured");
        }
        if let Some(nsys) = &self.nsys {
            let _ = write!(out, "\n{}", nsys.to_text());
        }
        if let Some(ncu) = &self.ncu {
            let _ = writeln!(
                out,
                "\nNsight Compute {}: {}",
                ncu.version,
                ncu.plan.to_text().trim_end()
            );
        }
        out
    }
}

/// Stands for the list of the nsys stage of the same run.
const LIST_OF_THIS_RUN: &str = "nsys";

impl NcuStage {
    /// Plans the captures, with what the nsys stage found where that is over already.
    pub(crate) fn new(
        job: &Job,
        ncu: &NcuInfo,
        nsys: Option<&NsysOutcome>,
    ) -> Result<Self, RunError> {
        let mut options = job.settings.ncu_options.clone();
        let list = job.settings.ncu.from_top_kernels.as_deref();
        let waits = list == Some(LIST_OF_THIS_RUN) && nsys.is_none();
        match (list, nsys) {
            (Some(LIST_OF_THIS_RUN), Some(nsys)) => options.kernel_include.extend(names(&nsys.top)),
            (Some(LIST_OF_THIS_RUN), None) if !job.settings.nsys.enable => {
                return Err(RunError::NoKernelList);
            }
            (None | Some(LIST_OF_THIS_RUN), _) => {}
            (Some(file), _) => {
                options.kernel_include.extend(names(&TopKernels::read(file.as_ref())?));
            }
        }
        if !job.settings.ncu.gating_nvtx && !options.replay_mode.is_range() {
            // Everything is captured; the regions are chosen in the report.
            options.nvtx_include.clear();
            options.nvtx_exclude.clear();
        }
        let regions = &job.settings.regions;
        let observed =
            regions.from_run.as_ref().map(|path| observed_regions(path.as_ref())).transpose()?;
        let known = observed.as_ref().map(KnownRegions::observed);
        let folder = job.folder.ncu();
        let request = PlanRequest {
            options: &options,
            ncu,
            program: &job.program,
            folder: &folder,
            known: known.as_ref(),
            labels: &regions.labels,
            names_are_folded: !regions.normalise.is_empty(),
        };
        let mut plan = Plan::new(&request)?;
        if waits {
            plan.notes.push("the kernels of the nsys stage's list are added to `--kernel-name` when they are known".to_owned());
        }
        Ok(Self { version: ncu.version.to_string(), plan, options, observed })
    }
}

/// Exact names: they have no prefix that would make a pattern of them.
fn names(list: &TopKernels) -> impl Iterator<Item = String> + '_ {
    list.demangled_names().into_iter().map(str::to_owned)
}
