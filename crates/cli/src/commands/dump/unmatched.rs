//! Filters that selected nothing: the form that was probably meant, or what there is to select.

use std::collections::BTreeSet;

use ncu_rep::NvtxRange;
use ncu_rep::filter::NvtxFilter;
use rangescope_model::nearest::suggestion;
use rangescope_model::region::DEFAULT_DOMAIN;
use rangescope_read::Input;

use crate::args::DumpArgs;
use crate::ui::Ui;

/// Ranges that are looked at; programs have a few dozen.
const MOST_RANGES: usize = 5_000;

pub(super) fn explain(input: &Input, args: &DumpArgs, ui: &Ui) {
    let results = || (0..input.source.len()).filter_map(|index| input.source.decode(index));
    for expression in &args.nvtx_include {
        let selects = |text: &str, excludes: &[String]| {
            let filter = NvtxFilter::parse(&[text.to_owned()], excludes).ok()?;
            Some(results().filter(|data| filter.selects(data.nvtx.as_ref())).count())
        };
        if selects(expression, &[]).is_some_and(|found| found > 0) {
            ui.warn(&format!("--nvtx-exclude leaves out all that `{expression}` selects"));
            continue;
        }
        // In ncu's language a name alone is a start/end range.
        let pushed = format!("{expression}/");
        let found = selects(&pushed, &args.nvtx_exclude).filter(|_| !expression.ends_with('/'));
        match found.filter(|found| *found > 0) {
            Some(found) => ui.warn(&format!(
                "`{expression}` selects start/end ranges, and no result is in one of that name; push/pop ranges are written with a slash: `{pushed}` selects {found} of {} results",
                input.source.len()
            )),
            None => ui.warn(&format!("`{expression}` selects no result; {}", ranges(input, expression))),
        }
    }
    if args.nvtx_include.is_empty() {
        ui.warn("--nvtx-exclude leaves no result");
    }
}

/// The ranges of a report, those first that resemble what was asked for, as ncu's language writes them.
fn ranges(input: &Input, expression: &str) -> String {
    let mut seen = BTreeSet::new();
    for data in (0..input.source.len()).filter_map(|index| input.source.decode(index)) {
        for domain in data.nvtx.iter().flat_map(|state| &state.domains) {
            let named = |range: &NvtxRange<'_>, end: &str| match &*domain.name {
                "" | DEFAULT_DOMAIN => format!("{}{end}", range.name),
                name => format!("{name}@{}{end}", range.name),
            };
            seen.extend(domain.push_pop.iter().map(|range| named(range, "/")));
            seen.extend(domain.start_end.iter().map(|range| named(range, "")));
        }
        if seen.len() >= MOST_RANGES {
            break;
        }
    }
    let wanted = expression.trim_end_matches('/');
    suggestion(wanted, seen.iter().map(String::as_str))
        .unwrap_or_else(|| "no result is in a range".to_owned())
}
