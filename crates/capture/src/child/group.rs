//! A child's process group: the child and whatever it starts, unless that leaves on purpose.
//!
//! It is the group of the process that supervises the child, so that the child is in it from its first moment. That process is in the group and no part of what is watched.

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    leader: Option<Pid>,
    leader_counts: bool,
}

impl Group {
    /// The child leads its group, so that both have one number.
    pub(super) fn of(child: u32) -> Self {
        Self { leader: i32::try_from(child).ok().map(Pid::from_raw), leader_counts: true }
    }

    /// Of everybody but the supervisor that leads it.
    pub(super) fn led_by(supervisor: u32) -> Self {
        Self { leader_counts: false, ..Self::of(supervisor) }
    }

    /// Sends a signal to all members; it is no mistake if none is left.
    pub(super) fn send(self, signal: Signal) {
        if let Some(group) = self.leader {
            let _ = killpg(group, signal);
        }
    }

    /// Asks all members to end. A stopped process cannot end before it is continued.
    pub(super) fn ask_to_end(self) {
        self.send(Signal::SIGTERM);
        self.send(Signal::SIGCONT);
    }

    pub(super) fn lives(self) -> bool {
        self.leader.is_some_and(|group| {
            !matches!(killpg(group, None), Err(Errno::ESRCH)) && self.has_living_member(group)
        })
    }

    /// A member that has ended stays listed until its parent asks how it ended, which in a container may be never. The process list tells it from the living.
    fn has_living_member(self, group: Pid) -> bool {
        let Ok(processes) = fs_err::read_dir("/proc") else { return true };
        processes.filter_map(Result::ok).any(|process| {
            let number = process.file_name().to_string_lossy().parse::<i32>();
            let Ok(number) = number else { return false };
            if !self.leader_counts && number == group.as_raw() {
                return false;
            }
            let Ok(stat) = fs_err::read(process.path().join("stat")) else { return false };
            let stat = String::from_utf8_lossy(&stat);
            // The name stands in parentheses and may hold anything; the state and the numbers follow it.
            let Some((_, rest)) = stat.rsplit_once(')') else { return false };
            let mut fields = rest.split_whitespace();
            let state = fields.next();
            let member_of = fields.nth(1).and_then(|field| field.parse().ok());
            member_of == Some(group.as_raw()) && !matches!(state, Some("Z" | "X"))
        })
    }
}
