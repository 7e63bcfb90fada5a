//! From what was typed to jobs: composes the configuration once for every run.

use std::ffi::OsString;

use rangescope_config::{
    CONFIG_NAME, Context, Note, Origin, OverrideArg, Settings, Tree, compose, sweep,
};

use crate::{Job, RunError, RunFolder, Typed};

/// A job, and what its configuration has to say to the user.
pub type Composed = (Job, Vec<Note>);

pub fn job(
    tree: &Tree,
    mut overrides: Vec<OverrideArg>,
    program: &[OsString],
    context: &Context<'_>,
) -> Result<Composed, RunError> {
    let mut composed = compose(tree, CONFIG_NAME, &overrides, context)?;
    let mut settings = Settings::new(&composed, context)?;
    if no_stage_chosen(&settings) {
        // `profile -- PROGRAM` with nothing else said means: use ncu.
        overrides.push(OverrideArg {
            text: "pipeline.ncu.enable=true".to_owned(),
            flag: Some("profile".to_owned()),
        });
        composed = compose(tree, CONFIG_NAME, &overrides, context)?;
        settings = Settings::new(&composed, context)?;
    }
    let typed = Typed {
        overrides: overrides.into_iter().map(|given| given.text).collect(),
        config_dirs: Vec::new(),
    };
    let yaml = composed.resolve(context)?.to_yaml();
    let job = Job::new(settings, yaml, typed, program.to_vec())?;
    Ok((job, composed.notes().to_vec()))
}

/// One job for every run of a sweep, each in a numbered folder of its own.
pub fn sweep_jobs(
    tree: &Tree,
    overrides: &[OverrideArg],
    program: &[OsString],
    context: &Context<'_>,
) -> Result<Vec<Composed>, RunError> {
    let mut jobs = Vec::new();
    // The context has one time for all runs, so that their folders lie beside each other.
    for (number, run) in sweep(tree, overrides)?.into_iter().enumerate() {
        let (mut job, notes) = job(tree, run, program, context)?;
        job.folder = RunFolder::new(job.folder.root().join(number.to_string()));
        jobs.push((job, notes));
    }
    Ok(jobs)
}

fn no_stage_chosen(settings: &Settings) -> bool {
    let by_default = |key| settings.origin(key).is_none_or(Origin::is_builtin);
    !settings.ncu.enable
        && !settings.nsys.enable
        && by_default("pipeline.ncu.enable")
        && by_default("pipeline.nsys.enable")
}
