//! From what was typed to jobs: composes the configuration once for every run.

use std::ffi::OsString;

use rangescope_config::{
    CONFIG_NAME, Composed, Context, OverrideArg, Settings, Tree, Version, compose, sweep,
};
use rangescope_run::{Job, ToolsRequest, Typed};

use crate::args::{ConfigDirs, JobArgs};
use crate::failure::Failure;
use crate::ui::Ui;

/// The jobs that the arguments ask for: one, or one for every run of a sweep.
pub(crate) fn jobs(args: &JobArgs, ui: &Ui) -> Result<Vec<Job>, Failure> {
    let context = context()?;
    let tree = tree(&args.dirs)?;
    let mut overrides = OverrideArg::list(args.overrides.iter().map(String::as_str));
    overrides.extend(args.flags.overrides()?);
    let job = |overrides| {
        let mut job = job(&tree, overrides, &args.program, &context, ui)?;
        job.typed.config_dirs =
            args.dirs.config_dirs.iter().map(|dir| dir.display().to_string()).collect();
        Ok::<Job, Failure>(job)
    };
    if !args.multirun {
        return Ok(vec![job(overrides)?]);
    }
    let mut jobs = Vec::new();
    let runs = sweep(&tree, &overrides)?;
    // One time for all runs, so that their folders lie beside each other.
    for (number, run) in runs.into_iter().enumerate() {
        let mut job = job(run)?;
        let folder = job.folder.root().join(number.to_string());
        job.folder = rangescope_run::RunFolder::new(folder);
        jobs.push(job);
    }
    Ok(jobs)
}

/// One job.
pub(crate) fn job(
    tree: &Tree,
    mut overrides: Vec<OverrideArg>,
    program: &[OsString],
    context: &Context<'_>,
    ui: &Ui,
) -> Result<Job, Failure> {
    let mut composed = compose(tree, CONFIG_NAME, &overrides, context)?;
    let mut settings = Settings::new(&composed, context)?;
    if is_left_to_us(&settings) {
        // Who profiles a program and says no more wants ncu.
        overrides.push(OverrideArg {
            text: "pipeline.ncu.enable=true".to_owned(),
            flag: Some("profile".to_owned()),
        });
        composed = compose(tree, CONFIG_NAME, &overrides, context)?;
        settings = Settings::new(&composed, context)?;
    }
    say_notes(&composed, ui);
    let typed = Typed {
        overrides: overrides.into_iter().map(|given| given.text).collect(),
        config_dirs: Vec::new(),
    };
    let yaml = composed.resolve(context)?.to_yaml();
    Ok(Job::new(settings, yaml, typed, program.to_vec())?)
}

/// Whether nobody said which stage is to run.
fn is_left_to_us(settings: &Settings) -> bool {
    let by_default = |key| settings.origin(key).is_none_or(rangescope_config::Origin::is_builtin);
    !settings.ncu.enable
        && !settings.nsys.enable
        && by_default("pipeline.ncu.enable")
        && by_default("pipeline.nsys.enable")
}

pub(crate) fn say_notes(composed: &Composed, ui: &Ui) {
    for note in composed.notes() {
        ui.warn(&format!("{}: {}", note.origin, note.message));
    }
}

/// How tools are found: this program itself is the simulated ncu.
pub(crate) fn tools_request(ncu_version: Option<Version>) -> Result<ToolsRequest, Failure> {
    let program = std::env::current_exe()?;
    let simulator = vec![program.into_os_string(), OsString::from(crate::SIMULATED_NCU)];
    Ok(ToolsRequest { simulator, ncu_version })
}

pub(crate) fn tree(dirs: &ConfigDirs) -> Result<Tree, Failure> {
    Ok(Tree::with_dirs(&dirs.config_dirs)?)
}

/// What interpolations may know: the environment only through `oc.env`, the time of the start, the working folder.
pub(crate) fn context() -> Result<Context<'static>, Failure> {
    let cwd = std::env::current_dir()?.to_string_lossy().into_owned();
    Ok(Context { env: &|name| std::env::var(name).ok(), now: jiff::Zoned::now().datetime(), cwd })
}
