//! The filters of ncu's command line that look at kernels, devices, processes and instances of ranges.

use regex::bytes::Regex;

use super::pattern::{Pattern, compile};
use super::record::ProcessRecord;
use super::refusal::Refusal;

/// The devices to profile; all if none are named.
#[derive(Debug)]
pub(super) struct Devices(Option<Vec<u32>>);

impl Devices {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, Refusal> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Self(None)) };
        let device = |word: &str| {
            word.trim().parse().map_err(|_| {
                Refusal::new(format!("Invalid device {word} in the --devices option."))
            })
        };
        text.split(',').map(device).collect::<Result<_, _>>().map(|devices| Self(Some(devices)))
    }

    pub(super) fn have(&self, device: u32) -> bool {
        self.0.as_ref().is_none_or(|devices| devices.contains(&device))
    }
}

/// `CONTEXT:STREAM:[regex:]NAME:INVOCATION`.
#[derive(Debug)]
pub(super) struct KernelId {
    context: Option<Regex>,
    stream: Option<Regex>,
    name: Option<Pattern>,
    /// Number among the launches that match otherwise.
    pub(super) invocation: Option<u64>,
}

impl KernelId {
    pub(super) fn parse(text: &str, nvtx: bool) -> Result<Self, Refusal> {
        let parts: Vec<&str> = text.split(':').collect();
        let (context, stream, operator, name, invocation) = match parts.as_slice() {
            [context, stream, name, invocation] => (*context, *stream, "", *name, *invocation),
            [context, stream, operator, name, invocation] => {
                (*context, *stream, *operator, *name, *invocation)
            }
            _ => return Err(Refusal::new(format!("Invalid kernel identifier {text}"))),
        };
        if !matches!(operator, "" | "regex") {
            return Err(Refusal::new(format!(
                "Invalid name operator '{operator}' in kernel identifier {text}"
            )));
        }
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let are_numbers = is_number(context) && is_number(stream);
        if !nvtx && !are_numbers {
            return Err(Refusal::new(
                "Please use option --nvtx for matching either context or stream name.",
            ));
        }
        let invocation = match invocation {
            "" => None,
            number => Some(number.parse().map_err(|_| {
                Refusal::new(format!("Invalid invocation {number} in kernel regex."))
            })?),
        };
        let name = match (operator, name) {
            ("", "") => None,
            ("", name) => Some(Pattern::Exact(name.to_owned())),
            (_, expression) => {
                Some(compile(expression).map(Pattern::Search).map_err(|complaint| {
                    Refusal::new(format!(
                        "Invalid regex provided to --kernel-id option. {complaint}"
                    ))
                })?)
            }
        };
        Ok(Self { context: whole(context), stream: whole(stream), name, invocation })
    }

    pub(super) fn matches(&self, context: u32, stream: u32, name: &str) -> bool {
        let fits = |regex: &Option<Regex>, number: u32| {
            regex.as_ref().is_none_or(|regex| regex.is_match(number.to_string().as_bytes()))
        };
        fits(&self.context, context)
            && fits(&self.stream, stream)
            && self.name.as_ref().is_none_or(|pattern| pattern.matches(name))
    }
}

/// An expression that must match a whole number; a bad one matches nothing.
fn whole(expression: &str) -> Option<Regex> {
    if expression.is_empty() {
        return None;
    }
    compile(&format!("^(?:{expression})$")).or_else(|_| compile("[^\\x00-\\xFF]")).ok()
}

/// `[yes|no]:START/STOP INSTANCES:NVTX INSTANCES`.
#[derive(Debug)]
pub(super) struct RangeFilter {
    start_stop: Option<Regex>,
    nvtx: Option<Regex>,
}

