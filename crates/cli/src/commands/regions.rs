//! `rangescope regions`: runs a program with the recorder and lists the NVTX regions that it opens.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use rangescope_capture::child::{ChildEvent, End, Stream};
use rangescope_model::recorded::RecordedRegions;
use rangescope_read::recording::{Recording, regions};
use rangescope_report::{recorded as listing, write_atomically};
use rangescope_run::{record, recorded};

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
    let (end, found) = discover(&args.program, folder, ui)?;
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
    ui: &Ui,
) -> Result<(End, RecordedRegions), Failure> {
    let end = record(program, folder, &mut |event| {
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
    let found = recorded(folder)?.unwrap_or_else(|| {
        ui.warn("the program did not use NVTX");
        regions(&Recording::default())
    });
    Ok((end, found))
}

fn show(found: &RecordedRegions, args: &RegionsArgs, ui: &Ui) -> Result<(), Failure> {
    let write = |out: &mut dyn Write| match args.format {
        RegionsFormat::Terminal => {
            out.write_all(listing::terminal(found, Ui::width().unwrap_or(100)).as_bytes())
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
