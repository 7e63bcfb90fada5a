//! A GPU through CUDA's driver, with kernels compiled for it at run time.
//!
//! Context, code and memory are made before the first range, because a range that is replayed may hold nothing but launches and synchronisation.

mod compile;
mod driver;
mod functions;
mod nvrtc;

use std::ffi::CString;
use std::path::Path;

use half::f16;

use super::Device;
use crate::args::Dtype;
use crate::buffers::{BufferId, Buffers};
use crate::error::ModelError;
use crate::kernel::Kernel;
use crate::launch::{Argument, Launch};

pub(crate) use compile::ptx;
use driver::{Address, Context, Driver, Function, Parameter, Stream};

/// A GPU with the model's code on it.
pub(crate) struct Gpu {
    driver: Driver,
    number: u32,
    name: String,
    context: Context,
    functions: Vec<(Kernel, Function)>,
    dtype: Dtype,
}

impl Gpu {
    /// Opens the device of this number, modulo the number of devices, and compiles the kernels for it.
    pub(crate) fn open(
        number: u32,
        dtype: Dtype,
        nvrtc: Option<&Path>,
    ) -> Result<Self, ModelError> {
        let driver = Driver::load()?;
        let devices = driver.device_count()?;
        if devices == 0 {
            return Err(ModelError::NoDevice);
        }
        let number = number % devices;
        let device = driver.device(number)?;
        let name = driver.device_name(device)?;
        let code = compile::for_device(nvrtc, driver.capability(device)?, dtype)?;
        let context = driver.context(device)?;
        driver.make_current(context)?;
        let module = driver.load_module(&code.image)?;
        let function = |(kernel, entry): &(Kernel, CString)| {
            driver.function(module, entry).map(|function| (*kernel, function))
        };
        let functions = code.entries.iter().map(function).collect::<Result<_, _>>()?;
        Ok(Self { driver, number, name, context, functions, dtype })
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(crate) fn model_name(&self) -> &str {
        &self.name
    }

    /// Puts the buffers on the device, for the calling thread.
    pub(crate) fn device(
        &self,
        buffers: &Buffers,
        stream: u32,
    ) -> Result<Resident<'_>, ModelError> {
        self.driver.make_current(self.context)?;
        // The first thread uses the default stream, as the plainest of programs does.
        let stream = if stream == 0 { Stream::DEFAULT } else { self.driver.create_stream()? };
        let mut memory = Vec::new();
        for content in buffers.contents() {
            let bytes = encode(content, self.dtype);
            let address = self.driver.allocate(bytes.len())?;
            self.driver.copy_to_device(address, &bytes)?;
            memory.push((address, content.len()));
        }
        // A copy may still be on its way, and only the default stream would wait for it.
        self.driver.synchronise()?;
        Ok(Resident { gpu: self, memory, stream })
    }

    fn function(&self, kernel: Kernel) -> Option<Function> {
        self.functions.iter().find(|(known, _)| *known == kernel).map(|(_, function)| *function)
    }
}

/// A GPU with the model's buffers on it. The driver takes everything back when the process ends.
pub(crate) struct Resident<'a> {
    gpu: &'a Gpu,
    /// Address of each buffer, and its length in numbers.
    memory: Vec<(Address, usize)>,
    stream: Stream,
}

impl Device for Resident<'_> {
    fn launch(&mut self, launch: &Launch) -> Result<(), ModelError> {
        let function = self.gpu.function(launch.kernel).ok_or_else(|| ModelError::Compiler {
            call: "nvrtcGetLoweredName",
            message: format!("there is no code for {}", launch.kernel.name()),
        })?;
        let parameter = |argument: Argument| match argument {
            Argument::In(buffer) | Argument::Out(buffer) => {
                Parameter::Address(self.memory[buffer.index()].0)
            }
            Argument::Int(size) => Parameter::Int(size),
            Argument::Float(value) => Parameter::Float(value),
        };
        let parameters: Vec<Parameter> = launch.arguments().into_iter().map(parameter).collect();
        let (grid, block) = (launch.grid(), launch.block());
        self.gpu.driver.launch(function, grid, block, self.stream, &parameters)
    }

    fn synchronise(&mut self) -> Result<(), ModelError> {
        self.gpu.driver.synchronise()
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<f32>, ModelError> {
        let (address, count) = self.memory[buffer.index()];
        let mut bytes = vec![0; count * self.gpu.dtype.bytes() as usize];
        self.gpu.driver.copy_from_device(&mut bytes, address)?;
        Ok(decode(&bytes, self.gpu.dtype))
    }
}

/// Numbers as the device stores them.
fn encode(content: &[f32], dtype: Dtype) -> Vec<u8> {
    match dtype {
        Dtype::Float32 => content.iter().flat_map(|x| x.to_ne_bytes()).collect(),
        Dtype::Float16 => content.iter().flat_map(|&x| f16::from_f32(x).to_ne_bytes()).collect(),
    }
}

/// Numbers from how the device stores them.
fn decode(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    match dtype {
        Dtype::Float32 => {
            let number = |bytes: &[u8; 4]| f32::from_ne_bytes(*bytes);
            bytes.as_chunks().0.iter().map(number).collect()
        }
        Dtype::Float16 => {
            let number = |bytes: &[u8; 2]| f16::from_ne_bytes(*bytes).to_f32();
            bytes.as_chunks().0.iter().map(number).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were_stored() {
        let numbers = [1.0, -0.5, 1.0 / 3.0];
        assert_eq!(decode(&encode(&numbers, Dtype::Float32), Dtype::Float32), numbers);
        let halves = decode(&encode(&numbers, Dtype::Float16), Dtype::Float16);
        assert_eq!(halves, [1.0, -0.5, 0.333_251_95]);
    }
}
