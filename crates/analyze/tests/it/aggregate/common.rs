//! Results written as text, and reports read as text: the only way in and out for the tests of this crate.
//!
//! A result is `kernel: place` with any of these in a place, separated by blanks: `A/B` (a push/pop stack), `dom@A/B` (in a domain), `~S` or `dom@~S`
//! (an open start/end range). `<>` is an empty name. Numbers, processes and devices are added by the builder methods.

use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Outcome};
use rangescope_model::document::{Basis, Region, Scalar, ScopeReport};
use rangescope_model::launch::{
    DeviceId, Launch, LaunchKind, MetricId, OpenRanges, PciAddress, ProcessInfo, RuleMessage,
    SectionId, SectionInfo, Vocabulary,
};
use rangescope_model::region::RangeKind;
use rangescope_model::select::NcuCompiler;
use std::collections::BTreeSet;

pub(crate) const DEFAULT_DOMAIN: &str = "<default domain>";
pub(crate) const TIME: &str = "gpu__time_duration.sum";

/// A domain with its push/pop stack and its open start/end ranges.
pub(crate) type OpenIn = (String, Vec<String>, Vec<(u64, String)>);

/// A result that owns what it is made of.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) kernel: String,
    pub(crate) demangled: String,
    pub(crate) kind: LaunchKind,
    pub(crate) process: usize,
    pub(crate) device: Option<DeviceId>,
    pub(crate) grid: Option<[u64; 3]>,
    pub(crate) domains: Vec<OpenIn>,
    pub(crate) is_placed: bool,
    pub(crate) numbers: Vec<(String, f64)>,
    /// Counters from 2^53 on, which `numbers` holds rounded.
    pub(crate) large: Vec<(String, u64)>,
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) sections: Vec<u32>,
    pub(crate) rules: Vec<(String, String, Option<f64>)>,
}

impl Sample {
    /// Reads `kernel: place`, with `?` for an unknown place; the result takes 1000 ns on device 0 of process 0.
    pub(crate) fn parse(text: &str) -> Self {
        let (kernel, place) = text.split_once(':').unwrap_or((text, ""));
        let mut sample = Self {
            kernel: kernel.trim().to_owned(),
            demangled: String::new(),
            kind: LaunchKind::Kernel,
            process: 0,
            device: Some(DeviceId { index: 0, pci: None }),
            grid: Some([1, 1, 1]),
            domains: Vec::new(),
            is_placed: place.trim() != "?",
            numbers: vec![(TIME.to_owned(), 1000.0)],
            large: Vec::new(),
            texts: Vec::new(),
            sections: Vec::new(),
            rules: Vec::new(),
        };
        for (index, part) in place.split_whitespace().filter(|part| *part != "?").enumerate() {
            let (domain, ranges) = part.split_once('@').unwrap_or((DEFAULT_DOMAIN, part));
            let name = |text: &str| if text == "<>" { String::new() } else { text.to_owned() };
            match ranges.strip_prefix('~') {
                Some(range) => sample.start(domain, index as u64, &name(range)),
                None => sample.push(domain, ranges.split('/').map(name).collect()),
            }
        }
        sample
    }

    pub(crate) fn push(&mut self, domain: &str, stack: Vec<String>) {
        self.domains.push((domain.to_owned(), stack, Vec::new()));
    }

    pub(crate) fn start(&mut self, domain: &str, id: u64, name: &str) {
        self.domains.push((domain.to_owned(), Vec::new(), vec![(id, name.to_owned())]));
    }

    pub(crate) fn with(mut self, metric: &str, value: f64) -> Self {
        self.numbers.retain(|(name, _)| name != metric);
        self.numbers.push((metric.to_owned(), value));
        self
    }

    pub(crate) fn counter(mut self, metric: &str, value: u64) -> Self {
        if value >= Scalar::LARGEST_EXACT {
            self.large.push((metric.to_owned(), value));
        }
        self.with(metric, value as f64)
    }

    /// On the GPU in this slot of its host, which the process calls its first.
    pub(crate) fn in_slot(mut self, process: usize, bus: u32) -> Self {
        let pci = Some(PciAddress { domain: 0, bus, device: 0 });
        self.process = process;
        self.device = Some(DeviceId { index: 0, pci });
        self
    }

    pub(crate) fn without(mut self, metric: &str) -> Self {
        self.numbers.retain(|(name, _)| name != metric);
        self
    }