impl RangeFilter {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let parts: Vec<&str> = text.split(':').collect();
        let [restart, start_stop, nvtx] = parts.as_slice() else {
            return Err(Refusal::new(format!("Invalid range filter {text}").trim_end().to_owned()));
        };
        if !matches!(*restart, "" | "yes" | "no" | "on" | "off") {
            return Err(Refusal::new(format!(
                "Invalid value '{restart}' provided in range filter {text}"
            )));
        }
        let allowed = |byte: u8| byte.is_ascii_digit() || b"[]|-,".contains(&byte);
        for instances in [start_stop, nvtx] {
            if !instances.bytes().all(allowed) {
                return Err(Refusal::new(format!(
                    "Invalid instance '{instances}' provided in range filter {text}"
                )));
            }
        }
        Ok(Self { start_stop: whole(start_stop), nvtx: whole(nvtx) })
    }

    /// Refuses a filter without the options that it depends on.
    pub(super) fn check(&self, included: bool, start_stop_off: bool) -> Result<(), Refusal> {
        if self.nvtx.is_some() && !included {
            return Err(Refusal::new(
                "To use --range-filter option for NVTX ranges, provide NVTX filter using one or more --nvtx-include option.",
            ));
        }
        if self.start_stop.is_some() && start_stop_off {
            return Err(Refusal::new(
                "To use --range-filter option to filter start/stop ranges, keep start/stop profiling enabled.",
            ));
        }
        Ok(())
    }

    /// Instances count from 1. Nothing is in a start/stop range, because programs cannot call cudaProfilerStart here.
    pub(super) fn takes(&self, instance: Option<usize>) -> bool {
        self.start_stop.is_none()
            && self.nvtx.as_ref().is_none_or(|regex| {
                instance.is_some_and(|number| regex.is_match((number + 1).to_string().as_bytes()))
            })
    }
}

/// Selects processes by the name of their executable. The first rule that matches decides.
#[derive(Debug, Default)]
pub(super) struct ProcessFilter(Vec<ProcessRule>);

#[derive(Debug)]
enum ProcessRule {
    Include(Pattern),
    Exclude(String),
    ExcludeTree(String),
}

impl ProcessFilter {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let rule = |word: &str| {
            if let Some(name) = word.strip_prefix("exclude:") {
                return Ok(ProcessRule::Exclude(name.to_owned()));
            }
            if let Some(name) = word.strip_prefix("exclude-tree:") {
                return Ok(ProcessRule::ExcludeTree(name.to_owned()));
            }
            Pattern::parse(word).map(ProcessRule::Include).map_err(|complaint| {
                Refusal::new(format!(
                    "Invalid regex provided to --target-processes-filter option. {complaint}"
                ))
            })
        };
        let words = text.split(',').filter(|word| !word.is_empty());
        words.map(rule).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn takes(&self, process: &ProcessRecord, all: &[ProcessRecord]) -> bool {
        let name = base_name(&process.executable);
        for rule in &self.0 {
            match rule {
                ProcessRule::Include(pattern) if pattern.matches(name) => return true,
                ProcessRule::Exclude(excluded) if excluded == name => return false,
                ProcessRule::ExcludeTree(root) if is_below(process, root, all) => return false,
                _ => {}
            }
        }
        !self.0.iter().any(|rule| matches!(rule, ProcessRule::Include(_)))
    }
}

/// The process or an ancestor has this name.
fn is_below(process: &ProcessRecord, root: &str, all: &[ProcessRecord]) -> bool {
    let mut current = Some(process);
    // No tree is deeper than there are processes, even if ids were used again.
    for _ in 0..=all.len() {
        let Some(process) = current else { return false };
        if base_name(&process.executable) == root {
            return true;
        }
        current = all.iter().find(|other| other.pid == process.parent);
    }
    false
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_numbers_or_expressions() {
        let takes = |filter: &str, instance| RangeFilter::parse(filter).unwrap().takes(instance);
        assert!(takes("::2|3", Some(1)) && takes("::[1-3]", Some(0)) && !takes("::1", Some(9)));
        assert!(!takes("::1", None) && takes("::", None) && !takes(":1:", Some(0)));
        assert!(!takes("::1-3", Some(1)) && !takes("::[1-3", Some(1)));
        for bad in ["bogus", "maybe:1:1", "::(", "::abc", "yes:1:2:3", ""] {
            assert!(RangeFilter::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn processes_are_chosen_by_name_and_tree() {
        let process = |pid, parent, path: &str| ProcessRecord {
            pid,
            parent,
            executable: path.to_owned(),
            ..ProcessRecord::default()
        };
        let all =
            [process(1, 0, "/bin/sh"), process(2, 1, "/opt/app"), process(3, 2, "/opt/worker")];
        let taken = |text: &str| -> Vec<u32> {
            let filter = ProcessFilter::parse(text).unwrap();
            all.iter().filter(|p| filter.takes(p, &all)).map(|p| p.pid).collect()
        };
        assert_eq!(taken(""), [1, 2, 3]);
        assert_eq!(taken("app"), [2]);
        assert_eq!(taken("regex:^(app|worker)$"), [2, 3]);
        assert_eq!(taken("exclude:app"), [1, 3]);
        assert_eq!(taken("exclude-tree:app"), [1]);
    }
}
