//! From what was typed to jobs: composes the configuration once for every run.

use std::cell::RefCell;
use std::ffi::OsString;

use rangescope_config::{
    CONFIG_NAME, Context, Note, Origin, OverrideArg, Secrets, Settings, Tree, compose, sweep,
};

use crate::{Job, RunError, RunFolder, Typed};

/// Whether ncu runs.
const NCU: &str = "pipeline.ncu.enable";

/// A job, and what its configuration has to say to the user.
pub type Composed = (Job, Vec<Note>);

pub fn job(
    tree: &Tree,
    mut overrides: Vec<OverrideArg>,
    program: &[OsString],
    context: &Context<'_>,
) -> Result<Composed, RunError> {
    let asked = RefCell::new(Vec::new());
    let env = |name: &str| {
        let value = (context.env)(name)?;
        asked.borrow_mut().push((name.to_owned(), value.clone()));
        Some(value)
    };
    let context = &Context { env: &env, now: context.now, cwd: context.cwd.clone() };
    let mut composed = compose(tree, CONFIG_NAME, &overrides, context)?;
    let mut settings = Settings::new(&composed, context)?;
    if !settings.ncu.enable && settings.origin(NCU).is_none_or(Origin::is_builtin) {
        // `profile -- PROGRAM` means: use ncu, after nsys where that is enabled, unless somebody said not to.
        overrides
            .push(OverrideArg { text: format!("{NCU}=true"), flag: Some("profile".to_owned()) });
        composed = compose(tree, CONFIG_NAME, &overrides, context)?;
        settings = Settings::new(&composed, context)?;
    }
    let typed = Typed {
        overrides: overrides.into_iter().map(|given| given.text).collect(),
        config_dirs: Vec::new(),
    };
    let secrets = secrets(&settings, &asked.take())?;
    let yaml = composed.to_keep(context, &secrets)?.to_yaml();
    let job = Job::new(settings, yaml, typed, program.to_vec(), secrets)?;
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

/// What is masked: by the table and the patterns, and the values of secret variables wherever they appear, because a shell or an interpolation may have put them anywhere.
pub(crate) fn secrets(
    settings: &Settings,
    asked: &[(String, String)],
) -> Result<Secrets, RunError> {
    let mut secrets = Secrets::new(&settings.run.redact)?;
    let set = settings.workload.env.iter();
    let set = set.filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
    for (name, value) in asked.iter().cloned().chain(set).chain(crate::context::variables()) {
        if secrets.is_secret(&name) {
            secrets.add(&value);
        }
    }
    Ok(secrets)
}
