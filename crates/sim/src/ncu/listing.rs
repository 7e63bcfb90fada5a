//! Version, help, and the lists of sets, sections, rules and metrics in the layout of ncu's.

use super::options::{GROUPS, OptionSpec, Takes};
use super::parse::Parsed;
use super::refusal::Refusal;
use super::request::Request;
use crate::metric::{expand, known_bases, known_names};
use crate::rules::RULES;
use crate::sections::{SECTIONS, SETS, USUAL_SET, section, sections_of};

/// Column in which descriptions begin.
const COLUMN: usize = 40;
/// Width of the help.
const WIDTH: usize = 120;
/// Width of the column of sections.
const LIST_WIDTH: usize = 75;
/// The only chip.
const CHIP: &str = "simulated";

/// The answer if the command line asks a question instead of profiling.
pub(super) fn answer(parsed: &Parsed) -> Result<Option<String>, Refusal> {
    Ok(Some(if parsed.has("help") {
        help()
    } else if parsed.has("version") {
        version()
    } else if parsed.has("list-sets") {
        sets(parsed)
    } else if parsed.has("list-sections") {
        sections(parsed)
    } else if parsed.has("list-rules") {
        rules()
    } else if parsed.has("list-metrics") {
        lines(&Request::read(parsed)?.collection.metrics)
    } else if parsed.has("list-chips") {
        format!("{CHIP}\n")
    } else if ["query-metrics", "query-metrics-mode", "query-metrics-collection"]
        .iter()
        .any(|option| parsed.has(option))
    {
        metrics(parsed)?
    } else {
        return Ok(None);
    }))
}

fn version() -> String {
    format!(
        "rangescope simulator {}: a stand-in for NVIDIA Nsight Compute's command line that profiles a simulated GPU\n\
         Not by NVIDIA and not a measurement. It takes the command line of:\n\
         Version 2024.1.1.0 (build simulated)\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The help, from the table of options.
pub(super) fn help() -> String {
    let mut out = String::from(
        "usage: rangescope simulate-ncu [options] [program] [program-arguments]\n\n\
         The rangescope simulator: takes the command line of ncu 2024.1, runs the program, and reports kernels\n\
         that the program announces with the numbers of a model. Nothing is measured.\n",
    );
    for (heading, options) in GROUPS {
        out.extend(["\n", heading, ":\n"]);
        for option in *options {
            describe(&mut out, option);
        }
    }
    out
}

fn describe(out: &mut String, option: &OptionSpec) {
    let mut head = match option.short {
        Some(letter) => format!("  -{letter} [ --{} ]", option.name),
        None => format!("  --{}", option.name),
    };
    if option.takes != Takes::Nothing {
        head.push_str(" arg");
        if !option.usual.is_empty() {
            head.extend([" (=", option.usual, ")"]);
        }
    }
    let mut text = wrapped(option.help);
    if let Takes::Word(words) = option.takes {
        text.extend(words.iter().map(|word| format!("  {word}")));
    }
    let mut text = text.into_iter();
    if head.len() < COLUMN {
        head = format!("{head:COLUMN$}{}", text.next().unwrap_or_default());
    }
    out.push_str(head.trim_end());
    out.push('\n');
    for line in text {
        out.extend([&" ".repeat(COLUMN), line.as_str(), "\n"]);
    }
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH - COLUMN => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn sets(parsed: &Parsed) -> String {
    let asked = parsed.text("set").or_else(|| {
        let nothing = !parsed.has("section") && !parsed.has("metrics");
        nothing.then_some(USUAL_SET)
    });
    let mut rows = Vec::new();
    for set in SETS {
        let ids: Vec<&str> = sections_of(set).map(|section| section.id).collect();
        let metrics: usize =
            sections_of(set).map(|section| section.header.len() + section.more.len()).sum();
        let enabled = if asked == Some(*set) { "yes" } else { "no" };
        let list = ids.join(", ");
        let mut pieces = list.as_bytes().chunks(LIST_WIDTH).map(String::from_utf8_lossy);
        let first = pieces.next().unwrap_or_default().into_owned();
        rows.push(vec![(*set).to_owned(), first, enabled.to_owned(), metrics.to_string()]);
        rows.extend(
            pieces
                .map(|piece| vec![String::new(), piece.into_owned(), String::new(), String::new()]),
        );
    }
    table(&["Identifier", "Sections", "Enabled", "Estimated Metrics"], &rows)
}

fn sections(parsed: &Parsed) -> String {
    // A request that is refused must not keep the list from being shown.
    let enabled = Request::read(parsed).map(|request| request.collection.sections);
    let enabled = enabled.unwrap_or_default();
    let rows: Vec<Vec<String>> = SECTIONS
        .iter()
        .map(|section| {
            let is_on = enabled.iter().any(|other| other.id == section.id);
            let on = if is_on { "yes" } else { "no" };
            [section.id, section.name, on, "(built in)"].map(str::to_owned).to_vec()
        })
        .collect();
    table(&["Identifier", "Display Name", "Enabled", "Filename"], &rows)
}

fn rules() -> String {
    let rows: Vec<Vec<String>> = RULES
        .iter()
        .map(|(id, name, of)| {
            let about = section(of).map_or(*of, |section| section.name);
            [id, name, about, "(built in)"].map(str::to_owned).to_vec()
        })
        .collect();
    table(&["Identifier", "Display Name", "Description", "Filename"], &rows)
}

fn metrics(parsed: &Parsed) -> Result<String, Refusal> {
    let chips = parsed.text("chips").unwrap_or(CHIP);
    if let Some(chip) = chips.split(',').find(|chip| *chip != CHIP) {
        return Err(Refusal::new(format!("Invalid chip {chip}")));
    }
    Ok(match parsed.text("query-metrics-mode") {
        Some("all") => lines(&known_names()),
        Some("suffix") => {
            let asked = parsed.text("metrics").unwrap_or_default().split(',');
            lines(&asked.filter_map(expand).flatten().collect::<Vec<_>>())
        }
        _ => lines(&known_bases()),
    })
}

fn lines(names: &[String]) -> String {
    names.iter().flat_map(|name| [name.as_str(), "\n"]).collect()
}

/// A table in the layout of ncu's: a rule of dashes, the headings, a rule, the rows.
fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(column, heading)| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(String::len);
            cells.chain([heading.len()]).max().unwrap_or_default()
        })
        .collect();
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", padded.join(" "))
    };
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let rule = line(dashes.iter().map(String::as_str).collect());
    let mut out = format!("{rule}{}{rule}", line(headings.to_vec()));
    for row in rows {
        out.push_str(&line(row.iter().map(String::as_str).collect()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::options::HIDDEN;
    use super::super::options::all;
    use super::*;

    #[test]
    fn the_help_has_every_option_where_a_reader_looks_for_it() {
        let help = help();
        let begins = |text: &str| help.lines().any(|line| line.starts_with(text));
        for option in all().filter(|option| HIDDEN.iter().all(|hidden| hidden.name != option.name))
        {
            let found = match option.short {
                Some(letter) => begins(&format!("  -{letter} [ --{} ]", option.name)),
                None => begins(&format!("  --{}", option.name)),
            };
            assert!(found, "{}", option.name);
        }
        assert!(help.lines().all(|line| line.len() <= WIDTH + 1), "{help}");
    }

    #[test]
    fn the_version_is_on_a_line_of_its_own() {
        let version = version();
        let line = version.lines().find(|line| line.starts_with("Version "));
        assert_eq!(line, Some("Version 2024.1.1.0 (build simulated)"));
        assert!(version.starts_with("rangescope simulator"));
    }
}
