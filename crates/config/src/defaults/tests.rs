//! Composition of small trees: order, packages, overrides of groups, and what the errors say.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::{Context, OverrideArg, Tree, compose};

fn context() -> Context<'static> {
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0);
    Context { env: &|_| None, now, cwd: "/here".to_owned() }
}

/// Composes a tree of files with overrides; JSON, or the error with its hint. The folder's name is left out.
fn composed(files: &[(&str, &str)], overrides: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    let tree = Tree::of_dirs(&[folder.path().to_owned()]).unwrap();
    let overrides = OverrideArg::list(overrides.iter().copied());
    match compose(&tree, "config", &overrides, &context()) {
        Ok(composed) => composed.to_json().to_string(),
        Err(error) => format!("{error:?}").replace(&format!("{}/", folder.path().display()), ""),
    }
}

const DB: [(&str, &str); 3] = [
    ("config.yaml", "defaults:\n  - db: mysql\n  - _self_\nport: ${db.port}\n"),
    ("db/mysql.yaml", "host: h\nport: 1\n"),
    ("db/postgres.yaml", "host: h\nport: 2\n"),
];

#[test]
fn groups_are_put_into_their_package_in_order() {
    assert_eq!(composed(&DB, &[]), r#"{"db":{"host":"h","port":1},"port":"${db.port}"}"#);
    assert_eq!(
        composed(&DB, &["db=postgres", "db.host=x"]),
        r#"{"db":{"host":"x","port":2},"port":"${db.port}"}"#
    );
    assert_eq!(composed(&DB, &["~db"]), r#"{"port":"${db.port}"}"#);
    assert_eq!(
        composed(&DB, &["+db@backup=postgres"]),
        r#"{"db":{"host":"h","port":1},"port":"${db.port}","backup":{"host":"h","port":2}}"#
    );
}

#[test]
fn self_decides_who_wins() {
    let last = [("config.yaml", "defaults: [a, _self_]\nx: own\n"), ("a.yaml", "x: a\ny: a\n")];
    assert_eq!(composed(&last, &[]), r#"{"x":"own","y":"a"}"#);
    let first = [("config.yaml", "defaults: [_self_, a]\nx: own\n"), ("a.yaml", "x: a\ny: a\n")];
    assert_eq!(composed(&first, &[]), r#"{"x":"a","y":"a"}"#);
}

#[test]
fn packages_and_headers() {
    let files = [
        ("config.yaml", "defaults:\n  - g/s@p.q: one\n  - g/s: two\n  - /g/s@_global_: three\n"),
        ("g/s/one.yaml", "v: 1\n"),
        ("g/s/two.yaml", "# @package other\nv: 2\n"),
        ("g/s/three.yaml", "v: 3\n"),
    ];
    assert_eq!(composed(&files, &[]), r#"{"p":{"q":{"v":1}},"other":{"v":2},"v":3}"#);
    let nested = [
        ("config.yaml", "defaults:\n  - g: one\n"),
        ("g/one.yaml", "defaults:\n  - s: x\n  - /t@_here_: y\n  - two@z\n  - _self_\na: 1\n"),
        ("g/two.yaml", "a: 2\n"),
        ("g/s/x.yaml", "a: 3\n"),
        ("t/y.yaml", "b: 4\n"),
    ];
    assert_eq!(composed(&nested, &[]), r#"{"g":{"s":{"a":3},"b":4,"z":{"a":2},"a":1}}"#);
    let group =
        [("config.yaml", "defaults:\n  - g/s: x\n"), ("g/s/x.yaml", "# @package _group_\na: 3\n")];
    assert_eq!(composed(&group, &[]), r#"{"g":{"s":{"a":3}}}"#);
}

#[test]
fn options_null_optional_override_and_interpolation() {
    let files = [
        (
            "config.yaml",
            "defaults:\n  - g: [one, two]\n  - h: null\n  - optional g@o: nope\n  - k: one\n  - m: ${k}\n  - override k: two\n",
        ),
        ("g/one.yaml", "a: 1\nb: 1\n"),
        ("g/two.yaml", "b: 2\n"),
        ("h/x.yaml", "a: 1\n"),
        ("k/one.yaml", "k: 1\n"),
        ("k/two.yaml", "k: 2\n"),
        ("m/one.yaml", "m: 1\n"),
        ("m/two.yaml", "m: 2\n"),
    ];
    assert_eq!(composed(&files, &[]), r#"{"g":{"a":1,"b":2},"k":{"k":2},"m":{"m":2}}"#);
    assert_eq!(
        composed(&files, &["k=one", "h=x"]),
        r#"{"g":{"a":1,"b":2},"h":{"a":1},"k":{"k":1},"m":{"m":1}}"#
    );
}

#[test]
fn merging() {
    let files = [
        ("config.yaml", "defaults: [base, _self_]\nm: {b: 2, l: [9], i: {z: 1}}\nkept: ???\n"),
        ("base.yaml", "m: {a: 1, b: 1, l: [1, 2], i: '${ref}'}\nref: {y: 0}\nkept: 5\n"),
    ];
    assert_eq!(
        composed(&files, &[]),
        r#"{"m":{"a":1,"b":2,"l":[9],"i":{"y":0,"z":1}},"ref":{"y":0},"kept":5}"#
    );
    let clash =
        [("config.yaml", "defaults: [base, _self_]\nm: [1]\n"), ("base.yaml", "m: {a: 1}\n")];
    assert_eq!(composed(&clash, &[]), "config.yaml:2: `m`: cannot merge a list into a map");
}

#[test]
fn overrides_of_keys() {
    let tree = [("config.yaml", "a: 1\nb: {c: [x, {d: 2}], e: null}\n")];
    let changed = |overrides: &[&str]| composed(&tree, overrides);
    assert_eq!(changed(&["b.c.1.d=3"]), r#"{"a":1,"b":{"c":["x",{"d":3}],"e":null}}"#);
    assert_eq!(changed(&["b={e:5}"]), r#"{"a":1,"b":{"c":["x",{"d":2}],"e":5}}"#);
    assert_eq!(changed(&["+b.f.g=1", "~a"]), r#"{"b":{"c":["x",{"d":2}],"e":null,"f":{"g":1}}}"#);
    assert_eq!(changed(&["++a=[1]", "b.c=[]"]), r#"{"a":[1],"b":{"c":[],"e":null}}"#);
    assert_eq!(changed(&["~b=1"]).split(':').next(), Some("override `~b=1`"));
}

#[test]
fn errors_say_where_what_and_what_was_meant() {
    let error = |overrides: &[&str]| composed(&DB, overrides);
    assert_eq!(
        error(&["db=mysq"]),
        "override `db=mysq`: the group `db` has no option `mysq` (did you mean `mysql`?)"
    );
    assert_eq!(
        error(&["db.hots=x"]),
        "override `db.hots=x`: `db.hots`: unknown key (did you mean `db.host`?; to add a key, write `+db.hots=x`)"
    );
    assert_eq!(
        error(&["+port=1"]),
        "override `+port=1`: `port`: the key exists already (write `++key=value` to add or change it, `key=value` to change it)"
    );
    assert_eq!(error(&["d/b=x"]), "override `d/b=x`: there is no group `d/b` (choose from `db`)");
    assert_eq!(
        error(&["db@x=mysql"]),
        "override `db@x=mysql`: `db@x` is in no defaults list (did you mean `db`?; to add it, write `+db@x=OPTION`)"
    );
    assert!(error(&["port=1,2"]).contains("several values for one key"));
    assert!(error(&["db=null"]).contains("to leave a group out write `~group`"));
    let list = |list: &str| composed(&[("config.yaml", &format!("defaults:\n{list}"))], &[]);
    assert_eq!(list("  - nope: x\n"), "config.yaml:2: the group `nope` has no option `x`");
    assert_eq!(
        list("  - nope\n"),
        "config.yaml:2: there is no configuration `nope` (choose from `config`)"
    );
    assert_eq!(
        list("  - 3\n"),
        "config.yaml:2: `defaults`: expected `_self_`, `file` or `group: option`, got an integer"
    );
    assert_eq!(
        list("  - {a: b, c: d}\n"),
        "config.yaml:2: `defaults`: an entry has one group, write each group as an entry of its own"
    );
    assert_eq!(list("  - _self_\n  - _self_\n"), "config.yaml:3: `_self_` is listed twice");
    assert_eq!(list("  - g: ???\n"), "config.yaml:2: an option of the group `g` has to be chosen");
    assert_eq!(
        composed(&[("config.yaml", "# @package a b\nx: 1\n")], &[]),
        "config.yaml:1: malformed header `# @package a b`, expected `# @package NAME`"
    );
    assert_eq!(
        composed(&[("config.yaml", "a:\n  b: ${x\n")], &[]),
        "config.yaml:2: `b`: `${x`: the interpolation is not closed"
    );
}

#[test]
fn lists_that_include_each_other_end() {
    let files = [
        ("config.yaml", "defaults: [a]\n"),
        ("a.yaml", "defaults: [b, b]\n"),
        ("b.yaml", "defaults: [a, a]\n"),
    ];
    assert!(composed(&files, &[]).contains("the lists include each other without end"));
    let wide: Vec<(String, String)> = (0..40)
        .map(|n| (format!("f{n}.yaml"), format!("defaults: [f{}, f{}]\n", n + 1, n + 1)))
        .collect();
    let mut files: Vec<(&str, &str)> =
        wide.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("config.yaml", "defaults: [f0]\n"));
    files.push(("f40.yaml", "x: 1\n"));
    assert!(composed(&files, &[]).contains("the lists include each other without end"));
}

#[test]
fn names_cannot_leave_the_tree() {
    let files = [("config.yaml", "defaults:\n  - db: mysql\n"), ("db/mysql.yaml", "a: 1\n")];
    for option in ["../config", "/etc/passwd", "../../x"] {
        assert!(composed(&files, &[&format!("db={option}")]).contains("has no option"), "{option}");
    }
}

#[test]
fn hydras_own_configuration_is_noted_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = "defaults:\n  - _self_\n  - override hydra/launcher: joblib\nhydra: {run: {dir: out}}\nx: ${hydra:run.dir}\n";
    fs_err::write(folder.path().join("config.yaml"), text).unwrap();
    let tree = Tree::of_dirs(&[folder.path().to_owned()]).unwrap();
    let overrides = OverrideArg::list(["hydra.job.name=j"]);
    let composed = compose(&tree, "config", &overrides, &context()).unwrap();
    assert_eq!(composed.resolve(&context()).unwrap().to_json().to_string(), r#"{"x":"out"}"#);
    let notes: Vec<&str> = composed.notes().iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        [
            "`hydra.job.name` belongs to Hydra's own configuration and has no effect",
            "`hydra/launcher` belongs to Hydra's own configuration and has no effect"
        ]
    );
}

#[test]
fn copies_through_interpolations_are_bounded() {
    let mut defaults = String::from("defaults:\n  - start\n");
    let mut files = vec![("start.yaml".to_owned(), "a: {x: 1}\nb: {}\n".to_owned())];
    for round in 0..40 {
        files.push((format!("p{round}.yaml"), "b: {p: '${a}', q: '${a}'}\n".to_owned()));
        files.push((format!("e{round}.yaml"), "b: {p: {}, q: {}}\n".to_owned()));
        files.push((format!("r{round}.yaml"), "a: '${b}'\n".to_owned()));
        files.push((format!("s{round}.yaml"), "a: {}\n".to_owned()));
        writeln!(defaults, "  - p{round}\n  - e{round}\n  - r{round}\n  - s{round}").unwrap();
    }
    files.push(("config.yaml".to_owned(), defaults));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let outcome = composed(&files, &[]);
    assert!(
        outcome.contains("may not exceed") || outcome.len() < 1_000_000,
        "{}",
        &outcome[..200.min(outcome.len())]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_file_and_no_override_makes_a_composition_panic(
        text in "(defaults:\n(  - [a-c@:_ ./${}\\[\\]]{0,12}\n){0,3})?([a-c]: [a-c0-9${}.:'\\[\\], ?]{0,16}\n){0,4}",
        overrides in proptest::collection::vec("[+~]{0,2}[a-c.@/]{1,5}=[a-c0-9,\\[\\]{}:'${}]{0,10}", 0..3),
    ) {
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        composed(&[("config.yaml", &text), ("a/b.yaml", &text), ("c.yaml", "a: 1\n")], &overrides);
    }
}
