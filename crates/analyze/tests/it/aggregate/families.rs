//! Regions that repeat.

use super::common::{Run, Sample, report};
use rangescope_analyze::folded;
use rangescope_model::document::{Basis, Limit, Region, RegionDocument};
use rangescope_testing::documents::of_reports;

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
    let named = |region: &Region| (region.name.clone(), region.set.total_ms.unwrap());
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
    assert_eq!((layers.exclusive_ms, layers.set.kernel_count), (Some(0.0005), 9));
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
    assert_eq!((family.name.as_str(), family.set.kernel_count), ("request.*", 2));
    assert_eq!((family.set.total_ms, family.exclusive_ms), (Some(0.002), Some(0.002)));
}

/// The layers `layers.0` … with these kernels each, and what changes in the seventh.
fn layers(change: impl Fn(&str) -> Vec<Sample>) -> Vec<Sample> {
    let usual = |layer: &str| {
        ["rms", "attn", "gemm"].map(|kernel| {
            let sample = Sample::parse(&format!("{kernel}: {layer}"));
            sample.with(SM, 20.0).with(MEMORY, 90.0)
        })
    };
    let layer = |at: u32| match format!("layers.{at}") {
        name if at == 7 => change(&name),
        name => usual(&name).to_vec(),
    };
    (0..32).flat_map(layer).collect()
}

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

#[test]
fn a_member_that_differs_is_named_with_what_differs() {
    let kernels = |layer: &str, names: [&str; 3], sm, memory, ns| {
        let sample = |kernel: &str| Sample::parse(&format!("{kernel}: {layer}")).time(ns);
        names.map(|kernel| sample(kernel).with(SM, sm).with(MEMORY, memory)).to_vec()
    };
    let usual = ["rms", "attn", "gemm"];
    let outlier = |change: &dyn Fn(&str) -> Vec<Sample>| {
        let outcome = Run::new(layers(change)).outcome();
        let report = report(&outcome, "aggregate", Basis::Kernel);
        let [family] = report.families.as_slice() else { panic!("{:?}", report.families) };
        let family = family.family.as_ref().unwrap();
        assert_eq!((family.members.len(), family.usual_limit), (32, Some(Limit::Memory)));
        assert!(family.outliers.iter().all(|one| one.name == "layers.7"));
        (family.outliers.clone(), family.more_outliers)
    };
    let none = outlier(&|layer| kernels(layer, usual, 20.0, 90.0, 1000.0));
    assert_eq!(none, (Vec::new(), 0));
    let (slow, _) = outlier(&|layer| kernels(layer, usual, 20.0, 90.0, 2000.0));
    assert!(slow[0].by_time && slow[0].limit.is_none() && slow[0].more_kernels.is_empty());
    let (limited, _) = outlier(&|layer| kernels(layer, usual, 90.0, 20.0, 1000.0));
    assert_eq!((limited[0].by_time, limited[0].limit), (false, Some(Limit::Compute)));
    let other = ["rms", "attn", "gemm_splitk"];
    let (other, _) = outlier(&|layer| kernels(layer, other, 20.0, 90.0, 1000.0));
    assert_eq!(other[0].more_kernels, ["gemm_splitk"]);
    assert_eq!(
        (other[0].fewer_kernels.as_slice(), other[0].limit),
        (&["gemm".to_owned()][..], None)
    );
    let (unknown, _) = outlier(&|layer| kernels(layer, usual, 20.0, 90.0, f64::NAN));
    assert_eq!(unknown, [], "what was not measured does not differ");
}

#[test]
fn a_layer_that_is_selected_away_leaves_a_family() {
    let mut run = Run::new(layers(|_| Vec::new()));
    run.samples.push(Sample::parse("memset:"));
    let outcome = run.outcome();
    let families = &report(&outcome, "aggregate", Basis::Kernel).families;
    assert_eq!((families.len(), families[0].name.as_str()), (1, "layers.*"));
    assert_eq!(families[0].family.as_ref().unwrap().members.len(), 31);
}

#[test]
fn regions_that_do_different_things_stay_apart() {
    let gpus = (0..4).map(|gpu| Sample::parse(&format!("kernel_of_{gpu}: gpu{gpu}")));
    let outcome = Run::new(gpus.collect()).outcome();
    assert_eq!(report(&outcome, "aggregate", Basis::Kernel).families, []);
    let sizes = (1..5).map(|size| {
        let mut sample = Sample::parse(&format!("saxpy: batch={size}"));
        sample.grid = Some([size, 1, 1]);
        sample
    });
    let outcome = Run::new(sizes.collect()).outcome();
    assert_eq!(report(&outcome, "aggregate", Basis::Kernel).families, []);
}
