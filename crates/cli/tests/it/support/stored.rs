//! Stored documents as someone reads them who has nothing but their description: tables are looked up, so that a value stands where it belongs.

use serde_json::{Map, Value, json};

/// The document with every table resolved, and each scope with its results.
pub(crate) fn expanded(text: &str) -> Value {
    let stored: Value = serde_json::from_str(text).unwrap();
    let mut document = stored.clone();
    let mut reports: Vec<Value> = list(&stored["reports"]).to_vec();
    let names = ["totals", "unlabeled", "regions", "families"];
    for report in reports.iter_mut().filter(|report| report["same_as"].is_null()) {
        for name in names {
            report[name] = report["results"][name].take();
        }
        set(&stored, &mut report["totals"]);
        set(&stored, &mut report["unlabeled"]);
        for name in ["regions", "families"] {
            for region in report[name].as_array_mut().unwrap() {
                set(&stored, region);
                if region["exclusive_metrics"].is_array() {
                    let count = region["exclusive_kernel_count"].clone();
                    let values = region["exclusive_metrics"].take();
                    region["exclusive_metrics"] = metrics(&stored["metrics"], &values, &count);
                }
            }
        }
    }
    for at in 0..reports.len() {
        if let Some(same) = reports[at]["same_as"].as_u64() {
            let same = reports[usize::try_from(same).unwrap()].clone();
            for name in names {
                reports[at][name] = same[name].clone();
            }
        }
        let report = reports[at].as_object_mut().unwrap();
        report.remove("same_as");
        report.remove("results");
    }
    document["reports"] = Value::Array(reports);
    document
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn row<'t>(table: &'t Value, position: &Value) -> &'t Value {
    &table[usize::try_from(position.as_u64().unwrap()).unwrap()]
}

fn set(stored: &Value, set: &mut Value) {
    let count = set["kernel_count"].clone();
    let mut headers = metrics(&stored["metrics"], &set["section_metrics"], &count);
    set["metrics"] = metrics(&stored["metrics"], &set["metrics"], &count);
    for (name, value) in set["metrics"].as_object().unwrap() {
        headers.as_object_mut().unwrap().entry(name).or_insert_with(|| value.clone());
    }
    let section = |held: &Value| {
        let section = row(&stored["sections"], &held[0]);
        let header = list(&section["metrics"]).iter().map(|header| {
            let name = row(&stored["metrics"], &header[1])["name"].as_str().unwrap();
            json!({ "label": header[0], "name": name, "summary": headers[name] })
        });
        json!({ "id": section["id"], "name": section["name"], "covered": held[1], "metrics": header.collect::<Vec<_>>() })
    };
    set["sections"] = list(&set["sections"]).iter().map(section).collect();
    for kernel in set["kernels"].as_array_mut().unwrap() {
        kernel["metrics"] =
            metrics(&stored["kernel_metrics"], &kernel["metrics"], &kernel["calls"]);
        let name = row(&stored["kernels"], &kernel["kernel"]).as_object().unwrap().clone();
        kernel.as_object_mut().unwrap().extend(name);
    }
    for rule in set["rules"].as_array_mut().into_iter().flatten() {
        for name in ["rule", "name", "section", "kind", "title", "message", "kernel_name"] {
            rule[name] = row(&stored["texts"], &rule[name]).clone();
        }
    }
}

/// Values by name, each with how it was made.
fn metrics(table: &Value, values: &Value, count: &Value) -> Value {
    let mut found = Map::new();
    for (metric, value) in list(table).iter().zip(list(values)) {
        if value.is_null() {
            continue;
        }
        let mut summary = metric.clone();
        summary["covered"] = count.clone();
        summary["of"] = count.clone();
        summary["value"] = Value::Null;
        match value.as_object() {
            Some(unusual) => summary.as_object_mut().unwrap().extend(unusual.clone()),
            None => summary["value"] = value.clone(),
        }
        found.insert(metric["name"].as_str().unwrap().to_owned(), summary);
    }
    Value::Object(found)
}
