//! Whole pages: what is in them, that nothing in them can act, how large they are, and that they are the same every time.

mod charts;
mod families;
mod kernels;
mod source;

use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::document::RegionDocument;
use rangescope_report::ExportOptions;
use rangescope_report::page::{write, write_comparison};
use rangescope_testing::documents::tree::{
    many_kernels, many_regions, two_sides, with_counters, with_work,
};
use rangescope_testing::documents::{hostile, number};
use serde_json::Value;

/// The most that a page may have for 3,000 kernels in each of 50 regions.
const MOST_BYTES: usize = 15_000_000;

fn page(document: &RegionDocument) -> String {
    page_with(document, &ExportOptions::default())
}

fn page_with(document: &RegionDocument, options: &ExportOptions) -> String {
    let mut bytes = Vec::new();
    write(document, options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The content of a data block.
fn block<'p>(page: &'p str, id: &str) -> &'p str {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    rest.split_once("</script>").unwrap().0
}

fn data(page: &str, id: &str) -> Value {
    serde_json::from_str(block(page, id)).unwrap()
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let page = page(&many_regions(10));
    assert!(page.starts_with("<!doctype html>"));
    for mark in ["{{", " src=", " href=", "@import", "url(", "http://", "https://"] {
        let found: Vec<&str> = page.lines().filter(|line| line.contains(mark)).collect();
        let allowed =
            |line: &&str| !line.contains("www.w3.org/2000/svg") && !line.contains("url(#");
        assert_eq!(found.into_iter().find(allowed), None, "{mark}");
    }
    assert!(
        page.contains(
            "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-"
        )
    );
    assert_eq!(data(&page, "comparison"), Value::Null);
}

