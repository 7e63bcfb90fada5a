//! Lines and instructions in a page.

use std::sync::Arc;

use rangescope_model::source::SourceDocument;
use rangescope_report::ExportOptions;
use rangescope_testing::documents::tree::{many_kernels, many_regions, with_counters};
use rangescope_testing::documents::{hostile, source};
use serde_json::Value;

use super::{MOST_BYTES, block, data, page, page_with};

fn with_source(source: SourceDocument) -> ExportOptions {
    ExportOptions { source: Some(Arc::new(source)), ..ExportOptions::default() }
}

fn index(number: &Value) -> usize {
    usize::try_from(number.as_u64().unwrap()).unwrap()
}

#[test]
fn lines_come_back_out() {
    let document = many_regions(5);
    let code = source::of(&document, 2, 10);
    let model = data(&page_with(&document, &with_source(code.clone())), "report");
    let text = |number: &Value| &model["texts"][index(number)];
    let shown = &model["source"];
    assert_eq!(shown["ordered_by"], "time");
    for (file, code) in shown["files"].as_array().unwrap().iter().zip(&code.files) {
        assert_eq!(text(&file["path"]), code.path.as_str());
        for (line, code) in file["lines"].as_array().unwrap().iter().zip(&code.lines) {
            let (samples, stalls) = (code.counts.samples.unwrap(), &line[2][3]);
            assert_eq!(line[0], code.line);
            assert_eq!(text(&line[1]), code.text.as_deref().unwrap());
            assert_eq!(line[2][0], samples);
            assert_eq!(line[2][1], samples * 1000, "nanoseconds");
            assert_eq!(line[2][2], samples * 100, "instructions executed");
            assert_eq!(text(&shown["reasons"][index(&stalls[0])]), "long_scoreboard");
            assert_eq!(stalls[1], samples * 2 / 3);
        }
    }
    let region = &shown["regions"][0];
    assert_eq!(text(&region["path"][0]), code.regions[0].path[0].as_str());
    assert_eq!(region["lines"].as_array().unwrap().len(), 6);
    let instruction = &shown["kernels"][0]["instructions"][1];
    assert_eq!((&instruction[0], &instruction[2]), (&Value::from(64), &Value::from(4)));
    assert_eq!(text(&instruction[3]), "fma.rn.f32 %f4, %f1, %f2, %f3;");
}

#[test]
fn nobody_looked_is_not_nothing_counted() {
    let document = many_regions(2);
    assert_eq!(data(&page(&document), "report")["source"], Value::Null);
    let mut code = source::of(&document, 0, 0);
    code.totals.counted = 0;
    assert_eq!(data(&page_with(&document, &with_source(code)), "report")["source"]["counted"], 0);
}

#[test]
fn hostile_lines_stay_data() {
    let document = hostile::document();
    let mut code = source::of(&document, 2, 60);
    source::rename(&mut code, &hostile::names());
    let page = page_with(&document, &with_source(code));
    assert_eq!(page.matches("</script").count(), 3, "an element ends early");
    assert!(!block(&page, "report").contains(['<', '>', '&', '\u{2028}', '\u{202e}', '\u{200b}']));
}

#[test]
fn a_page_of_much_code_is_not_too_large_and_says_what_it_left_out() {
    let document = with_counters(many_kernels(3000, 50), 60);
    let code = source::of(&document, 100, 100);
    let lines: usize = code.files.iter().map(|file| file.lines.len()).sum();
    let page = page_with(&document, &with_source(code.clone()));
    assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
    let shown = &data(&page, "report")["source"];
    let count = |of: &str, what: &str| -> usize {
        let all = shown[of].as_array().unwrap().iter();
        all.map(|one| one[what].as_array().map_or(0, Vec::len)).sum()
    };
    let left_out = |at: usize| index(&shown["left_out"][at]);
    assert!(left_out(0) > 0 && left_out(1) > 0 && left_out(2) > 0, "{}", shown["left_out"]);
    assert_eq!(count("files", "lines") + left_out(0), lines);
    let of_regions: usize = code.regions.iter().map(|region| region.lines.len()).sum();
    assert_eq!(count("regions", "lines") + left_out(1), of_regions);
    let without = |one: &&Value| one["instructions"].is_null();
    assert_eq!(shown["kernels"].as_array().unwrap().iter().filter(without).count(), left_out(2));
}
