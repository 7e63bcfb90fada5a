//! The override grammar, with the readings and refusals that Hydra has.

use proptest::prelude::*;

use super::{Action, Element, Given, OverrideArg, Sweep, parse, quoted, written};

/// The override in a compact notation, or the error.
fn read(text: &str) -> String {
    match parse(&OverrideArg::new(text), 0) {
        Err(error) => error.problem().to_string(),
        Ok(change) => {
            let action = match change.action {
                Action::Change => "",
                Action::Add => "+",
                Action::ForceAdd => "++",
                Action::Delete => "~",
            };
            let value = match &change.value {
                None => "nothing".to_owned(),
                Some(Given::Element(element)) => show(element),
                Some(Given::Sweep(Sweep::Choice { values, simple })) => {
                    let values = values.iter().map(show).collect::<Vec<_>>().join(" | ");
                    format!("{} {values}", if *simple { "sweep" } else { "choice" })
                }
                Some(Given::Sweep(other)) => format!("{other:?}"),
            };
            format!("{action}{} = {value}", change.target())
        }
    }
}

fn show(element: &Element) -> String {
    match element {
        Element::Null => "null".to_owned(),
        Element::Bool(value) => value.to_string(),
        Element::Int(value) => format!("int {value}"),
        Element::Float(value) => format!("float {value}"),
        Element::Text(text) => format!("<{text}>"),
        Element::Quoted(text, quote) => format!("{quote}{text}{quote}"),
        Element::List(items) => {
            format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Element::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", show(key), show(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

#[test]
fn keys_groups_and_packages() {
    assert_eq!(read("a.b=1"), "a.b = int 1");
    assert_eq!(read("+a=1"), "+a = int 1");
    assert_eq!(read("++a.0.b=x"), "++a.0.b = <x>");
    assert_eq!(read("~a"), "~a = nothing");
    assert_eq!(read("~a=3"), "~a = int 3");
    assert_eq!(read("a="), "a = <>");
    assert_eq!(read("model/resnet/arch@model=x.default"), "model/resnet/arch@model = <x.default>");
    assert_eq!(read("db@a.b=x"), "db@a.b = <x>");
    assert_eq!(read("$x=1"), "$x = int 1");
}

#[test]
fn scalars() {
    let cases = [
        ("1_000", "int 1000"),
        ("007", "<007>"),
        ("0x10", "<0x10>"),
        ("1e3", "float 1000"),
        ("-.5", "float -0.5"),
        ("1.5.3", "<1.5.3>"),
        ("TrUe", "true"),
        ("NULL", "null"),
        ("nullx", "<nullx>"),
        ("inf", "float inf"),
        ("cuda:0", "<cuda:0>"),
        ("*", "<*>"),
        ("decode*", "<decode*>"),
        ("LLM@*", "<LLM@*>"),
        ("A;B;A::A1", "<A;B;A::A1>"),
        ("regex:.*conv.*", "<regex:.*conv.*>"),
        ("a b ", "<a b>"),
        (" a", "<a>"),
        ("a\\,b", "<a,b>"),
        ("a\\\\b", "<a\\b>"),
        ("${a.b}", "<${a.b}>"),
        ("x_${a}_y", "<x_${a}_y>"),
        ("???", "<???>"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(&format!("k={text}")), format!("k = {expected}"), "{text}");
    }
}

#[test]
fn quotes() {
    assert_eq!(read("k='a b, c=d'"), "k = 'a b, c=d'");
    assert_eq!(read(r"k='it\'s'"), "k = 'it's'");
    assert_eq!(read(r#"k="a\\\"b""#), r#"k = "a\"b""#);
    assert_eq!(read(r"k='a\b'"), r"k = 'a\b'");
    assert_eq!(read(r"k='a\\'"), r"k = 'a\'");
    assert_eq!(read("k=''"), "k = ''");
    assert_eq!(read("k='${a.${b}}'"), "k = '${a.${b}}'");
    assert_eq!(read("k='open"), "the quote ' is not closed at column 3");
    assert_eq!(read("k='x'y"), "unexpected `y` at column 6");
}

#[test]
fn lists_and_maps() {
    assert_eq!(read("k=[]"), "k = []");
    assert_eq!(read("k=[1, a b , 'x,y',[null]]"), "k = [int 1, <a b>, 'x,y', [null]]");
    assert_eq!(
        read("k=[regex:memcpy.*,regex:memset.*]"),
        "k = [<regex:memcpy.*>, <regex:memset.*>]"
    );
    assert_eq!(read("k={a: 1, b:{c:[]}}"), "k = {<a>: int 1, <b>: {<c>: []}}");
    assert_eq!(read("k={a:1,a:2}"), "k = {<a>: int 2}");
    assert_eq!(read("k=[1,"), "expected a value at column 6");
    assert_eq!(read("k=[1 2"), "expected `,` or `]` at column 7");
    assert_eq!(read("k={a}"), "expected `:`, got `}` at column 5");
    assert!(read(&format!("k={}", "[".repeat(100))).starts_with("the value is nested too deeply"));
}

#[test]
fn functions_and_sweeps() {
    assert_eq!(read("k=1,2"), "k = sweep int 1 | int 2");
    assert_eq!(read("k=choice(a,'b c')"), "k = choice <a> | <b c>");
    assert_eq!(read("k=str(1)"), "k = <1>");
    assert_eq!(read("k=int(3.7)"), "k = int 3");
    assert_eq!(read("k=float([1,'2'])"), "k = [float 1, float 2]");
    assert_eq!(read("k=bool(True)"), "k = true");
    assert_eq!(read("k=int(a)"), "int(): `a` cannot become an integer at column 3");
    assert_eq!(read("k=range(0,4,0)"), "range(): the step cannot be zero at column 3");
    assert_eq!(
        read("k=nope(1)"),
        "nope(): there is no such function, only bool, choice, float, glob, int, range, str at column 3"
    );
}

#[test]
fn refusals_say_where() {
    assert_eq!(read("a"), "expected `=` at column 2");
    assert_eq!(read("a b=1"), "unexpected ` ` at column 2");
    assert_eq!(read("=1"), "a key is missing at column 1");
    assert_eq!(read("a=b=c"), "unexpected `=` at column 4");
    assert_eq!(read("a=é"), "unexpected `é` at column 3");
    assert_eq!(read("a=${b.${c}}"), "unexpected `}` at column 11");
    let deep = format!("+{}=1", vec!["a"; 70].join("."));
    assert_eq!(read(&deep), "the number of keys in a path may not exceed 64");
}

#[test]
fn characters_that_need_quotes_are_named_with_the_remedy() {
    let error = parse(&OverrideArg::new("a=x^y"), 0).unwrap_err();
    assert_eq!(error.to_string(), "override `a=x^y`: unexpected `^` at column 4");
    assert!(error.hint().unwrap().contains("need quotes"));
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = parse(&OverrideArg::new(text), 0);
    }

    #[test]
    fn no_override_like_text_makes_the_parser_panic(text in "[+~]{0,2}[a-c.@/$]{0,4}=[-a-c0-2.,:=\\[\\]{}()'\"\\\\ $_+*e]{0,24}") {
        let _ = parse(&OverrideArg::new(text), 0);
    }

    #[test]
    fn a_quoted_text_reads_back(text in any::<String>()) {
        let change = parse(&OverrideArg::new(format!("k={}", quoted(&text))), 0).unwrap();
        let Some(Given::Element(Element::Quoted(read, _))) = change.value else { panic!("{text:?}") };
        // What remains escaped is undone when interpolations are looked up.
        let template = crate::interpolate::parse(&read).unwrap();
        prop_assert!(template.len() <= 1);
        if !read.contains("${") {
            prop_assert_eq!(read, text);
        }
    }

    #[test]
    fn what_a_sweep_writes_reads_back(text in "[a-z0-9é ;,:=()\\[\\]{}'\"\\\\$/^_-]{1,12}") {
        let trimmed = text.trim().to_owned();
        prop_assume!(!trimmed.is_empty() && !trimmed.contains("${"));
        let element = Element::Quoted(trimmed, '\'');
        let change = parse(&OverrideArg::new(format!("k={}", written(&element))), 0).unwrap();
        prop_assert_eq!(change.value, Some(Given::Element(element)));
    }
}