    pub(crate) fn text(mut self, metric: &str, value: &str) -> Self {
        self.texts.push((metric.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn time(self, nanoseconds: f64) -> Self {
        self.with(TIME, nanoseconds)
    }

    pub(crate) fn range(mut self) -> Self {
        self.kind = LaunchKind::Range;
        self
    }

    pub(crate) fn on(mut self, process: usize, device: Option<u32>) -> Self {
        self.process = process;
        self.device = device.map(|index| DeviceId { index, pci: None });
        self
    }

    pub(crate) fn demangled(mut self, name: &str) -> Self {
        name.clone_into(&mut self.demangled);
        self
    }

    pub(crate) fn rule(mut self, rule: &str, text: &str, speedup: Option<f64>) -> Self {
        self.rules.push((rule.to_owned(), text.to_owned(), speedup));
        self
    }

    pub(crate) fn section(mut self, section: u32) -> Self {
        self.sections.push(section);
        self
    }
}

/// Several results, one per line.
pub(crate) fn samples(text: &str) -> Vec<Sample> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Sample::parse).collect()
}

/// A run: what is analysed and how.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) samples: Vec<Sample>,
    pub(crate) options: AnalysisOptions,
    pub(crate) processes: Vec<ProcessInfo>,
    /// How many ranks there are, by launchers that told.
    pub(crate) sizes: BTreeSet<u32>,
    pub(crate) sections: Vec<SectionInfo>,
    /// Bytes that the results were read from.
    pub(crate) stored: u64,
}

impl Run {
    pub(crate) fn new(samples: Vec<Sample>) -> Self {
        let processes = vec![ProcessInfo {
            pid: Some(100),
            host: "host".into(),
            name: "app".into(),
            rank: None,
        }];
        let options = AnalysisOptions::default();
        let sizes = BTreeSet::new();
        Self { samples, options, processes, sizes, sections: Vec::new(), stored: 0 }
    }

    pub(crate) fn select(mut self, selectors: &[&str]) -> Self {
        self.options.regions = selectors.iter().map(|text| (*text).to_owned()).collect();
        self
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome_in_parts(&[])
    }

    /// The outcome when results are split at these positions and the parts merged in order.
    pub(crate) fn outcome_in_parts(&self, cuts: &[usize]) -> Outcome {
        self.analysed(cuts, None)
    }

    pub(crate) fn outcome_with_ncu(&self, compiler: &NcuCompiler<'_>) -> Outcome {
        self.analysed(&[], Some(compiler))
    }

