//! From arguments to jobs.

use std::ffi::OsString;
use std::path::Path;

use rangescope_config::{Note, OverrideArg, Tree};
use rangescope_run::{Job, ToolsRequest, compose, context};

use crate::args::{ConfigDirs, JobArgs};
use crate::failure::Failure;
use crate::misplaced;
use crate::ui::Ui;

/// The jobs that the arguments ask for: one, or one for every run of a sweep.
pub(crate) fn jobs(args: &JobArgs, ui: &Ui) -> Result<Vec<Job>, Failure> {
    jobs_of(args, &args.program, ui)
}

/// Likewise, of this program.
pub(crate) fn jobs_of(args: &JobArgs, program: &[OsString], ui: &Ui) -> Result<Vec<Job>, Failure> {
    if let Some(failure) = misplaced::in_overrides(&args.overrides) {
        return Err(failure);
    }
    let context = context()?;
    let tree = tree(&args.dirs)?;
    let mut overrides = OverrideArg::list(args.overrides.iter().map(String::as_str));
    overrides.extend(args.flags.overrides()?);
    let composed = if args.multirun {
        compose::sweep_jobs(&tree, &overrides, program, &context)?
    } else {
        vec![compose::job(&tree, overrides, program, &context)?]
    };
    let dirs = || args.dirs.config_dirs.iter().map(|dir| dir.display().to_string()).collect();
    let mut jobs = Vec::new();
    for (mut job, notes) in composed {
        job.typed.config_dirs = dirs();
        say_notes(&notes, ui);
        jobs.push(job);
    }
    Ok(jobs)
}

pub(crate) fn say_notes(notes: &[Note], ui: &Ui) {
    for note in notes {
        ui.warn(&format!("{}: {}", note.origin, note.message));
    }
}

/// How tools are found: this program itself is the simulated ncu.
pub(crate) fn tools_request(only_plan: bool) -> Result<ToolsRequest, Failure> {
    let simulator = vec![own_program()?, OsString::from(crate::SIMULATED_NCU)];
    Ok(ToolsRequest { simulator, ncu_version: None, only_plan })
}

/// Where this program is, to start it again.
pub(crate) fn own_program() -> Result<OsString, Failure> {
    let path = std::env::current_exe().map_err(Failure::read(Path::new("rangescope")))?;
    Ok(path.into_os_string())
}

pub(crate) fn tree(dirs: &ConfigDirs) -> Result<Tree, Failure> {
    Ok(Tree::with_dirs(&dirs.config_dirs)?)
}
