//! Selects the launches of a run that become results.

use std::collections::BTreeMap;

use super::record::{ProcessRecord, RunRecord};
use super::settings::{FilterMode, Settings};
use super::timeline::{Instance, Launch, Timeline, timeline};

/// The context of every launch: programs have one.
pub(super) const CONTEXT: u32 = 1;

pub(super) struct Observed<'r> {
    pub(super) process: &'r ProcessRecord,
    /// Varies times by process: the rank, or else the position in the run.
    pub(super) seed: u64,
    pub(super) timeline: Timeline,
}

pub(super) enum Picked<'o> {
    Kernel(&'o Launch),
    /// An instance of a range and its launches on one device.
    Range(&'o Instance, Vec<&'o Launch>),
}

impl<'o> Picked<'o> {
    /// The launch, or the first one of a range.
    pub(super) fn first(&self) -> Option<&'o Launch> {
        match self {
            Self::Kernel(launch) => Some(launch),
            Self::Range(_, launches) => launches.first().copied(),
        }
    }
}

/// The processes that are profiled, in order of their ranks if all have one, and of their start otherwise.
pub(super) fn observe<'r>(
    settings: &Settings,
    record: &'r RunRecord,
    root: Option<u32>,
) -> Vec<Observed<'r>> {
    let mut processes: Vec<&ProcessRecord> = record
        .processes
        .iter()
        .filter(|process| settings.all_processes || Some(process.pid) == root)
        .filter(|process| settings.process_filter.takes(process, &record.processes))
        .collect();
    if processes.iter().all(|process| process.rank.is_some()) {
        processes.sort_by_key(|process| process.rank);
    }
    let looks = settings.replay.is_range() || settings.range_filter.is_some();
    let ranges = Some(&settings.ranges).filter(|ranges| looks && !ranges.include.is_empty());
    (0..)
        .zip(processes)
        .map(|(place, process)| Observed {
            process,
            seed: process.rank.map_or(place, u64::from),
            timeline: timeline(process, ranges),
        })
        .collect()
}

/// The future results of each process, in order.
pub(super) fn select<'o>(
    settings: &Settings,
    observed: &'o [Observed<'_>],
) -> Vec<Vec<Picked<'o>>> {
    let mut counts = Counts::default();
    observed
        .iter()
        .map(|observed| {
            counts.invocations.clear();
            if !settings.from_start || settings.whole_graphs {
                Vec::new()
            } else if settings.replay.is_range() {
                ranges(settings, &observed.timeline, &mut counts)
            } else {
                kernels(settings, &observed.timeline, &mut counts)
            }
        })
        .collect()
}

/// Tells when `--kill` may end the program.
pub(super) fn is_complete(settings: &Settings, picked: &[Vec<Picked<'_>>]) -> bool {
    let taken: usize = picked.iter().map(Vec::len).sum();
    settings.count.is_some_and(|count| taken as u64 >= count)
}

#[derive(Default)]
struct Counts {
    /// Launches on the devices and in the ranges that are profiled, whatever their names.
    seen: u64,
    /// Launches of the process that match all but the number of the kernel identifier.
    invocations: BTreeMap<Key, u64>,
    matched: BTreeMap<Key, u64>,
}

/// Launches with the same key are counted together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    All,
    Device(u32),
    Shape([u64; 3], [u64; 3], u64),
}

impl Key {
    fn of(mode: FilterMode, launch: &Launch) -> Self {
        let announced = &launch.announced;
        let work = &announced.work;
        match mode {
            FilterMode::Global => Self::All,
            FilterMode::PerDevice => Self::Device(announced.device),
            FilterMode::PerShape => Self::Shape(work.grid, work.block, work.shared),
        }
    }
}

impl Counts {
    /// Counts a match; true if it was asked for.
    fn takes(&mut self, settings: &Settings, key: Key) -> bool {
        let matched = self.matched.entry(key).or_default();
        *matched += 1;
        *matched > settings.skip
            && settings.count.is_none_or(|count| *matched - settings.skip <= count)
    }
}

fn kernels<'o>(
    settings: &Settings,
    timeline: &'o Timeline,
    counts: &mut Counts,
) -> Vec<Picked<'o>> {
    let mut picked = Vec::new();
    for launch in &timeline.launches {
        if !is_place(settings, launch) {
            continue;
        }
        counts.seen += 1;
        if counts.seen > settings.skip_before_match
            && is_kernel(settings, launch, counts)
            && counts.takes(settings, Key::of(settings.filter_mode, launch))
        {
            picked.push(Picked::Kernel(launch));
        }
    }
    picked
}

/// Device and ranges of a launch are profiled, which real ncu checks before anything else.
fn is_place(settings: &Settings, launch: &Launch) -> bool {
    let nvtx = settings.nvtx.then_some(&launch.nvtx);
    settings.devices.have(launch.announced.device)
        && settings.ranges.selects(nvtx)
        && settings.range_filter.as_ref().is_none_or(|filter| filter.takes(launch.instance))
}

fn is_kernel(settings: &Settings, launch: &Launch, counts: &mut Counts) -> bool {
    let announced = &launch.announced;
    let name = announced.name();
    let name = settings.name_base.of(&name.function, &name.demangled, &name.mangled);
    if settings.kernel_name.as_ref().is_some_and(|pattern| !pattern.matches(name)) {
        return false;
    }
    let Some(id) = &settings.kernel_id else { return true };
    if !id.matches(CONTEXT, announced.stream, name) {
        return false;
    }
    let number = counts.invocations.entry(Key::of(settings.filter_mode, launch)).or_default();
    *number += 1;
    id.invocation.is_none_or(|wanted| wanted == *number)
}

