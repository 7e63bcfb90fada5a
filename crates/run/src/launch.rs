//! Where the profiler goes when the program begins with a launcher, and what is done about kernels that need all ranks at once.

use std::ffi::OsString;
use std::path::PathBuf;

use rangescope_capture::launch::{Launch, LaunchError, Launcher, RankSelection, world_size};
use rangescope_capture::ncu::kernel_filter;
use rangescope_capture::plan::command_line;
use rangescope_config::settings::{Collectives, Communicator, LauncherName, NcuOptions};
use rangescope_model::words::Word;

use crate::{Job, RunError};

/// The one metric that ncu always collects in a single pass, and that everything else is weighted by.
const TIME: &str = "gpu__time_duration.sum";

/// How the program of a job is started.
#[derive(Debug)]
pub(crate) struct Placement {
    /// There are several ranks, whoever starts them.
    is_launched: bool,
    /// The launcher, taken apart, where every rank has an ncu of its own.
    pub(crate) inside: Option<Launch>,
    pub(crate) ranks: RankSelection,
    pub(crate) notes: Vec<String>,
}

impl Placement {
    pub(crate) fn of(job: &Job) -> Result<Self, LaunchError> {
        let settings = &job.settings.launch;
        let ranks = RankSelection::parse(settings.ranks.iter().map(String::as_str))?;
        let mut notes = Vec::new();
        let launcher = launcher_of(job);
        let inside = match launcher {
            Some(launcher) if !settings.outside => {
                notes.push(format!(
                    "{} starts `rangescope rank-exec` in every rank, and that starts ncu: one report a rank ({ranks}); `--outside` puts one ncu around {}",
                    launcher.name, launcher.name
                ));
                Some(Launch::split(launcher, &job.program)?)
            }
            Some(launcher) => {
                notes.push(outside_note(launcher));
                None
            }
            None => None,
        };
        if inside.is_none() && ranks != RankSelection::All {
            return Err(LaunchError::NoLauncher {
                program: command_line(&job.secrets.mask_arguments(&job.program)),
            });
        }
        let own_size = || world_size(|name| std::env::var(name).ok());
        let is_launched = launcher.is_some() || own_size().is_some_and(|size| size > 1);
        Ok(Self { is_launched, inside, ranks, notes })
    }

    /// The folder of a stage as ranks see it: they begin wherever the launcher puts them.
    pub(crate) fn folder(&self, folder: PathBuf) -> Result<PathBuf, RunError> {
        if self.inside.is_none() {
            return Ok(folder);
        }
        std::path::absolute(&folder).map_err(|cause| RunError::Write { path: folder, cause })
    }

    /// This program, as the launcher starts it.
    pub(crate) fn own() -> Result<OsString, RunError> {
        let own = std::env::current_exe();
        let own = own.map_err(|cause| RunError::Read { path: crate::TOOL.0.into(), cause })?;
        Ok(own.into_os_string())
    }

    /// Changes the options so that no rank waits for one that ncu holds back; gives what was done.
    pub(crate) fn apply_collectives(
        &mut self,
        job: &Job,
        options: &mut NcuOptions,
    ) -> Result<Collective, LaunchError> {
        let patterns = &job.settings.ncu.collective_kernels;
        if !self.is_launched || options.replay_mode.is_range() {
            return Ok(Collective::default());
        }
        let mut found = Collective::default();
        let note = match job.settings.ncu.collectives {
            Collectives::Keep => return Ok(found),
            Collectives::Exclude => {
                if patterns.is_empty() {
                    return Ok(found);
                }
                let mut changed = options.clone();
                changed.kernel_exclude.extend(patterns.iter().cloned());
                if kernel_filter(&changed).is_err() && kernel_filter(options).is_ok() {
                    "kernels of collectives are not left out, because `kernel_name` is a pattern that only ncu reads: a rank whose collective is repeated waits for the others forever".to_owned()
                } else {
                    *options = changed;
                    format!(
                        "kernels of collectives ({}) are left out, because a rank whose collective is repeated waits for the others forever; a trace of nsys has their time, and `pipeline.ncu.collectives` has other ways",
                        patterns.join(", ")
                    )
                }
            }
            Collectives::SinglePass => {
                options.set = None;
                options.sections.clear();
                options.metrics = vec![TIME.to_owned()];
                format!(
                    "only {TIME} is collected, in one pass, so that collectives are not repeated; the other metrics and sections are left out (`pipeline.ncu.collectives=single-pass`)"
                )
            }
            Collectives::Lockstep => {
                if self.inside.is_none() || self.ranks != RankSelection::All {
                    return Err(LaunchError::Needs {
                        what: "`pipeline.ncu.collectives=lockstep`",
                        needs: "one ncu inside of every rank (`--ranks all`, without `--outside`)",
                    });
                }
                options.communicator = Some(Communicator::Tcp);
                options.lockstep_kernel_launch = true;
                found.peers = options.communicator_tcp_num_peers.is_none();
                "the ncu of all ranks launch kernels together (`pipeline.ncu.collectives=lockstep`)"
                    .to_owned()
            }
        };
        self.notes.push(note.clone());
        found.note = Some(note);
        Ok(found)
    }
}

/// What was decided about collectives.
#[derive(Debug, Default)]
pub(crate) struct Collective {
    /// The ncu of every rank is told how many there are.
    pub(crate) peers: bool,
    /// For the report.
    pub(crate) note: Option<String>,
}

/// The launcher that the program begins with.
fn launcher_of(job: &Job) -> Option<&'static Launcher> {
    match job.settings.launch.name {
        LauncherName::None => None,
        LauncherName::Auto => Launcher::recognised(&job.program),
        name => Launcher::named(name.as_str()),
    }
}

/// Variables that the launcher is started with where it starts profilers.
pub(crate) fn launcher_environment(job: &Job) -> &'static [(&'static str, &'static str)] {
    launcher_of(job).filter(|_| !job.settings.launch.outside).map_or(&[], |one| one.environment)
}

/// What is recorded of ranks. Around a launcher one nsys reaches processes by their environment.
pub(crate) fn nsys_note(job: &Job) -> Option<String> {
    let launcher = launcher_of(job)?;
    let name = launcher.name;
    if !job.settings.launch.outside {
        return Some(format!(
            "{name} starts `rangescope rank-exec` in every rank, and that starts nsys: one recording a rank; `--outside` puts one nsys around {name}"
        ));
    }
    let reached = if launcher.starts_elsewhere {
        format!(" if {name} passes its environment on to them")
    } else {
        String::new()
    };
    Some(format!(
        "one nsys is around {name}: its recording has the ranks of this machine together{reached}, and nothing of those on other machines; without `--outside` every rank has an nsys and a recording of its own"
    ))
}

fn outside_note(launcher: &Launcher) -> String {
    let name = launcher.name;
    let blind = if launcher.starts_elsewhere {
        ", which sees nothing of what another process starts for it"
    } else {
        ""
    };
    format!(
        "one ncu is around {name}{blind}; without `--outside` every rank has an ncu and a report of its own"
    )
}
