#![no_main]
//! Any text as selectors and patterns: the first line names regions, the second kernels, and the others are the path that they are asked about.

use libfuzzer_sys::fuzz_target;
use rangescope_model::glob::Glob;
use rangescope_model::select::RegionSelector;
use rangescope_model::select::kernels::KernelFilter;
use rangescope_model::select::names::NameList;
use rangescope_model::select::scopes::ScopeRequest;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let regions = [lines.next().unwrap_or_default().to_owned()];
    let kernels = [lines.next().unwrap_or_default().to_owned()];
    let path: Vec<&str> = lines.collect();
    if let Ok(selectors) = RegionSelector::parse(&regions) {
        for selector in &selectors {
            let _ = (selector.names("<default domain>", &path), selector.form());
        }
    }
    if let Ok(filter) = KernelFilter::new(&kernels, &regions) {
        let _ = path.iter().filter(|name| filter.selects(name)).count();
    }
    let _ = ScopeRequest::parse(&regions[0]);
    let (glob, names) = (Glob::new(&regions[0]), NameList::new(&regions));
    let _ = path.iter().filter(|name| glob.matches(name) && names.names(name)).count();
});
