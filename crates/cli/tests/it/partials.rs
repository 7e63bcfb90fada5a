//! Partial results are the results: every verb that shows a document shows the same of them.

use crate::support::Place;

/// A place with `sample.ncu-rep` and its partial in the folder `partials`.
fn place() -> Place {
    let place = Place::new();
    place.run(["partial", "sample.ncu-rep", "--out", "partials"]).ok();
    place
}

#[test]
fn reports_of_partials_are_those_of_the_report() {
    let place = place();
    place.run(["merge", "partials", "--out", "merged.parquet"]).ok();
    for words in [
        &["report", "--format", "json"][..],
        &["report", "--format", "json", "--region", "decode", "--metrics", "dram__bytes.sum"],
        &["report", "--format", "json", "--kernel", "glob:*gemm*", "--scope", "aggregate"],
        &["report", "--format", "json", "--normalise", "layers"],
        &["report", "--format", "markdown"],
        &["advice"],
        &["plot", "icicle"],
        &["export", "--format", "collapsed"],
    ] {
        let of = |path: &'static str| place.run(words.iter().copied().chain([path])).ok();
        let expected = of("sample.ncu-rep");
        assert_eq!(of("partials"), without_numbers(&expected), "{words:?}");
        assert_eq!(of("merged.parquet"), without_numbers(&expected), "{words:?}");
    }
}

/// Rows of partial results do not tell single results apart, so that nothing says by number which of them a rule spoke of.
fn without_numbers(report: &str) -> String {
    let mut parts = report.split(r#","launches":""#);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once('"').map_or("", |(_, rest)| rest))
}

#[test]
fn a_second_run_changes_nothing() {
    let place = place();
    let files = || {
        let entries = fs_err::read_dir(place.path("partials")).unwrap();
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(before.len(), 1);
    let again = place.run(["partial", "sample.ncu-rep", "--out", "partials"]);
    assert!(again.stderr.contains("was there already"), "{}", again.stderr);
    assert_eq!(files(), before);
    // The same file under two names counts once, and that is said.
    fs_err::copy(&before[0].0, place.path("copy.parquet")).unwrap();
    let twice = place.run(["report", "partials", "copy.parquet"]);
    assert!(twice.stdout.contains("they count once"), "{}", twice.stdout);
    let (twice, once) = (place.json(["partials", "copy.parquet"]), place.json(["partials"]));
    assert_eq!(twice["reports"], once["reports"]);
}

#[test]
fn what_is_no_partial_is_refused() {
    let place = place();
    place.run(["merge", "partials", "--out", "merged.parquet"]).ok();
    fs_err::write(place.path("bad.parquet"), b"PAR1, or not").unwrap();
    fs_err::create_dir(place.path("empty")).unwrap();
    for (words, code, said) in [
        (&["report", "bad.parquet"][..], 5, "no file of partial results"),
        (&["report", "partials", "sample.ncu-rep"], 2, "other inputs beside it"),
        (&["report", "partials", "--launch", "3"], 2, "one launch from another"),
        (&["report", "partials", "no-such.parquet"], 5, "cannot read"),
        (&["source", "partials"], 5, "`rangescope report partials` reads it"),
        (&["source", "merged.parquet"], 5, "is partial results"),
        (
            &["export", "partials", "--format", "csv", "--tables", "metrics", "--out", "x"],
            2,
            "it has scopes, regions, region_metrics, kernels",
        ),
        (&["merge", "empty", "--out", "x.parquet"], 5, "no .parquet file"),
        (&["merge", "partials", "--out", "no/such/folder.parquet"], 7, "cannot write"),
        (&["partial", "no-such.ncu-rep", "--out", "more"], 5, "no-such.ncu-rep"),
        (&["partial", "--sql", "oracle"], 2, "duckdb"),
        (&["partial", "sample.ncu-rep"], 2, "--out"),
    ] {
        let told = place.run(words.iter().copied()).fails(code);
        assert!(told.contains(said), "{words:?}: {told}");
    }
}

#[test]
fn what_only_single_results_hold_is_not_taken_for_not_collected() {
    let place = place();
    let of = |path: &str| place.run(["kernel", path, "--format", "json"]).ok();
    let lists = |json: &str, what: &str| json.contains(what);
    let (reports, partials) = (of("sample.ncu-rep"), of("partials"));
    assert!(lists(&partials, "no-single-results") && !lists(&reports, "no-single-results"));
    assert!(!lists(&partials, "executed instructions by opcode"), "{partials}");
}

#[test]
fn a_changed_byte_of_a_page_is_an_error_that_names_the_file() {
    let place = place();
    let mut files = fs_err::read_dir(place.path("partials")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    let expected = place.run(["report", "--format", "json", "partials"]).ok();
    let whole = fs_err::read(&file).unwrap();
    let length = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap());
    let pages = whole.len() - 8 - length as usize;
    let (mut refused, mut harmless) = (0, 0);
    for at in (4..pages).step_by(pages / 40) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs_err::write(&file, &changed).unwrap();
        let outcome = place.run(["report", "--format", "json", "partials"]);
        if outcome.code == 0 {
            // Indexes of pages are not needed.
            assert_eq!(outcome.stdout, expected, "byte {at}");
            harmless += 1;
        } else {
            assert_eq!(outcome.code, 5, "byte {at}: {}", outcome.stderr);
            assert!(outcome.stderr.contains("a byte of it changed"), "{}", outcome.stderr);
            refused += 1;
        }
    }
    assert!(refused > 30 && harmless < 10, "{refused} {harmless}");
}
