//! The plan of a run: every command that it will start, without starting any.

use std::fmt::Write as _;
use std::path::PathBuf;

use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Inside, KnownRegions, Plan, PlanRequest};
use rangescope_config::settings::NcuOptions;
use rangescope_model::document::{Note, NoteLevel};
use rangescope_model::observed::ObservedRegions;
use rangescope_read::nsys::TopKernels;
use rangescope_read::ranges::observed_regions;
use serde::Serialize;

use crate::launch::Placement;
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
    /// Why there is no ncu that said its version, and the newest known one is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_assumed: Option<String>,
    #[serde(flatten)]
    pub plan: Plan,
    #[serde(skip)]
    pub options: NcuOptions,
    #[serde(skip)]
    pub observed: Option<ObservedRegions>,
    /// What the report says of how it was captured.
    #[serde(skip)]
    pub report_notes: Vec<Note>,
}

impl RunPlan {
    pub fn new(job: &Job, tools: &Tools) -> Result<Self, RunError> {
        let mut nsys = tools.nsys.as_ref().map(|nsys| NsysStage::new(job, nsys)).transpose()?;
        let mut ncu = tools.ncu.as_ref().map(|ncu| NcuStage::new(job, ncu, None)).transpose()?;
        if let Some(stage) = &mut nsys {
            stage.version_assumed.clone_from(&tools.nsys_assumed);
        }
        if let Some(stage) = &mut ncu {
            stage.version_assumed.clone_from(&tools.ncu_assumed);
        }
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
                "\nNsight Compute {}{}: {}",
                ncu.version,
                assumed(ncu.version_assumed.as_deref()),
                ncu.plan.to_text().trim_end()
            );
        }
        out
    }
}

/// What is said behind a version that is only assumed.
pub(crate) fn assumed(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(" (assumed, the newest known: {why})"))
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
        let mut placement = Placement::of(job)?;
        let collective = placement.apply_collectives(job, &mut options)?;
        let (folder, own) = (placement.folder(job.folder.ncu())?, Placement::own()?);
        let inside = placement.inside.as_ref().map(|launch| Inside {
            launch,
            own: &own,
            ranks: &placement.ranks,
            silence_limit: job.silence_limit(),
            peers: collective.peers,
        });
        let request = PlanRequest {
            options: &options,
            ncu,
            program: &job.program,
            folder: &folder,
            known: known.as_ref(),
            labels: &regions.labels,
            names_are_folded: !regions.normalise.is_empty(),
            inside,
        };
        let mut plan = Plan::new(&request)?;
        plan.notes.extend(placement.notes);
        if waits {
            plan.notes.push("the kernels of the nsys stage's list are added to `--kernel-name` when they are known".to_owned());
        }
        let version = ncu.version.to_string();
        let note =
            collective.note.map(|message| Note::new(NoteLevel::Info, "collectives", message));
        Ok(Self {
            version,
            version_assumed: None,
            plan,
            options,
            observed,
            report_notes: note.into_iter().collect(),
        })
    }
}

/// Exact names: they have no prefix that would make a pattern of them.
fn names(list: &TopKernels) -> impl Iterator<Item = String> + '_ {
    list.demangled_names().into_iter().map(str::to_owned)
}
