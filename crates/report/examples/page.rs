//! Makes a page: from a report (`page report.json > report.html`), or from a document made up for tests.
//!
//! ```text
//! page FILE.json           the page of this report (- for standard input)
//! page FILE.json COMPARISON.json   the same with the differences from a base
//! page --regions N         N regions in a tree with a few kernels each
//! page --kernels N R       R regions that each hold N kernels
//! page --hostile           names that would do harm in a careless page
//! page --compared N        N regions with a roofline, compared with a base
//! ```

use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::{CompareNote, Comparison, NoteSeverity};
use rangescope_model::document::RegionDocument;
use rangescope_report::ExportOptions;
use rangescope_report::page::{write, write_comparison};
use rangescope_testing::documents::hostile;
use rangescope_testing::documents::tree::{
    many_kernels, many_regions, two_sides, with_counters, with_work,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match made(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "page: {error}");
            ExitCode::from(2)
        }
    }
}

fn made(arguments: &[&str]) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let options = ExportOptions::default();
    if let [file, comparison] = arguments
        && !file.starts_with("--")
    {
        let comparison: Comparison = serde_json::from_str(&fs_err::read_to_string(comparison)?)?;
        write_comparison(&comparison, &[document(&[file])?], &options, &mut out)?;
    } else if let ["--compared", regions] = arguments {
        let (base, new) = two_sides(with_work(document(&["--regions", regions])?));
        let comparison = compared(&base, &new)?;
        write_comparison(&comparison, &[new], &options, &mut out)?;
    } else {
        write(&document(arguments)?, &options, &mut out)?;
    }
    out.flush()
}

/// A comparison with a gate that fails and a note that would be markup in a careless page.
fn compared(base: &RegionDocument, new: &RegionDocument) -> io::Result<Comparison> {
    let gate = Gate::parse("time > 5%").map_err(io::Error::other)?;
    let options = CompareOptions { gates: vec![gate], ..CompareOptions::default() };
    let mut comparison = compare(std::slice::from_ref(base), std::slice::from_ref(new), &options);
    comparison.notes.push(CompareNote {
        severity: NoteSeverity::Warning,
        code: "clocks".to_owned(),
        message: "The clocks were not locked <i>.".to_owned(),
    });
    Ok(comparison)
}

fn document(arguments: &[&str]) -> io::Result<RegionDocument> {
    let full = |made| RegionDocument { simulated: true, ..with_counters(made, 60) };
    match arguments {
        ["--hostile"] => Ok(hostile::document()),
        ["--regions", regions] => Ok(full(many_regions(number(regions)?))),
        ["--kernels", kernels, regions] => {
            Ok(full(many_kernels(number(kernels)?, number(regions)?)))
        }
        [file] => {
            let mut json = String::new();
            if *file == "-" {
                io::stdin().read_to_string(&mut json)?;
            } else {
                json = fs_err::read_to_string(file)?;
            }
            serde_json::from_str(&json).map_err(io::Error::from)
        }
        _ => Err(io::Error::other(
            "expected FILE.json, --regions N, --kernels N R, --hostile or --compared N",
        )),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> io::Result<N> {
    text.parse().map_err(|_| io::Error::other(format!("`{text}` is no number")))
}
