//! A document with families, and one without any region.

use indexmap::IndexMap;
use rangescope_model::document::{
    Family, Outlier, Region, RegionDocument, RuleSummary, ScopeReport,
};
use rangescope_model::number::weight;

use super::tree::{Row, of_rows, region, row, sections};

/// Two stages of a model with twelve layers each, and the families of the layers and of their parts. The eighth layer of `decode` stands out.
pub fn layered() -> RegionDocument {
    layers(12, |stage, layer| {
        let slow = if (stage, layer) == ("decode", 7) { 3.0 } else { 1.0 };
        slow * (1.0 + f64::from(layer) / 1000.0)
    })
}

/// The same with so many layers, each as long as the others.
pub fn identical_layers(count: u32) -> RegionDocument {
    layers(count, |_, _| 1.0)
}

fn layers(count: u32, time: impl Fn(&str, u32) -> f64) -> RegionDocument {
    let mut rows = vec![row(&["prefill", "embed"], "gather_rows", 1, 0.5)];
    for (stage, factor) in [("prefill", 1.0), ("decode", 0.25)] {
        for layer in 0..count {
            let ms = factor * time(stage, layer);
            let layer = format!("layers.{layer}");
            let mut add = |parts: &[&str], kernel: &str, ms| {
                rows.push(row(&[&[stage, &layer], parts].concat(), kernel, 4, ms));
            };
            add(&["norm"], "rms_norm", 0.1 * ms);
            add(&["attn", "qkv"], "gemm_qkv", 0.7 * ms);
            add(&["attn", "out"], "gemm_out", 0.4 * ms);
            add(&["mlp"], "gemm_mlp", 2.0 * ms);
            add(&["mlp"], "act_and_mul", 0.3 * ms);
        }
    }
    let mut document = of_rows(&rows);
    for report in &mut document.reports {
        report.families = families(&rows, report);
    }
    document
}

/// Kernels without any region, with sections and a rule about the second one.
pub fn kernels_only() -> RegionDocument {
    let reduce = "void reduce<float>(float *, int)";
    let mut document = of_rows(&[
        row(&[], "void flash_fwd_kernel<128, 64>(Params)", 3, 2.5),
        row(&[], reduce, 8, 0.5),
    ]);
    for report in &mut document.reports {
        for totals in [&mut report.totals, &mut report.unlabeled] {
            totals.sections = sections(&totals.metrics);
            let rule = super::rule("LongScoreboard", 8, Some(3.0), reduce);
            let rule = super::told_of(rule, "3-10", 0.5, Some(0.09));
            totals.rules = vec![RuleSummary { kernels: vec![1], ..rule }];
        }
    }
    document
}

/// The families of regions in or below `layers.N`.
fn families(rows: &[Row], report: &ScopeReport) -> Vec<Region> {
    let folded = |path: &[String]| -> Vec<String> {
        let name =
            |name: &String| if name.starts_with("layers.") { "layers.*" } else { name }.to_owned();
        path.iter().map(name).collect()
    };
    let mut members: IndexMap<Vec<String>, Vec<u32>> = IndexMap::new();
    for (at, region) in (0..).zip(&report.regions) {
        let path = folded(&region.path);
        if path != region.path {
            members.entry(path).or_default().push(at);
        }
    }
    let rows: Vec<Row> =
        rows.iter().map(|row| Row { path: folded(&row.path), ..row.clone() }).collect();
    let family = |(path, members): (Vec<String>, Vec<u32>)| {
        let inside: Vec<&Row> = rows.iter().filter(|row| row.path.starts_with(&path)).collect();
        let all = || members.iter().map(|&member| &report.regions[member as usize]);
        let times: Vec<f64> = all().map(|one| weight(one.set.total_ms)).collect();
        let mean_ms = times.iter().sum::<f64>() / times.len() as f64;
        let outlier = |one: &Region| Outlier {
            name: one.name.clone(),
            total_ms: one.set.total_ms,
            by_time: true,
            ..Outlier::default()
        };
        let family = Family {
            min_ms: times.iter().copied().reduce(f64::min),
            mean_ms: Some(mean_ms),
            max_ms: times.iter().copied().reduce(f64::max),
            outliers: all()
                .filter(|one| weight(one.set.total_ms) > 2.0 * mean_ms)
                .map(outlier)
                .collect(),
            members: members.clone(),
            ..Family::default()
        };
        let region = region(&path, &inside, report.totals.total_ms);
        let parent = members.first().and_then(|first| report.regions[*first as usize].parent);
        Region { family: Some(family), parent, ..region }
    };
    members.into_iter().map(family).collect()
}
