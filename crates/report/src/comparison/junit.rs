//! The gates as JUnit XML: a suite per gate, a test case per region that it matched.
//!
//! A comparison without gates has no test cases, which every reader takes for passed, unless it has to be of comparable runs and is not.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use rangescope_model::comparison::{Comparison, GateOutcome, GateReport, GateStatus};
use rangescope_model::document::RegionDocument;
use rangescope_model::text;

use super::rows;
use crate::formats::ExportOptions;

/// Writes the gates.
pub(crate) fn write(
    comparison: &Comparison,
    _new: &[RegionDocument],
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = Report::new("rangescope compare");
    if let Some(gates) = &comparison.gates {
        report.add_test_suites(gates.gates.iter().map(|gate| suite(gate, gates)));
        if gates.failed && gates.gates.is_empty() {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("not judged").set_message(rows::gate_verdict(gates));
            let mut suite = TestSuite::new("comparable");
            suite.add_test_case(TestCase::new("(all)", status));
            report.add_test_suite(suite);
        }
    }
    let notes: Vec<String> = comparison
        .notes
        .iter()
        .map(|note| format!("{}: {}", rows::severity(note.severity), visible(&note.message)))
        .collect();
    if !notes.is_empty() {
        let mut suite = TestSuite::new("notes");
        suite.set_system_out(notes.join("\n"));
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}

/// The text as it can be seen, without the two visible characters that XML forbids.
fn visible(raw: &str) -> String {
    text::visible(raw).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn suite(gate: &GateOutcome, gates: &GateReport) -> TestSuite {
    let class = visible(&gate.gate);
    let case = |name: &str, status: GateStatus, message: &str| {
        let (fails, kind) = match status {
            GateStatus::Passed => (false, ""),
            GateStatus::Violated => (true, "regression"),
            GateStatus::Missing => (!gates.allow_missing, "matches nothing"),
            GateStatus::NotJudged => (gates.strict, "not judged"),
        };
        let mut status = match status {
            GateStatus::Passed => TestCaseStatus::success(),
            _ if fails => TestCaseStatus::non_success(NonSuccessKind::Failure),
            _ => TestCaseStatus::skipped(),
        };
        if fails {
            status.set_type(kind);
        }
        status.set_message(visible(message));
        let mut case = TestCase::new(visible(name), status);
        case.set_classname(class.as_str());
        case
    };
    let mut suite = TestSuite::new(class.as_str());
    if gate.checks.is_empty() {
        suite.add_test_case(case("(gate)", gate.status, &rows::without_checks(gate)));
    }
    suite.add_test_cases(gate.checks.iter().map(|check| {
        let region = check.region.as_deref().unwrap_or("(all)");
        case(&format!("{region} [{}]", check.scope), check.status, &check.message)
    }));
    suite
}
