//! What holds for every pair of runs, tried on made-up ones.

use super::exports::text;
use proptest::prelude::*;
use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::Comparison;
use rangescope_model::comparison::{Change, Delta, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_report::FORMATS;
use rangescope_testing::documents::{document, kernel, metrics, region};

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.0..100.0_f64,
        1 => prop::sample::select(vec![0.0, -1.0, 1e300, f64::MAX, f64::NAN, f64::INFINITY]),
    ]
}

fn documents() -> impl Strategy<Value = RegionDocument> {
    let names = prop::sample::select(vec!["A", "B", "C", "x\u{1b}y"]);
    let kernels = || {
        let names = prop::sample::select(vec!["A", "B", "C", "x\u{1b}y"]);
        prop::collection::vec((names, 0..5_u64, number()), 0..4)
    };
    let one = (prop::collection::vec(names, 1..3), kernels(), number());
    (prop::collection::vec(one, 0..5), kernels()).prop_map(|(regions, unlabeled)| {
        let made = |kernels: Vec<(&str, u64, f64)>| {
            kernels.into_iter().map(|(name, calls, ms)| kernel(name, calls, ms, &[])).collect()
        };
        let regions = regions.into_iter().map(|(path, kernels, bytes)| {
            let mut region = region(&path, made(kernels));
            region.set.metrics = metrics(&[("dram__bytes.sum", bytes)]);
            region
        });
        document(regions.collect(), made(unlabeled))
    })
}

fn deltas(comparison: &Comparison) -> Vec<(String, Delta)> {
    let mut all = Vec::new();
    for scope in &comparison.scopes {
        all.push(("totals".to_owned(), scope.totals.time));
        all.push(("calls".to_owned(), scope.totals.calls));
        for kernel in &scope.totals.kernels {
            all.push((format!("kernel {}", kernel.kernel_name), kernel.time));
        }
        for region in &scope.regions {
            all.push((format!("{:?} time", region.path), region.time));
            all.push((format!("{:?} exclusive", region.path), region.exclusive_time));
            all.push((format!("{:?} calls", region.path), region.calls));
            for metric in &region.metrics {
                all.push((format!("{:?} {}", region.path, metric.name), metric.delta));
            }
        }
    }
    all.sort_by(|left, right| left.0.cmp(&right.0));
    all
}

fn opposite(change: Change) -> Change {
    match change {
        Change::Higher => Change::Lower,
        Change::Lower => Change::Higher,
        Change::HigherNotJudged => Change::LowerNotJudged,
        Change::LowerNotJudged => Change::HigherNotJudged,
        Change::New => Change::Gone,
        Change::Gone => Change::New,
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_run_is_equal_to_itself(document in documents()) {
        let comparison = compare(
            std::slice::from_ref(&document),
            std::slice::from_ref(&document),
            &CompareOptions::default(),
        );
        for (name, delta) in deltas(&comparison) {
            prop_assert!(matches!(delta.change, Change::Same | Change::Absent | Change::Unknown), "{name} {delta:?}");
            prop_assert!(delta.absolute.is_none_or(|difference| difference == 0.0));
        }
        for region in &comparison.scopes[0].regions {
            prop_assert!(matches!(region.verdict, Verdict::Same | Verdict::Unknown));
        }
    }

    #[test]
    fn swapping_sides_negates(base in prop::collection::vec(documents(), 1..3), new in prop::collection::vec(documents(), 1..3)) {
        // With a tolerance relative to the base, a difference may count on one side only.
        let options = CompareOptions { tolerance_percent: 0.0, ..CompareOptions::default() };
        let there = deltas(&compare(&base, &new, &options));
        let back = deltas(&compare(&new, &base, &options));
        prop_assert_eq!(there.len(), back.len());
        for ((name, there), (other, back)) in there.iter().zip(&back) {
            prop_assert_eq!(name, other);
            prop_assert_eq!(there.absolute.map(|value| -value), back.absolute, "{}", name);
            prop_assert_eq!(opposite(there.change), back.change, "{}", name);
            prop_assert_eq!((there.base, there.new), (back.new, back.base));
        }
    }

    #[test]
    fn every_comparison_can_be_written_and_read(base in documents(), new in documents()) {
        let options = CompareOptions {
            gates: vec![Gate::parse("*: time > 5%").unwrap(), Gate::parse("time > 1ms").unwrap()],
            ..CompareOptions::default()
        };
        let comparison = compare(&[base], &[new], &options);
        // Not-a-number is null in JSON, and null is no number.
        let value = serde_json::to_value(&comparison).unwrap();
        prop_assert_eq!(&serde_json::from_value::<Comparison>(value).unwrap(), &comparison);
        for format in FORMATS.iter().filter(|format| format.comparison.is_some()) {
            let shown = text(&comparison, format.name, 80);
            prop_assert!(format.name == "json" || !shown.contains('\u{1b}'), "{}", format.name);
        }
    }
}
