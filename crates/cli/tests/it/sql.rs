//! Questions in SQL.

use serde_json::{Value, json};

use crate::support::Place;

const TOTALS: &str = "select region, results from regions where depth = 0 order by total_ms desc";

#[test]
fn an_answer_is_that_of_the_report_in_every_form() {
    let place = Place::new();
    let table = place.run(["sql", "sample.ncu-rep", TOTALS]).ok();
    assert_eq!(table, "region   results\nprefill       29\ndecode        60\n");
    let csv = place.run(["sql", "sample.ncu-rep", TOTALS, "--format", "csv"]).ok();
    assert_eq!(csv, "region,results\r\nprefill,29\r\ndecode,60\r\n");
    let answer = place.run(["sql", "sample.ncu-rep", TOTALS, "--format", "json"]).ok();
    let rows: Value = serde_json::from_str(&answer).unwrap();
    let expected = [("prefill", 29), ("decode", 60)];
    assert_eq!(
        rows,
        json!(expected.map(|(region, results)| json!({ "region": region, "results": results })))
    );
    let document = place.json(["sample.ncu-rep"]);
    let regions = document["reports"][0]["regions"].as_array().unwrap();
    let counts = |name: &str| {
        regions.iter().find(|one| one["name"] == name).unwrap()["kernel_count"].clone()
    };
    assert_eq!((counts("prefill"), counts("decode")), (json!(29), json!(60)));
}

#[test]
fn only_what_is_named_is_read_and_columns_that_are_not_stay_out_of_the_way() {
    let place = Place::new();
    let sql = "select count(*) n, count(distinct metric) metrics, count(value) v from metrics";
    let rows = place.run(["sql", "sample.ncu-rep", sql, "--format", "json"]).ok();
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let dumped = place.run(["dump", "sample.ncu-rep"]).ok();
    let all: usize = dumped
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["metrics"].as_object().unwrap().len()
        })
        .sum();
    assert_eq!(rows[0]["n"], json!(all));
    let count =
        place.run(["sql", "sample.ncu-rep", "select count(*) from results", "--format", "csv"]);
    assert_eq!(count.ok(), "count(*)\r\n90\r\n");
    // What tables are joined by is read, however that is said.
    for join in [
        "join metrics using (source, result)",
        "natural join metrics",
        "join metrics m on m.source = results.source and m.result = results.result",
    ] {
        let sql = format!("select count(*) from results {join}");
        let joined = place.run(["sql", "sample.ncu-rep", &sql, "--format", "csv"]).ok();
        assert_eq!(joined, format!("count(*)\r\n{all}\r\n"), "{join}");
    }
    // A question about nothing needs no table.
    assert_eq!(place.run(["sql", "sample.ncu-rep", "select 1 + 1 as two"]).ok(), "two\n  2\n");
}

#[test]
fn mistakes_name_what_was_meant_before_anything_is_read() {
    let place = Place::new();
    for (query, said, hint) in [
        ("select regon from regions", "no such column: regon", "`region`"),
        ("select 1 from kernel", "no such table: kernel", "did you mean kernels?"),
        ("drop table regions", "can only read", "--tables"),
        ("attach 'x.db' as x", "can only read", "--tables"),
        ("pragma writable_schema = 1", "can only read", "--tables"),
        ("select load_extension('x')", "can only read", "--tables"),
        ("select 1; select 2", "", "--tables"),
        ("selec 1", "syntax error", "--tables"),
    ] {
        let run = place.run(["sql", "nothing-here.ncu-rep", query]);
        let told = run.fails(2);
        assert!(told.contains(said) && told.contains(hint), "{query}: {told}");
    }
    let told = place.run(["sql", "nothing-here.ncu-rep", "select 1 from regions"]).fails(5);
    assert!(told.contains("nothing-here.ncu-rep"), "{told}");
    let told = place.run(["sql", "select 1 from regions"]).fails(2);
    assert!(told.contains("the last word is the query"), "{told}");
}

#[test]
fn time_and_memory_are_bounded() {
    let place = Place::new();
    let endless =
        "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";
    let told = place.run(["sql", "sample.ncu-rep", endless, "--timeout", "1"]).fails(2);
    assert!(told.contains("longer than 1 s") && told.contains("--timeout"), "{told}");
    // The tables themselves count, too.
    let told =
        place.run(["sql", "sample.ncu-rep", "select * from metrics", "--memory", "1"]).fails(2);
    assert!(told.contains("more than 1 MB") && told.contains("--memory"), "{told}");
    let large = "with recursive c(x) as (select zeroblob(1000000) union all select zeroblob(1000000) from c) select count(*) from (select x from c order by 1)";
    let told = place.run(["sql", "sample.ncu-rep", large, "--memory", "50"]).fails(2);
    assert!(told.contains("more than 50 MB") && told.contains("--memory"), "{told}");
}

#[test]
fn the_list_of_tables_has_a_line_for_each_column() {
    let place = Place::new();
    let list = place.run(["sql", "--tables"]).ok();
    assert!(list.starts_with("results: one row for each result"), "{list}");
    assert!(list.contains("\nregions: ") && list.contains("\n  total_ms (number): "), "{list}");
}
