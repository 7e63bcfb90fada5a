//! Interpolations: what they find, what they refuse, and that none runs forever.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Context, Resolver, parse};
use crate::origin::Origin;
use crate::yaml;

fn env(name: &str) -> Option<String> {
    (name == "SET").then(|| "value".to_owned())
}

/// The tree resolved, as JSON; or the error.
fn resolved(text: &str) -> String {
    let origin = Origin::File { file: Arc::from("t.yaml"), line: 1 };
    let root = yaml::load(text, &origin).unwrap();
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0);
    let context = Context { env: &env, now, cwd: "/here".to_owned() };
    match Resolver::new(&root, None, &context).tree() {
        Ok(root) => root.to_json().to_string(),
        Err(error) => error.to_string(),
    }
}

/// What `x` becomes beside some fixed keys.
fn x(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    let tree = format!(
        "a: 1\nt: true\nb: {{c: [x, 2.0], d: '${{.c.0}}', e: '${{..a}}'}}\nname: b\nx: '{quoted}'\n"
    );
    let all = resolved(&tree);
    match all.split_once(r#""x":"#) {
        Some((_, x)) => x.strip_suffix('}').unwrap_or(x).to_owned(),
        None => all,
    }
}

#[test]
fn nodes_are_found_by_path() {
    assert_eq!(x("${a}"), "1");
    assert_eq!(x("${b.c}"), r#"["x",2.0]"#);
    assert_eq!(x("${b.c.1}"), "2.0");
    assert_eq!(x("${b[c][0]}"), r#""x""#);
    assert_eq!(x("${b}"), r#"{"c":["x",2.0],"d":"x","e":1}"#);
    assert_eq!(x("${${name}.d}"), r#""x""#);
    assert_eq!(x("${.a}"), "1");
    assert_eq!(x("${ a }"), "1");
}

#[test]
fn texts_are_put_together_as_python_writes_values() {
    assert_eq!(x("v${a}-${t}"), r#""v1-True""#);
    assert_eq!(x("${b.c} "), r#""['x', 2.0] ""#);
    assert_eq!(x("costs $5"), r#""costs $5""#);
    assert_eq!(x(r"\${a}"), r#""${a}""#);
    assert_eq!(x(r"\\${a}"), r#""\\1""#);
}

#[test]
fn resolvers() {
    assert_eq!(x("${oc.env:SET}"), r#""value""#);
    assert_eq!(x("${oc.env:UNSET,10}"), r#""10""#);
    assert_eq!(x("${oc.env:UNSET,null}"), "null");
    assert_eq!(x("${oc.env:UNSET,'a, ${a}'}"), r#""a, 1""#);
    assert_eq!(x("${oc.decode:${oc.env:UNSET,'[1,z]'}}"), r#"[1,"z"]"#);
    assert_eq!(x("${oc.select:b.c.0,7}"), r#""x""#);
    assert_eq!(x("${oc.select:nope.x,7}"), "7");
    assert_eq!(x("${now:%Y%m%d-%H%M%S}"), r#""20260307-140509""#);
    assert_eq!(x("${hydra:runtime.cwd}/x"), r#""/here/x""#);
}

#[test]
fn errors_name_key_line_and_cause() {
    let at = |message: &str| format!("t.yaml:5: `x`: {message}");
    assert_eq!(x("${nam}"), at("`${nam}`: there is no `nam`, did you mean `name`?"));
    assert_eq!(x("${b.c.z}"), at("`${b.c.z}`: `z` is not an index of the list `b.c`"));
    assert_eq!(x("${a.z}"), at("`${a.z}`: `a` has no keys"));
    assert_eq!(x("${...a}"), at("`${...a}`: there is no level above the root"));
    assert_eq!(
        x("${oc.env:UNSET}"),
        at("`${oc.env:UNSET}`: oc.env: the environment variable `UNSET` is not set")
    );
    assert_eq!(
        x("${oc.evn:SET}"),
        at("`${oc.evn:SET}`: there is no resolver `oc.evn`, did you mean `oc.env`?")
    );
    assert_eq!(x("${eval:1}"), at("`${eval:1}`: there is no resolver `eval`"));
    assert_eq!(
        x("${hydra:job.name}"),
        at("`${hydra:job.name}`: hydra: only runtime.cwd is known here")
    );
}

#[test]
fn circles_and_missing_values_are_errors() {
    let circle = resolved("a: ${b}\nb: ${c}\nc: ${a}\n");
    assert_eq!(circle, "t.yaml:1: `a`: `${b}`: interpolations form a cycle: `a` → `b` → `c` → `a`");
    assert!(resolved("a: {b: '${a}'}\n").contains("contains the interpolation itself"));
    assert!(resolved("a: {b: '${c}'}\nc: {d: '${a}'}\n").contains("it contains itself"));
    assert!(resolved("a: ${a.b}\n").contains("form a cycle"));
    assert!(resolved("a: ???\nb: ${a}\n").contains("`a` has to be given a value"));
    assert_eq!(resolved("a: ???\n"), r#"{"a":"???"}"#);
}

#[test]
fn texts_that_double_are_stopped() {
    let mut tree = String::from("a0: xxxxxxxxxx\n");
    for level in 1..40 {
        writeln!(tree, "a{level}: '${{a{}}}${{a{}}}'", level - 1, level - 1).unwrap();
    }
    assert!(resolved(&tree).contains("interpolations produce too much"));
    let mut tree = String::from("a0: [1, 2, 3]\n");
    for level in 1..40 {
        writeln!(tree, "a{level}: ['${{a{}}}', '${{a{}}}']", level - 1, level - 1).unwrap();
    }
    assert!(resolved(&tree).contains("interpolations produce too much"));
}

#[test]
fn malformed_interpolations_are_found_when_a_file_is_read() {
    for text in [
        "${",
        "${a",
        "${}",
        "${.}",
        "${a b}",
        "${a.}",
        "${oc.env:'x}",
        "${a[b}",
        "${f:[1}",
        "x${a'}",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    let deep = format!("{}a{}", "${".repeat(100), "}".repeat(100));
    assert_eq!(parse(&deep).unwrap_err(), "interpolations are nested too deeply");
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&format!("${{{text}}}"));
    }

    #[test]
    fn no_interpolation_makes_the_resolver_panic(text in "[${}ab.:,'\"\\\\ \\[\\]0-2oc]{0,30}") {
        if parse(&text).is_ok() {
            let _ = x(&text);
        }
    }
}
