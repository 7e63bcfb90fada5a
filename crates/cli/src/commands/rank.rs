//! `rangescope rank-exec`: what a launcher starts in every rank. Nobody types it; `rangescope plan` shows it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use rangescope_capture::child::{ChildEvent, Limit, Stream};
use rangescope_capture::rank::{self, RankError};
use rangescope_model::text::visible;
use rangescope_run::exit;

/// Runs one rank. What it prints goes where the launcher expects it.
pub(crate) fn rank_exec(words: &[OsString]) -> ExitCode {
    let outcome = rank::run(words, &mut |event| match event {
        ChildEvent::Output(Stream::Stdout, bytes) => pass(&mut io::stdout().lock(), bytes),
        ChildEvent::Output(Stream::Stderr, bytes) => pass(&mut io::stderr().lock(), bytes),
        ChildEvent::TimedOut(Limit::Silence) => say("silent for too long: ending it"),
        ChildEvent::TimedOut(Limit::Time) => say("took too long: ending it"),
        ChildEvent::Started(_) | ChildEvent::Tick(_) | ChildEvent::Interrupted => {}
    });
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    say(&format!("error: {error}"));
    let code = match error {
        RankError::Arguments(_) | RankError::NoRank { .. } => exit::ExitCode::Usage,
        RankError::Write { .. } => exit::ExitCode::NotWritten,
        _ => exit::ExitCode::ProfilerFailed,
    };
    ExitCode::from(code.number())
}

fn say(text: &str) {
    pass(&mut io::stderr().lock(), format!("rangescope rank-exec: {}\n", visible(text)).as_bytes());
}

/// A launcher that does not listen any more is no reason to end a rank.
fn pass(out: &mut dyn Write, bytes: &[u8]) {
    let _ = out.write_all(bytes);
    let _ = out.flush();
}
