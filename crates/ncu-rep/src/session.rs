//! The session record: versions, devices, command line, settings. Its pieces are spread over the block headers and merged here.

use crate::model::Text;
use crate::wire::Fields;

/// What the file says about the session that made it. Everything may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session<'a> {
    /// Process id, in old files.
    pub pid: Option<u32>,
    /// Creation time, Unix seconds.
    pub created: Option<u64>,
    /// The machine that ncu ran on.
    pub host: Option<System<'a>>,
    /// The machine that the program ran on.
    pub target: Option<System<'a>>,
    /// Device properties as key and value.
    pub properties: Vec<(Text<'a>, Text<'a>)>,
    /// Devices with their attributes.
    pub devices: Vec<Device<'a>>,
    /// Comments.
    pub comments: Text<'a>,
    /// Versions by provider, for example `Nsight Compute Target`.
    pub versions: Vec<(Text<'a>, Text<'a>)>,
    /// The profiled program.
    pub executable: Option<Executable<'a>>,
    /// Settings of the profiler.
    pub settings: Option<ProfilerSettings<'a>>,
    /// ncu's own command line.
    pub command_line: Text<'a>,
    /// Whether the file was merged from several.
    pub merged: bool,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System<'a> {
    /// Operating system.
    pub os: Text<'a>,
    /// Its build.
    pub build: Text<'a>,
    /// Processor.
    pub cpu: Text<'a>,
    /// Architecture.
    pub architecture: Text<'a>,
    /// Host name.
    pub host_name: Text<'a>,
    /// Platform number: 1 Windows, 2 Linux, 5 QNX.
    pub platform: u32,
}

/// A device of the session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device<'a> {
    /// Index.
    pub id: u32,
    /// Name.
    pub name: Text<'a>,
    /// Attributes as name and value.
    pub attributes: Vec<(Text<'a>, Text<'a>)>,
}

/// The profiled program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executable<'a> {
    /// Path.
    pub path: Text<'a>,
    /// Working folder.
    pub working_dir: Text<'a>,
    /// Arguments.
    pub arguments: Text<'a>,
    /// Environment.
    pub environment: Text<'a>,
}

/// Settings of the profiler, as stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfilerSettings<'a> {
    /// Whether NVTX was collected.
    pub nvtx: bool,
    /// Kernel name filter.
    pub kernel_name: Text<'a>,
    /// Which name the filter was for.
    pub kernel_name_base: u32,
    /// Kernel id filter.
    pub kernel_id: Text<'a>,
    /// Launches skipped.
    pub launch_skip: u64,
    /// Launches taken.
    pub launch_count: u64,
    /// Whether rules were applied.
    pub apply_rules: bool,
    /// Metrics asked for.
    pub metrics: Text<'a>,
    /// Sections asked for.
    pub sections: Text<'a>,
    /// Clock control, as number.
    pub clock_control: u32,
    /// Replay mode, as number.
    pub replay_mode: u32,
    /// Fields that this reader does not know.
    pub unknown_fields: u64,
}

impl<'a> Session<'a> {
    /// The version of a provider.
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
                5 => self.properties.extend(
                    content
                        .message()
                        .filter(|(n, _)| *n == 1)
                        .map(|(_, pair)| text_pair(pair.message())),
                ),
                6 => self.devices.push(device(content.message())),
                7 => self.comments = content.text(),
                8 => self.versions.push(text_pair(content.message())),
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

/// A message of two texts, numbered 1 and 2.
fn text_pair(fields: Fields<'_>) -> (Text<'_>, Text<'_>) {
    let (mut first, mut second) = (Text::default(), Text::default());
    for (number, content) in fields {
        match number {
            1 => first = content.text(),
            2 => second = content.text(),
            _ => {}
        }
    }
    (first, second)
}

fn device(fields: Fields<'_>) -> Device<'_> {
    let mut device = Device::default();
    for (number, content) in fields {
        match number {
            1 => device.id = content.number32(),
            2 => device.name = content.text(),
            3 => device.attributes.push(text_pair(content.message())),
            _ => {}
        }
    }
    device
}
