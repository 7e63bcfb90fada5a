//! `rangescope regions`: runs a program with the recorder and lists the NVTX regions that it opens.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use rangescope_capture::child::{self, ChildEvent, ChildSpec, End, Stream};
use rangescope_capture::recorder::{Recorder, environment};
use rangescope_model::recorded::RecordedRegions;
use rangescope_read::recording::{Recording, RecordingError, regions};
use rangescope_report::recorded;
use rangescope_report::write_atomically;

use crate::args::{RegionsArgs, RegionsFormat};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &RegionsArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    if let Some(recording) = &args.recording {
        show(&regions(&Recording::open(recording)?), args, ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    let kept;
    let temporary;
    let folder = match &args.keep {
        Some(folder) => {
            fs_err::create_dir_all(folder)?;
            kept = std::path::absolute(folder)?;
            kept.as_path()
        }
        None => {
            temporary = tempfile::tempdir()?;
            temporary.path()
        }
    };
    let end = record(&args.program, folder)?;
    show(&regions(&recorded(folder, ui)?), args, ui)?;
    Ok(match end {
        End::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        End::Signalled(signal) => {
            ui.warn(&format!("the program was ended by signal {signal}"));
            ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
        }
    })
}

/// What a program left; one that never called NVTX leaves nothing, and that is an answer.
pub(crate) fn recorded(folder: &Path, ui: &Ui) -> Result<Recording, Failure> {
    match Recording::open(folder) {
        Err(RecordingError::Empty { .. }) => {
            ui.warn("the program did not use NVTX");
            Ok(Recording::default())
        }
        other => Ok(other?),
    }
}

/// Runs a program with the recorder; its output passes through.
pub(crate) fn record(program: &[OsString], folder: &Path) -> Result<End, Failure> {
    let library = Recorder::unpack()?;
    let variables = environment(folder, &library).into_iter();
    let spec = ChildSpec {
        environment: variables.map(|(name, value)| (name, Some(value))).collect(),
        ..ChildSpec::new(program.to_vec())
    };
    let outcome = child::run(&spec, &mut |event| {
        // Where the output goes may be closed; that is no reason to end the program.
        let _ = match event {
            ChildEvent::Output(Stream::Stdout, bytes) => io::stdout().lock().write_all(bytes),
            ChildEvent::Output(Stream::Stderr, bytes) => io::stderr().lock().write_all(bytes),
            _ => Ok(()),
        };
    })?;
    io::stdout().flush()?;
    Ok(outcome.end)
}

fn show(found: &RecordedRegions, args: &RegionsArgs, ui: &Ui) -> Result<(), Failure> {
    let text = match args.format {
        RegionsFormat::Terminal => recorded::terminal(found, Ui::width().unwrap_or(100)),
        RegionsFormat::Json => serde_json::to_string_pretty(found).map_err(io::Error::from)? + "\n",
    };
    match &args.out {
        Some(path) => {
            write_atomically(path, |out| out.write_all(text.as_bytes()))?;
            ui.say(&format!("regions written to {}", path.display()));
        }
        None => {
            let mut out = Ui::data();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}
