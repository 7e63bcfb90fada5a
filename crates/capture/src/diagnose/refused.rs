//! Options that ncu refused: too new for it, or wrong.

use rangescope_config::settings::NcuOptions;

use super::log::{between, lines_with, ncu_lines_with};
use super::{Code, Diagnosis, Facts};
use crate::child::End;

const MESSAGES: [&str; 12] = [
    "unrecognised option",
    "the argument for option",
    "the argument ('",
    "option is ambiguous",
    "cannot be specified more than once",
    "is not supported with",
    "is not supported during range replay",
    "only supported with kernel replay",
    "requires --nvtx",
    "Invalid configuration for nvtx-",
    "Invalid regex provided",
    "Invalid range filter",
];

pub(super) fn refused_option(facts: &Facts<'_>) -> Option<Diagnosis> {
    // Only old versions say so without their mark, and end with this code.
    let lines = if facts.end == End::Exited(255) { lines_with } else { ncu_lines_with };
    let evidence = lines(facts.log, &MESSAGES);
    if evidence.is_empty() || facts.has_report {
        return None;
    }
    let this_ncu =
        facts.ncu.map_or_else(|| "this ncu".to_owned(), |version| format!("ncu {version}"));
    let said = evidence.join("\n");
    if let Some(name) = between(&said, "unrecognised option '", "'") {
        let since = NcuOptions::since(name.trim_start_matches('-'), None);
        let since = since
            .map_or_else(|| "no version is known to have it".to_owned(), |since| since.to_string());
        let explanation = format!("{this_ncu} has no `{name}`; {since}.");
        return Some(Diagnosis::new(
            Code::NcuTooOld,
            explanation,
            "use a newer ncu, or leave the option out",
            evidence,
        ));
    }
    if let Some(name) = between(&said, "the argument for option '", "' is invalid") {
        let explanation = format!(
            "{this_ncu} does not take the value that was given for `{name}`; newer versions may."
        );
        return Some(Diagnosis::new(
            Code::NcuTooOld,
            explanation,
            "compare the value with `ncu --help`",
            evidence,
        ));
    }
    Some(Diagnosis::new(
        Code::OptionRefused,
        format!("{this_ncu} ended before it started the program, because of its options."),
        "correct the option that the message names; `rangescope plan` shows the whole command line",
        evidence,
    ))
}
