#![no_main]
//! Any lines as overrides, and any text as the value of one.

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rangescope_config::{OverrideArg, Settings, Tree, Value, compose, quoted, sweep};
use rangescope_fuzz::context;

static TREE: LazyLock<Tree> = LazyLock::new(Tree::embedded);

fuzz_target!(|text: &str| {
    let context = context();
    let overrides = OverrideArg::list(text.lines());
    if let Ok(runs) = sweep(&TREE, &overrides) {
        for run in runs.iter().take(3) {
            let composed = compose(&TREE, "config", run, &context);
            let _ = composed.and_then(|composed| Settings::new(&composed, &context));
        }
    }
    let value = [OverrideArg::new(format!("+vars.text={}", quoted(text)))];
    // What is quoted is one value, whatever it holds.
    if let Ok(composed) = compose(&TREE, "config", &value, &context) {
        let kept = composed.get("vars.text").map(|node| &node.value);
        assert!(matches!(kept, Some(Value::Text(_))), "{kept:?}");
    }
});
