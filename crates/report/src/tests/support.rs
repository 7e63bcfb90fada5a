//! Exporters as functions from a document to text.

use rangescope_model::document::{Limit, Method, RegionDocument};
use rangescope_testing::documents::sample::document;
use rangescope_testing::documents::{kernel, limited, measured, rule, section, told_of};

use crate::formats::{ExportOptions, ReportWriter};

/// What an exporter writes with the default options.
pub(super) fn exported(exporter: ReportWriter, document: &RegionDocument) -> String {
    exported_with(exporter, document, &ExportOptions::default())
}

/// What an exporter writes.
pub(super) fn exported_with(
    exporter: ReportWriter,
    document: &RegionDocument,
    options: &ExportOptions,
) -> String {
    let mut bytes = Vec::new();
    exporter(document, options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The text without colours, and without the blanks that only colours would show.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    shown.push_str(rest);
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A report without ranges: kernels of six milliseconds together, sections and rules.
pub(super) fn kernels(number: usize) -> RegionDocument {
    let name = |at: usize| format!("void ns::sort_{at}<ns::Tile<(int)64>, float>(float *, int)");
    let cycles = || measured(1_234_567.0, "cycle", Method::Sum, 1);
    let mut document = document(Vec::new());
    for report in &mut document.reports {
        let totals = &mut report.totals;
        totals.total_ms = Some(6.0);
        totals.kernels = (0..number)
            .map(|at| {
                let ms = 6.0 / number as f64;
                let mut one = kernel(&name(at), 2, ms, &[("launch__occupancy_limit_warps", 4.0)]);
                one.share = Some(1.0 / number as f64);
                one.metrics.insert("sm__cycles_elapsed.max".to_owned(), cycles());
                limited(one, Limit::Memory, Some("dram"))
            })
            .collect();
        totals.sections = vec![
            section(
                "SpeedOfLight",
                "GPU Speed Of Light Throughput",
                vec![
                    ("Elapsed Cycles", "sm__cycles_elapsed.max", cycles()),
                    ("Duration", "gpu__time_duration.sum", measured(6e6, "ns", Method::Sum, 1)),
                ],
            ),
            section("SourceCounters", "Source Counters", Vec::new()),
        ];
        let message = |title: &str, gain: Option<f64>, at: usize| {
            let rule = rule(title, 1, gain, &name(at));
            let ids = at.to_string();
            let mut rule = told_of(rule, &ids, 6.0 / number as f64, gain.map(|_| 0.3));
            title.clone_into(&mut rule.title);
            "SpeedOfLight".clone_into(&mut rule.section);
            rule.max_speedup_pct = gain;
            rule.message = "Do less, and do it later. ".repeat(20);
            rule.kernels = vec![u32::try_from(at).unwrap()];
            rule
        };
        totals.rules = (0..12)
            .map(|at| message(&format!("Rule {at}"), (at < 8).then_some(30.0), at % number))
            .collect();
        let totals = &mut **totals;
        for (at, kernel) in (0..).zip(&mut totals.kernels) {
            let own = totals.rules.iter().filter(|rule| rule.kernels == [at]);
            kernel.rules = own.cloned().collect();
        }
        *report.unlabeled = totals.clone();
    }
    document
}
