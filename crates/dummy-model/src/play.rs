//! Plays a list of actions: launches on a device, and ranges around them.
//!
//! The device is idle whenever a range opens or closes, so that a range holds exactly the kernels launched in it and a profiler can replay it.

use std::time::Duration;

use crate::device::Device;
use crate::error::ModelError;
use crate::nvtx::{self, Domain, RangeId};
use crate::scenario::{Action, DomainName};

pub(crate) fn play(
    actions: &[Action],
    repeats: u32,
    device: &mut dyn Device,
) -> Result<(), ModelError> {
    let mut ranges = Ranges::default();
    for action in (0..repeats).flat_map(|_| actions) {
        match action {
            Action::Launch(launch) => device.launch(launch)?,
            Action::Wait => wait_for_ever(),
            Action::Abort => std::process::abort(),
            range => {
                device.synchronise()?;
                ranges.act(range);
            }
        }
    }
    device.synchronise()
}

/// Known domains, and open start/end ranges.
#[derive(Default)]
struct Ranges {
    domains: Vec<(&'static str, Domain)>,
    begun: Vec<(&'static str, RangeId)>,
}

impl Ranges {
    fn act(&mut self, action: &Action) {
        match *action {
            Action::Push(domain, name) => self.domain(domain).push(name),
            Action::Pop(domain) => self.domain(domain).pop(),
            Action::Start(name) => self.begun.push((name, nvtx::start(name))),
            Action::End(name) => {
                if let Some(at) = self.begun.iter().rposition(|(begun, _)| *begun == name) {
                    nvtx::end(self.begun.remove(at).1);
                }
            }
            Action::Launch(_) | Action::Wait | Action::Abort => {}
        }
    }

    fn domain(&mut self, name: DomainName) -> Domain {
        let Some(name) = name else { return Domain::DEFAULT };
        if let Some((_, domain)) = self.domains.iter().find(|(known, _)| *known == name) {
            return *domain;
        }
        let domain = Domain::new(name);
        self.domains.push((name, domain));
        domain
    }
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}
