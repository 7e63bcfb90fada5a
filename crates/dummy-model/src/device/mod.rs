//! The devices that the model computes on: the CPU, a GPU, or the CPU as a simulated device.
//!
//! All of them run the same launches on the same buffers. A GPU that was asked for and cannot be used is replaced by the CPU, never silently.

mod cpu;
pub(crate) mod cuda;

use crate::announce::{self, Announcer};
use crate::args::{Args, DeviceChoice, Dtype};
use crate::buffers::{BufferId, Buffers};
use crate::error::ModelError;
use crate::launch::Launch;
use crate::rank::Rank;

pub(crate) use cpu::Cpu;

/// A device with the model's buffers on it.
pub(crate) trait Device {
    /// Runs a kernel, or lets it begin to run.
    fn launch(&mut self, launch: &Launch) -> Result<(), ModelError>;
    /// Waits until everything launched has run.
    fn synchronise(&mut self) -> Result<(), ModelError>;
    /// The content of a buffer.
    fn read(&mut self, buffer: BufferId) -> Result<Vec<f32>, ModelError>;
}

/// The chosen device, before it has the model's buffers.
pub(crate) enum Platform {
    Cpu,
    /// The CPU as the simulated device of this number.
    Sim(u32),
    Cuda(Box<cuda::Gpu>),
}

impl Platform {
    /// The platform that the arguments ask for, and a note if it is another one.
    pub(crate) fn choose(args: &Args, rank: Rank) -> Result<(Self, Option<String>), ModelError> {
        let (number, asked_for) = match args.device {
            DeviceChoice::Cpu => return Ok((Self::Cpu, None)),
            DeviceChoice::Sim(number) => {
                return Ok((Self::Sim(number.saturating_add(rank.local)), None));
            }
            DeviceChoice::Cuda(number) => (number, true),
            DeviceChoice::Auto => (0, false),
        };
        if announce::wanted() {
            return Ok((Self::Sim(number.saturating_add(rank.local)), None));
        }
        match cuda::Gpu::open(number.saturating_add(rank.local), args.dtype, args.nvrtc.as_deref())
        {
            Ok(gpu) => Ok((Self::Cuda(Box::new(gpu)), None)),
            Err(error) if args.require_device => Err(error),
            Err(error) => {
                let absent = matches!(error, ModelError::NoDevice | ModelError::Library { .. })
                    && !asked_for;
                let note = (!absent).then(|| format!("no GPU is used: {error}"));
                Ok((Self::Cpu, note))
            }
        }
    }

    /// Puts the buffers on the device. Launches go to the stream of this number.
    pub(crate) fn device<'a>(
        &'a self,
        buffers: &Buffers,
        dtype: Dtype,
        stream: u32,
    ) -> Result<Box<dyn Device + 'a>, ModelError> {
        Ok(match self {
            Self::Cpu => Box::new(Cpu::new(buffers, dtype)),
            Self::Sim(number) => Box::new(Simulated {
                cpu: Cpu::new(buffers, dtype),
                announcer: Announcer::new(*number, stream),
                dtype,
            }),
            Self::Cuda(gpu) => Box::new(gpu.device(buffers, stream)?),
        })
    }

    /// The name by which it can be asked for.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Cpu => "cpu".to_owned(),
            Self::Sim(number) => format!("sim:{number}"),
            Self::Cuda(gpu) => format!("cuda:{}", gpu.number()),
        }
    }

    /// A description that tells more than the name.
    pub(crate) fn description(&self) -> Option<&str> {
        match self {
            Self::Cpu => None,
            Self::Sim(_) => Some("simulated"),
            Self::Cuda(gpu) => Some(gpu.model_name()),
        }
    }
}

/// The CPU, with every kernel announced that a GPU would run.
struct Simulated {
    cpu: Cpu,
    announcer: Announcer,
    dtype: Dtype,
}

impl Device for Simulated {
    fn launch(&mut self, launch: &Launch) -> Result<(), ModelError> {
        self.announcer.announce(launch, self.dtype);
        self.cpu.launch(launch)
    }

    fn synchronise(&mut self) -> Result<(), ModelError> {
        self.cpu.synchronise()
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<f32>, ModelError> {
        self.cpu.read(buffer)
    }
}
