//! Names that try to be more than names.

use rangescope_model::document::{RegionDocument, Scalar};

use super::support::{document, exported, kernel, plain, region, sample};
use crate::formats::{FORMATS, markdown, sections, terminal};
use rangescope_model::text::width;

/// Names that hurt some format: terminal escapes, Markdown, HTML, tables, paths, sheer length.
fn hostile_names() -> Vec<String> {
    let long = "x<".repeat(5_000);
    let combining = format!("e{}", "\u{301}".repeat(9_999));
    [
        "line\nbreak\r\n| cell |",
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "back\u{202e}wards\u{2066}",
        "<script>alert(1)</script>",
        "[click](javascript:alert(1)) ![img](http://evil.example/x.png)",
        "`code` ``more`` *bold* _under_ __strong__ ~~gone~~",
        "# heading ## Region: other",
        "../../etc/passwd",
        "=cmd|' /C calc'!A0",
        "&lt;b&gt; &nbsp;",
        "{{ template }} $math$",
        "",
        "   ",
        "\0\0",
        long.as_str(),
        combining.as_str(),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The name wherever a document has room for one.
fn hostile_document(name: &str) -> RegionDocument {
    let mut document = sample();
    let mut one = region(&[name], 1.0, 1.0);
    one.kernels = vec![kernel("k()", 1, 1.0, 1.0)];
    one.kernels[0].kernel_name = name.to_owned();
    // An empty domain is the default one and has no words of its own.
    one.domain = format!("d{name}");
    one.selection.selector = Some(name.to_owned());
    let mut attention =
        rangescope_model::document::NCUProfileRegion::clone(&document.reports[0].regions[1]);
    attention.path = vec![name.to_owned(), name.to_owned()];
    attention.sections[0].name = name.to_owned();
    attention.sections[0].metrics[0].label = name.to_owned();
    attention.sections[0].metrics[0].summary.unit = name.to_owned();
    attention.sections[0].metrics[1].summary.value = Some(Scalar::Text(name.to_owned()));
    attention.rules[0].title = name.to_owned();
    attention.rules[0].message = name.to_owned();
    attention.rules[0].kernel_name = name.to_owned();
    attention.metrics.insert(name.to_owned(), attention.sections[0].metrics[1].summary.clone());
    document.notes[0].message = name.to_owned();
    document.notes[0].code = name.to_owned();
    document.sources[0].file = name.to_owned();
    document.sources[0].profiler = Some(name.to_owned());
    document.devices[0].name = Some(name.to_owned());
    document.tool.version = name.to_owned();
    for report in &mut document.reports {
        report.regions = vec![one.clone().into(), attention.clone().into()];
        report.scope.process_name = Some(name.to_owned());
        report.scope.id = name.to_owned();
        report.selection.regions_not_seen = vec![name.to_owned()];
        report.selection.metrics = vec![name.to_owned()];
        report.selection.kernel_include = vec![name.to_owned()];
    }
    document
}

#[test]
fn every_format_survives_every_name() {
    for name in hostile_names() {
        let document = hostile_document(&name);
        for (writer, format) in FORMATS.iter().filter_map(|format| Some((format.report?, format))) {
            let text = exported(writer, &document);
            assert!(!text.is_empty(), "{} {name:?}", format.name);
        }
    }
}

#[test]
fn nothing_acts_in_what_people_read() {
    for name in hostile_names() {
        let document = hostile_document(&name);
        let texts = [
            plain(&exported(terminal::write, &document)),
            exported(markdown::write, &document),
            exported(sections::write, &document),
        ];
        for text in texts {
            let acting = text.chars().find(|&character| {
                character != '\n'
                    && rangescope_model::text::visible(character.encode_utf8(&mut [0; 4])).len()
                        > character.len_utf8()
            });
            assert_eq!(acting, None, "{name:?}");
            assert!(!text.contains("wards\u{2066}") && !text.contains("line\nbreak"));
        }
    }
}

#[test]
fn the_screen_keeps_its_width() {
    for name in hostile_names() {
        for line in plain(&exported(terminal::write, &hostile_document(&name))).lines() {
            assert!(width(line) <= 100, "{name:?}: {line}");
        }
    }
}

#[test]
fn markdown_keeps_its_structure() {
    let structure = |name: &str| -> Vec<String> {
        let text = exported(markdown::write, &hostile_document(name));
        // Per line: the heading's level and the number of cells. Code spans hide no bars from tables, so plain counting is right.
        text.lines()
            .map(|line| {
                let level = line.bytes().take_while(|&byte| byte == b'#').count();
                let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
                format!("{level} {}", if line.starts_with('|') { bars } else { 0 })
            })
            .collect()
    };
    let harmless = structure("harmless");
    for name in hostile_names() {
        assert_eq!(structure(&name), harmless, "{name:?}");
    }
}

#[test]
fn markdown_shows_names_as_they_are() {
    let cases = [
        ("decode*", "decode\\*"),
        ("layers_17__attn_", "layers_17__attn\\_"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("[a](http://b.c) www.d.e", "\\[a\\](http&#58;//b.c) www&#46;d.e"),
        ("a|b`c`", "a\\|b\\`c\\`"),
        ("x\n## Region: y", "x\\\\n\\#\\# Region: y"),
        ("\u{1b}[0m", "\\\\u\\{1b\\}\\[0m"),
        (" a  b ", "&nbsp;a &nbsp;b&nbsp;"),
        ("", "(empty name)"),
    ];
    for (name, expected) in cases {
        let text = exported(markdown::write, &document(vec![region(&[name], 1.0, 1.0)]));
        assert!(text.contains(&format!("\n## Region: {expected}\n")), "{name:?}\n{text}");
        assert!(text.contains(&format!("\n| {expected} | 1.000 | 4 |")), "{name:?}\n{text}");
    }
}

#[test]
fn code_spans_close_where_they_should() {
    let mut one = region(&["A"], 1.0, 1.0);
    for name in ["a`b", "`", "a|b", " lead"] {
        let mut hostile = kernel("k()", 1, 1.0, 1.0);
        hostile.kernel_name = name.to_owned();
        one.kernels.push(hostile);
    }
    let text = exported(markdown::write, &document(vec![one]));
    for expected in ["\n| ``a`b`` |", "\n| `` ` `` |", "\n| `a\\|b` |", "\n| `  lead ` |"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
