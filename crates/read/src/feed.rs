//! One chunk of results into the analysis: each result is decoded into scratch space, given away as a borrowed [`Launch`], and forgotten.

use ncu_rep::{NvtxState, Report, ResultData, ResultKind, ResultParts, RuleResult, Value, names};
use rangescope_regions::launch::{
    Launch, LaunchKind, MetricId, OpenRanges, RuleMessage, SectionId,
};
use rangescope_regions::{Analysis, Partial};

use crate::devices::Devices;
use crate::vocabulary::{NO_METRIC, Numbering, SectionCache, Sections};

/// What one chunk of results adds up to.
pub(crate) struct ChunkOutcome {
    pub(crate) partial: Partial,
    pub(crate) devices: Devices,
    /// Latest time stamp of a result.
    pub(crate) time: Option<u64>,
    /// Positions of results whose bytes are damaged.
    pub(crate) damaged: Vec<u64>,
    /// Fields that the reader does not know.
    pub(crate) unknown_fields: u64,
}

/// Metrics that say where a result ran.
pub(crate) struct DeviceMetrics {
    index: Option<MetricId>,
    name: Option<MetricId>,
    major: Option<MetricId>,
    minor: Option<MetricId>,
}

impl DeviceMetrics {
    pub(crate) fn new(numbering: &Numbering) -> Self {
        Self {
            index: numbering.metric(names::DEVICE_INDEX),
            name: numbering.metric(names::DEVICE_NAME),
            major: numbering.metric(names::CC_MAJOR),
            minor: numbering.metric(names::CC_MINOR),
        }
    }
}

/// What all chunks share.
pub(crate) struct Feed<'a> {
    pub(crate) analysis: &'a Analysis<'a>,
    pub(crate) numbering: &'a Numbering,
    pub(crate) sections: &'a Sections,
    pub(crate) device_metrics: DeviceMetrics,
}

/// Scalars of the result at hand, each metric once, the last entry winning.
struct Scalars {
    numbers: Vec<(MetricId, f64)>,
    texts: Vec<(MetricId, String)>,
    /// For each metric the result that set it last and the place in `numbers` or, with the top bit, in `texts`.
    places: Vec<(u32, u32)>,
    result: u32,
}

const TEXT: u32 = 1 << 31;

fn place_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(TEXT - 1)
}

impl Scalars {
    fn new(metrics: usize) -> Self {
        Self { numbers: Vec::new(), texts: Vec::new(), places: vec![(0, 0); metrics], result: 0 }
    }

    fn begin(&mut self) {
        self.numbers.clear();
        self.texts.clear();
        self.result += 1;
    }

    #[inline]
    fn set(&mut self, metric: MetricId, value: Option<Value<'_>>) {
        let Some(place) = self.places.get_mut(metric.0 as usize) else { return };
        // Nearly every entry is a number of a metric that the result has not had before.
        if place.0 != self.result
            && let Some(number) = value.as_ref().and_then(Value::as_f64)
        {
            *place = (self.result, place_of(self.numbers.len()));
            self.numbers.push((metric, number));
            return;
        }
        if place.0 == self.result {
            // An earlier entry of the same metric does not count any more; as NaN it is left out of every sum.
            match place.1 & TEXT {
                0 => self.numbers[place.1 as usize].1 = f64::NAN,
                _ => self.texts[(place.1 & !TEXT) as usize].0 = NO_METRIC,
            }
        }
        match value {
            Some(Value::Text(text)) => {
                *place = (self.result, place_of(self.texts.len()) | TEXT);
                self.texts.push((metric, text.into_owned()));
            }
            Some(value) => {
                let number = value.as_f64().unwrap_or(f64::NAN);
                if place.0 == self.result && place.1 & TEXT == 0 {
                    self.numbers[place.1 as usize].1 = number;
                } else {
                    *place = (self.result, place_of(self.numbers.len()));
                    self.numbers.push((metric, number));
                }
            }
            None => {}
        }
    }

    fn number(&self, metric: Option<MetricId>) -> Option<f64> {
        let metric = metric?;
        let &(result, place) = self.places.get(metric.0 as usize)?;
        (result == self.result && place & TEXT == 0)
            .then(|| self.numbers.get(place as usize).map(|n| n.1))
            .flatten()
    }

    fn text(&self, metric: Option<MetricId>) -> Option<&str> {
        let metric = metric?;
        let &(result, place) = self.places.get(metric.0 as usize)?;
        (result == self.result && place & TEXT != 0)
            .then(|| self.texts.get((place & !TEXT) as usize).map(|t| t.1.as_str()))
            .flatten()
    }
}

