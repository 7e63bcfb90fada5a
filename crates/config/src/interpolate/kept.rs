//! Trees that are written down and read again: what depends on the environment stays an interpolation, everything else is a value.

use super::parse::parse;
use super::syntax::Part;
use crate::value::{Node, Value};

/// A text in which nothing is an interpolation, so that it reads back as itself.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        out.push_str(before);
        out.extend(std::iter::repeat_n('\\', backslashes + 1));
        out.push_str("${");
        rest = &after[2..];
    }
    out + rest
}

/// A tree that was written down, without anything that would have to be looked up.
pub(crate) fn without_interpolations(node: Node) -> Node {
    read(&node).unwrap_or_else(|| Node::new(Value::Null, node.origin))
}

fn read(node: &Node) -> Option<Node> {
    let value = match &node.value {
        Value::Map(map) => {
            let entries = map.iter().filter_map(|(key, child)| Some((key.clone(), read(child)?)));
            Value::Map(entries.collect())
        }
        Value::List(items) => Value::List(items.iter().filter_map(read).collect()),
        value => match value.interpolation() {
            Some(text) => Value::Text(plain(text)?),
            None => value.clone(),
        },
    };
    Some(Node::new(value, node.origin.clone()))
}

fn plain(text: &str) -> Option<String> {
    let parts = parse(text).ok()?.into_iter().map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Interpolation(_) => None,
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::escaped;
    use crate::{Context, MASK, OverrideArg, Secrets, Settings, Tree, compose};

    fn context(env: &dyn Fn(&str) -> Option<String>) -> Context<'_> {
        Context { env, now: jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0), cwd: "/here".to_owned() }
    }

    #[test]
    fn what_is_written_down_holds_no_value_of_the_environment_and_is_found_again() {
        let overrides = OverrideArg::list([
            "+vars.plain=${oc.env:NAME}",
            "+vars.copy=${vars.plain}/x",
            "+vars.map={inner: '${vars.plain}'}",
            "+vars.again=${vars.map}",
            "+vars.literal='\\${not.an.interpolation}'",
            "+vars.key=literal",
            "+pipeline.workload.env.VARIABLE=literal",
            "+pipeline.workload.env.TAKEN=${oc.env:NAME}",
            "+pipeline.workload.env.GONE=null",
            "pipeline.workload.command=[app,--token,'${oc.env:NAME}','--name=x']",
            "pipeline.ncu.ncu_cli.nvtx.include=${oc.env:NAME}",
            "run.dir='${now:%Y}'",
        ]);
        let here = |name: &str| (name == "NAME").then(|| "found".to_owned());
        let context_here = context(&here);
        let composed = compose(&Tree::embedded(), "config", &overrides, &context_here).unwrap();
        let kept = composed.to_keep(&context_here, &Secrets::default()).unwrap();
        let text = |path: &str| kept.get(path).unwrap().to_json().to_string();
        assert_eq!(text("vars.plain"), "\"${oc.env:NAME}\"");
        assert_eq!(text("vars.copy"), "\"${vars.plain}/x\"");
        assert_eq!(
            text("vars.again"),
            "\"${vars.map}\"",
            "relative paths would not survive a copy"
        );
        assert_eq!(text("vars.key"), format!("\"{MASK}\""));
        let variables = kept.get("pipeline.workload.env").unwrap().to_json();
        let expected =
            serde_json::json!({"VARIABLE": MASK, "TAKEN": "${oc.env:NAME}", "GONE": null});
        assert_eq!(variables, expected);
        // Reports have to say the same everywhere.
        assert_eq!(text("pipeline.ncu.ncu_cli.nvtx.include"), "\"found\"");
        assert_eq!(text("run.dir"), "\"2026\"");

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yaml");
        fs_err::write(&path, kept.to_yaml()).unwrap();
        let there = |name: &str| (name == "NAME").then(|| "other".to_owned());
        let resumed = Settings::resumed(&path, &context(&there)).unwrap();
        assert_eq!(resumed.workload.command, ["app", "--token", "other", "--name=x"]);
        assert_eq!(resumed.ncu_options.nvtx_include, ["found"]);
        let literal = resumed.workload.env.iter().find(|(name, _)| name == "VARIABLE").unwrap();
        assert_eq!(literal.1.as_deref(), Some(MASK));
        let error = Settings::resumed(&path, &context(&|_| None)).unwrap_err().to_string();
        assert!(error.contains("`NAME` is not set"), "{error}");

        // A report asks the environment for nothing, whatever the file says.
        let asks = |name: &str| -> Option<String> { panic!("{name} was asked for") };
        let reported = Settings::from_file(&path, &context(&asks)).unwrap();
        assert_eq!(reported.ncu_options.nvtx_include, ["found"]);
        assert_eq!(reported.workload.command, ["app", "--token", "--name=x"]);
    }

    #[test]
    fn an_escaped_text_reads_back_as_itself() {
        for text in ["", "a", "${a}", "\\${a}", "\\\\${a} ${b}\\", "$${a}", "${", "\\", "a${${"] {
            let parts = super::parse(&escaped(text));
            let plain = super::plain(&escaped(text));
            assert_eq!(plain.as_deref(), Some(text), "{parts:?}");
        }
    }
}
