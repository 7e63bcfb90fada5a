//! A timeline as results: its kernels, or its ranges where there are none, with how long they took and nothing else.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ncu_rep::{ResultData, names};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_model::launch::{DeviceId, Launch, LaunchKind, OpenRanges, ProcessInfo};
use rangescope_model::region::RangeKind;
use rangescope_model::timeline::{Span, Timeline, What};

use super::Timed;
use crate::results::{PlainResult, ReadFacts, ResultSource, SourceNumbers};

#[derive(Debug)]
pub struct TimedResults {
    kind: Timed,
    timeline: Arc<Timeline>,
    /// The spans that are results.
    spans: Vec<usize>,
}

impl TimedResults {
    pub fn new(kind: Timed, timeline: Arc<Timeline>) -> Self {
        let is_result = |(_, span): &(usize, &Span)| {
            matches!(span.what, What::Kernel { .. }) == timeline.has_kernels()
        };
        let spans = timeline.spans.iter().enumerate().filter(is_result).map(|(at, _)| at).collect();
        Self { kind, timeline, spans }
    }

    /// The regions that are open, by domain.
    fn open<'t>(&'t self, regions: &[usize]) -> Vec<OpenRanges<'t>> {
        let mut domains: Vec<OpenRanges<'t>> = Vec::new();
        for (id, key) in (0..).zip(regions.iter().filter_map(|at| self.timeline.regions.get(*at))) {
            let known = domains.iter().position(|open| open.domain == key.domain);
            let at = known.unwrap_or_else(|| {
                let (push_pop, start_end) = (Vec::new(), Vec::new());
                domains.push(OpenRanges { domain: &key.domain, nth: 0, push_pop, start_end });
                domains.len() - 1
            });
            let Some(open) = domains.get_mut(at) else { continue };
            match (key.kind, key.path.last()) {
                (RangeKind::PushPop, _) => {
                    open.push_pop = key.path.iter().map(String::as_str).collect();
                }
                (RangeKind::StartEnd, Some(name)) => open.start_end.push((id, name)),
                (RangeKind::StartEnd, None) => {}
            }
        }
        domains
    }
}

impl ResultSource for TimedResults {
    fn format(&self) -> &'static str {
        match self.kind {
            Timed::Nsys => "nsys-sqlite",
            Timed::Recording => "recording",
        }
    }

    fn len(&self) -> usize {
        self.spans.len()
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        vec![Some(names::DURATION)]
    }

    fn processes(&self) -> Vec<ProcessInfo> {
        self.timeline.processes.clone()
    }

    fn has_results(&self) -> bool {
        false
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts {
        let spans = range.filter_map(|index| Some((index, *self.spans.get(index)?)));
        for (index, span) in
            spans.filter_map(|(index, at)| Some((index, self.timeline.spans.get(at)?)))
        {
            let duration = span.end_ns.saturating_sub(span.start_ns) as f64;
            let Some(duration) = numbers.metric(0).map(|metric| (metric, duration)) else { break };
            let process = self.timeline.tracks.get(span.track).map_or(0, |track| track.process);
            let (kind, device, within) = match &span.what {
                What::Range { region } => {
                    (LaunchKind::Range, None, Some(std::slice::from_ref(region)))
                }
                What::Kernel { device, within, .. } => {
                    let device = device.map(|index| DeviceId { index, pci: None });
                    (LaunchKind::Kernel, device, within.as_deref())
                }
            };
            let domains = self.open(within.unwrap_or_default());
            let name = match &span.what {
                What::Kernel { kernel, .. } => self.timeline.kernels.get(*kernel),
                What::Range { .. } => None,
            };
            take(&Launch {
                index,
                kind,
                process: numbers.process(process),
                device,
                function: name.map_or("range", |name| &name.function),
                demangled: name.map_or("", |name| &name.demangled),
                mangled: "",
                grid: None,
                block: None,
                domains: &domains,
                is_placed: within.is_some(),
                numbers: &[duration],
                large: &[],
                texts: &[],
                sections: &[],
                rules: &[],
            });
        }
        ReadFacts::default()
    }

    fn decode(&self, _: usize) -> Option<Cow<'_, ResultData<'_>>> {
        None
    }

    fn decode_plain(&self, range: Range<usize>) -> Vec<Option<Cow<'_, PlainResult>>> {
        range.map(|_| None).collect()
    }

    fn notes(&self) -> Vec<Note> {
        let note = |text: &String| Note::new(NoteLevel::Warning, "timeline", text.clone());
        let mut notes: Vec<Note> = self.timeline.notes.iter().map(note).collect();
        if self.timeline.has_kernels() {
            let text = "the times are those of a trace of Nsight Systems: there are no counters, and kernels that ran side by side count with all of their time";
            notes.push(Note::new(NoteLevel::Info, "traced-times", text.to_owned()));
        }
        notes
    }
}
