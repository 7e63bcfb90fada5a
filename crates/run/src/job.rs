//! What is to be done: settings, program and run folder, settled before anything is looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rangescope_capture::plan::command_line;
use rangescope_config::{Context, MASK, Secrets, Settings};
use serde::{Deserialize, Serialize};

use crate::compose::secrets;
use crate::inputs::{Inputs, behind_masks};
use crate::reports::ReportRequest;
use crate::{RunError, RunFolder, TOOL};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    /// Overrides, with those that flags stood for.
    pub overrides: Vec<String>,
    /// Folders of configuration trees.
    pub config_dirs: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub settings: Settings,
    /// The same, as it is written down.
    pub config_yaml: String,
    pub typed: Typed,
    pub program: Vec<OsString>,
    pub folder: RunFolder,
    /// What is masked in all that is written and shown.
    pub secrets: Secrets,
    /// Leaves captures that are complete in the folder as they are.
    pub resume: bool,
}

/// How a run is gone on with.
#[derive(Clone, Copy, Debug)]
pub struct ResumeRequest<'a> {
    pub folder: &'a Path,
    /// The program once more, where parts of it were masked.
    pub program: &'a [OsString],
    /// Run it also if somebody else made or changed the folder.
    pub trust: bool,
}

impl Job {
    /// A job. The program given on the command line takes precedence over the configured one.
    pub fn new(
        settings: Settings,
        config_yaml: String,
        typed: Typed,
        program: Vec<OsString>,
        secrets: Secrets,
    ) -> Result<Self, RunError> {
        let program = if program.is_empty() { configured(&settings) } else { program };
        let program = with_own_program(program);
        if program.is_empty() {
            return Err(RunError::NoProgram);
        }
        if !settings.ncu.enable && !settings.nsys.enable {
            return Err(RunError::NothingToDo);
        }
        // What the reports cannot be asked for is better said before hours of capturing.
        ReportRequest::of(&settings)?;
        let folder = folder_of(&settings, Path::new(&settings.run.dir))?;
        Ok(Self { settings, config_yaml, typed, program, folder, secrets, resume: false })
    }

    /// The job that a run folder was made for, to finish what is missing.
    pub fn resume(request: &ResumeRequest<'_>, context: &Context<'_>) -> Result<Self, RunError> {
        let folder = RunFolder::open(request.folder)?;
        let config_yaml = ncu_rep::file::read_text(&folder.config(), ncu_rep::limits::SMALL_FILE)
            .map_err(|cause| RunError::Read { path: folder.config(), cause })?;
        let inputs = Inputs::read(&folder.inputs())?;
        if !(request.trust || inputs.is_own(&config_yaml)) {
            // Not even the environment is asked for somebody else.
            let settings = Settings::from_file(&folder.config(), context)?;
            let path = request.folder.to_owned();
            return Err(RunError::NotTrusted { path, would_run: would_run(&inputs, &settings) });
        }
        let mut settings = Settings::resumed(&folder.config(), context)?;
        let missing: Vec<String> = settings
            .workload
            .env
            .iter_mut()
            .filter_map(|(name, value)| {
                let masked = value.as_mut().filter(|value| *value == MASK)?;
                match (context.env)(name) {
                    Some(now) => *masked = now,
                    None => return Some(name.clone()),
                }
                None
            })
            .collect();
        if !missing.is_empty() {
            return Err(RunError::MissingVariables { names: missing });
        }
        let mut secrets = secrets(&settings, &[])?;
        let program = resumed_program(request.program, &inputs, &settings, &mut secrets)?;
        let folder = folder_of(&settings, request.folder)?;
        let typed = inputs.typed;
        Ok(Self { settings, config_yaml, typed, program, folder, secrets, resume: true })
    }

    pub fn is_simulated(&self) -> bool {
        let device = self.settings.run.device.as_str();
        self.settings.simulate.enable || device == "sim" || device.starts_with("sim:")
    }

    /// How long a capture may be silent.
    pub(crate) fn silence_limit(&self) -> Option<Duration> {
        let limit = self.settings.run.silence_limit_s?;
        Duration::try_from_secs_f64(limit).ok()
    }

    pub fn working_folder(&self) -> Option<PathBuf> {
        self.settings.workload.cwd.as_ref().map(PathBuf::from)
    }

