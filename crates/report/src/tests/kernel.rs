//! One kernel in detail, with names and numbers that try to be more than that.

use rangescope_analyze::insight::kernel::{Collected, KernelReport, PmSampling, PmSeries};
use rangescope_model::document::{Basis, RegionDocument};
use rangescope_model::text::width;
use rangescope_testing::documents::hostile::{acting, fill, names};
use rangescope_testing::documents::metrics;
use rangescope_testing::documents::sample::sample;

use super::support::plain;
use crate::kernel::{write_markdown, write_terminal};
use crate::plot::{Kind, PlotError, PlotRequest, draw, draw_with_samples};

/// A document in which every chart has something.
fn measured() -> RegionDocument {
    let mut document = sample();
    for report in &mut document.reports {
        report.totals.metrics.extend(metrics(&[
            ("dram__bytes_read.sum", 1e9),
            ("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", 55.0),
            ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0.0),
            ("lts__t_sector_hit_rate.pct", f64::NAN),
            ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 2.0),
            ("smsp__average_warps_issue_stalled_x\u{1b}[31m_per_issue_active.ratio", 1.0),
            ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 400.0),
            ("sm__warps_active.avg.pct_of_peak_sustained_active", 40.0),
        ]));
    }
    document
}

fn samples(name: &str) -> PmSampling {
    let series = |at_ns: Vec<i64>, values: Vec<Option<f64>>| PmSeries {
        metric: name.to_owned(),
        label: name.to_owned(),
        unit: "%".to_owned(),
        origin_ns: u64::MAX,
        end_ns: None,
        end_unknown: Some(name.to_owned()),
        uncut: Some(name.to_owned()),
        at_ns,
        values,
    };
    PmSampling {
        launch: 0,
        duration_ms: None,
        series: vec![
            series(vec![0, 1, 2], vec![Some(1.0), None, Some(3.0)]),
            series(vec![i64::MIN, i64::MAX], vec![Some(-1.0), Some(f64::MAX)]),
            series(vec![5], vec![None]),
            series(Vec::new(), Vec::new()),
            PmSeries { end_ns: Some(-7), ..series(vec![9, 3], vec![Some(0.0), Some(0.0)]) },
        ],
    }
}

fn report(document: &RegionDocument, name: &str) -> KernelReport {
    let around = document.reports.first().unwrap();
    let collected = Collected {
        durations_ns: vec![1e6, 2e6, 2e6, f64::INFINITY],
        opcodes: [(name.to_owned(), 3.0)].into_iter().collect(),
        pm_sampling: Some(samples(name)),
    };
    KernelReport::new(document, 0, around, true, Some(collected)).unwrap()
}

fn texts(report: &KernelReport, columns: usize) -> [String; 2] {
    let (mut terminal, mut markdown) = (Vec::new(), Vec::new());
    write_terminal(report, columns, &mut terminal).unwrap();
    write_markdown(report, &mut markdown).unwrap();
    [plain(&String::from_utf8(terminal).unwrap()), String::from_utf8(markdown).unwrap()]
}

#[test]
fn lines_fit_and_nothing_acts() {
    for name in names() {
        let mut document = measured();
        fill(&mut document, &name);
        let report = report(&document, &name);
        for columns in [10, 50, 80, 120] {
            let [terminal, markdown] = texts(&report, columns);
            assert_eq!((acting(&terminal), acting(&markdown)), (None, None), "{name:?}");
            for line in terminal.lines() {
                assert!(width(line) <= columns.max(50), "{columns}: {line}");
            }
        }
    }
}

#[test]
fn what_was_measured_is_zero_and_what_was_not_is_unknown() {
    let document = measured();
    let [terminal, markdown] = texts(&report(&document, "FFMA"), 100);
    assert!(terminal.contains("device memory → L2") && terminal.contains("55.0 %"), "{terminal}");
    assert!(markdown.contains("| L1/TEX → global | load | 0 requests |"), "{markdown}");
    assert!(markdown.contains("| L2 → device memory | store | – |"), "{markdown}");
    assert!(!terminal.contains("NaN") && !markdown.contains("NaN"));
    assert!(terminal.contains("Long scoreboard") == markdown.contains("Long scoreboard"));
}

#[test]
fn samples_without_a_number_and_whole_ranges_are_said() {
    let mut report = report(&measured(), "FFMA");
    for series in report.pm_sampling.iter_mut().flat_map(|sampled| &mut sampled.series) {
        series.values.fill(None);
    }
    report.basis = Basis::Range;
    for text in texts(&report, 100) {
        assert!(text.contains("none of its samples is a number"), "{text}");
        assert!(text.contains(" range") && !text.contains(" launches, "), "{text}");
    }
}

#[test]
fn it_is_read_back_from_json() {
    let written = report(&measured(), "FFMA");
    let text = serde_json::to_string(&written).unwrap();
    let read: KernelReport = serde_json::from_str(&text).unwrap();
    assert_eq!(read.details, written.details);
    assert_eq!(read.pm_sampling, written.pm_sampling);
}

#[test]
fn charts_are_drawn_in_every_size() {
    for name in names() {
        let mut document = measured();
        fill(&mut document, &name);
        let samples = samples(&name);
        for kind in Kind::OF_KERNELS {
            for (size, height) in [(320, None), (960, None), (1200, Some(320))] {
                let request = PlotRequest { width: size, height, ..PlotRequest::new(kind) };
                let svg = draw_with_samples(&document, Some(&samples), &request).unwrap();
                assert_eq!(acting(&svg), None, "{kind:?}");
                assert!(!svg.contains("=\"NaN") && !svg.contains("=\"inf"), "{kind:?}: {svg}");
            }
        }
    }
}

#[test]
fn a_chart_without_numbers_is_no_drawing() {
    let mut document = sample();
    for report in &mut document.reports {
        report.totals.metrics.clear();
    }
    for kind in Kind::OF_KERNELS {
        let drawn = draw(&document, &PlotRequest::new(kind));
        assert!(matches!(drawn, Err(PlotError::NotCollected { .. })), "{kind:?}");
    }
}
