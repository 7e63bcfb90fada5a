//! Watching a child until nothing of it is left: its output, its limits, and the signals that are passed on to it.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::group::Group;
use super::pump::Message;
use super::signals::InterruptGuard;
use super::{ChildEvent, ChildSpec, Limit};

const TICK: Duration = Duration::from_millis(50);
/// Once the child has closed its outputs.
const SHORT_TICK: Duration = Duration::from_millis(5);
/// For processes that were killed.
const LAST_WAIT: Duration = Duration::from_secs(2);
/// For processes that outlive the child to end by themselves.
const LINGER: Duration = Duration::from_secs(2);

pub(super) struct Watch<'s> {
    spec: &'s ChildSpec,
    group: Group,
    begun: Instant,
    last_output: Instant,
    asked_to_end: Option<Instant>,
    open_streams: usize,
    over: bool,
    pub(super) interrupted: Option<Signal>,
    pub(super) timed_out: Option<Limit>,
}

impl<'s> Watch<'s> {
    pub(super) fn new(spec: &'s ChildSpec, group: Group, begun: Instant, streams: usize) -> Self {
        Self {
            spec,
            group,
            begun,
            last_output: begun,
            asked_to_end: None,
            open_streams: streams,
            over: false,
            interrupted: None,
            timed_out: None,
        }
    }

    pub(super) fn until_exit(
        &mut self,
        child: &mut Child,
        receiver: &Receiver<Message>,
        guard: &InterruptGuard,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            self.pass_on_signals(guard, tell);
            // First what has arrived, then the limits: a process that was stopped for a while finds output waiting.
            self.listen(receiver, tell);
            self.keep_limits(tell);
            tell(ChildEvent::Tick(self.begun.elapsed()));
        }
    }

    /// Ends what the child has left behind. `true` if something did not end by itself.
    pub(super) fn until_nothing_is_left(
        &mut self,
        receiver: &Receiver<Message>,
        guard: &InterruptGuard,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> bool {
        let exited = Instant::now();
        let linger = if self.asked_to_end.is_some() { Duration::ZERO } else { LINGER };
        let mut asked: Option<Instant> = None;
        while self.group.lives() {
            self.pass_on_signals(guard, tell);
            match asked {
                None if exited.elapsed() >= linger => {
                    self.group.ask_to_end();
                    asked = Some(Instant::now());
                }
                // We cannot end what survives this.
                Some(asked) if asked.elapsed() >= self.spec.grace + LAST_WAIT => break,
                Some(asked) if asked.elapsed() >= self.spec.grace => {
                    self.group.send(Signal::SIGKILL);
                }
                _ => {}
            }
            self.listen(receiver, tell);
        }
        self.over = true;
        asked.is_some()
    }

    /// Takes what the readers still have in hand. They end within their waiting time, and the channel with them.
    pub(super) fn take_rest(
        &mut self,
        receiver: &Receiver<Message>,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) {
        while let Ok(message) = receiver.recv() {
            self.take(&message, tell);
        }
    }

    /// Takes what arrives within one tick, and no longer: a child that never stops printing has limits too.
    fn listen(&mut self, receiver: &Receiver<Message>, tell: &mut dyn FnMut(ChildEvent<'_>)) {
        // Without output to wait for, only the end of the child is of interest, and it should be seen soon.
        let until = Instant::now() + if self.open_streams > 0 { TICK } else { SHORT_TICK };
        let streams = self.open_streams;
        while self.open_streams == streams {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            match receiver.recv_timeout(left) {
                Ok(message) => self.take(&message, tell),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(left),
            }
        }
    }

    fn take(&mut self, message: &Message, tell: &mut dyn FnMut(ChildEvent<'_>)) {
        match message {
            Message::Output(stream, bytes) => {
                self.last_output = Instant::now();
                tell(ChildEvent::Output(*stream, bytes));
            }
            Message::Ended => self.open_streams = self.open_streams.saturating_sub(1),
        }
    }

    fn pass_on_signals(&mut self, guard: &InterruptGuard, tell: &mut dyn FnMut(ChildEvent<'_>)) {
        while let Some(signal) = guard.take() {
            if self.interrupted.is_some() {
                self.group.send(Signal::SIGKILL);
            } else {
                self.group.send(signal);
                self.group.send(Signal::SIGCONT);
                self.interrupted = Some(signal);
                self.asked_to_end.get_or_insert_with(Instant::now);
                tell(ChildEvent::Interrupted);
            }
        }
    }

    fn keep_limits(&mut self, tell: &mut dyn FnMut(ChildEvent<'_>)) {
        if let Some(asked) = self.asked_to_end {
            if asked.elapsed() >= self.spec.grace {
                self.group.send(Signal::SIGKILL);
            }
            return;
        }
        let is_over = |limit: Option<Duration>, since: Instant| {
            limit.is_some_and(|limit| since.elapsed() >= limit)
        };
        let limit = if is_over(self.spec.silence_limit, self.last_output) {
            Limit::Silence
        } else if is_over(self.spec.time_limit, self.begun) {
            Limit::Time
        } else {
            return;
        };
        self.timed_out = Some(limit);
        self.asked_to_end = Some(Instant::now());
        self.group.ask_to_end();
        tell(ChildEvent::TimedOut(limit));
    }
}

impl Drop for Watch<'_> {
    /// Whatever goes wrong here, a panic of the callback included, the child does not go on unwatched.
    fn drop(&mut self) {
        if !self.over {
            self.group.send(Signal::SIGKILL);
        }
    }
}
