//! The gates as JUnit XML: a suite per gate, a test case per region that it matched.
//!
//! A comparison without gates has no test cases, which every reader takes for passed, unless it has to be of comparable runs and is not.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use rangescope_model::comparison::{Comparison, GateOutcome, GateStatus};
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
        report.add_test_suites(gates.gates.iter().map(|gate| suite(gate, gates.strict)));
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

fn suite(gate: &GateOutcome, strict: bool) -> TestSuite {
    let class = visible(&gate.gate);
    let case = |name: &str, status: GateStatus, message: &str| {
        let is_judged = status != GateStatus::NotJudged;
        let mut status = match status {
            GateStatus::Passed => TestCaseStatus::success(),
            GateStatus::Violated => TestCaseStatus::non_success(NonSuccessKind::Failure),
            GateStatus::NotJudged if strict => TestCaseStatus::non_success(NonSuccessKind::Failure),
            GateStatus::NotJudged => TestCaseStatus::skipped(),
        };
        if matches!(status, TestCaseStatus::NonSuccess { .. }) {
            status.set_type(if is_judged { "regression" } else { "not judged" });
        }
        status.set_message(visible(message));
        let mut case = TestCase::new(visible(name), status);
        case.set_classname(class.as_str());
        case
    };
    let mut suite = TestSuite::new(class.as_str());
    if gate.checks.is_empty() {
        suite.add_test_case(case("(gate)", gate.status, "the gate matches nothing"));
    }
    suite.add_test_cases(gate.checks.iter().map(|check| {
        let region = check.region.as_deref().unwrap_or("(all)");
        case(&format!("{region} [{}]", check.scope), check.status, &check.message)
    }));
    suite
}
