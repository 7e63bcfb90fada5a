//! Stored documents as someone reads them who has nothing but their description: what stands once is put where it belongs.

use serde_json::{Map, Value, json};

/// The document with each scope's results, and each value with how it was made.
pub(crate) fn expanded(text: &str) -> Value {
    let stored: Value = serde_json::from_str(text).unwrap();
    let mut document = stored.clone();
    let mut reports: Vec<Value> = Vec::new();
    for report in list(&stored["reports"]) {
        let mut report = report.clone();
        if let Some(same) = report["same_as"].as_u64() {
            let same = &reports[usize::try_from(same).unwrap()];
            for name in ["totals", "unlabeled", "regions", "families"] {
                report[name] = same[name].clone();
            }
            report.as_object_mut().unwrap().remove("same_as");
        } else {
            set(&stored, &mut report["totals"]);
            set(&stored, &mut report["unlabeled"]);
            for name in ["regions", "families"] {
                for region in report[name].as_array_mut().unwrap() {
                    set(&stored, region);
                    if region["exclusive_metrics"].is_object() {
                        let details = region["exclusive_metric_details"].take();
                        region["exclusive_metrics"] = metrics(
                            &stored["metrics"],
                            &region["exclusive_metrics"],
                            &details,
                            &region["exclusive_kernel_count"],
                        );
                    }
                }
            }
        }
        reports.push(report);
    }
    document["reports"] = Value::Array(reports);
    document
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn set(stored: &Value, set: &mut Value) {
    let (count, details) = (set["kernel_count"].clone(), set["metric_details"].take());
    let table = &stored["metrics"];
    let mut headers = metrics(table, &set["section_metrics"], &details, &count);
    set["metrics"] = metrics(table, &set["metrics"], &details, &count);
    for (name, value) in set["metrics"].as_object().unwrap() {
        headers[name] = value.clone();
    }
    let empty = Map::new();
    let section = |(id, covered): (&String, &Value)| {
        let section = &stored["sections"][id];
        let header = section["metrics"].as_object().unwrap().iter();
        let header = header
            .filter(|(name, _)| headers.get(name).is_some())
            .map(|(name, label)| json!({ "label": label, "name": name, "summary": headers[name] }));
        json!({ "id": id, "name": section["name"], "covered": covered, "metrics": header.collect::<Vec<_>>() })
    };
    set["sections"] = set["sections"].as_object().unwrap_or(&empty).iter().map(section).collect();
    for kernel in set["kernels"].as_array_mut().unwrap() {
        let details = kernel["metric_details"].take();
        kernel["metrics"] =
            metrics(&stored["kernel_metrics"], &kernel["metrics"], &details, &kernel["calls"]);
    }
}

/// Values by name, each with how it was made.
fn metrics(table: &Value, values: &Value, details: &Value, count: &Value) -> Value {
    let mut found = Map::new();
    for (name, value) in values.as_object().into_iter().flatten() {
        let mut summary = table[name].clone();
        summary["value"] = value.clone();
        summary["covered"] = count.clone();
        summary["of"] = count.clone();
        if let Some(unusual) = details[name].as_object() {
            summary.as_object_mut().unwrap().extend(unusual.clone());
        }
        found.insert(name.clone(), summary);
    }
    Value::Object(found)
}