fn ranges<'o>(settings: &Settings, timeline: &'o Timeline, counts: &mut Counts) -> Vec<Picked<'o>> {
    let mut parts: Vec<BTreeMap<u32, Vec<&Launch>>> = Vec::new();
    parts.resize_with(timeline.instances.len(), BTreeMap::new);
    for launch in &timeline.launches {
        let device = launch.announced.device;
        let part = launch.instance.and_then(|instance| parts.get_mut(instance));
        if let Some(part) = part.filter(|_| settings.devices.have(device)) {
            part.entry(device).or_default().push(launch);
        }
    }
    let mut picked = Vec::new();
    for (number, (instance, by_device)) in timeline.instances.iter().zip(parts).enumerate() {
        for (device, launches) in by_device {
            let key = match settings.filter_mode {
                FilterMode::PerDevice => Key::Device(device),
                FilterMode::Global | FilterMode::PerShape => Key::All,
            };
            counts.seen += 1;
            if counts.seen > settings.skip_before_match
                && settings.range_filter.as_ref().is_none_or(|filter| filter.takes(Some(number)))
                && counts.takes(settings, key)
            {
                picked.push(Picked::Range(instance, launches));
            }
        }
    }
    picked
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::parse::parse;
    use super::super::testing::process;
    use super::*;

    /// The kernels (or the numbers of kernels of ranges) that a command line takes of a program.
    fn picked(options: &str, steps: &[&str]) -> Vec<String> {
        let words = options.split(' ').filter(|word| !word.is_empty());
        let args = words.map(OsString::from).chain(["/bin/true".into()]).collect();
        let settings = Settings::read(&parse(args).unwrap()).unwrap();
        let processes = (1..).zip(steps).map(|(pid, steps)| process(pid, steps)).collect();
        let record = RunRecord { processes, notes: Vec::new() };
        let observed = observe(&settings, &record, Some(1));
        let name = |picked: &Picked<'_>| match picked {
            Picked::Kernel(launch) => launch.announced.kernel.clone(),
            Picked::Range(_, launches) => {
                launches.iter().map(|launch| launch.announced.kernel.as_str()).collect()
            }
        };
        select(&settings, &observed).iter().flatten().map(name).collect()
    }

    const PROGRAM: &str = "k:a +A k:b k:c +B k:a - - +A k:b - k:c,1";

    #[test]
    fn kernels_are_taken_by_range_name_and_number() {
        assert_eq!(picked("", &[PROGRAM]), ["a", "b", "c", "a", "b", "c"]);
        assert_eq!(picked("--nvtx --nvtx-include A/", &[PROGRAM]), ["b", "c", "a", "b"]);
        assert_eq!(
            picked("--nvtx --nvtx-include A/ --nvtx-exclude B/", &[PROGRAM]),
            ["b", "c", "b"]
        );
        assert_eq!(picked("-k a", &[PROGRAM]), ["a", "a"]);
        assert_eq!(picked("-k regex:[bc] -s 1 -c 2", &[PROGRAM]), ["c", "b"]);
        assert_eq!(picked("--kernel-name-base demangled -k a(int)", &[PROGRAM]), ["a", "a"]);
        assert_eq!(picked("--launch-skip-before-match 3", &[PROGRAM]), ["a", "b", "c"]);
        assert_eq!(picked("--kernel-id ::b:2", &[PROGRAM]), ["b"]);
        assert_eq!(picked("--kernel-id :8:b:", &[PROGRAM]), [] as [&str; 0]);
        assert_eq!(picked("--devices 1", &[PROGRAM]), ["c"]);
        assert_eq!(picked("--filter-mode per-gpu -c 1", &[PROGRAM]), ["a", "c"]);
        assert_eq!(picked("--nvtx --nvtx-include A/ --range-filter ::2", &[PROGRAM]), ["b"]);
        assert_eq!(picked("--profile-from-start off", &[PROGRAM]), [] as [&str; 0]);
    }

    #[test]
    fn ranges_are_taken_whole() {
        let range = "--replay-mode range --nvtx --nvtx-include";
        assert_eq!(picked(&format!("{range} A/"), &[PROGRAM]), ["bca", "b"]);
        assert_eq!(picked(&format!("{range} A/ --nvtx-include B/"), &[PROGRAM]), ["bca", "b"]);
        assert_eq!(picked(&format!("{range} B/"), &[PROGRAM]), ["a"]);
        assert_eq!(picked(&format!("{range} A/ -c 1"), &[PROGRAM]), ["bca"]);
        assert_eq!(picked(&format!("{range} A/ -s 1"), &[PROGRAM]), ["b"]);
        assert_eq!(picked(&format!("{range} A/ --range-filter ::2"), &[PROGRAM]), ["b"]);
        assert_eq!(picked("--replay-mode range", &[PROGRAM]), [] as [&str; 0]);
    }

    #[test]
    fn processes_are_all_or_the_first() {
        assert_eq!(picked("", &["k:a", "k:b"]), ["a", "b"]);
        assert_eq!(picked("--target-processes application-only", &["k:a", "k:b"]), ["a"]);
    }
}
