//! The session record: versions, devices, command line, settings. Its pieces are spread over the block headers and merged here.

use crate::model::Text;
use crate::wire::{Fields, Wire};

/// What the file says about the session that made it. Anything may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session<'a> {
    /// In old files, which name no process with a block.
    pub pid: Option<u32>,
    /// Unix time in seconds.
    pub created: Option<u64>,
    /// The machine that ncu ran on.
    pub host: Option<System<'a>>,
    /// The machine that the program ran on.
    pub target: Option<System<'a>>,
    pub properties: Vec<(Text<'a>, Text<'a>)>,
    pub devices: Vec<Device<'a>>,
    pub comments: Text<'a>,
    /// Versions by provider, for example `Nsight Compute Target`.
    pub versions: Vec<(Text<'a>, Text<'a>)>,
    pub executable: Option<Executable<'a>>,
    pub settings: Option<ProfilerSettings<'a>>,
    /// ncu's own command line.
    pub command_line: Text<'a>,
    /// Made from several files.
    pub merged: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct System<'a> {
    pub os: Text<'a>,
    pub build: Text<'a>,
    pub cpu: Text<'a>,
    pub architecture: Text<'a>,
    pub host_name: Text<'a>,
    /// 1 Windows, 2 Linux, 5 QNX.
    pub platform: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device<'a> {
    pub id: u32,
    pub name: Text<'a>,
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executable<'a> {
    pub path: Text<'a>,
    pub working_dir: Text<'a>,
    pub arguments: Text<'a>,
    pub environment: Text<'a>,
}

/// The numbers are those of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfilerSettings<'a> {
    pub nvtx: bool,
    pub kernel_name: Text<'a>,
    pub kernel_name_base: u32,
    pub kernel_id: Text<'a>,
    pub launch_skip: u64,
    pub launch_count: u64,
    pub apply_rules: bool,
    pub metrics: Text<'a>,
    pub sections: Text<'a>,
    pub clock_control: u32,
    pub replay_mode: u32,
    pub unknown_fields: u64,
}

impl<'a> Session<'a> {
    pub fn version(&self, provider: &str) -> Option<&str> {
        self.versions.iter().rev().find(|(name, _)| name == provider).map(|(_, version)| &**version)
    }

    /// The version of the ncu that made the file.
    pub fn ncu_version(&self) -> Option<&str> {
        self.version("Nsight Compute Target")
    }

    /// Merges one piece: repeated parts are appended, single ones replaced.
    pub(crate) fn merge(&mut self, piece: &'a [u8]) {
        for (number, content) in Fields::new(piece) {
            match number {
                1 => self.pid = Some(content.number32()),
                2 => self.created = Some(content.number()),
                3 => self.host.get_or_insert_default().merge(content.message()),
                4 => self.target.get_or_insert_default().merge(content.message()),
                5 => self
                    .properties
                    .extend(content.message().repeated(1).map(|pair| pair.pair(Wire::text))),
                6 => self.devices.push(device(content.message())),
                7 => self.comments = content.text(),
                8 => self.versions.push(content.message().pair(Wire::text)),
                9 => self.executable.get_or_insert_default().merge(content.message()),
                10 => self.settings.get_or_insert_default().merge(content.message()),
                11 => self.command_line = content.text(),
                12 => self.merged = content.number() != 0,
                _ => {}
            }
        }
    }
}

impl<'a> System<'a> {
    fn merge(&mut self, fields: Fields<'a>) {
        for (number, content) in fields {
            match number {
                1 => self.os = content.text(),
                2 => self.build = content.text(),
                3 => self.cpu = content.text(),
                4 => self.architecture = content.text(),
                5 => self.host_name = content.text(),
                6 => self.platform = content.number32(),
                _ => {}
            }
        }
    }
}

impl<'a> Executable<'a> {
    fn merge(&mut self, fields: Fields<'a>) {
        for (number, content) in fields {
            match number {
                1 => self.path = content.text(),
                2 => self.working_dir = content.text(),
                3 => self.arguments = content.text(),
                4 => self.environment = content.text(),
                _ => {}
            }
        }
    }
}

impl<'a> ProfilerSettings<'a> {
    fn merge(&mut self, fields: Fields<'a>) {
        for (number, content) in fields {
            match number {
                1 => self.nvtx = content.number() != 0,
                5 => {
                    for (number, content) in content.message() {
                        match number {
                            1 => self.kernel_name = content.text(),
                            2 => self.kernel_name_base = content.number32(),
                            3 => self.kernel_id = content.text(),
                            4 => self.launch_skip = content.number(),
                            6 => self.launch_count = content.number(),
                            _ => {}
                        }
                    }
                }
                6 => {
                    for (number, content) in content.message() {
                        match number {
                            1 => self.apply_rules = content.number() != 0,
                            2 => self.metrics = content.text(),
                            _ => {}
                        }
                    }
                }
                7 => self.sections = content.text(),
                8 => self.clock_control = content.number32(),
                11 => self.replay_mode = content.number32(),
                2..=4 | 9 | 10 | 12..=16 => {}
                _ => self.unknown_fields += 1,
            }
        }
    }
}

fn device(fields: Fields<'_>) -> Device<'_> {
    fields.fill(Device::default(), |device, number, content| match number {
        1 => device.id = content.number32(),
        2 => device.name = content.text(),
        3 => device.attributes.push(content.message().pair(Wire::text)),
        _ => {}
    })
}
