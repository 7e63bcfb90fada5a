//! Turns what was picked into results, and describes the session for the report.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use ncu_rep::{Device, Executable, Process, ResultData, Session, System};

use super::program;
use super::record::ProcessRecord;
use super::select::{CONTEXT, Observed, Picked};
use super::timeline::Launch;
use crate::activity::Activity;
use crate::code::announced::Modules;
use crate::collection::Collection;
use crate::kernel::{LaunchSite, range_result, result};
use crate::machine::DEFAULT;
use rangescope_model::session::{RANKS, SIMULATOR_PROVIDER};

/// The variable that seeds a small variation of times.
pub(super) const SEED_VARIABLE: &str = "RANGESCOPE_SIM_SEED";
/// The largest share by which a time is stretched.
const JITTER: f64 = 0.009;
/// Larger source files are not read.
const LARGEST_TEXT: u64 = 4 << 20;

pub(super) struct Maker<'c> {
    pub(super) collection: &'c Collection,
    /// Results have an NVTX state only with `--nvtx`.
    pub(super) nvtx: bool,
    pub(super) seed: u64,
}

impl Maker<'_> {
    pub(super) fn make(
        &self,
        observed: &Observed<'_>,
        modules: &Modules,
        picked: &Picked<'_>,
    ) -> ResultData<'static> {
        match picked {
            Picked::Kernel(launch) => {
                let announced = &launch.announced;
                let name = announced.name();
                let site = LaunchSite {
                    nvtx: self.nvtx.then(|| launch.nvtx.clone()),
                    ..site(observed, launch)
                };
                let stretch = self.stretch(observed, launch);
                let code = modules.code(&name.mangled);
                let work = &announced.work;
                result(&DEFAULT, self.collection, name, work, &code, stretch, site)
            }
            Picked::Range(instance, launches) => {
                let mut activity = Activity::default();
                for launch in launches {
                    let stretch = self.stretch(observed, launch);
                    activity.add(&DEFAULT.price(&launch.announced.work, stretch).activity);
                }
                let first = launches.first().map(|launch| site(observed, launch));
                let site = LaunchSite {
                    thread: instance.thread,
                    time: seconds(instance.time_ns),
                    nvtx: self.nvtx.then(|| instance.nvtx.clone()),
                    ..first.unwrap_or_default()
                };
                range_result(&DEFAULT, self.collection, &activity, site)
            }
        }
    }

    /// The factor on the time of a launch: always the same for the same seed, process and launch.
    fn stretch(&self, observed: &Observed<'_>, launch: &Launch) -> f64 {
        if self.seed == 0 {
            return 1.0;
        }
        let mixed = mix(mix(mix(self.seed) ^ observed.seed) ^ launch.number);
        1.0 + JITTER * ((mixed >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// The modules of a process' picked kernels, numbered from `first` on.
pub(super) fn modules(
    observed: &Observed<'_>,
    picked: &[Picked<'_>],
    first: u64,
    keeps_texts: bool,
) -> Modules {
    let launches = picked.iter().filter_map(|picked| match picked {
        Picked::Kernel(launch) => {
            let announced = &launch.announced;
            let origin = announced.origin.as_ref()?;
            Some((announced.name().mangled, origin, &announced.work))
        }
        Picked::Range(..) => None,
    });
    let announced = |file: &str| {
        let mut all = observed.timeline.launches.iter().map(|launch| &launch.announced);
        let with_text = all.find(|launch| {
            launch.text.is_some() && launch.origin.as_ref().is_some_and(|it| it.file == file)
        });
        with_text.and_then(|launch| launch.text.clone())
    };
    let text_of = |file: &str| announced(file).or_else(|| read_text(Path::new(file)));
    Modules::new(launches, first, text_of, keeps_texts)
}

/// The text of a file, if it is an ordinary one.
fn read_text(path: &Path) -> Option<String> {
    let found = fs_err::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST_TEXT {
        return None;
    }
    let mut bytes = Vec::new();
    fs_err::File::open(path).ok()?.take(LARGEST_TEXT).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}

/// One step of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn site(observed: &Observed<'_>, launch: &Launch) -> LaunchSite<'static> {
    let process = observed.process;
    LaunchSite {
        process: described(process),
        device: launch.announced.device,
        thread: launch.thread,
        context: CONTEXT,
        stream: launch.announced.stream,
        number: launch.number,
        time: seconds(launch.time_ns),
        nvtx: None,
    }
}

pub(super) fn described(process: &ProcessRecord) -> Process<'static> {
    Process {
        pid: Some(process.pid),
        host: process.host.clone().into(),
        executable: process.executable.clone().into(),
    }
}

fn seconds(time_ns: u64) -> u64 {
    time_ns / 1_000_000_000
}

/// The report's description of the whole run.
pub(super) fn session(
    observed: &[Observed<'_>],
    picked: &[Vec<Picked<'_>>],
    arguments: &[OsString],
    program: &[OsString],
    host: &str,
) -> Session<'static> {
    let launches: Vec<&Launch> = picked.iter().flatten().filter_map(Picked::first).collect();
    let devices: BTreeSet<u32> = launches.iter().map(|launch| launch.announced.device).collect();
    let device = |id: u32| Device { id, name: DEFAULT.name.into(), attributes: Vec::new() };
    let system = || System {
        os: "Linux".into(),
        architecture: std::env::consts::ARCH.into(),
        host_name: host.to_owned().into(),
        platform: 2,
        ..System::default()
    };
    let path = program.first().and_then(|name| program::find(name)).unwrap_or_default();
    let words = |words: &[OsString]| {
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    };
    let options = arguments.len().saturating_sub(program.len());
    let options = arguments.get(..options).unwrap_or_default();
    let folder = std::env::current_dir().unwrap_or_default();
    let ranks: BTreeSet<(u32, u32)> =
        observed.iter().filter_map(|seen| Some((seen.process.pid, seen.process.rank?))).collect();
    let ranks: Vec<String> = ranks.iter().map(|(pid, rank)| format!("{pid}:{rank}")).collect();
    let mut versions = vec![(SIMULATOR_PROVIDER.into(), env!("CARGO_PKG_VERSION").into())];
    if !ranks.is_empty() {
        versions.push((RANKS.into(), ranks.join(" ").into()));
    }
    Session {
        created: launches.iter().map(|launch| seconds(launch.time_ns)).min(),
        host: Some(system()),
        target: Some(system()),
        devices: devices.into_iter().map(device).collect(),
        comments: "simulated".into(),
        versions,
        executable: Some(Executable {
            path: path.to_string_lossy().into_owned().into(),
            working_dir: folder.to_string_lossy().into_owned().into(),
            // Real ncu writes both down, and any of them may be secret; nothing is made from them here.
            arguments: "".into(),
            environment: "".into(),
        }),
        command_line: format!("rangescope simulate-ncu {}", words(options)).into(),
        ..Session::default()
    }
}
