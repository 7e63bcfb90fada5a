//! What is to be done: settings, program and run folder, settled before anything is looked at.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rangescope_config::{Context, Settings, json_as_yaml, read_yaml};
use serde::{Deserialize, Serialize};

use crate::reports::ReportRequest;
use crate::{RunError, RunFolder, TOOL};

const SCHEMA_VERSION: &str = "1.0";

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
    /// Leaves captures that are complete in the folder as they are.
    pub resume: bool,
}

/// `inputs.yaml`: what it takes to make the run again.
#[derive(Debug, Serialize, Deserialize)]
struct Inputs {
    schema_version: String,
    tool: String,
    typed: Typed,
    program: Vec<Argument>,
    working_folder: Option<String>,
}

/// An argument: text where it is text, else its bytes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Argument {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Argument {
    fn from(argument: &OsStr) -> Self {
        match argument.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(argument.as_bytes().to_vec()),
        }
    }
}

impl From<Argument> for OsString {
    fn from(argument: Argument) -> Self {
        match argument {
            Argument::Text(text) => text.into(),
            Argument::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

impl Job {
    /// A job. The program given on the command line takes precedence over the configured one.
    pub fn new(
        settings: Settings,
        config_yaml: String,
        typed: Typed,
        program: Vec<OsString>,
    ) -> Result<Self, RunError> {
        let program = if program.is_empty() {
            settings.workload.command.iter().map(OsString::from).collect()
        } else {
            program
        };
        let program = with_own_program(program);
        if program.is_empty() {
            return Err(RunError::NoProgram);
        }
        if !settings.ncu.enable && !settings.nsys.enable {
            return Err(RunError::NothingToDo);
        }
        // What the reports cannot be asked for is better said before hours of capturing.
        ReportRequest::of(&settings)?;
        let mut folder = PathBuf::from(&settings.run.dir);
        if settings.workload.cwd.is_some() {
            // The program, and ncu with it, runs elsewhere.
            folder = std::path::absolute(&folder)
                .map_err(|cause| RunError::Write { path: folder.clone(), cause })?;
        }
        let folder = RunFolder::new(folder);
        Ok(Self { settings, config_yaml, typed, program, folder, resume: false })
    }

    /// The job that a run folder was made for, to finish what is missing.
    pub fn resume(folder: &Path, context: &Context<'_>) -> Result<Self, RunError> {
        let folder = RunFolder::open(folder)?;
        let settings = Settings::from_file(&folder.config(), context)?;
        let config_yaml = fs_err::read_to_string(folder.config())
            .map_err(|cause| RunError::Read { path: folder.config(), cause })?;
        let inputs = read_inputs(&folder.inputs())?;
        let program = inputs.program.into_iter().map(OsString::from).collect();
        Ok(Self { settings, config_yaml, typed: inputs.typed, program, folder, resume: true })
    }

    pub fn is_simulated(&self) -> bool {
        let device = self.settings.run.device.as_str();
        self.settings.simulate.enable || device == "sim" || device.starts_with("sim:")
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
        let inputs = Inputs {
            schema_version: SCHEMA_VERSION.to_owned(),
            tool: format!("{} {}", TOOL.0, TOOL.1),
            typed: self.typed.clone(),
            program: self.program.iter().map(|argument| argument.as_os_str().into()).collect(),
            working_folder: self.settings.workload.cwd.clone(),
        };
        let value = serde_json::to_value(&inputs)
            .map_err(|error| RunError::Write { path: self.folder.inputs(), cause: error.into() })?;
        RunFolder::write(&self.folder.inputs(), &json_as_yaml(&value))
    }
}

fn read_inputs(path: &Path) -> Result<Inputs, RunError> {
    let value = read_yaml(path)?.to_json();
    serde_json::from_value(value)
        .map_err(|error| RunError::Earlier { path: path.to_owned(), message: error.to_string() })
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
