//! The gates as JUnit XML: a suite per gate, a test case per region that it matched.
//!
//! A comparison without gates is one suite without test cases, which every reader takes for passed.

use super::ExportOptions;
use super::escape::xml;
use rangescope_model::comparison::{Comparison, GateCheck, GateOutcome, GateStatus};
use std::io::{self, Write};

/// Writes the gates.
pub fn write(
    comparison: &Comparison,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let none = Vec::new();
    let (gates, strict) = match &comparison.gates {
        Some(report) => (&report.gates, report.strict),
        None => (&none, false),
    };
    let suites: Vec<Suite<'_>> = gates.iter().map(|gate| Suite::of(gate, strict)).collect();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites name="rangescope compare" tests="{}" failures="{}" skipped="{}">"#,
        suites.iter().map(|suite| suite.cases.len()).sum::<usize>(),
        suites.iter().map(Suite::failures).sum::<usize>(),
        suites.iter().map(Suite::skipped).sum::<usize>(),
    )?;
    for suite in &suites {
        write_suite(suite, out)?;
    }
    let notes: Vec<String> = comparison
        .notes
        .iter()
        .map(|note| format!("{}: {}", super::rows::severity(note.severity), note.message))
        .collect();
    if !notes.is_empty() {
        writeln!(out, r#"  <testsuite name="notes" tests="0" failures="0" skipped="0">"#)?;
        writeln!(out, "    <system-out>")?;
        for note in notes {
            writeln!(out, "{}", xml(&note))?;
        }
        writeln!(out, "    </system-out>")?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

struct Suite<'c> {
    name: &'c str,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    status: GateStatus,
    message: String,
}

impl<'c> Suite<'c> {
    fn of(gate: &'c GateOutcome, strict: bool) -> Self {
        let mut cases: Vec<Case> = gate.checks.iter().map(case).collect();
        if gate.status == GateStatus::NotApplicable {
            // Where a gate must match something, that it did not is the failure, whatever its checks say.
            let status = if strict { GateStatus::Violated } else { GateStatus::NotApplicable };
            let message = "the gate could judge nothing".to_owned();
            cases.insert(0, Case { name: "(gate)".to_owned(), status, message });
        }
        Self { name: &gate.gate, cases }
    }

    fn count(&self, status: GateStatus) -> usize {
        self.cases.iter().filter(|case| case.status == status).count()
    }

    fn failures(&self) -> usize {
        self.count(GateStatus::Violated)
    }

    fn skipped(&self) -> usize {
        self.count(GateStatus::NotApplicable)
    }
}

fn case(check: &GateCheck) -> Case {
    let region = check.region.as_deref().unwrap_or("(all)");
    Case {
        name: format!("{region} [{}]", check.scope),
        status: check.status,
        message: check.message.clone(),
    }
}

fn write_suite(suite: &Suite<'_>, out: &mut dyn Write) -> io::Result<()> {
    let name = xml(suite.name);
    writeln!(
        out,
        r#"  <testsuite name="{name}" tests="{}" failures="{}" skipped="{}">"#,
        suite.cases.len(),
        suite.failures(),
        suite.skipped(),
    )?;
    for case in &suite.cases {
        let message = xml(&case.message);
        write!(out, r#"    <testcase classname="{name}" name="{}""#, xml(&case.name))?;
        match case.status {
            GateStatus::Passed => writeln!(out, "/>")?,
            GateStatus::Violated => {
                writeln!(out, ">")?;
                writeln!(out, r#"      <failure message="{message}" type="regression"/>"#)?;
                writeln!(out, "    </testcase>")?;
            }
            GateStatus::NotApplicable => {
                writeln!(out, ">")?;
                writeln!(out, r#"      <skipped message="{message}"/>"#)?;
                writeln!(out, "    </testcase>")?;
            }
        }
    }
    writeln!(out, "  </testsuite>")
}
