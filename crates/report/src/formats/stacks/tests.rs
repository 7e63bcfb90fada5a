use std::collections::BTreeMap;

use rangescope_model::document::RegionDocument;
use rangescope_model::region::RangeKind;
use rangescope_testing::documents::hostile::{acting, fill, names};
use rangescope_testing::documents::tree::{of_rows, row};
use serde_json::Value;

use super::{collapsed, perfetto, speedscope};
use crate::formats::{ExportOptions, ReportWriter};

fn document() -> RegionDocument {
    of_rows(&[
        row(&["step"], "gemm", 2, 1.5),
        row(&["step", "layer;0"], "gemm", 4, 2.000_001),
        row(&["step", "layer;0", "norm"], "norm", 1, 0.5),
        row(&["eval"], "gemm", 1, 0.25),
        row(&[], "copy", 3, 0.125),
    ])
}

fn text(writer: ReportWriter, document: &RegionDocument) -> String {
    let mut bytes = Vec::new();
    writer(document, &ExportOptions::default(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_line_is_what_a_region_launches_itself() {
    let expected = "step;gemm 1500000\nstep;layer,0;gemm 2000001\nstep;layer,0;norm;norm 500000\n\
        eval;gemm 250000\n(unlabeled);copy 125000\n";
    assert_eq!(text(collapsed::write, &document()), expected);
    let bare = of_rows(&[row(&[], "copy", 3, 0.125)]);
    assert_eq!(text(collapsed::write, &bare), "copy 125000\n");
    assert_eq!(text(collapsed::write, &of_rows(&[])), "");
}

#[test]
fn trees_that_show_the_same_launches_are_told_apart() {
    let mut document = document();
    for report in &mut document.reports {
        let mut other = report.regions[0].clone();
        other.kind = RangeKind::StartEnd;
        other.exclusive_ms = other.set.total_ms;
        other.exclusive_kernel_count = other.set.kernel_count;
        report.regions.push(other);
    }
    let lines = text(collapsed::write, &document);
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for line in lines.lines() {
        let (stack, ns) = line.rsplit_once(' ').unwrap();
        *sums.entry(stack.split(';').next().unwrap()).or_default() += ns.parse::<u64>().unwrap();
    }
    assert_eq!(sums["default domain"], 4_375_001);
    assert_eq!(sums["default domain, start/end ranges"], 4_000_001);
    let file: Value = serde_json::from_str(&text(speedscope::write, &document)).unwrap();
    assert_eq!(file["profiles"].as_array().unwrap().len(), 2);
}

#[test]
fn boxes_lie_in_each_other_and_none_overlaps() {
    let file: Value = serde_json::from_str(&text(perfetto::write, &document())).unwrap();
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for event in file["traceEvents"].as_array().unwrap() {
        #[expect(clippy::cast_possible_truncation, reason = "a few milliseconds")]
        let ns = || (event["ts"].as_f64().unwrap() * 1e3).round() as i64;
        match event["ph"].as_str().unwrap() {
            "B" => open.push((event["name"].as_str().unwrap(), ns())),
            "E" => {
                let (name, from) = open.pop().unwrap();
                assert_eq!(event["name"], name);
                found.push((name, from, ns() - from, event["args"]["launches"].as_u64().unwrap()));
            }
            _ => assert_eq!(event["name"], "process_name"),
        }
    }
    assert!(open.is_empty());
    let expected = [
        ("gemm", 0, 1_500_000, 2),
        ("gemm", 1_500_000, 2_000_001, 4),
        ("norm", 3_500_001, 500_000, 1),
        ("norm", 3_500_001, 500_000, 1),
        ("layer;0", 1_500_000, 2_500_001, 5),
        ("step", 0, 4_000_001, 7),
        ("gemm", 4_000_001, 250_000, 1),
        ("eval", 4_000_001, 250_000, 1),
        ("copy", 4_250_001, 125_000, 3),
        ("(unlabeled)", 4_250_001, 125_000, 3),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_time_that_is_not_known_is_no_stack() {
    let mut document = document();
    for report in &mut document.reports {
        for region in &mut report.regions {
            (region.set.total_ms, region.exclusive_ms, region.set.timed_count) = (None, None, 0);
            region.set.kernels.iter_mut().for_each(|kernel| kernel.total_ms = None);
        }
    }
    assert_eq!(text(collapsed::write, &document), "(unlabeled);copy 125000\n");
}

#[test]
fn no_name_acts_or_breaks_a_line() {
    for name in names() {
        let mut document = document();
        fill(&mut document, &name);
        let lines = text(collapsed::write, &document);
        assert_eq!(acting(&lines), None, "{name:?}");
        assert!(lines.lines().all(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().is_ok()));
        let _: Value = serde_json::from_str(&text(speedscope::write, &document)).unwrap();
        let _: Value = serde_json::from_str(&text(perfetto::write, &document)).unwrap();
    }
}
