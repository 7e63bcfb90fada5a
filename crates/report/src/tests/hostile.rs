//! Names that try to be more than names.

use rangescope_model::document::{Region, RegionDocument};
use rangescope_testing::documents::hostile::{acting, fill, names};
use rangescope_testing::documents::sample::{document, kernel, region, sample};

use super::support::{exported, exported_with, kernels, plain};
use crate::formats::{ExportOptions, FORMATS, markdown, sections, terminal};
use rangescope_model::text::width;

/// The name wherever a document has room for one.
fn hostile_document(name: &str) -> RegionDocument {
    let mut document = sample();
    let mut one = region(&[name], 1.0, 1.0);
    one.set.kernels = vec![kernel("k()", 1, 1.0, 1.0)];
    one.set.kernels[0].kernel_name = name.to_owned();
    // An empty domain is the default one and has no words of its own.
    one.domain = format!("d{name}");
    let mut attention = Region::clone(&document.reports[0].regions[1]);
    attention.path = vec![name.to_owned(), name.to_owned()];
    for report in &mut document.reports {
        report.regions = vec![one.clone(), attention.clone()];
        report.scope.id = name.to_owned();
    }
    fill(&mut document, name);
    document
}

#[test]
fn every_format_survives_every_name() {
    for name in names() {
        let document = hostile_document(&name);
        for (writer, format) in FORMATS.iter().filter_map(|format| Some((format.report?, format))) {
            let mut bytes = Vec::new();
            writer(&document, &ExportOptions::default(), &mut bytes).unwrap();
            assert!(!bytes.is_empty(), "{} {name:?}", format.name);
        }
    }
}

#[test]
fn nothing_acts_in_what_people_read() {
    for name in names() {
        let document = hostile_document(&name);
        let texts = [
            plain(&exported(terminal::write, &document)),
            exported(markdown::write, &document),
            exported(sections::write, &document),
        ];
        for text in texts {
            assert_eq!(acting(&text), None, "{name:?}");
            assert!(!text.contains("wards\u{2066}") && !text.contains("line\nbreak"));
        }
    }
}

#[test]
fn the_screen_keeps_its_width() {
    for name in names() {
        let mut of_kernels = kernels(2);
        fill(&mut of_kernels, &name);
        for document in [hostile_document(&name), of_kernels] {
            for columns in [50, 100] {
                let options = ExportOptions { width: columns, ..ExportOptions::default() };
                let screen = plain(&exported_with(terminal::write, &document, &options));
                for line in screen.lines() {
                    assert!(width(line) <= columns, "{name:?}: {line}");
                }
            }
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
    for name in names() {
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
        one.set.kernels.push(hostile);
    }
    let text = exported(markdown::write, &document(vec![one]));
    for expected in ["\n| ``a`b`` |", "\n| `` ` `` |", "\n| `a\\|b` |", "\n| `  lead ` |"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
