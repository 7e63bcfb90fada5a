//! The table of a report's regions, column by column.

use rangescope_analyze::insight::model::{RegionInsight, ReportInsight};
use rangescope_model::document::{NCUProfileRegion, NCUProfileRegionReport};
use rangescope_model::number::weight;
use rangescope_model::region::RangeKind;
use serde::Serialize;

use super::Shared;
use super::advice::{Advice, PageBound, Rule};
use super::number::Number;
use super::pool::number;
use super::roofline::RegionRoofline;
use super::tree::{Place, places};

/// The regions of one report; the fields are columns.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Regions {
    /// The names below the parent; mostly one.
    own: Vec<Own>,
    /// Position of the parent, −1 for a root.
    parent: Vec<i64>,
    /// 1 for start/end ranges.
    start_end: Vec<u8>,
    domain: Vec<u32>,
    process: Vec<Option<u32>>,
    device: Vec<Option<u32>>,
    ns: Vec<Number>,
    self_ns: Vec<Number>,
    results: Vec<u64>,
    self_results: Vec<u64>,
    timed: Vec<u64>,
    selector: Vec<Option<u32>>,
    seen: Vec<u64>,
    details: Vec<Details>,
}

/// Own name, or several where parents were left out.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Own {
    One(u32),
    Several(Vec<u32>),
}

/// Numbers of what is stored elsewhere: metrics, exclusive metrics or −1, sections, kernels, rules, advice, bound, roofline.
type Details = (u32, i64, u32, u32, u32, u32, u32, u32);

impl Regions {
    pub(crate) fn of(
        shared: &mut Shared,
        report: &NCUProfileRegionReport,
        insight: &ReportInsight,
    ) -> Self {
        let details = details(shared, report, insight);
        let mut table = Self { details, ..Self::default() };
        for (region, place) in report.regions.iter().zip(places(&report.regions)) {
            table.push(shared, region, &place);
        }
        table
    }

    fn push(&mut self, shared: &mut Shared, region: &NCUProfileRegion, place: &Place<'_>) {
        let texts = &mut shared.texts;
        self.own.push(match place.own {
            [own] => Own::One(texts.add(own)),
            several => Own::Several(several.iter().map(|own| texts.add(own)).collect()),
        });
        self.parent.push(place.parent.map_or(-1, |parent| i64::from(number(parent))));
        self.start_end.push(u8::from(region.kind == RangeKind::StartEnd));
        self.domain.push(texts.add(&region.domain));
        self.process.push(region.process_id);
        self.device.push(region.device);
        self.ns.push(Number::ns(region.total_ms));
        self.self_ns.push(Number::ns(region.exclusive_ms));
        self.results.push(region.kernel_count);
        self.self_results.push(region.exclusive_kernel_count);
        self.timed.push(region.timed_count);
        self.selector.push(texts.add_option(region.selection.selector.as_deref()));
        self.seen.push(region.selection.results_seen);
    }
}

/// The details of all regions, stored heaviest first so that the heaviest keep everything.
fn details(
    shared: &mut Shared,
    report: &NCUProfileRegionReport,
    insight: &ReportInsight,
) -> Vec<Details> {
    let mut order: Vec<usize> = (0..report.regions.len()).collect();
    let time = |at: usize| weight(report.regions[at].total_ms);
    order.sort_by(|&a, &b| time(b).total_cmp(&time(a)));
    let mut details: Vec<(usize, Details)> = order
        .into_iter()
        .filter_map(|at| {
            Some((at, details_of(shared, &report.regions[at], insight.regions.get(at)?)))
        })
        .collect();
    details.sort_by_key(|(at, _)| *at);
    details.into_iter().map(|(_, details)| details).collect()
}

fn details_of(shared: &mut Shared, region: &NCUProfileRegion, insight: &RegionInsight) -> Details {
    let texts = &mut shared.texts;
    let (metrics, sections) =
        shared.metrics.add(texts, &region.metrics, &region.sections, region.kernel_count);
    let exclusive = region.exclusive_metrics.as_ref().map_or(-1, |exclusive| {
        i64::from(shared.metrics.add(texts, exclusive, &[], region.exclusive_kernel_count).0)
    });
    let kernels = shared.kernels.add(texts, &mut shared.metrics, &region.kernels, &insight.kernels);
    let rules = region.rules.iter().map(|rule| Rule::of(texts, rule)).collect();
    let advice = insight.findings.iter().map(|finding| Advice::of(texts, finding)).collect();
    let bound = PageBound::of(texts, &insight.bound);
    let roofline = RegionRoofline::of(texts, &insight.roofline);
    (
        metrics,
        exclusive,
        sections,
        kernels,
        shared.rules.add(rules).0,
        shared.advice.add(advice).0,
        shared.bounds.add(bound).0,
        shared.rooflines.add(roofline).0,
    )
}
