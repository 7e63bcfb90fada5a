//! Names that a careless program would run, render, obey or choke on.

use std::ops::RangeInclusive;

use rangescope_model::document::{MetricSummary, Note, NoteLevel, Region, RegionDocument, Scalar};

use super::ranks::with_ranks;
use super::tree::{Row, of_rows};
use super::{each_region, metric, rule, section};

/// One a line, by what it attacks; [`names`] adds very long ones.
pub const NAMES: &[&str] = &[
    // Markup and scripts.
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "</title></text><b>]]>",
    "<!--<script>",
    "<img src=x onerror=\"window.hacked = 3\">",
    "\"><svg onload=window.hacked=4>",
    "' onmouseover='window.hacked = 5",
    "javascript:window.hacked=6",
    "]]> & \"quotes\" 'single'",
    "&lt;b&gt;&amp; &nbsp;",
    // Templates, and names that objects of scripts have already.
    "{{script}}",
    "{{ template }} $math$",
    "${window.hacked=7}",
    "__proto__",
    "constructor",
    "toString",
    // Markdown and tables.
    "line\nbreak\r\n| cell |",
    "line\nbreak\r\n# head",
    "a|b|c",
    "[x](javascript:alert(1)) ![img](http://evil.example/x.png)",
    "@someone #1 https://x.example",
    "`code` ``more`` *bold* _under_ __strong__ ~~gone~~",
    "# heading ## Region: other",
    // Terminals.
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "\u{0}\u{1b}[31mred\u{7f}",
    "\u{9b}31m\u{85}",
    // Text that is not where or what it seems.
    "\u{202e}txt.exe\u{202c}",
    "back\u{202e}wards\u{2066}",
    "zero\u{200b}width\u{feff}",
    "line\u{2028}separator\u{2029}and\nbreak\r\ttab",
    "\u{ffff}\u{fffe}",
    "",
    " ",
    "   ",
    // Paths and spreadsheets.
    "../../etc/passwd",
    "=cmd|' /C calc'!A0",
    // Harmless, and easily broken by a defence.
    "a::b::c",
    "日本語の領域 🙂 é",
    "שלום עולם",
];

/// What may never reach a screen, a table or a drawing as it is: the characters of Unicode's categories Cc (controls), Cf (formats, such as those that
/// turn the direction, join or take no room), Zl and Zp (separators of lines and paragraphs).
///
/// Written out from the Unicode Character Database, and not asked of the code under test. Only the marks of Cf that are seen themselves, those that
/// span the following digits in Arabic, Syriac and Kaithi, are left out.
pub const ACTING: &[RangeInclusive<char>] = &[
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{ad}'..='\u{ad}',
    '\u{61c}'..='\u{61c}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{2064}',
    '\u{2066}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0001}'..='\u{e0001}',
    '\u{e0020}'..='\u{e007f}',
];

/// The first character of a text that acts instead of being seen; line breaks are left to whoever writes lines.
pub fn acting(text: &str) -> Option<char> {
    text.chars().find(|character| {
        *character != '\n' && ACTING.iter().any(|range| range.contains(character))
    })
}

/// All of [`NAMES`], one of everything that acts, a long one, and one of marks that take no room.
pub fn names() -> Vec<String> {
    let more = [
        ACTING.iter().cloned().flatten().collect(),
        "x<".repeat(10_000),
        format!("e{}", "\u{301}".repeat(9_999)),
    ];
    NAMES.iter().map(|&name| name.to_owned()).chain(more).collect()
}

/// A document in which every name is a region with a kernel of that name, one path goes through all of them, and every other text tries to act too.
pub fn document() -> RegionDocument {
    let names = names();
    let alone = names.iter().map(|name| (vec![name.clone()], name));
    let nested = (2..=names.len()).map(|depth| (names[..depth].to_vec(), &names[depth - 1]));
    let rows: Vec<Row> = alone
        .chain(nested)
        .zip(1_u32..)
        .map(|((path, kernel), number)| Row {
            path,
            kernel: kernel.clone(),
            calls: 2,
            ms: 0.5 + f64::from(number) * 0.013,
        })
        .collect();
    let mut document = of_rows(&rows);
    fill(&mut document, "</script><script>window.hacked = 8</script>\u{2028}");
    with_ranks(document, 12, &names[0])
}

/// Puts the text wherever a document has room for one, but for the names of regions and kernels and what identifies a scope.
pub fn fill(document: &mut RegionDocument, text: &str) {
    let own = || text.to_owned();
    document.tool.version = own();
    document.generated_at = Some(own());
    document.config_fingerprint = own();
    document.notes = [NoteLevel::Warning, NoteLevel::Info]
        .map(|level| Note { level, code: own(), message: own() })
        .into();
    for source in &mut document.sources {
        (source.file, source.profiler) = (own(), Some(own()));
    }
    for device in &mut document.devices {
        (device.name, device.hosts) = (Some(own()), vec![own()]);
    }
    for report in &mut document.reports {
        (report.scope.process_name, report.scope.host) = (Some(own()), Some(own()));
        let selection = &mut report.selection;
        for list in [
            &mut selection.regions_not_seen,
            &mut selection.metrics,
            &mut selection.metrics_not_found,
            &mut selection.sections,
            &mut selection.kernel_include,
        ] {
            *list = vec![own()];
        }
    }
    each_region(document, |region| fill_region(region, text));
}

fn fill_region(region: &mut Region, text: &str) {
    let own = || text.to_owned();
    let said = MetricSummary {
        value: Some(Scalar::Text(own())),
        unit: own(),
        reason: Some(own()),
        ..metric(0.0)
    };
    region.selection.selector = Some(own());
    region.set.metrics.insert(own(), said.clone());
    region.set.sections.push(section(text, text, vec![(text, text, said)]));
    let mut advice = rule(text, 1, Some(10.0), text);
    (advice.section, advice.kind, advice.speedup_kind) = (own(), own(), Some(own()));
    (advice.title, advice.message) = (own(), own());
    region.set.rules.push(advice);
}
