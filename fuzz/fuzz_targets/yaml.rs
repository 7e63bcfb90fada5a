#![no_main]
//! Any bytes as the primary file of a configuration: composed, resolved, checked, written, and read back.

use libfuzzer_sys::fuzz_target;
use rangescope_config::{Settings, Tree, compose, read_yaml};
use rangescope_fuzz::{as_file, context};

fuzz_target!(|bytes: &[u8]| {
    let path = as_file("config.yaml", bytes);
    let context = context();
    let Ok(tree) = Tree::of_dirs(&[path.with_file_name("")]) else { return };
    let Ok(composed) = compose(&tree, "config", &[], &context) else { return };
    let _ = (composed.missing(), composed.to_yaml_with_origins(), Settings::new(&composed, &context));
    let Ok(resolved) = composed.resolve(&context) else { return };
    let written = as_file("written.txt", resolved.to_yaml().as_bytes());
    let again = read_yaml(&written).expect("what is written can be read");
    assert_eq!(again.to_json(), resolved.to_json());
});
