//! `rangescope config`: what a configuration composes to, and what can be chosen.

use rangescope_config::{CONFIG_NAME, OverrideArg, Settings, compose};

use rangescope_run::context;

use super::job::{say_notes, tree};
use crate::args::ConfigCommand;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(command: &ConfigCommand, ui: &Ui) -> Result<(), Failure> {
    match command {
        ConfigCommand::Show { dirs, overrides, origin } => {
            let context = context()?;
            let overrides = OverrideArg::list(overrides.iter().map(String::as_str));
            let composed = compose(&tree(dirs)?, CONFIG_NAME, &overrides, &context)?;
            // Unknown keys and wrong types are errors here as they are when something is run.
            Settings::new(&composed, &context)?;
            say_notes(composed.notes(), ui);
            let resolved = composed.resolve(&context)?;
            let yaml = if *origin { resolved.to_yaml_with_origins() } else { resolved.to_yaml() };
            Ui::print(|out| out.write_all(yaml.as_bytes()))
        }
        ConfigCommand::List { dirs } => {
            let groups = tree(dirs)?.groups()?;
            Ui::print(|out| {
                for group in &groups {
                    writeln!(out, "{}", if group.name.is_empty() { "(top)" } else { &group.name })?;
                    for option in &group.options {
                        let about = option.description.as_deref().unwrap_or_default();
                        writeln!(out, "{}", format!("  {:<32}{about}", option.name).trim_end())?;
                    }
                }
                Ok(())
            })
        }
    }
}
