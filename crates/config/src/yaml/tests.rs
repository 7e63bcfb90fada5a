//! What is read, what is refused, and that what is written reads back the same.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::{load, write};
use crate::origin::Origin;
use crate::value::{Key, Map, Node, Value};

fn origin() -> Origin {
    Origin::File { file: Arc::from("t.yaml"), line: 1 }
}

fn json(text: &str) -> String {
    match load(text, &origin()) {
        Ok(node) => node.to_json().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn files_become_trees() {
    assert_eq!(json(""), "{}");
    assert_eq!(json("# nothing\n"), "{}");
    assert_eq!(
        json("a: 1\nb: [x, on, 1e3]\nc: {d: ~}\n"),
        r#"{"a":1,"b":["x",true,1000.0],"c":{"d":null}}"#
    );
    assert_eq!(json("- a\n- b: '1'\n"), r#"["a",{"b":"1"}]"#);
    assert_eq!(json("a: !!str 1\nb: !!int '3'\n"), r#"{"a":"1","b":3}"#);
    assert_eq!(json("a: |\n  two\n  lines\n"), r#"{"a":"two\nlines\n"}"#);
    assert_eq!(json("on: 1\n2: x\n"), r#"{"true":1,"2":"x"}"#);
}

#[test]
fn merge_keys_bring_what_is_not_there() {
    let text = "base: &b {x: 1, y: 2}\nuse:\n  y: 3\n  <<: *b\n";
    assert_eq!(json(text), r#"{"base":{"x":1,"y":2},"use":{"x":1,"y":3}}"#);
    let text = "a: &a {x: 1}\nb: &b {x: 2, y: 2}\nuse:\n  <<: [*a, *b]\n";
    assert_eq!(json(text), r#"{"a":{"x":1},"b":{"x":2,"y":2},"use":{"x":1,"y":2}}"#);
}

#[test]
fn errors_name_the_line() {
    assert_eq!(json("a: 1\nb: 2\na: 3\n"), "t.yaml:3: `a`: the key appears twice, first in line 1");
    assert!(
        json("a: [1\nb: 2\n").starts_with("t.yaml:2: not valid YAML"),
        "{}",
        json("a: [1\nb: 2\n")
    );
    assert_eq!(json("a: !include x\n"), "t.yaml:1: the tag `!include` is not supported");
    assert_eq!(json("a: 1\n---\nb: 2\n"), "t.yaml:2: the file has more than one document");
    assert_eq!(json("null: 1\n"), "t.yaml:1: null cannot be a key");
    assert_eq!(json("? [a]\n: 1\n"), "t.yaml:1: a list or map cannot be a key");
    assert_eq!(json("just text\n"), "t.yaml:1: expected a map or a list in the file, got text");
    assert_eq!(json("a: =\n"), "t.yaml:1: `=` has a special meaning in YAML, quote it");
}

#[test]
fn every_value_knows_its_line() {
    let root = load("a: 1\n\nb:\n  c: x\n  d:\n    - 1\n    - 2\n", &origin()).unwrap();
    let line = |path: &str| root.at(path).unwrap().origin.to_string();
    assert_eq!(line("a"), "t.yaml:1");
    assert_eq!(line("b.c"), "t.yaml:4");
    assert_eq!(line("b.d"), "t.yaml:5");
    let Value::List(items) = &root.at("b.d").unwrap().value else { panic!() };
    assert_eq!(items[1].origin.to_string(), "t.yaml:7");
}

#[test]
fn bombs_do_not_go_off() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let refs = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(laughs, "a{level}: &a{level} [{refs}]").unwrap();
    }
    assert!(json(&laughs).contains("aliases expanded, may not exceed 100000"), "{}", json(&laughs));

    let big = "x".repeat(100_000);
    let text = format!("a: &a {big}\nb: [{}]\n", vec!["*a"; 1000].join(", "));
    assert!(json(&text).contains("the text of a file"), "{}", json(&text));

    let deep = format!("a: {}1{}\n", "[".repeat(200), "]".repeat(200));
    assert!(json(&deep).contains("the nesting of a file may not exceed 64"), "{}", json(&deep));

    let mut chain = String::from("a0: &a0 {x: 1}\n");
    for level in 1..80 {
        writeln!(chain, "a{level}: &a{level} {{x: *a{}}}", level - 1).unwrap();
    }
    assert!(json(&chain).contains("the nesting of a file, aliases expanded"), "{}", json(&chain));

    assert!(json("a: &a [*a]\n").contains("an alias refers to something that contains it"));
    assert!(json(&"x".repeat((1 << 20) + 1)).contains("the size of a file may not exceed 1048576"));
}

#[test]
fn origins_stand_at_the_end_of_the_line() {
    let root = load("a: 1\nb:\n  c: [x, 2]\n  d: {}\n", &origin()).unwrap();
    let expected = "\
a: 1                                                    # t.yaml:1
b:
  c:                                                    # t.yaml:3
  - x                                                   # t.yaml:3
  - 2                                                   # t.yaml:3
  d: {}                                                 # t.yaml:4
";
    assert_eq!(write(&root, true), expected);
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("NaN differs from itself", |v| !v.is_nan()).prop_map(Value::Float),
        any::<String>().prop_map(Value::Text),
        "[-+.0-9a-fxoeE_:~#&*!|>%@`'\" ?{}\\[\\],=<$]{0,12}".prop_map(Value::Text),
    ];
    let key = prop_oneof![
        any::<String>().prop_map(Key::Text),
        any::<i64>().prop_map(Key::Int),
        any::<bool>().prop_map(Key::Bool)
    ];
    scalar.prop_recursive(4, 40, 6, move |inner| {
        let node = inner.prop_map(|value| Node::new(value, origin()));
        prop_oneof![
            proptest::collection::vec(node.clone(), 0..6).prop_map(Value::List),
            proptest::collection::vec((key.clone(), node), 0..6)
                .prop_map(|entries| Value::Map(entries.into_iter().collect::<Map>())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(value in any_value()) {
        let node = Node::new(Value::Map(Map::from_iter([(Key::from("root"), Node::new(value, origin()))])), origin());
        let text = write(&node, false);
        let back = load(&text, &origin()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back.to_json(), node.to_json(), "{}", text);
        let text = write(&node, true);
        let back = load(&text, &origin()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back.to_json(), node.to_json(), "{}", text);
    }

    #[test]
    fn no_text_makes_the_loader_panic(text in any::<String>()) {
        let _ = load(&text, &origin());
    }

    #[test]
    fn no_yaml_like_text_makes_the_loader_panic(text in "[-?:,\\[\\]{}#&*!|>'\"%@` \n\ta-c0-2<=~]{0,60}") {
        let _ = load(&text, &origin());
    }
}
