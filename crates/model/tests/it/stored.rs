//! Documents as they are stored.

use rangescope_model::document::{
    Limit, LimitShare, Method, MetricSummary, RegionDocument, Scalar,
};
use rangescope_testing::documents::{each_region, hostile, metric, run, sample, tree};
use serde_json::{Value, json};

fn survives(document: &RegionDocument) -> Value {
    let stored = serde_json::to_value(document).unwrap();
    let read: RegionDocument = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(read, *document);
    stored
}

#[test]
fn what_is_written_is_read_back() {
    survives(&sample::sample());
    survives(&hostile::document());
    survives(&run(1.0, 2.0, 3.0));
    survives(&tree::with_counters(tree::many_regions(50), 40));
}

#[test]
fn whatever_a_metric_says_is_kept() {
    let mut document = run(1.0, 2.0, 3.0);
    let mut kinds = [
        metric(f64::MAX),
        metric(-0.0),
        MetricSummary { value: None, reason: Some(String::from("why")), ..metric(0.0) },
        MetricSummary {
            value: Some(Scalar::Text(String::from("a"))),
            method: Method::Same,
            ..metric(0.0)
        },
        MetricSummary {
            min: Some(1.0),
            max: Some(2.0),
            value: None,
            method: Method::Varies,
            ..metric(0.0)
        },
        MetricSummary { value: Some(Scalar::Integer((1 << 53) + 1)), ..metric(0.0) },
        MetricSummary { value: Some(Scalar::Integer(u64::MAX)), exact: false, ..metric(0.0) },
        MetricSummary { covered: 0, of: 9, exact: false, unit: String::from("%"), ..metric(1.0) },
        MetricSummary {
            busiest: Some(String::from("x")),
            method: Method::LargestPart,
            ..metric(1.0)
        },
    ]
    .into_iter()
    .cycle();
    each_region(&mut document, |region| {
        for name in ["a", "b", "c"] {
            region.set.metrics.insert(name.to_owned(), kinds.next().unwrap());
        }
        region.set.limits = vec![LimitShare {
            limit: Limit::Memory,
            unit: Some(String::from("l2")),
            total_ms: None,
            launches: 2,
        }];
    });
    survives(&document);
}

#[test]
fn scopes_that_hold_the_same_results_are_stored_once() {
    let mut document = sample::sample();
    let twice = document.reports[0].clone();
    document.reports.push(twice);
    let stored = survives(&document);
    let last = stored["reports"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["same_as"], last.get("totals")), (&json!(0), None));
}

#[test]
fn positions_that_lead_nowhere_are_refused() {
    let stored = serde_json::to_value(sample::sample()).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut stored = stored.clone();
        change(&mut stored);
        serde_json::from_value::<RegionDocument>(stored).unwrap_err().to_string()
    };
    let without = |table: &'static str| refused(&|stored| stored[table] = json!({}));
    assert!(without("metrics").contains("no entry in `metrics`"));
    assert!(without("kernel_metrics").contains("no entry in `kernel_metrics`"));
    assert!(without("sections").contains("SpeedOfLight"));
    let itself = refused(&|stored| stored["reports"][0]["regions"][1]["parent"] = json!(1));
    assert!(itself.contains("region 1 has the parent 1"), "{itself}");
    let itself = refused(&|stored| {
        stored["reports"][0]["same_as"] = json!(0);
        stored["reports"][0]["totals"] = Value::Null;
    });
    assert!(itself.contains("report 0 has neither results"), "{itself}");
}

#[test]
fn whole_numbers_keep_their_digits_and_have_one_form() {
    let written = |value: &Scalar| serde_json::to_string(value).unwrap();
    let read = |text: &str| serde_json::from_str::<Scalar>(text).unwrap();
    for value in [(1 << 53) + 1, (1 << 53) + 2, u64::MAX] {
        let scalar = Scalar::whole(value);
        assert_eq!(written(&scalar), value.to_string());
        assert_eq!(read(&written(&scalar)), scalar);
    }
    // Whoever writes `5` for `5.0` means the same number.
    assert_eq!(read("5"), Scalar::Number(5.0));
    assert_eq!(read("9007199254740992"), Scalar::whole(1 << 53));
    assert_eq!(read("-3"), Scalar::Number(-3.0));
    assert_eq!(read("18446744073709551616"), Scalar::Number(18_446_744_073_709_551_616.0));
    assert!(serde_json::from_str::<Scalar>("true").is_err());
}
