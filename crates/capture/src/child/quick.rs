//! Short questions to other programs: run one, with nothing to read and a time limit, and take what it says.

use std::ffi::OsString;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::run::run_guarded;
use super::{ChildError, ChildEvent, ChildSpec, Interrupts, Outcome, Stdin, Stream};

/// No answer needs more than this.
const MOST_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct QuickOutput {
    pub outcome: Outcome,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program that should answer at once.
///
/// Users do not mean to interrupt a question: a signal ends it, and then has its usual effect on this process, or is left for whoever holds a guard.
pub fn quick(
    argv: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    limit: Duration,
) -> Result<QuickOutput, ChildError> {
    quick_with_room(argv, environment, limit, MOST_BYTES)
}

/// Like [`quick`], for a program that may say so many bytes.
pub fn quick_with_room(
    argv: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    limit: Duration,
    most: usize,
) -> Result<QuickOutput, ChildError> {
    let spec = ChildSpec {
        stdin: Stdin::Null,
        time_limit: Some(limit),
        grace: Duration::from_secs(1),
        environment,
        argv,
        ..ChildSpec::default()
    };
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let guard = Interrupts::guard().map_err(ChildError::Signals)?;
    let outcome = run_guarded(&spec, &guard, None, &mut |event| {
        if let ChildEvent::Output(stream, bytes) = event {
            let kept = match stream {
                Stream::Stdout => &mut stdout,
                Stream::Stderr => &mut stderr,
            };
            let room = most.saturating_sub(kept.len());
            kept.extend(bytes.iter().take(room));
        }
    })?;
    if let Some(signal) = outcome.interrupted.and_then(|signal| Signal::try_from(signal).ok()) {
        guard.put_back(signal);
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(QuickOutput { outcome, stdout: text(stdout), stderr: text(stderr) })
}

/// The beginning of what a program said, on one line.
pub(crate) fn beginning(said: &str) -> String {
    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    line.trim().chars().take(200).collect()
}
