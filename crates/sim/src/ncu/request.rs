//! Turns the options for metrics, sections, sets and rules into a [`Collection`].

use super::parse::Parsed;
use super::pattern::Pattern;
use super::refusal::Refusal;
use crate::code::counts;
use crate::collection::{Collection, Rules};
use crate::constants::{KERNEL_ONLY, is_launch_metric};
use crate::metric::{expand, known_names};
use crate::sections::{SECTIONS, SectionSpec, USUAL_SET, sections_of};
use crate::series;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) collection: Collection,
    /// The first metric that the device does not have. Real ncu finds out when it profiles the first kernel.
    pub(super) unknown_metric: Option<String>,
    /// Said before the program is run.
    pub(super) warning: Option<&'static str>,
}

impl Request {
    pub(super) fn read(parsed: &Parsed) -> Result<Self, Refusal> {
        for option in ["section-folder", "section-folder-recursive"] {
            for folder in parsed.texts(option) {
                if !std::path::Path::new(&folder).is_dir() {
                    return Err(Refusal::new(format!(
                        "Failed to add section search path {folder}."
                    )));
                }
            }
        }
        let mut sections: Vec<&'static SectionSpec> = Vec::new();
        for text in parsed.texts("section") {
            let found = matching(&text);
            if found.is_empty() {
                return Err(Refusal::new(format!(
                    "Option '--section {text}' did not match any section."
                ))
                .and("Use --list-sections to see the list of available sections."));
            }
            sections.extend(found);
        }
        let metrics = parsed.text("metrics");
        let nothing_else = sections.is_empty() && metrics.is_none();
        let set = parsed.text("set").or_else(|| nothing_else.then_some(USUAL_SET));
        sections.extend(set.into_iter().flat_map(sections_of));
        let warning = (sections.is_empty() && metrics.is_none())
            .then_some("No metrics to collect found in sections.");

        let mut names = Vec::new();
        let mut unknown_metric = None;
        for name in metrics.unwrap_or_default().split(',').filter(|name| !name.is_empty()) {
            match resolve(name) {
                Some(found) => names.extend(found),
                None => unknown_metric = unknown_metric.or(Some(name.to_owned())),
            }
        }
        let named = parsed.texts("rule");
        let rules = if !named.is_empty() {
            Rules::Named(named)
        } else if parsed.switch("apply-rules") == Some(false) {
            Rules::Off
        } else {
            Rules::OfSections
        };
        Ok(Self { collection: Collection::new(names, sections, rules), unknown_metric, warning })
    }
}

/// The sections of `IDENTIFIER` or `regex:EXPRESSION`.
fn matching(text: &str) -> Vec<&'static SectionSpec> {
    match Pattern::parse(text) {
        Ok(pattern) => SECTIONS.iter().filter(|section| pattern.matches(section.id)).collect(),
        Err(_) => Vec::new(),
    }
}

fn resolve(name: &str) -> Option<Vec<String>> {
    if name.starts_with("regex:") {
        let pattern = Pattern::parse(name).ok()?;
        return Some(known_names().into_iter().filter(|known| pattern.matches(known)).collect());
    }
    if is_launch_metric(name)
        || KERNEL_ONLY.contains(&name)
        || counts::is_known(name)
        || series::is_known(name)
        || name.starts_with("device__attribute_")
    {
        return Some(vec![name.to_owned()]);
    }
    expand(name)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::parse::parse;
    use super::*;

    fn request(options: &str) -> Request {
        let args = options.split_whitespace().map(OsString::from).chain(["x".into()]).collect();
        Request::read(&parse(args).unwrap()).unwrap()
    }

    fn sections(options: &str) -> Vec<&'static str> {
        request(options).collection.sections.iter().map(|section| section.id).collect()
    }

    #[test]
    fn only_what_is_asked_for_is_collected() {
        assert_eq!(
            sections(""),
            ["LaunchStats", "Occupancy", "SpeedOfLight", "WorkloadDistribution"]
        );
        assert_eq!(sections("--section Occupancy"), ["Occupancy"]);
        assert_eq!(
            sections("--set roofline --section regex:^Warp").len(),
            sections("--set roofline").len() + 1
        );
        let request = request("--metrics gpu__time_duration.sum,dram__bytes.sum");
        assert_eq!(request.collection.metrics, ["dram__bytes.sum", "gpu__time_duration.sum"]);
        assert!(request.collection.sections.is_empty() && request.unknown_metric.is_none());
    }

    #[test]
    fn what_is_not_there_is_said() {
        assert!(request("--set nope").warning.is_some());
        assert!(request("--set nope --metrics dram__bytes.sum").warning.is_none());
        assert_eq!(
            request("--metrics bogus__x.sum").unknown_metric.as_deref(),
            Some("bogus__x.sum")
        );
    }
}
