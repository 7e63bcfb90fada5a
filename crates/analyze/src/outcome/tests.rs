use super::recognise::rules;
use super::{FindingKind, Outcome, Unit, all, by_id, own, recognise};
use std::collections::BTreeSet;
use std::fmt::Write as _;

#[test]
fn identifiers_are_unique_and_found() {
    let ids: Vec<&str> = all().map(|outcome| outcome.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    // Two rules may say the same; then they say it in the same words.
    for id in &unique {
        let same: Vec<&Outcome> = all().filter(|outcome| outcome.id == *id).collect();
        let first = by_id(id).unwrap();
        assert!(same.iter().all(|one| one.title == first.title || is_own(id)), "{id}");
    }
    assert!(unique.len() > 100);
}

fn is_own(id: &str) -> bool {
    own::OWN.iter().any(|own| own.outcome.id == id)
}

#[test]
fn advice_says_what_to_do_and_notes_do_not() {
    for outcome in all().filter(|outcome| !outcome.title.is_empty()) {
        let has_cause = outcome.cause.is_some();
        if outcome.kind == FindingKind::Note {
            assert!(outcome.relieves.is_none(), "{} relieves a unit", outcome.id);
        } else {
            assert!(has_cause || is_own(outcome.id), "{} has no cause", outcome.id);
        }
        assert!(!outcome.title.ends_with('.') && outcome.title.is_ascii(), "{}", outcome.id);
    }
}

#[test]
fn what_no_row_knows_is_quoted_and_not_advice_of_ours() {
    let of = |rule, kind, text| recognise(rule, kind, "Title", text).id;
    assert_eq!(
        of("HighPipeUtilization", "optimization", "words of a later version"),
        "unknown-advice"
    );
    assert_eq!(of("NewRule", "warning", "x"), "unknown-advice");
    assert_eq!(of("NewRule", "ok", "x"), "unknown");
    assert_eq!(
        of("HighPipeUtilization", "error", "all pipelines are under-utilized"),
        "rule-failed"
    );
    assert_eq!(of("HighPipeUtilization", "ok", "all pipelines are under-utilized"), "unknown");
    assert_eq!(of("NewRule", "none", "optional metric x could not be found"), "metric-missing");
}

#[test]
fn opposite_messages_of_one_rule_are_told_apart() {
    for (rule, text, expected) in [
        (
            "Occupancy",
            "This kernel's theoretical occupancy is not impacted by any block limit.",
            "occupancy-unlimited",
        ),
        (
            "TheoreticalOccupancy",
            "The theoretical occupancy (50.0%) is limited by the number of required registers.",
            "occupancy-limited-by-registers",
        ),
        (
            "AchievedOccupancy",
            "The difference between theoretical (100.0%) and measured (40.0%) occupancy is large.",
            "occupancy-gap",
        ),
        ("HighPipeUtilization", "All compute pipelines are under-utilized.", "pipes-idle"),
        (
            "HighPipeUtilization",
            "FMA is the highest-utilized pipeline (91.0%). It is over-utilized and likely a bottleneck.",
            "pipe-full-fma",
        ),
        (
            "CPIStall",
            "spends 5.0 cycles being stalled waiting to be selected by the scheduler, after being selected by another",
            "stall-not-selected",
        ),
        (
            "CPIStallNotSelected",
            "spends 5.0 cycles being stalled waiting for the micro scheduler to select the warp to issue",
            "stall-not-selected",
        ),
        (
            "MemoryCacheAccessPattern",
            "The memory access pattern for local loads from L1TEX might not be optimal.",
            "local-loads-l1",
        ),
        (
            "MemoryCacheAccessPattern",
            "The memory access pattern for global loads from DRAM might not be optimal.",
            "excess-sectors-dram-load",
        ),
    ] {
        assert_eq!(recognise(rule, "optimization", "", text).id, expected, "{text}");
    }
}

#[test]
fn a_unit_is_relieved_by_what_takes_work_off_it() {
    for (unit, busiest, expected) in [
        (Unit::Memory, "dram", true),
        (Unit::Dram, "l2", false),
        (Unit::Fma, "issue", false),
        (Unit::Issue, "issue", true),
        (Unit::Tensor, "issue", false),
        (Unit::Fma, "alu", false),
        (Unit::Fma, "fmaheavy", true),
        (Unit::Compute, "tensor", true),
        (Unit::L1, "", true),
    ] {
        assert_eq!(unit.relieves(busiest), expected, "{unit:?} {busiest}");
    }
}

/// The tables of docs/advice.md: `RANGESCOPE_BLESS=1` writes them anew.
#[test]
fn the_documentation_has_the_table() {
    let path = format!("{}/../../docs/advice.md", env!("CARGO_MANIFEST_DIR"));
    let document = fs_err::read_to_string(&path).unwrap();
    let mut expected = document.clone();
    for (name, table) in [("rules", table_of_rules()), ("counters", table_of_counters())] {
        let (begin, end) =
            (format!("<!-- {name}: written by a test -->\n"), format!("\n<!-- end of {name} -->"));
        let (before, rest) = expected.split_once(&begin).unwrap();
        let (_, after) = rest.split_once(&end).unwrap();
        expected = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("RANGESCOPE_BLESS").is_some() {
        fs_err::write(path, expected).unwrap();
    } else {
        assert!(document == expected, "{path}: RANGESCOPE_BLESS=1 writes its tables anew");
    }
}

fn table_of_rules() -> String {
    let mut table =
        "| rule | its message has | outcome | what we say |\n|---|---|---|---|\n".to_owned();
    for rule in rules() {
        let ids: Vec<String> = rule.ids.iter().map(|id| format!("`{id}`")).collect();
        for (says, outcome) in rule.rows {
            let says: Vec<String> =
                says.iter().map(|one| format!("“{}”", one.replace('|', "” or “"))).collect();
            let _ = writeln!(
                table,
                "| {} | {} | `{}` | {} |",
                ids.join(", "),
                says.join(" and "),
                outcome.id,
                words(outcome)
            );
        }
    }
    table
}

fn table_of_counters() -> String {
    let mut table = "| outcome | condition on a launch | what we say |\n|---|---|---|\n".to_owned();
    for own in &own::OWN {
        let _ = writeln!(
            table,
            "| `{}` | {} | {} |",
            own.outcome.id,
            own.condition,
            words(&own.outcome)
        );
    }
    table
}

fn words(outcome: &Outcome) -> String {
    let title = if outcome.title.is_empty() { "its own words" } else { outcome.title };
    match (outcome.kind, outcome.relieves) {
        (FindingKind::Note, _) => format!("note: {title}"),
        (_, Some(unit)) => format!("{title} (relieves {})", unit.as_str()),
        (_, None) => title.to_owned(),
    }
}
