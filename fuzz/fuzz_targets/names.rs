#![no_main]
//! Any text as the names that strangers give: of kernels, ranges and metrics. The first line is a rule that folds names, the others are names.

use libfuzzer_sys::fuzz_target;
use rangescope_analyze::aggregate::{Normaliser, explain, normalisation};
use rangescope_model::region::display_name;
use rangescope_model::text::{bare_kernel, shorten, shorten_kernel, visible, visible_name};

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let rules = normalisation(&[lines.next().unwrap_or_default().to_owned()]);
    let normaliser = rules.and_then(|rules| Normaliser::new(&rules));
    let names: Vec<&str> = lines.collect();
    let _ = display_name(&names);
    for name in names {
        for limit in [0, 1, 7, 40] {
            let _ = (shorten(name, limit), shorten_kernel(name, limit), bare_kernel(name, limit));
        }
        assert!(!visible(name).contains(|c: char| c.is_control() && c != '\n'), "{name:?}");
        let _ = (visible_name(name), ncu_rep::units::unit_of(name), explain(name, None));
        if let Ok(normaliser) = &normaliser {
            let _ = normaliser.fold(name);
        }
    }
});
