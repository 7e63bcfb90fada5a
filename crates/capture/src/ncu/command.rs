//! The command line of one capture.
//!
//! Pure: everything that depends on the ncu at hand is in [`NcuInfo`]. What changed its default between versions is always given, options are written out,
//! the report has its extension, and nothing stands between the options and the program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rangescope_config::settings::{NcuOptions, ToolOption, Written};
use rangescope_model::ReplayMode;

use super::NcuInfo;
use super::check::{check_combination, check_sections, check_values, require};
use super::error::CommandError;
use super::extra::check_extra;
use super::kernels::kernel_filter;
use crate::applied::AppliedFilters;
use crate::shell::{operand, without_macros};

/// Where one capture goes and which ranges it looks at.
#[derive(Clone, Copy, Debug)]
pub struct CaptureTarget<'a> {
    /// With its extension.
    pub report: &'a Path,
    /// Expressions for `--nvtx-include`.
    pub include: &'a [String],
    /// Expressions for `--nvtx-exclude`.
    pub exclude: &'a [String],
}

/// A command line, and which kernel patterns it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NcuCommand {
    /// Beginning with the words that start ncu.
    pub argv: Vec<OsString>,
    pub filters: AppliedFilters,
}

pub fn build_ncu_cmd(
    options: &NcuOptions,
    ncu: &NcuInfo,
    target: &CaptureTarget<'_>,
    program: &[OsString],
) -> Result<NcuCommand, CommandError> {
    check_program(program)?;
    check_combination(options, !target.include.is_empty(), !target.exclude.is_empty())?;
    check_sections(options, ncu)?;
    let kernels = kernel_filter(options)?;

    let mut line = Line { ncu, argv: ncu.launcher.clone(), given: Vec::new() };
    if ncu.has_option("config-file") {
        // A file in the working folder could otherwise change anything.
        line.value("config-file", "off")?;
    }
    for (key, value) in options.written() {
        let Some(option) = &key.option else { continue };
        check_values(option, &value, ncu)?;
        let value = match option.name {
            "nvtx-include" => {
                // Without it no result would know its ranges.
                line.flag("nvtx")?;
                Written::Values(target.include.to_vec())
            }
            "nvtx-exclude" => Written::Values(target.exclude.to_vec()),
            "kernel-name-base" if kernels.value.is_none() => Written::Nothing,
            // Three keys have this option; it is given at the first of them.
            "kernel-name" if line.given.contains(&option.name) => Written::Nothing,
            "kernel-name" => Written::Values(kernels.value.as_slice().to_vec()),
            "app-replay-mode" if options.replay_mode == ReplayMode::Application => {
                Written::Values(vec![options.app_replay_mode.unwrap_or("strict").to_owned()])
            }
            "set" => Written::Values(set(options, ncu).into_iter().collect()),
            // The name of the report comes last, and need not be text.
            "export" => Written::Nothing,
            _ => value,
        };
        line.give(option, value)?;
    }
    line.value("export", without_macros(&operand(target.report)))?;

    check_extra(&options.extra_args, &line.given, ncu)?;
    let mut argv = line.argv;
    argv.extend(options.extra_args.iter().map(OsString::from));
    argv.extend(program.iter().cloned());
    if let Some(argument) = argv.iter().find(|argument| argument.as_bytes().contains(&0)) {
        return Err(CommandError::ZeroByte { argument: argument.to_string_lossy().into_owned() });
    }
    Ok(NcuCommand { argv, filters: kernels.filters })
}

/// The set to collect. ncu's default was renamed once, so it is always given by name.
fn set(options: &NcuOptions, ncu: &NcuInfo) -> Option<String> {
    let nothing_asked =
        options.set.is_none() && options.sections.is_empty() && options.metrics.is_empty();
    let mut usual = ["basic", "default"].into_iter();
    let usual = usual.find(|set| nothing_asked && ncu.sets.contains(*set));
    options.set.clone().or(usual.map(str::to_owned))
}

fn check_program(program: &[OsString]) -> Result<(), CommandError> {
    let first = program.first().filter(|first| !first.is_empty()).ok_or(CommandError::NoProgram)?;
    if first.as_bytes().starts_with(b"-") {
        return Err(CommandError::ProgramIsOption {
            program: first.to_string_lossy().into_owned(),
        });
    }
    Ok(())
}

struct Line<'n> {
    ncu: &'n NcuInfo,
    argv: Vec<OsString>,
    /// Long names of the options so far.
    given: Vec<&'static str>,
}

impl Line<'_> {
    /// Adds an option of the table, with its own value or one made for it.
    fn give(&mut self, option: &ToolOption, value: Written) -> Result<(), CommandError> {
        let name = option.name;
        match value {
            Written::Nothing | Written::Switch(false) => Ok(()),
            Written::Values(values) if values.is_empty() => Ok(()),
            Written::Switch(true) => self.flag(name),
            Written::Values(values) if option.joined => self.value(name, values.join(",")),
            Written::Values(values) => values.iter().try_for_each(|value| self.value(name, value)),
            // An ncu without the option does this anyway.
            Written::Usual(_) if !self.ncu.has_option(name) => Ok(()),
            Written::Usual(value) => self.value(name, value),
        }
    }

    fn flag(&mut self, option: &'static str) -> Result<(), CommandError> {
        require(self.ncu, option, None)?;
        self.given.push(option);
        self.argv.push(format!("--{option}").into());
        Ok(())
    }

    fn value(
        &mut self,
        option: &'static str,
        value: impl AsRef<OsStr>,
    ) -> Result<(), CommandError> {
        let value = value.as_ref();
        self.flag(option)?;
        if value.as_bytes().starts_with(b"-")
            && let Some(last) = self.argv.last_mut()
        {
            // On its own it would be taken for an option.
            last.push("=");
            last.push(value);
        } else {
            self.argv.push(value.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
