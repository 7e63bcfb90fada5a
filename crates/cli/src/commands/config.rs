//! `rangescope config`: what a configuration composes to, and what can be chosen.

use std::io::Write;

use rangescope_config::{CONFIG_NAME, Context, Now, OverrideArg, Settings, Tree, compose};

use crate::args::{ConfigCommand, ConfigDirs};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(command: &ConfigCommand, ui: &Ui) -> Result<(), Failure> {
    let mut out = Ui::raw_data();
    match command {
        ConfigCommand::Show { dirs, overrides, origin } => {
            let context = context()?;
            let overrides = OverrideArg::list(overrides.iter().map(String::as_str));
            let composed = compose(&tree(dirs)?, CONFIG_NAME, &overrides, &context)?;
            // Unknown keys and wrong types are errors here as they are when something is run.
            Settings::new(&composed, &context)?;
            for note in composed.notes() {
                ui.warn(&format!("{}: {}", note.origin, note.message));
            }
            let resolved = composed.resolve(&context)?;
            let yaml = if *origin { resolved.to_yaml_with_origins() } else { resolved.to_yaml() };
            out.write_all(yaml.as_bytes())?;
        }
        ConfigCommand::List { dirs } => {
            for group in tree(dirs)?.groups()? {
                writeln!(out, "{}", if group.name.is_empty() { "(top)" } else { &group.name })?;
                for option in &group.options {
                    let about = option.description.as_deref().unwrap_or_default();
                    writeln!(out, "{}", format!("  {:<32}{about}", option.name).trim_end())?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn tree(dirs: &ConfigDirs) -> Result<Tree, Failure> {
    Ok(Tree::with_dirs(&dirs.config_dirs)?)
}

/// What interpolations may know: the environment only through `oc.env`, the time of the start, the working folder.
fn context() -> Result<Context<'static>, Failure> {
    let cwd = std::env::current_dir()?.to_string_lossy().into_owned();
    Ok(Context { env: &|name| std::env::var(name).ok(), now: now(), cwd })
}

fn now() -> Now {
    let time = jiff::Zoned::now();
    Now {
        year: time.year().into(),
        month: time.month().unsigned_abs().into(),
        day: time.day().unsigned_abs().into(),
        hour: time.hour().unsigned_abs().into(),
        minute: time.minute().unsigned_abs().into(),
        second: time.second().unsigned_abs().into(),
        microsecond: u32::try_from(time.subsec_nanosecond() / 1000).unwrap_or(0),
    }
}
