//! Development chores: generated files and reports for tests and benchmarks.

mod big_report;
mod fuzz_seeds;
mod generate;
mod sample_reports;
mod sampled_reports;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  generate [--check]                     write the generated files of the repository, or check that they are up to date
  big-report SRC OUT --kernels N         repeat the blocks of a report until it holds N results
  big-report SRC OUT --megabytes N       … until it has N MB
  sample-reports DIR                     write reports of our own writer with the lines that `rangescope dump` must print for them
  fuzz-seeds DIR                         write what each fuzz target begins with to DIR/TARGET
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["big-report", src, out, "--kernels", kernels] => {
            big_report::run(src, out, &big_report::Until::Kernels(kernels))
        }
        ["big-report", src, out, "--megabytes", size] => {
            big_report::run(src, out, &big_report::Until::Megabytes(size))
        }
        ["sample-reports", dir] => sample_reports::run(dir),
        ["fuzz-seeds", dir] => fuzz_seeds::run(dir),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

type Done = Result<(), Box<dyn std::error::Error>>;

#[expect(clippy::print_stderr, reason = "a command line tool talks on stderr")]
fn say(text: &str) {
    eprintln!("{text}");
}