impl Feed<'_> {
    fn begin(&self) -> ChunkOutcome {
        ChunkOutcome {
            partial: self.analysis.partial(),
            devices: Devices::default(),
            time: None,
            damaged: Vec::new(),
            unknown_fields: 0,
        }
    }

    /// Feeds some results of a report.
    pub(crate) fn report(
        &self,
        input: usize,
        report: &Report,
        range: std::ops::Range<usize>,
    ) -> ChunkOutcome {
        let mut outcome = self.begin();
        let mut scalars = Scalars::new(self.numbering.vocabulary.metrics.len());
        let mut parts = ResultParts::new(ResultKind::Kernel);
        let mut cache = SectionCache::default();
        let mut section_ids = Vec::new();
        let slots = self.numbering.metrics_by_slot.get(input).map_or(&[][..], Vec::as_slice);
        for view in range.filter_map(|index| report.result(index)) {
            if !view.read_parts(&mut parts) {
                outcome.damaged.push(view.offset());
                continue;
            }
            outcome.unknown_fields += parts.unknown_fields;
            outcome.time = outcome.time.max(parts.time);
            scalars.begin();
            for metric in parts.metrics() {
                let id =
                    report.string_slot(metric.name_id).and_then(|slot| slots.get(slot)).copied();
                scalars.set(id.unwrap_or(NO_METRIC), metric.value);
            }
            cache.ids(&parts, self.sections, &mut section_ids);
            let rules: Vec<RuleResult<'_>> = parts.rules().collect();
            let nvtx = parts.nvtx();
            let subject = Subject {
                kind: parts.kind,
                process: self.process(input, view.process_index()),
                function: &parts.function(),
                demangled: &parts.demangled(),
                mangled: &parts.mangled(),
                grid: parts.grid,
                block: parts.block,
                nvtx: nvtx.as_ref(),
                sections: &section_ids,
                rules: &rules,
            };
            self.launch(&subject, &scalars, &mut outcome);
        }
        outcome
    }

    /// Feeds results that are decoded already.
    pub(crate) fn decoded(
        &self,
        input: usize,
        first: usize,
        results: &[ResultData<'_>],
    ) -> ChunkOutcome {
        let mut outcome = self.begin();
        let mut scalars = Scalars::new(self.numbering.vocabulary.metrics.len());
        for (index, data) in results.iter().enumerate() {
            outcome.time = outcome.time.max(data.time);
            scalars.begin();
            for metric in &data.metrics {
                scalars.set(
                    self.numbering.metric(&metric.name).unwrap_or(NO_METRIC),
                    metric.value.clone(),
                );
            }
            let section_ids: Vec<SectionId> =
                data.sections.iter().map(|section| self.sections.id(section)).collect();
            let subject = Subject {
                kind: data.kind,
                process: self.process(input, first + index),
                function: &data.function,
                demangled: &data.demangled,
                mangled: &data.mangled,
                grid: data.grid,
                block: data.block,
                nvtx: data.nvtx.as_ref(),
                sections: &section_ids,
                rules: &data.rules,
            };
            self.launch(&subject, &scalars, &mut outcome);
        }
        outcome
    }

    fn process(&self, input: usize, own: usize) -> usize {
        self.numbering
            .processes
            .get(input)
            .and_then(|processes| processes.get(own))
            .copied()
            .unwrap_or(0)
    }

    fn launch(&self, subject: &Subject<'_>, scalars: &Scalars, outcome: &mut ChunkOutcome) {
        let device = scalars
            .number(self.device_metrics.index)
            .filter(|index| *index >= 0.0 && *index <= f64::from(u32::MAX));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be in range just above"
        )]
        let device = device.map(|index| index as u32);
        if let Some(id) = device {
            let host = self
                .numbering
                .vocabulary
                .processes
                .get(subject.process)
                .map_or("", |process| &process.host);
            if !outcome.devices.knows(id, host) {
                let capability = scalars
                    .number(self.device_metrics.major)
                    .zip(scalars.number(self.device_metrics.minor));
                outcome.devices.add(id, host, scalars.text(self.device_metrics.name), capability);
            }
        }
        let domains = open_ranges(subject.nvtx);
        let rules = rule_messages(subject.rules);
        let texts: Vec<(MetricId, &str)> = scalars
            .texts
            .iter()
            .filter(|(metric, _)| *metric != NO_METRIC)
            .map(|(metric, text)| (*metric, text.as_str()))
            .collect();
        let launch = Launch {
            kind: match subject.kind {
                ResultKind::Kernel => LaunchKind::Kernel,
                ResultKind::Range => LaunchKind::Range,
                ResultKind::Cmdlist => LaunchKind::Cmdlist,
                ResultKind::Graph => LaunchKind::Graph,
            },
            process: subject.process,
            device,
            function: subject.function,
            demangled: subject.demangled,
            mangled: subject.mangled,
            grid: subject.grid,
            block: subject.block,
            domains: &domains,
            numbers: &scalars.numbers,
            texts: &texts,
            sections: subject.sections,
            rules: &rules,
        };
        outcome.partial.add(self.analysis, &launch);
    }
}

/// A result from either format, before it becomes a [`Launch`].
struct Subject<'a> {
    kind: ResultKind,
    process: usize,
    function: &'a str,
    demangled: &'a str,
    mangled: &'a str,
    grid: Option<[u64; 3]>,
    block: Option<[u64; 3]>,
    nvtx: Option<&'a NvtxState<'a>>,
    sections: &'a [SectionId],
    rules: &'a [RuleResult<'a>],
}

/// The ranges of a result that are open, per domain.
pub fn open_ranges<'a>(state: Option<&'a NvtxState<'a>>) -> Vec<OpenRanges<'a>> {
    let domains = state.map_or(&[][..], |state| &state.domains);
    let open = |domain: &&'a ncu_rep::NvtxDomain<'a>| {
        !domain.push_pop.is_empty() || !domain.start_end.is_empty()
    };
    let ranges = |domain: &'a ncu_rep::NvtxDomain<'a>| OpenRanges {
        domain: &domain.name,
        push_pop: domain.push_pop.iter().map(|range| &*range.name).collect(),
        start_end: domain
            .start_end
            .iter()
            .map(|range| (range.id.unwrap_or(0), &*range.name))
            .collect(),
    };
    domains.iter().filter(open).map(ranges).collect()
}

fn rule_messages<'a>(rules: &'a [RuleResult<'a>]) -> Vec<RuleMessage<'a>> {
    let mut messages = Vec::new();
    for rule in rules {
        for item in &rule.items {
            let Some(message) = &item.message else { continue };
            messages.push(RuleMessage {
                rule: &rule.id,
                name: &rule.name,
                section: &rule.section,
                kind: message.kind.as_str(),
                title: &message.title,
                text: &message.text,
                speedup: item.speedup.map(|speedup| (speedup.pct, speedup.kind_str())),
            });
        }
    }
    messages
}
