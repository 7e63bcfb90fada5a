//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;

use crate::scenario::Scenario;

/// A small residual network with NVTX ranges, to try profilers on.
#[derive(Clone, Debug, Parser)]
#[command(name = "dummy_shallow_resnet", version)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a command line are independent of each other"
)]
pub struct Args {
    /// Images in a batch
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = size(1024))]
    pub(crate) batch: u32,
    /// Height and width of an image
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = size(2048))]
    pub(crate) size: u32,
    /// Channels of the blocks
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = size(1024))]
    pub(crate) channels: u32,
    /// Residual blocks
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = size(64))]
    pub(crate) blocks: u32,
    /// Classes that the head tells apart
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = size(4096))]
    pub(crate) classes: u32,
    /// How numbers are stored
    #[arg(long, value_enum, default_value_t = Dtype::Float32)]
    pub(crate) dtype: Dtype,
    /// Where to compute: auto, cpu, cuda, cuda:N, sim, sim:N
    ///
    /// `cuda` without a usable GPU computes on the CPU and says so. `sim` computes on the CPU and announces every kernel that a GPU would run. With several ranks on a host, each takes the next device.
    #[arg(long, default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Fail where the device that was asked for cannot be used
    #[arg(long)]
    pub(crate) require_device: bool,
    /// How often the scenario is repeated
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = size(1_000_000))]
    pub(crate) repeats: u32,
    /// Passes before the first range is opened
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) warmup: u32,
    /// Seed of weights and images
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Which ranges are opened around what
    #[arg(long, value_enum, hide_possible_values = true, default_value_t = Scenario::Resnet)]
    pub(crate) scenario: Scenario,
    /// List the scenarios
    #[arg(long)]
    pub(crate) list_scenarios: bool,
    /// Processes of the scenario `processes`, unless a launcher started several
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = size(256))]
    pub(crate) ranks: u32,
    /// Print the result as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// NVRTC's library, if it is not where libraries are
    #[arg(long, value_name = "PATH")]
    pub(crate) nvrtc: Option<PathBuf>,
    /// Compile the kernels for an architecture such as `compute_80` and print PTX
    #[arg(long, value_name = "ARCH", hide = true)]
    pub(crate) compile_ptx: Option<String>,
    /// Print the names of all kernels
    #[arg(long, hide = true)]
    pub(crate) list_kernels: bool,
}

fn size(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

/// The number format in memory. Arithmetic is always in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Dtype {
    /// Single precision.
    #[value(alias = "fp32", alias = "float")]
    Float32,
    /// Half precision.
    #[value(alias = "fp16", alias = "half")]
    Float16,
}

impl Dtype {
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Float32 => 4,
            Self::Float16 => 2,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Float16 => "float16",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    /// A GPU if there is one, else the CPU.
    Auto,
    Cpu,
    Cuda(u32),
    /// The CPU, announced as the simulated device of this number.
    Sim(u32),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is none of auto, cpu, cuda, cuda:N, sim, sim:N");
        let (kind, number) = match text.split_once(':') {
            Some((kind, number)) => (kind, Some(number.parse::<u8>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        match (kind, number) {
            ("auto", None) => Ok(Self::Auto),
            ("cpu", None) => Ok(Self::Cpu),
            ("cuda", number) => Ok(Self::Cuda(number.unwrap_or(0).into())),
            ("sim", number) => Ok(Self::Sim(number.unwrap_or(0).into())),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read() {
        for (text, choice) in [
            ("auto", DeviceChoice::Auto),
            ("cpu", DeviceChoice::Cpu),
            ("cuda", DeviceChoice::Cuda(0)),
            ("cuda:3", DeviceChoice::Cuda(3)),
            ("sim:12", DeviceChoice::Sim(12)),
        ] {
            assert_eq!(text.parse(), Ok(choice));
        }
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0", "sim:0:1", "cuda:300"] {
            assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }
}
