//! The filter language against what real ncu selected: every recorded expression, on the reports that it was tried on.

use std::collections::BTreeMap;
use std::path::Path;

use ncu_rep::filter::NvtxFilter;
use ncu_rep::{NvtxState, Report};

/// One row: a report, filters, and the results that ncu took, or `None` if it refused an expression.
struct Case {
    report: String,
    include: Vec<String>,
    exclude: Vec<String>,
    selected: Option<Vec<usize>>,
}

fn cases(shared: &Path) -> Vec<Case> {
    let text =
        String::from_utf8(std::fs::read(shared.join("cases/nvtx_filter_cases.tsv")).unwrap())
            .unwrap();
    text.lines().skip(1).map(case).collect()
}

fn case(line: &str) -> Case {
    let cells: Vec<&str> = line.split('\t').collect();
    let [report, kind, expression, ids, error, ..] = cells.as_slice() else {
        panic!("too few cells: {line}")
    };
    let (include, exclude) = match *kind {
        "include" => (vec![(*expression).to_owned()], Vec::new()),
        "exclude" => (Vec::new(), vec![(*expression).to_owned()]),
        "include+exclude" => both(expression),
        other => panic!("unknown kind {other}"),
    };
    let ids = ids.split(',').filter(|id| !id.is_empty()).map(|id| id.parse().unwrap()).collect();
    Case {
        report: (*report).to_owned(),
        include,
        exclude,
        selected: error.is_empty().then_some(ids),
    }
}

/// Reads `{"include": ["…"], "exclude": ["…"]}`: all texts in order, each in the list whose key came last.
fn both(json: &str) -> (Vec<String>, Vec<String>) {
    let mut lists: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut key = String::new();
    let mut rest = json;
    while let Some((_, from)) = rest.split_once('"') {
        let (mut text, mut end, mut escaped) = (String::new(), from.len(), false);
        for (at, character) in from.char_indices() {
            match character {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    end = at;
                    break;
                }
                _ => {
                    text.push(character);
                    escaped = false;
                }
            }
        }
        rest = &from[end + 1..];
        if rest.starts_with(':') {
            key = text;
        } else {
            lists.entry(key.clone()).or_default().push(text);
        }
    }
    (lists.remove("include").unwrap_or_default(), lists.remove("exclude").unwrap_or_default())
}

fn selected(case: &Case, states: &[Option<NvtxState<'_>>]) -> Option<Vec<usize>> {
    let filter = NvtxFilter::parse(&case.include, &case.exclude).ok()?;
    Some((0..states.len()).filter(|&id| filter.selects(states[id].as_ref())).collect())
}

#[test]
fn selects_what_ncu_selects() {
    let Some(shared) = crate::support::shared("filter expressions against ncu") else { return };
    let mut by_report: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases(&shared) {
        by_report.entry(case.report.clone()).or_default().push(case);
    }
    let (mut total, mut wrong) = (0, Vec::new());
    for (name, cases) in by_report {
        let folder = if name.starts_with("synth") { "synthetic" } else { "reports" };
        let report = Report::open(shared.join("corpus").join(folder).join(&name)).unwrap();
        // All results of these reports are of one process, so that ncu's ids are positions in the file.
        let states: Vec<_> = report.results().map(|result| result.nvtx()).collect();
        for case in cases {
            total += 1;
            let ours = selected(&case, &states);
            if ours != case.selected {
                wrong.push(format!(
                    "{name} include {:?} exclude {:?}: ncu {:?}, here {ours:?}",
                    case.include, case.exclude, case.selected
                ));
            }
        }
    }
    assert_eq!(total, 755);
    assert!(wrong.is_empty(), "{} of {total} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lists_in_cases_are_read() {
    assert_eq!(
        both(r#"{"include": [], "exclude": ["a]", "b\\\"c"]}"#),
        (vec![], vec!["a]".to_owned(), r#"b\"c"#.to_owned()])
    );
}
