//! Ending a child whose parent was killed.
//!
//! Nothing can be done any more by a process that is killed. So a small process stands beside each child and waits for one of two things: a word that all is over, or the end of the
//! pipe that it reads, which the system closes with the parent. Then it ends the child's group. That is its own: it leads the group before there is a child, so that there is no moment
//! in which a child has nobody who knows of it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::{getpgrp, getpid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::group::Group;

/// From the request to end until the group is killed, and from there until it is given up.
const GRACE: Duration = Duration::from_secs(10);
const LAST_WAIT: Duration = Duration::from_secs(2);
const SETTLED: Duration = Duration::from_millis(100);

static SUPERVISOR: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how a process that calls [`supervise`] is started. Without it children are not supervised.
pub fn supervise_with(argv: Vec<OsString>) {
    // The first word counts; there is only one program to be.
    let _ = SUPERVISOR.set(argv);
}

/// The other side: waits for the end of the parent and then ends everybody else in its group.
pub fn supervise() {
    // What the group is asked to do is meant for the others. Without a handler it ends here, as it would have without a supervisor.
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    let group = Group::led_by(std::process::id());
    let all_is_over = io::stdin().lock().read_exact(&mut [0]).is_ok();
    if all_is_over || getpgrp() != getpid() {
        return;
    }
    // A child that was just being made joins the group in a moment.
    std::thread::sleep(SETTLED);
    group.ask_to_end();
    let asked = Instant::now();
    while group.lives() && asked.elapsed() < GRACE + LAST_WAIT {
        if asked.elapsed() >= GRACE {
            group.send(Signal::SIGKILL);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The process beside a child.
#[derive(Debug)]
pub(super) struct Supervisor(Child);

impl Supervisor {
    /// `None` where it cannot be had: a child without one is better than none.
    pub(super) fn start() -> Option<Self> {
        let (program, arguments) = SUPERVISOR.get()?.split_first()?;
        #[expect(clippy::disallowed_methods, reason = "children of this module start here")]
        let mut command = Command::new(program);
        command.args(arguments).process_group(0).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok().map(Self)
    }

    /// The group that the child is to be started in.
    pub(super) fn group(&self) -> u32 {
        self.0.id()
    }

    /// Nothing is left of the child.
    pub(super) fn dismiss(mut self) {
        if let Some(pipe) = &mut self.0.stdin {
            // One that is gone cannot help any more.
            let _ = pipe.write_all(b".");
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        // It ends with the pipe, and is waited for so that nothing of it stays.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