    pub fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let changes = self.settings.workload.env.iter();
        changes.map(|(name, value)| (name.into(), value.as_ref().map(OsString::from))).collect()
    }

    /// Makes the folder and writes down what is to be done.
    pub(crate) fn write_down(&self) -> Result<(), RunError> {
        self.folder.make(self.resume || self.settings.ncu_options.force_overwrite)?;
        RunFolder::write(&self.folder.config(), &self.config_yaml)?;
        let overrides = self.typed.overrides.iter();
        let typed = Typed {
            overrides: overrides.map(|text| self.secrets.mask_override(text)).collect(),
            config_dirs: self.typed.config_dirs.clone(),
        };
        let program = self.secrets.mask_arguments(&without_own_program(&self.program));
        let inputs = Inputs::new(typed, &program, self.settings.workload.cwd.clone());
        let text = inputs
            .sealed_yaml(&self.config_yaml)
            .map_err(|error| RunError::Write { path: self.folder.inputs(), cause: error.into() })?;
        RunFolder::write(&self.folder.inputs(), &text)
    }
}

fn configured(settings: &Settings) -> Vec<OsString> {
    settings.workload.command.iter().map(OsString::from).collect()
}

/// Where the program runs in a folder of its own, ncu runs there with it and needs the full path.
fn folder_of(settings: &Settings, path: &Path) -> Result<RunFolder, RunError> {
    if settings.workload.cwd.is_none() {
        return Ok(RunFolder::new(path));
    }
    let full = std::path::absolute(path)
        .map_err(|cause| RunError::Write { path: path.to_owned(), cause })?;
    Ok(RunFolder::new(full))
}

/// The program that was recorded, with what stands behind its masks: from what was given now, else from the configuration and the environment.
fn resumed_program(
    given: &[OsString],
    inputs: &Inputs,
    settings: &Settings,
    secrets: &mut Secrets,
) -> Result<Vec<OsString>, RunError> {
    let recorded = inputs.program();
    let shown = || command_line(&recorded);
    let candidates = if given.is_empty() {
        [recorded.clone(), configured(settings)].to_vec()
    } else {
        [without_own_program(given)].to_vec()
    };
    let is_whole = |program: &[OsString]| {
        !program.is_empty() && !program.iter().any(|word| word.to_string_lossy().contains(MASK))
    };
    for program in candidates.into_iter().filter(|program| is_whole(program)) {
        if let Some(values) = behind_masks(&recorded, &program) {
            for value in &values {
                secrets.add(value);
            }
            return Ok(with_own_program(program));
        }
    }
    let program = shown();
    Err(if given.is_empty() {
        RunError::MaskedProgram { program }
    } else {
        RunError::OtherProgram { program }
    })
}

/// What somebody should look at before they let it run.
fn would_run(inputs: &Inputs, settings: &Settings) -> Vec<String> {
    let mut lines = vec![format!("program: {}", command_line(&inputs.program()))];
    lines.extend(settings.workload.cwd.as_ref().map(|folder| format!("in the folder: {folder}")));
    let names: Vec<&str> = settings.workload.env.iter().map(|(name, _)| name.as_str()).collect();
    if !names.is_empty() {
        lines.push(format!("variables that are set or removed: {}", names.join(", ")));
    }
    if settings.ncu.enable && !settings.simulate.enable {
        lines.push(format!("ncu: {}", settings.ncu.executable));
    }
    if settings.nsys.enable {
        lines.push(format!("nsys: {}", settings.nsys.executable));
    }
    let extra = settings.ncu_options.extra_args.join(" ");
    if !extra.is_empty() {
        lines.push(format!("further options of ncu: {extra}"));
    }
    lines
}

/// The models of the configuration are part of this program, which need not be on the path under its name.
fn with_own_program(mut program: Vec<OsString>) -> Vec<OsString> {
    if let Some(first) = program.first_mut().filter(|first| *first == TOOL.0)
        && let Ok(own) = std::env::current_exe()
    {
        *first = own.into_os_string();
    }
    program
}

/// The same by its name, because it may lie elsewhere when the run is gone on with.
fn without_own_program(program: &[OsString]) -> Vec<OsString> {
    let mut program = program.to_vec();
    if let (Some(first), Ok(own)) = (program.first_mut(), std::env::current_exe())
        && *first == own
    {
        *first = TOOL.0.into();
    }
    program
}
