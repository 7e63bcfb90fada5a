//! Families in the page: nodes of their own beside the exact regions, and the advice of what is seen folded.

use super::{block, data, page, page_with};
use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_analyze::insight::Insight;
use rangescope_analyze::{View, folded};
use rangescope_model::document::{Region, RegionDocument};
use rangescope_report::ExportOptions;
use rangescope_report::page::write_comparison;
use rangescope_testing::documents::families::{kernels_only, layered};
use rangescope_testing::documents::tree::{two_sides, with_counters};
use serde_json::Value;

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn position(regions: &[Region], path: &[&str]) -> usize {
    regions.iter().position(|region| region.path == path).unwrap()
}

#[test]
fn families_are_nodes_after_the_regions() {
    let document = layered();
    let report = &document.reports[2];
    let table = &data(&page(&document), "report")["regions"][0];
    let exact = report.regions.len();
    assert_eq!(table["parent"].as_array().unwrap().len(), exact + report.families.len());
    for (at, family) in report.families.iter().enumerate() {
        let node = exact + at;
        let ns = table["ns"][node].as_f64().unwrap();
        assert!((ns - family.set.total_ms.unwrap() * 1e6).abs() < 0.5, "{}", family.name);
        let stored = &table["families"][at];
        let found = family.family.as_ref().unwrap();
        let members: Vec<u32> = serde_json::from_value(stored["members"].clone()).unwrap();
        assert_eq!(members, found.members, "{}", family.name);
        let max = stored["max"].as_f64().unwrap();
        assert!((max - found.max_ms.unwrap() * 1e6).abs() < 0.5, "{}", family.name);
    }
    // The parent of a family is a family or a region; the parent of a member is exact.
    let node = |path: &[&str]| exact + position(&report.families, path);
    let region = |path: &[&str]| position(&report.regions, path);
    let parent = |node: usize| index(&table["parent"][node]);
    assert_eq!(
        parent(node(&["decode", "layers.*", "attn", "qkv"])),
        node(&["decode", "layers.*", "attn"])
    );
    assert_eq!(parent(node(&["decode", "layers.*"])), region(&["decode"]));
    assert_eq!(parent(region(&["decode", "layers.3", "mlp"])), region(&["decode", "layers.3"]));
    let slow = &table["families"][node(&["decode", "layers.*"]) - exact]["outliers"];
    assert_eq!(*slow, serde_json::json!([region(&["decode", "layers.7"])]));
}

#[test]
fn the_advice_is_that_of_what_is_seen() {
    let document = layered();
    let model = data(&page(&document), "report");
    let seen = folded(&document);
    let insight = Insight::of(&seen);
    let report = &model["reports"][insight.main_report.unwrap()];
    let table = &model["regions"][index(&report["regions"])];
    let text = |id: &Value| model["texts"][index(id)].as_str().unwrap();
    let name = |node: i64| -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = node;
        while let Ok(node) = usize::try_from(at) {
            path.insert(0, text(&table["own"][node]));
            at = table["parent"][node].as_i64().unwrap();
        }
        path
    };
    let findings = report["findings"].as_array().unwrap().iter();
    let shown: Vec<(Vec<&str>, &str)> = findings
        .map(|one| {
            let node = one[0].as_i64().unwrap();
            let list =
                if node < 0 { &report["advice"] } else { &table["details"][index(&one[0])][5] };
            (name(node), text(&model["advice"][index(list)][index(&one[1])]["text"]))
        })
        .collect();
    let expected: Vec<(Vec<&str>, &str)> = insight
        .findings(&seen, false)
        .into_iter()
        .map(|(region, finding)| {
            let path =
                region.map_or_else(Vec::new, |one| one.path.iter().map(String::as_str).collect());
            (path, finding.text.as_str())
        })
        .collect();
    assert!(expected.iter().any(|(path, _)| path.contains(&"layers.*")), "{expected:?}");
    assert_eq!(shown, expected);
}

#[test]
fn families_cost_little() {
    let with = with_counters(layered(), 60);
    let mut without = with.clone();
    without.reports.iter_mut().for_each(|report| report.families.clear());
    let (with, without) = (page(&with), page(&without));
    let (with, without) = (block(&with, "report").len(), block(&without, "report").len());
    assert!(with < without * 3 / 2, "{with} bytes with families, {without} without");
}

#[test]
fn a_family_that_does_not_fit_its_members_is_left_out() {
    let broken = |change: fn(&mut Region)| {
        let mut document = layered();
        for report in &mut document.reports {
            change(&mut report.families[0]);
        }
        let model = data(&page(&document), "report");
        model["regions"][0]["families"].as_array().unwrap().len()
    };
    let all = layered().reports[0].families.len();
    assert_eq!(broken(|_| ()), all);
    assert_eq!(broken(|family| family.family.as_mut().unwrap().members.push(1_000_000)), all - 1);
    assert_eq!(broken(|family| family.family.as_mut().unwrap().members.push(0)), all - 1);
    assert_eq!(broken(|family| family.path.push("deeper".to_owned())), all - 1);
    assert_eq!(broken(|family| family.family = None), all - 1);
}

#[test]
fn unfolding_is_what_the_page_begins_with() {
    let begins = |unfold| {
        let view = View { unfold, ..View::default() };
        let options = ExportOptions { view, ..ExportOptions::default() };
        data(&page_with(&layered(), &options), "report")["unfold"].clone()
    };
    assert_eq!([begins(false), begins(true)], [Value::Bool(false), Value::Bool(true)]);
}

#[test]
fn families_that_were_not_compared_are_not_folded() {
    let (base, new) = two_sides(layered());
    let mut comparison = compare(&[base], std::slice::from_ref(&new), &CompareOptions::default());
    let families = |comparison: &_| {
        let mut bytes = Vec::new();
        let new: &[RegionDocument] = std::slice::from_ref(&new);
        write_comparison(comparison, new, &ExportOptions::default(), &mut bytes).unwrap();
        let page = String::from_utf8(bytes).unwrap();
        (data(&page, "report")["regions"][0]["families"].as_array().unwrap().len(), page)
    };
    for scope in &mut comparison.scopes {
        scope.regions.retain(|region| !region.path.iter().any(|name| name == "layers.*"));
    }
    assert_eq!(families(&comparison).0, 0);
    // A comparison that speaks of families finds them after the regions.
    let report = &new.reports[2];
    let like = comparison.scopes[0].regions[0].clone();
    for family in &report.families {
        let mut row = like.clone();
        row.path.clone_from(&family.path);
        comparison.scopes[0].regions.push(row);
    }
    let (kept, page) = families(&comparison);
    assert_eq!(kept, report.families.len());
    let rows = data(&page, "comparison")["scopes"][0]["regions"].clone();
    let last = rows.as_array().unwrap().last().unwrap()["region"].clone();
    assert_eq!(index(&last), report.regions.len() + kept - 1);
}

#[test]
fn what_has_no_region_has_sections_and_rules() {
    let model = data(&page(&kernels_only()), "report");
    for set in ["totals", "unlabeled"] {
        let set = &model["reports"][0][set];
        let sections = &model["metrics"]["sectionLists"][index(&set["sections"])];
        assert_eq!(sections.as_array().unwrap().len(), 3);
        let rules = &model["rules"][index(&set["rules"])];
        assert_eq!(rules[0]["kernels"], serde_json::json!([1]));
    }
}
