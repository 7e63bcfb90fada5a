//! The documents tell the truth: every command in a `console` block of README.md and docs/ is run, and its output compared.
//!
//! Lines that begin with `$ ` are run by a shell in a fresh folder that holds `sample.ncu-rep`; what follows is the expected output, in which a line `...` stands for any lines. `RANGESCOPE_BLESS=1` writes the real output into the documents.

use std::path::Path;
use std::process::Command;

use crate::support::Place;

#[test]
fn commands_in_documents_do_what_the_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = vec![root.join("README.md")];
    documents
        .extend(fs_err::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    documents.retain(|path| path.extension().is_some_and(|e| e == "md"));
    documents.sort();
    let mut commands = 0;
    let mut wrong = Vec::new();
    for path in documents {
        let text = fs_err::read_to_string(&path).unwrap();
        let (truth, run) = with_real_output(&text, &path, &mut wrong);
        commands += run;
        if std::env::var("RANGESCOPE_BLESS").is_ok() {
            fs_err::write(&path, truth).unwrap();
        }
    }
    assert!(commands >= 10, "only {commands} commands were found");
    if std::env::var("RANGESCOPE_BLESS").is_err() {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// The document with the real output of its commands; differences go to `wrong`.
fn with_real_output(text: &str, path: &Path, wrong: &mut Vec<String>) -> (String, usize) {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut count = 0;
    let mut inside = false;
    let mut place = Place::new();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line.starts_with("```") {
            inside = !inside && line == "```console";
            if inside {
                place = Place::new();
            }
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let mut expected = Vec::new();
            while let Some(line) =
                lines.next_if(|line| !line.starts_with("```") && !line.starts_with("$ "))
            {
                expected.push(line);
            }
            let (output, failed) = shell(command, &place);
            count += 1;
            if !matches(&expected, &output) {
                wrong.push(format!(
                    "{}: `{command}` prints\n{}\nnot\n{}",
                    path.display(),
                    output.join("\n"),
                    expected.join("\n")
                ));
            }
            if failed && !expected.iter().any(|line| line.starts_with("error: ")) {
                wrong.push(format!("{}: `{command}` fails\n{}", path.display(), output.join("\n")));
            }
            let shown: Vec<String> = if matches(&expected, &output) {
                expected.iter().map(|s| (*s).to_owned()).collect()
            } else {
                output
            };
            for line in shown {
                out.push_str(&line);
                out.push('\n');
            }
        }
    }
    (out, count)
}

fn shell(command: &str, place: &Place) -> (Vec<String>, bool) {
    let bin = Path::new(env!("CARGO_BIN_EXE_rangescope")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(place.root())
        .env("PATH", path)
        .env("XDG_STATE_HOME", place.path(".state"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let lines =
        String::from_utf8_lossy(&text).lines().map(|line| line.trim_end().to_owned()).collect();
    (lines, !output.status.success())
}

/// Whether the output is as expected; `...` stands for any number of lines.
fn matches(expected: &[&str], output: &[String]) -> bool {
    match expected.split_first() {
        None => output.is_empty(),
        Some((&"...", rest)) => (0..=output.len()).any(|skip| matches(rest, &output[skip..])),
        Some((line, rest)) => {
            output.first().is_some_and(|first| first == line.trim_end())
                && matches(rest, &output[1..])
        }
    }
}
