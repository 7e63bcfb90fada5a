//! Interrupts that arrive while a child runs.
//!
//! The handlers are installed once and stay; while nobody holds a guard a signal does what it always does and ends the process. A signal that arrives under a guard and that
//! nobody takes is not lost either: it has its usual effect when the last guard goes. Signals that come close together count as one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nix::sys::signal::{Signal, raise};
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

/// Signals that are caught, and what each is passed on as.
const CAUGHT: [(i32, Signal); 4] = [
    (SIGINT, Signal::SIGINT),
    (SIGTERM, Signal::SIGTERM),
    (SIGHUP, Signal::SIGHUP),
    (SIGQUIT, Signal::SIGQUIT),
];

/// From now on a file that grows beyond the limit of the shell is an error of the write and not the silent end of this process.
pub fn outlive_file_limit() {
    // A handler and not "ignore", which every child would inherit. Without it all is as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// From now on a failed allocation, about which the standard library says a word before it aborts, ends this process with a code and not with a core dump.
pub fn exit_without_memory(code: u8) {
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, code.into(), always);
}

#[derive(Debug)]
pub struct Interrupts {
    /// While set, a signal ends the process as usual.
    idle: Arc<AtomicBool>,
    guards: Mutex<usize>,
    arrived: Vec<(Signal, Arc<AtomicBool>)>,
}

/// While it lives, interrupts are collected instead of ending the process.
#[derive(Debug)]
pub struct InterruptGuard {
    interrupts: &'static Interrupts,
}

impl Interrupts {
    /// Installs the handlers when called for the first time.
    pub fn guard() -> io::Result<InterruptGuard> {
        static INSTALLED: OnceLock<Interrupts> = OnceLock::new();
        static INSTALLING: Mutex<()> = Mutex::new(());
        let interrupts = match INSTALLED.get() {
            Some(interrupts) => interrupts,
            None => {
                let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
                match INSTALLED.get() {
                    Some(interrupts) => interrupts,
                    None => {
                        let installed = Self::install()?;
                        INSTALLED.get_or_init(|| installed)
                    }
                }
            }
        };
        *interrupts.guards() += 1;
        interrupts.idle.store(false, Ordering::SeqCst);
        Ok(InterruptGuard { interrupts })
    }

    fn install() -> io::Result<Self> {
        let idle = Arc::new(AtomicBool::new(true));
        let mut arrived = Vec::with_capacity(CAUGHT.len());
        for (number, signal) in CAUGHT {
            // In this order: the first handler ends the process before the second is asked.
            signal_hook::flag::register_conditional_default(number, Arc::clone(&idle))?;
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, Arc::clone(&flag))?;
            arrived.push((signal, flag));
        }
        Ok(Self { idle, guards: Mutex::new(0), arrived })
    }

    fn guards(&self) -> MutexGuard<'_, usize> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Signal> {
        let mut arrived = self.arrived.iter();
        arrived.find(|(_, flag)| flag.swap(false, Ordering::SeqCst)).map(|(signal, _)| *signal)
    }
}

impl InterruptGuard {
    /// A signal that has arrived since the last call; it counts as seen.
    pub fn take(&self) -> Option<Signal> {
        self.interrupts.take()
    }

    pub(super) fn drain(&self) {
        while self.take().is_some() {}
    }

    /// Leaves a signal that was seen to whoever asks next.
    pub(super) fn put_back(&self, signal: Signal) {
        for (_, flag) in self.interrupts.arrived.iter().filter(|(known, _)| *known == signal) {
            flag.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        let mut guards = self.interrupts.guards();
        *guards -= 1;
        if *guards == 0 {
            self.interrupts.idle.store(true, Ordering::SeqCst);
            drop(guards);
            while let Some(signal) = self.interrupts.take() {
                // It ends the process; if it cannot be raised, nothing more can be done.
                let _ = raise(signal);
            }
        }
    }
}
