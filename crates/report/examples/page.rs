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

use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_report::ExportOptions;
use rangescope_report::page::{write, write_comparison};

#[path = "../tests/it/page/documents/mod.rs"]
mod documents;

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
        let document = documents::with_work(document(&["--regions", regions])?);
        let comparison = documents::comparison(&document);
        write_comparison(&comparison, &[document], &options, &mut out)?;
    } else {
        write(&document(arguments)?, &options, &mut out)?;
    }
    out.flush()
}

fn document(arguments: &[&str]) -> io::Result<RegionDocument> {
    let number = |text: &str| text.parse::<usize>().map_err(io::Error::other);
    match arguments {
        ["--hostile"] => Ok(documents::hostile()),
        ["--regions", regions] => Ok(documents::many_regions(number(regions)?)),
        ["--kernels", kernels, regions] => {
            Ok(documents::many_kernels(number(kernels)?, number(regions)?))
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
