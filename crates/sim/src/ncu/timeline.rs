//! The launches of a process with the ranges that were open at each, and the instances of the ranges that filters look for.

use std::collections::BTreeMap;

use ncu_rep::filter::NvtxFilter;
use ncu_rep::{DEFAULT_DOMAIN, NvtxDomain, NvtxRange, NvtxState};

use super::announcement::Announcement;
use super::record::{Action, ProcessRecord, Step};

/// The launches of one process.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) launches: Vec<Launch>,
    /// Instances of ranges that matched, in order of their beginning.
    pub(super) instances: Vec<Instance>,
    /// Marks that could not be understood.
    pub(super) malformed: Vec<String>,
}

/// One launch.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) number: u64,
    pub(super) thread: u32,
    pub(super) time_ns: u64,
    pub(super) announced: Announcement,
    pub(super) nvtx: NvtxState<'static>,
    /// The matching instance that it is in, as an index.
    pub(super) instance: Option<usize>,
}

/// One instance of a range that matched.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) thread: u32,
    pub(super) time_ns: u64,
    /// What was open when it began to match.
    pub(super) nvtx: NvtxState<'static>,
}

/// Walks through a process. Instances are looked for only if `ranges` says what to look for.
pub(super) fn timeline(process: &ProcessRecord, ranges: Option<&NvtxFilter>) -> Timeline {
    let mut timeline = Timeline::default();
    let mut open = OpenRanges::default();
    let mut matching = Matching::default();
    for step in &process.steps {
        if let Action::Announce { message } = &step.action {
            let number = timeline.launches.len() as u64;
            match Announcement::parse(message) {
                Ok(announced) => timeline.launches.push(Launch {
                    number,
                    thread: step.thread,
                    time_ns: step.time_ns,
                    announced,
                    nvtx: open.state(Some(step.thread)),
                    instance: matching.at(step.thread),
                }),
                Err(reason) => timeline.malformed.push(reason),
            }
            continue;
        }
        open.apply(step);
        if let Some(filter) = ranges {
            matching.look(step, &open, filter, &mut timeline.instances);
        }
    }
    timeline
}

/// The instances that match now. One of start/end ranges alone belongs to the process; any other to its thread.
///
/// A range that begins to match inside another that matches is part of it: only the outermost is an instance.
#[derive(Default)]
struct Matching {
    process: Option<usize>,
    threads: BTreeMap<u32, usize>,
}

impl Matching {
    fn at(&self, thread: u32) -> Option<usize> {
        self.process.or_else(|| self.threads.get(&thread).copied())
    }

    fn look(
        &mut self,
        step: &Step,
        open: &OpenRanges,
        filter: &NvtxFilter,
        instances: &mut Vec<Instance>,
    ) {
        let mut begin = |nvtx| {
            instances.push(Instance { thread: step.thread, time_ns: step.time_ns, nvtx });
            instances.len() - 1
        };
        if matches!(step.action, Action::Start { .. } | Action::End { .. }) {
            let state = open.state(None);
            match (filter.selects(Some(&state)), self.process) {
                (true, None) => self.process = Some(begin(open.state(Some(step.thread)))),
                (false, Some(_)) => self.process = None,
                _ => {}
            }
        }
        let state = open.state(Some(step.thread));
        let matches = filter.selects(Some(&state));
        if !matches {
            self.threads.remove(&step.thread);
        } else if self.process.is_none() {
            self.threads.entry(step.thread).or_insert_with(|| begin(state));
        }
    }
}

/// What is open: a stack per thread and domain, and the start/end ranges of the process.
#[derive(Default)]
struct OpenRanges {
    stacks: BTreeMap<(u32, String), Vec<NvtxRange<'static>>>,
    start_end: BTreeMap<u64, (String, NvtxRange<'static>)>,
}

impl OpenRanges {
    fn apply(&mut self, step: &Step) {
        match &step.action {
            Action::Push { domain, range } => {
                self.stacks.entry((step.thread, domain.clone())).or_default().push(range.clone());
            }
            Action::Pop { domain } => {
                if let Some(stack) = self.stacks.get_mut(&(step.thread, domain.clone())) {
                    stack.pop();
                }
            }
            Action::Start { domain, range } => {
                let mut range = range.clone();
                range.thread = Some(step.thread);
                self.start_end.insert(range.id.unwrap_or_default(), (domain.clone(), range));
            }
            Action::End { id } => {
                self.start_end.remove(id);
            }
            Action::Announce { .. } => {}
        }
    }

    /// As a result has it: the default domain always, others while something is open in them. Without a thread, start/end ranges alone.
    fn state(&self, thread: Option<u32>) -> NvtxState<'static> {
        let mut domains = Vec::new();
        entry(&mut domains, DEFAULT_DOMAIN);
        for ((owner, domain), stack) in &self.stacks {
            if Some(*owner) == thread && !stack.is_empty() {
                entry(&mut domains, domain).push_pop.clone_from(stack);
            }
        }
        for (domain, range) in self.start_end.values() {
            entry(&mut domains, domain).start_end.push(range.clone());
        }
        NvtxState { domains, ..NvtxState::default() }
    }
}

/// The entry of a domain, made if there is none.
fn entry<'d>(domains: &'d mut Vec<NvtxDomain<'static>>, name: &str) -> &'d mut NvtxDomain<'static> {
    let index = domains.iter().position(|domain| domain.name == name).unwrap_or(domains.len());
    if index == domains.len() {
        domains.push(NvtxDomain { name: name.to_owned().into(), ..NvtxDomain::default() });
    }
    &mut domains[index]
}

#[cfg(test)]
mod tests {
    use super::super::testing::process;
    use super::*;

    fn instances(steps: &str, include: &[&str]) -> Vec<Option<usize>> {
        let filter = NvtxFilter::parse(include, &[] as &[&str]).unwrap();
        let timeline = timeline(&process(1, steps), Some(&filter));
        timeline.launches.iter().map(|launch| launch.instance).collect()
    }

    #[test]
    fn each_instance_of_a_range_is_one() {
        assert_eq!(
            instances("k +A k k - k +A k -", &["A/"]),
            [None, Some(0), Some(0), None, Some(1)]
        );
    }

    #[test]
    fn ranges_that_match_inside_another_are_part_of_it() {
        assert_eq!(
            instances("+A k +B k - k - +B k -", &["A/", "B/"]),
            [Some(0), Some(0), Some(0), Some(1)]
        );
    }

    #[test]
    fn threads_have_instances_of_their_own_and_start_end_ranges_are_for_all() {
        assert_eq!(instances("1+A 2+A 1k 2k 1- 2k 2-", &["A/"]), [Some(0), Some(1), Some(1)]);
        assert_eq!(instances("1<S 1k 2k 2>S 1k", &["S"]), [Some(0), Some(0), None]);
    }

    #[test]
    fn a_state_has_the_stack_of_the_thread_and_what_the_process_started() {
        let timeline = timeline(&process(1, "1+A 2+B 1<S d@1+C 1k ?nonsense"), None);
        let state = &timeline.launches[0].nvtx;
        let names = |ranges: &[NvtxRange<'_>]| -> Vec<String> {
            ranges.iter().map(|range| range.name.to_string()).collect()
        };
        assert_eq!(state.domains.len(), 2);
        assert_eq!(names(&state.domains[0].push_pop), ["A"]);
        assert_eq!(names(&state.domains[0].start_end), ["S"]);
        assert_eq!(names(&state.domains[1].push_pop), ["C"]);
        assert_eq!(timeline.malformed.len(), 1);
    }
}