#[test]
fn hostile_names_stay_data() {
    let page = page(&hostile::document());
    assert_eq!(page.matches("</script").count(), 3, "an element ends early");
    assert_eq!(page.matches("<script").count(), 3, "an element begins in data");
    let report = block(&page, "report");
    assert!(!report.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{202e}', '\u{200b}']));
    let texts: Vec<String> =
        serde_json::from_value(data(&page, "report")["texts"].clone()).unwrap();
    for name in hostile::NAMES {
        assert!(texts.iter().any(|text| text == name), "{name:?} is lost");
    }
}

#[test]
fn three_scopes_of_one_run_are_stored_once() {
    let document = many_regions(50);
    let model = data(&page(&document), "report");
    assert_eq!(model["reports"].as_array().unwrap().len(), 3);
    assert_eq!(model["regions"].as_array().unwrap().len(), 1);
    let regions = &model["regions"][0];
    for (at, region) in document.reports[0].regions.iter().enumerate() {
        let ns = regions["ns"][at].as_f64().unwrap();
        assert!((ns - region.set.total_ms.unwrap() * 1e6).abs() < 0.5, "{}", region.name);
        let parent = regions["parent"][at].as_i64().unwrap();
        assert_eq!(parent, region.parent.map_or(-1, i64::from), "{}", region.name);
    }
}

#[test]
fn values_come_back_out() {
    let document = with_counters(many_regions(12), 60);
    let model = data(&page(&document), "report");
    let region = &document.reports[0].regions[3];
    let set = model["regions"][0]["details"][3][0].as_u64().unwrap();
    let set = &model["metrics"]["sets"][usize::try_from(set).unwrap()];
    let layout =
        &model["metrics"]["layouts"][usize::try_from(set["layout"].as_u64().unwrap()).unwrap()];
    assert_eq!(layout.as_array().unwrap().len(), region.set.metrics.len());
    for (at, (name, metric)) in region.set.metrics.iter().enumerate() {
        let descriptor = usize::try_from(layout[at].as_u64().unwrap()).unwrap();
        let text = usize::try_from(model["metrics"]["name"][descriptor].as_u64().unwrap()).unwrap();
        assert_eq!(model["texts"][text], name.as_str());
        let value = number(metric).unwrap();
        let shown = set["values"][at].as_f64().unwrap();
        assert!((shown - value).abs() <= value.abs() * 1e-5, "{name}: {shown} is not {value}");
    }
}

#[test]
fn a_page_of_many_kernels_is_not_too_large() {
    let size = page(&with_counters(many_kernels(3000, 50), 60)).len();
    assert!(size <= MOST_BYTES, "{size} bytes");
}

#[test]
fn what_does_not_fit_is_left_out_where_it_weighs_least() {
    let document = with_counters(many_kernels(100, 5), 60);
    let options =
        ExportOptions { max_page_metrics: 100, max_page_kernels: 250, ..ExportOptions::default() };
    let model = data(&page_with(&document, &options), "report");
    let left_out = |what: &Value, kept: &str| -> Vec<(usize, u64)> {
        let lists = what.as_array().unwrap().iter();
        lists
            .map(|one| (one[kept].as_array().unwrap().len(), one["left_out"].as_u64().unwrap_or(0)))
            .collect()
    };
    let lists = left_out(&model["kernels"]["lists"], "kernel");
    assert!(lists.contains(&(100, 0)) && lists.contains(&(20, 80)), "{lists:?}");
    assert!(lists.iter().all(|(kept, rest)| *kept as u64 + rest == 100 || *kept == 0), "{lists:?}");
    let sets = left_out(&model["metrics"]["sets"], "values");
    assert!(
        sets.iter().any(|(_, rest)| *rest > 0) && sets.iter().any(|(_, rest)| *rest == 0),
        "{sets:?}"
    );
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let document = hostile::document();
    assert_eq!(page(&document), page(&document));
    // Reading puts metrics in order of their names, as the analysis does; a document made by hand may have another.
    let read_back = |document: &RegionDocument| -> RegionDocument {
        serde_json::from_str(&serde_json::to_string(document).unwrap()).unwrap()
    };
    let in_order = read_back(&document);
    assert_eq!(page(&in_order), page(&read_back(&in_order)));
}

#[test]
fn a_deep_tree_is_no_danger() {
    let mut document = many_regions(1);
    let region = document.reports[0].regions[0].clone();
    for report in &mut document.reports {
        report.regions = (1..=1500_u32)
            .map(|depth| {
                let mut region = region.clone();
                region.parent = depth.checked_sub(2);
                region.path = (0..depth).map(|at| format!("r{at}")).collect();
                region.set.metrics.clear();
                region.set.sections.clear();
                region.set.kernels.clear();
                region
            })
            .collect();
    }
    let model = data(&page(&document), "report");
    assert_eq!(model["regions"][0]["parent"][1499], 1498);
}

#[test]
fn a_document_without_reports_gives_a_page() {
    let mut document = many_regions(1);
    document.reports.clear();
    assert!(data(&page(&document), "report")["reports"].as_array().unwrap().is_empty());
}

#[test]
fn the_roofline_is_in_the_page() {
    let document = with_work(many_regions(12));
    let model = data(&page(&document), "report");
    let roofline = usize::try_from(model["regions"][0]["details"][0][7].as_u64().unwrap()).unwrap();
    let roofline = &model["rooflines"][roofline];
    let point = &roofline["points"][0];
    assert_eq!(point["traffic"][0][0], "dram");
    assert!(
        point["work"].as_f64().unwrap() > 1e9 && point["traffic"][0][2].as_f64().unwrap() > 0.0
    );
    assert_eq!(roofline["roofs"].as_array().unwrap().len(), 3, "DRAM, L2 and fp32: {roofline}");
    let lists = model["kernels"]["lists"].as_array().unwrap();
    assert!(lists.iter().any(|list| !list["points"].as_array().unwrap().is_empty()));
}

#[test]
fn a_comparison_finds_its_regions() {
    let (base, new) = two_sides(many_regions(12));
    let comparison = compare(&[base], std::slice::from_ref(&new), &CompareOptions::default());
    let mut bytes = Vec::new();
    write_comparison(
        &comparison,
        std::slice::from_ref(&new),
        &ExportOptions::default(),
        &mut bytes,
    )
    .unwrap();
    let page = String::from_utf8(bytes).unwrap();
    assert!(!block(&page, "comparison").contains('<'));
    let difference = data(&page, "comparison");
    let scope = &difference["scopes"][0];
    let aggregate = &new.reports[0];
    assert_eq!(scope["report"], 0, "the aggregate");
    let rows = scope["regions"].as_array().unwrap();
    assert_eq!(rows.len(), 13);
    for (row, compared) in rows.iter().zip(&comparison.scopes[0].regions) {
        let known = aggregate.regions.iter().position(|region| region.path == compared.path);
        let expected = known.map_or(-1, |at| i64::try_from(at).unwrap());
        assert_eq!(row["region"], expected, "{row}");
        let number = |at: usize| row["time"][at].as_f64();
        let ms = known.map(|at| aggregate.regions[at].set.total_ms);
        let close = |one: f64, other: f64| (one - other).abs() <= 1e-4 * other.abs();
        assert_eq!(number(1).is_some(), ms.is_some(), "{row}");
        if let (Some(base), Some(new), Some(relative)) = (number(0), number(1), number(2)) {
            assert!((new / base - 1.0 - relative).abs() < 1e-4, "{row}");
        }
        if known == Some(0) {
            let [base, new, relative] = [0, 1, 2].map(|at| number(at).unwrap());
            assert!(close(new / base, 1.0 / 0.9) && close(relative, 1.0 / 9.0), "{row}");
        }
    }
}

#[test]
fn a_comparison_without_a_new_side_has_no_page() {
    let (base, new) = two_sides(many_regions(1));
    let comparison = compare(&[base], &[new], &CompareOptions::default());
    let error = write_comparison(&comparison, &[], &ExportOptions::default(), &mut Vec::new());
    assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
}
