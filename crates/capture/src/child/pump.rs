//! The threads that carry bytes between a child and the rest: its output to the logs and the callback, the terminal's input to it.
//!
//! Each waits with a time limit and looks at a flag in between, so that it can always be ended, even if some process keeps the other end open forever.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Stream;

/// Between two looks at the flag, in milliseconds.
const WAIT_MS: u8 = 100;
const CHUNK: usize = 16 * 1024;
/// A pipe holds less than this, but something may keep filling it.
const MOST_CHUNKS_AFTER_STOP: usize = 64;

pub(super) enum Message {
    Output(Stream, Vec<u8>),
    Ended,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    stop: Arc<AtomicBool>,
    log_problem: Arc<Mutex<Option<String>>>,
}

impl Shared {
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    pub(super) fn log_problem(&self) -> Option<String> {
        self.log_problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn note_log_problem(&self, problem: &io::Error) {
        let mut noted = self.log_problem.lock().unwrap_or_else(PoisonError::into_inner);
        noted.get_or_insert_with(|| problem.to_string());
    }
}

/// Reads an output of the child to its end.
///
/// When the log cannot be written any more, reading goes on: a full disk must not stop the program by filling its pipe.
pub(super) fn read_output(
    mut source: impl Read + AsFd + Send + 'static,
    stream: Stream,
    mut log: Option<fs_err::File>,
    sender: SyncSender<Message>,
    shared: Shared,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(move || {
        let mut buffer = vec![0; CHUNK];
        let mut chunks_left = MOST_CHUNKS_AFTER_STOP;
        while chunks_left > 0 {
            if shared.is_stopped() {
                chunks_left -= 1;
            }
            let read = match wait_readable(source.as_fd()) {
                Ok(true) => source.read(&mut buffer),
                Ok(false) if shared.is_stopped() => break,
                Ok(false) => continue,
                Err(_) => break,
            };
            let bytes = match read {
                Ok(0) => break,
                Ok(count) => buffer.get(..count).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            if let Some(file) = &mut log
                && let Err(problem) = file.write_all(bytes)
            {
                shared.note_log_problem(&problem);
                log = None;
            }
            if sender.send(Message::Output(stream, bytes.to_vec())).is_err() {
                break;
            }
        }
        // The other side may be gone already, and then nobody is listening.
        let _ = sender.send(Message::Ended);
    })
}

/// Carries what is typed on the terminal to the child.
///
/// A child in a group of its own may not read the terminal itself: the system would stop it. For the same reason nothing is read while this process is in the background.
pub(super) fn feed_terminal(
    mut target: impl Write + Send + 'static,
    shared: Shared,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(move || {
        let terminal = io::stdin();
        let mut buffer = vec![0; CHUNK];
        while !shared.is_stopped() {
            match wait_readable(terminal.as_fd()) {
                Ok(true) if in_foreground(terminal.as_fd()) => {}
                Ok(true) => {
                    thread::sleep(Duration::from_millis(WAIT_MS.into()));
                    continue;
                }
                Ok(false) => continue,
                Err(_) => break,
            }
            // Read past the buffer of `stdin`, of which `poll` knows nothing.
            match nix::unistd::read(terminal.as_fd(), &mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let typed = buffer.get(..count).unwrap_or_default();
                    if target.write_all(typed).and_then(|()| target.flush()).is_err() {
                        break;
                    }
                }
                Err(Errno::EINTR) => {}
                Err(_) => break,
            }
        }
    })
}

/// `false` after a short time without anything to read; the end counts as something.
fn wait_readable(file: BorrowedFd<'_>) -> nix::Result<bool> {
    let mut polled = [PollFd::new(file, PollFlags::POLLIN)];
    match poll(&mut polled, PollTimeout::from(WAIT_MS)) {
        Ok(count) => Ok(count > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error),
    }
}

fn in_foreground(terminal: BorrowedFd<'_>) -> bool {
    nix::unistd::tcgetpgrp(terminal).is_ok_and(|group| group == nix::unistd::getpgrp())
}

/// Waits for the thread that reads the terminal, but not forever: it may be stuck in a pipe that nobody reads and that a process outside the group keeps open.
pub(super) fn leave_to_end(typist: JoinHandle<()>) {
    for _ in 0..5 {
        if typist.is_finished() {
            // A thread that panicked has nothing left to deliver.
            let _ = typist.join();
            return;
        }
        thread::sleep(Duration::from_millis(WAIT_MS.into()));
    }
}

/// Both outputs can then be treated alike.
pub(super) fn into_file(end: impl Into<std::os::fd::OwnedFd>) -> File {
    File::from(end.into())
}