    fn analysed(&self, cuts: &[usize], compiler: Option<&NcuCompiler<'_>>) -> Outcome {
        let vocabulary = self.vocabulary();
        let analysis = match compiler {
            Some(compiler) => Analysis::with_ncu(&self.options, &vocabulary, compiler),
            None => Analysis::new(&self.options, &vocabulary),
        };
        let analysis = analysis.expect("the selection is understood").of_input(self.stored);
        let part = |start: usize, samples: &[Sample]| {
            let mut part = analysis.partial();
            part.of_file(start as u64, false);
            for (index, sample) in samples.iter().enumerate() {
                as_launch(&vocabulary, sample, |launch| {
                    part.add(&analysis, &Launch { index, ..launch.clone() });
                });
            }
            part.condense(&analysis);
            part
        };
        let ends = cuts.iter().copied().chain([self.samples.len()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let parts = starts.zip(ends).map(|(start, end)| part(start, &self.samples[start..end]));
        let merged = parts.reduce(|mut whole, part| {
            whole.merge(part);
            whole
        });
        analysis.finish(merged.expect("there is a part"), &self.sections)
    }

    pub(crate) fn vocabulary(&self) -> Vocabulary {
        let mut metrics: Vec<String> = Vec::new();
        for sample in &self.samples {
            let names = sample
                .numbers
                .iter()
                .map(|(name, _)| name)
                .chain(sample.texts.iter().map(|(name, _)| name));
            for name in names {
                if !metrics.contains(name) {
                    metrics.push(name.clone());
                }
            }
        }
        let units = metrics
            .iter()
            .map(|name| if name.contains("time") { "ns".to_owned() } else { String::new() });
        Vocabulary {
            units: units.collect(),
            metrics,
            processes: self.processes.clone(),
            sizes: self.sizes.clone(),
        }
    }

    /// The aggregate report of kernel results.
    pub(crate) fn aggregate(&self) -> ScopeReport {
        report(&self.outcome(), "aggregate", Basis::Kernel)
    }
}

/// Hands a sample out as the result that a reader would.
pub(crate) fn as_launch(vocabulary: &Vocabulary, sample: &Sample, take: impl FnOnce(&Launch<'_>)) {
    let id = |name: &str| {
        let index =
            vocabulary.metrics.iter().position(|metric| metric == name).expect("in the vocabulary");
        MetricId(u32::try_from(index).expect("few metrics"))
    };
    let domains: Vec<OpenRanges<'_>> = sample
        .domains
        .iter()
        .map(|(domain, stack, open)| {
            // `lib#2` is the second domain that the program called `lib`.
            let (domain, nth) = domain.split_once('#').unwrap_or((domain, "1"));
            OpenRanges {
                domain,
                nth: nth.parse::<u32>().expect("a number") - 1,
                push_pop: stack.iter().map(String::as_str).collect(),
                start_end: open.iter().map(|(id, name)| (*id, name.as_str())).collect(),
            }
        })
        .collect();
    let numbers: Vec<(MetricId, f64)> =
        sample.numbers.iter().map(|(name, value)| (id(name), *value)).collect();
    let texts: Vec<(MetricId, &str)> =
        sample.texts.iter().map(|(name, text)| (id(name), text.as_str())).collect();
    let sections: Vec<SectionId> = sample.sections.iter().copied().map(SectionId).collect();
    let rules: Vec<RuleMessage<'_>> = sample
        .rules
        .iter()
        .map(|(rule, text, speedup)| RuleMessage {
            rule,
            name: rule,
            section: "S",
            kind: "optimization",
            title: rule,
            text,
            speedup: speedup.map(|percent| (percent, "local")),
        })
        .collect();
    let large: Vec<(MetricId, u64)> =
        sample.large.iter().map(|(name, value)| (id(name), *value)).collect();
    let launch = Launch {
        index: 0,
        large: &large,
        kind: sample.kind,
        process: sample.process,
        device: sample.device,
        function: &sample.kernel,
        demangled: &sample.demangled,
        mangled: "",
        grid: sample.grid,
        block: Some([32, 1, 1]),
        domains: &domains,
        is_placed: sample.is_placed,
        numbers: &numbers,
        texts: &texts,
        sections: &sections,
        rules: &rules,
    };
    take(&launch);
}

/// Reports that do not say which results were spoken of: their numbers follow the order of results, and rows have none.
pub(crate) fn without_launches(mut reports: Vec<ScopeReport>) -> Vec<ScopeReport> {
    for report in &mut reports {
        for region in report.regions.iter_mut().chain(&mut report.families) {
            let set = &mut *region.set;
            set.rules.iter_mut().chain(&mut set.causes).for_each(|said| said.launches = None);
        }
        for totals in [&mut report.totals, &mut report.unlabeled] {
            let totals = &mut **totals;
            let of_kernels = totals.kernels.iter_mut().flat_map(|kernel| &mut kernel.rules);
            let rules = totals.rules.iter_mut().chain(&mut totals.causes).chain(of_kernels);
            rules.for_each(|said| said.launches = None);
        }
    }
    reports
}

pub(crate) fn report(outcome: &Outcome, scope: &str, basis: Basis) -> ScopeReport {
    let found =
        outcome.reports.iter().find(|report| report.scope.id == scope && report.basis == basis);
    found.unwrap_or_else(|| panic!("no report {scope} {basis:?}")).clone()
}

pub(crate) fn region<'r>(report: &'r ScopeReport, name: &str) -> &'r Region {
    let found = report.regions.iter().find(|region| region.name == name);
    found.unwrap_or_else(|| panic!("no region {name} among {}", in_words(report)))
}

pub(crate) fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.notes.iter().map(|note| note.code.as_str()).collect()
}

/// Regions as lines `name inclusive/exclusive`, with the domain and kind where they are not the ordinary ones, then what is outside and all together.
pub(crate) fn in_words(report: &ScopeReport) -> String {
    let mut lines = Vec::new();
    for region in &report.regions {
        let domain =
            if region.domain == DEFAULT_DOMAIN { "" } else { &format!("{}@", region.domain) };
        let kind = if region.kind == RangeKind::StartEnd { "~" } else { "" };
        let indent = "  ".repeat(region.depth as usize);
        let (inclusive, exclusive) = (region.set.kernel_count, region.exclusive_kernel_count);
        lines.push(format!("{indent}{domain}{kind}{} {inclusive}/{exclusive}", region.name));
    }
    lines.push(format!(
        "outside {}, all {}",
        report.unlabeled.kernel_count, report.totals.kernel_count
    ));
    lines.join("\n")
}

/// Results in, regions out.
pub(crate) fn attributed(text: &str) -> String {
    in_words(&Run::new(samples(text)).aggregate())
}

/// Compares text line by line without the indentation of the test itself.
pub(crate) fn check(actual: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().filter(|line| !line.trim().is_empty()).collect();
    let margin =
        expected.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let expected: Vec<&str> = expected.iter().map(|line| &line[margin..]).collect();
    assert_eq!(actual, expected.join("\n"));
}
