//! `rangescope regions`: runs a program with the recorder and lists the NVTX regions that it opens.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use rangescope_capture::child::{ChildEvent, End, Stream};
use rangescope_capture::plan::command_line;
use rangescope_capture::recorder;
use rangescope_model::recorded::RecordedRegions;
use rangescope_model::text::visible;
use rangescope_read::Rename;
use rangescope_read::recording::{Recording, RecordingError, regions};
use rangescope_report::{recorded as listing, write_atomically};
use rangescope_run::record;

use crate::args::{RegionsArgs, RegionsFormat};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &RegionsArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let normaliser = args.names.normaliser()?;
    let rename = |name: &str| normaliser.renamed(name);
    if let Some(path) = &args.recording {
        let mut recording = Recording::open(path).map_err(|error| explained(path, error))?;
        recording.processes.iter_mut().for_each(|process| process.rename(&rename));
        show(&regions(&recording), args, ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.program.is_empty() {
        return Err(Failure::Usage {
            message: "there is no program to run and no recording to read".to_owned(),
            hint: "give a program behind `--`: rangescope regions -- PROGRAM; or a recording: rangescope regions RECORDING"
                .to_owned(),
        });
    }
    let kept;
    let temporary;
    let folder = match &args.keep {
        Some(folder) => {
            kept = fs_err::create_dir_all(folder)
                .and_then(|()| std::path::absolute(folder))
                .map_err(Failure::write(folder))?;
            kept.as_path()
        }
        None => {
            temporary = tempfile::tempdir().map_err(Failure::write(std::env::temp_dir()))?;
            temporary.path()
        }
    };
    let (end, found) = discover(&args.program, folder, args.limit, &rename, ui)?;
    show(&found, args, ui)?;
    Ok(match end {
        End::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        End::Signalled(signal) => {
            ui.warn(&format!("the program was ended by signal {signal}"));
            ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
        }
    })
}

/// Runs a program with the recorder, its output passing through, and gives the regions that it opened.
pub(crate) fn discover(
    program: &[OsString],
    folder: &Path,
    limit: u64,
    rename: Rename<'_>,
    ui: &Ui,
) -> Result<(End, RecordedRegions), Failure> {
    if let Some(other) = recorder::replaced() {
        let other = visible(&other.to_string_lossy()).into_owned();
        ui.warn(&format!(
            "NVTX_INJECTION64_PATH is set: the recorder takes the place of `{other}`, which does not see this run"
        ));
    }
    let (end, found) = record(program, folder, limit, rename, &mut |event| {
        // Where the output goes may be closed; that is no reason to end the program.
        let _ = match event {
            ChildEvent::Output(Stream::Stdout, bytes) => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            ChildEvent::Output(Stream::Stderr, bytes) => io::stderr().lock().write_all(bytes),
            _ => Ok(()),
        };
    })?;
    let found = found.unwrap_or_else(|| {
        ui.warn("the program did not use NVTX: no process of it loaded the recorder");
        regions(&Recording::default())
    });
    Ok((end, found))
}

/// What is no recording may be a program without `--` before it, or a report.
fn explained(path: &Path, error: RecordingError) -> Failure {
    let line = |words: &[&str]| {
        let words = words.iter().map(OsString::from).chain([path.as_os_str().to_owned()]);
        command_line(&words.collect::<Vec<_>>())
    };
    let hint = if !path.exists() {
        format!(
            "give a recording that exists, or a program behind `--`: {}",
            line(&["rangescope", "regions", "--"])
        )
    } else if rangescope_read::Input::open(path).is_ok() {
        format!("it is a report of ncu, which `{}` reads", line(&["rangescope", "report"]))
    } else {
        return error.into();
    };
    Failure::Hinted { cause: Box::new(error.into()), hint }
}

fn show(found: &RecordedRegions, args: &RegionsArgs, ui: &Ui) -> Result<(), Failure> {
    let write = |out: &mut dyn Write| match args.format {
        RegionsFormat::Terminal => {
            let shown = Ui::listing(args.view.view_of_top());
            out.write_all(listing::terminal(found, &shown).as_bytes())
        }
        RegionsFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, found)?;
            writeln!(out)
        }
    };
    match &args.out {
        Some(path) => {
            write_atomically(path, write)?;
            ui.say(&format!("regions written to {}", path.display()));
            Ok(())
        }
        None => Ui::print_styled(write),
    }
}
