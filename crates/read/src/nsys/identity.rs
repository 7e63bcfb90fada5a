//! Who did something: nsys packs machine, process and thread into one number.

use serde::Serialize;

const THREAD_BITS: u32 = 24;
const FIELD: u64 = (1 << THREAD_BITS) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct GlobalThread(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct GlobalProcess(u64);

impl GlobalThread {
    /// The thread of an nsys `globalTid`.
    pub fn new(global_tid: i64) -> Self {
        Self(global_tid.cast_unsigned())
    }

    pub fn process(self) -> GlobalProcess {
        GlobalProcess(self.0 & !FIELD)
    }

    /// The number of its process in the operating system.
    pub fn pid(self) -> u64 {
        self.process().pid()
    }

    /// The number of the thread in the operating system.
    pub fn tid(self) -> u64 {
        self.0 & FIELD
    }
}

impl GlobalProcess {
    /// The process of an nsys `globalPid`.
    pub fn new(global_pid: i64) -> Self {
        GlobalThread::new(global_pid).process()
    }

    /// The number of the process in the operating system.
    pub fn pid(self) -> u64 {
        (self.0 >> THREAD_BITS) & FIELD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_apart() {
        let thread = GlobalThread::new((7 << 48) + (1234 << 24) + 1240);
        assert_eq!((thread.pid(), thread.tid()), (1234, 1240));
        assert_eq!(thread.process(), GlobalProcess::new((7 << 48) + (1234 << 24)));
        assert_ne!(thread.process(), GlobalProcess::new((8 << 48) + (1234 << 24)));
        assert_eq!(GlobalThread::new(-1).tid(), 0xff_ffff);
    }
}
