//! Regions whose names differ only in numbers.

use super::common::{Run, Sample, report};
use rangescope_analyze::folded;
use rangescope_model::document::{Basis, NCUProfileRegion, RegionDocument};
use rangescope_testing::documents::of_reports;
use std::sync::Arc;

#[test]
fn a_family_has_the_numbers_of_all_members_and_takes_their_place() {
    let layers = (0..4).flat_map(|layer| {
        let time = if layer == 3 { 5000.0 } else { 1000.0 };
        ["attn", "mlp"]
            .map(|part| Sample::parse(&format!("k: run/layers.{layer}/{part}")).time(time))
    });
    let single = [Sample::parse("head: run/head"), Sample::parse("k: run/layers.0").time(500.0)];
    let outcome = Run::new(layers.chain(single).collect()).outcome();
    let report = report(&outcome, "aggregate", Basis::Kernel);
    let named = |region: &Arc<NCUProfileRegion>| (region.name.clone(), region.total_ms.unwrap());
    let families: Vec<_> = report.families.iter().map(named).collect();
    assert_eq!(
        families,
        [
            ("run::layers.*".to_owned(), 0.0165),
            ("run::layers.*::attn".to_owned(), 0.008),
            ("run::layers.*::mlp".to_owned(), 0.008),
        ]
    );
    let layers = &report.families[0];
    assert_eq!((layers.exclusive_ms, layers.kernel_count), (Some(0.0005), 9));
    let spread = layers.family.as_ref().unwrap();
    assert_eq!((spread.members.len(), spread.min_ms, spread.max_ms), (4, Some(0.002), Some(0.01)));
    assert_eq!(spread.outliers[0].name, "run::layers.3");

    let document = RegionDocument { reports: outcome.reports, ..of_reports(Vec::new()) };
    let shown = folded(&document);
    let names: Vec<&str> =
        shown.reports.last().unwrap().regions.iter().map(|region| region.name.as_str()).collect();
    assert_eq!(
        names,
        ["run", "run::layers.*", "run::layers.*::attn", "run::layers.*::mlp", "run::head"]
    );
}

#[test]
fn a_result_in_two_open_ranges_of_a_family_counts_once() {
    let both = Sample::parse("k: ~request.1 ~request.2");
    let third = Sample::parse("k: ~request.3");
    let outcome = Run::new(vec![both, third]).outcome();
    let report = report(&outcome, "aggregate", Basis::Kernel);
    let [family] = report.families.as_slice() else { panic!("{:?}", report.families) };
    assert_eq!((family.name.as_str(), family.kernel_count), ("request.*", 2));
    assert_eq!((family.total_ms, family.exclusive_ms), (Some(0.002), Some(0.002)));
}
