//! Lines and instructions made by hand: each file has the same lines, and a line weighs as much as its number says.

use indexmap::IndexMap;
use rangescope_model::document::{RegionDocument, Tool};
use rangescope_model::source::{
    CodeTotals, Counts, InstructionCode, KernelCode, LineAt, LineCode, RegionCode, RegionLine,
    SOURCE_SCHEMA_VERSION, SourceDocument, SourceFile, TextLine, TextOrigin, Weight,
};

pub const EXECUTED: &str = "inst_executed";

/// So many samples, two thirds of them waiting for memory, each 1 µs.
pub fn counts(samples: u64) -> Counts {
    let stalls = [("long_scoreboard", samples * 2 / 3), ("selected", samples - samples * 2 / 3)];
    Counts {
        samples: Some(samples),
        share: None,
        share_error: None,
        time_ms: Some(samples as f64 / 1000.0),
        excess_bytes: None,
        excess_ms: None,
        stalls: stalls.map(|(reason, count)| (reason.to_owned(), count)).into_iter().collect(),
        metrics: IndexMap::from([(EXECUTED.to_owned(), samples * 100)]),
    }
}

/// The samples of a line; the heaviest is in the middle.
fn samples(line: u32, lines: u32) -> u64 {
    u64::from(lines - line.abs_diff(lines / 2))
}

/// So many files with so many lines of code each, every second one of the file; all kernels of the first report have an instruction in each
/// line of the first file, and all its regions have the first lines of every file.
pub fn of(document: &RegionDocument, files: u32, lines: u32) -> SourceDocument {
    let report = &document.reports[0];
    let kernels = u32::try_from(report.totals.kernels.len()).unwrap_or(u32::MAX);
    let numbers = || (1..=lines).map(|line| line * 2);
    let line = |line: u32| LineCode {
        line,
        text: Some(format!("    value[{line}] = other[{line}] * scale;")),
        counts: counts(samples(line / 2, lines)),
        kernels: (0..kernels.min(20)).collect(),
    };
    let total: u64 = (1..=lines).map(|line| samples(line, lines)).sum();
    let file = |number: u32| SourceFile {
        path: format!("/src/kernels/file_{number}.cu"),
        text: TextOrigin::Report,
        length: Some(u64::from(lines) * 2),
        counts: counts(total),
        lines: numbers().map(line).collect(),
        around: numbers()
            .map(|line| TextLine { line: line - 1, text: format!("    // {line}") })
            .collect(),
    };
    let totals = |samples| CodeTotals {
        launches: 2,
        counted: 2,
        sampled: 2,
        total_ms: Some(1.0),
        counts: counts(samples),
        unknown: Vec::new(),
    };
    let instruction = |line: u32| InstructionCode {
        function: None,
        offset: line * 16,
        line: Some(LineAt { file: 0, line }),
        call: None,
        sass: None,
        ptx: line.is_multiple_of(4).then(|| format!("fma.rn.f32 %f{line}, %f1, %f2, %f3;")),
        counts: counts(samples(line / 2, lines)),
    };
    SourceDocument {
        schema_version: SOURCE_SCHEMA_VERSION.to_owned(),
        tool: Tool { name: "rangescope".to_owned(), version: "0".to_owned() },
        simulated: document.simulated,
        notes: Vec::new(),
        ordered_by: Weight::Time,
        totals: totals(total * u64::from(files)),
        metrics: vec![EXECUTED.to_owned()],
        files: (0..files).map(file).collect(),
        calls: Vec::new(),
        functions: Vec::new(),
        kernels: report
            .totals
            .kernels
            .iter()
            .map(|kernel| KernelCode {
                kernel_name: kernel.kernel_name.clone(),
                function: kernel.function.clone(),
                totals: totals(total),
                no_lines: None,
                instructions: numbers().map(instruction).collect(),
            })
            .collect(),
        regions: report
            .regions
            .iter()
            .map(|region| RegionCode {
                name: region.name.clone(),
                path: region.path.clone(),
                domain: region.domain.clone(),
                kind: region.kind,
                totals: totals(total),
                lines: (0..files)
                    .flat_map(|file| numbers().take(3).map(move |line| LineAt { file, line }))
                    .map(|at| RegionLine { at, counts: counts(10) })
                    .collect(),
            })
            .collect(),
    }
}

/// Puts names from a list wherever a stranger decides about a text.
pub fn rename(document: &mut SourceDocument, names: &[String]) {
    let mut next = names.iter().cycle();
    let mut name = || next.next().cloned().unwrap_or_default();
    for file in &mut document.files {
        file.path = name();
        for line in &mut file.lines {
            line.text = Some(name());
            line.counts.stalls = IndexMap::from([(name(), 1)]);
            line.counts.metrics.insert(name(), 1);
        }
        for line in &mut file.around {
            line.text = name();
        }
    }
    for instruction in document.kernels.iter_mut().flat_map(|kernel| &mut kernel.instructions) {
        instruction.ptx = Some(name());
    }
    if let Some(file) = document.files.last_mut() {
        file.text = TextOrigin::Absent(name());
    }
}
