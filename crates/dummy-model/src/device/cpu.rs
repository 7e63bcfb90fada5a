//! The reference implementation of every kernel, written to be read. Sums are in the order of the GPU's threads.

use half::f16;

use super::Device;
use crate::args::Dtype;
use crate::buffers::{BufferId, Buffers};
use crate::error::ModelError;
use crate::kernel::{Kernel, Map, Zip};
use crate::launch::{Launch, Shape};

/// Buffers in the memory of this process.
pub(crate) struct Cpu {
    memory: Vec<Vec<f32>>,
    dtype: Dtype,
}

impl Cpu {
    pub(crate) fn new(buffers: &Buffers, dtype: Dtype) -> Self {
        let mut memory = buffers.contents().to_vec();
        for content in &mut memory {
            store(content, dtype);
        }
        Self { memory, dtype }
    }
}

impl Device for Cpu {
    fn launch(&mut self, launch: &Launch) -> Result<(), ModelError> {
        let mut output = std::mem::take(&mut self.memory[launch.write.index()]);
        let inputs: Vec<&[f32]> =
            launch.reads.iter().map(|read| self.memory[read.index()].as_slice()).collect();
        compute(launch, &inputs, &mut output);
        store(&mut output, self.dtype);
        self.memory[launch.write.index()] = output;
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), ModelError> {
        Ok(())
    }

    fn read(&mut self, buffer: BufferId) -> Result<Vec<f32>, ModelError> {
        Ok(self.memory[buffer.index()].clone())
    }
}

/// Rounds numbers to the format that they are stored in.
fn store(content: &mut [f32], dtype: Dtype) {
    if dtype == Dtype::Float16 {
        for value in content {
            *value = f16::from_f32(*value).to_f32();
        }
    }
}

/// Runs a kernel. Kernel and shape always fit together, because the model makes all launches.
fn compute(launch: &Launch, inputs: &[&[f32]], output: &mut [f32]) {
    match (launch.kernel, inputs, launch.shape) {
        (
            Kernel::Convolution { size, relu },
            [input, weight, bias],
            Shape::Planes { in_channels, out_channels, height, width, .. },
        ) => {
            let sizes = [size, in_channels, out_channels, height, width].map(|n| n as usize);
            convolve(sizes, input, weight, bias, output);
            if relu {
                for value in output {
                    *value = larger(*value, 0.0);
                }
            }
        }
        (
            Kernel::Product { transposed },
            [left, right, bias],
            Shape::Product { columns, inner, .. },
        ) => multiply([columns, inner].map(|n| n as usize), transposed, left, right, bias, output),
        (Kernel::MeanRows, [input], Shape::Rows { columns, .. }) => {
            let rows = input.chunks_exact(columns as usize);
            let mean = |row: &[f32]| row.iter().fold(0.0, |sum, x| sum + x) / columns as f32;
            output.iter_mut().zip(rows).for_each(|(out, row)| *out = mean(row));
        }
        (Kernel::MaxRows, [input], Shape::Rows { columns, .. }) => {
            let rows = input.chunks_exact(columns as usize);
            let most = |row: &[f32]| row.iter().copied().reduce(larger).unwrap_or(0.0);
            output.iter_mut().zip(rows).for_each(|(out, row)| *out = most(row));
        }
        (Kernel::Transpose, [input], Shape::Matrix { rows, columns }) => {
            let [rows, columns] = [rows, columns].map(|n| n as usize);
            for row in 0..rows {
                for column in 0..columns {
                    output[column * rows + row] = input[row * columns + column];
                }
            }
        }
        (Kernel::Copy, [input], _) => output.copy_from_slice(input),
        (Kernel::Zero, [], _) => output.fill(0.0),
        (Kernel::Fill, [], _) => output.fill(launch.value.unwrap_or(0.0)),
        (Kernel::Map(map), [input], _) => {
            output.iter_mut().zip(*input).for_each(|(out, &a)| *out = map.apply(a));
        }
        (Kernel::Zip(zip), [first, second], _) => {
            let pairs = first.iter().zip(*second);
            output.iter_mut().zip(pairs).for_each(|(out, (&a, &b))| *out = zip.apply(a, b));
        }
        _ => {}
    }
}

fn convolve(
    [size, in_channels, out_channels, height, width]: [usize; 5],
    input: &[f32],
    weight: &[f32],
    bias: &[f32],
    output: &mut [f32],
) {
    let plane = height * width;
    let filters = in_channels * size * size;
    let images = input.chunks_exact(in_channels * plane);
    for (image, results) in images.zip(output.chunks_exact_mut(out_channels * plane)) {
        for (channel, result) in results.chunks_exact_mut(plane).enumerate() {
            result.fill(bias[channel]);
            let filters = &weight[channel * filters..][..filters];
            for (from, filter) in image.chunks_exact(plane).zip(filters.chunks_exact(size * size)) {
                for (tap, &factor) in filter.iter().enumerate() {
                    add_shifted(result, from, width, [tap / size, tap % size], size / 2, factor);
                }
            }
        }
    }
}

/// Adds a plane times a factor, moved by `tap - margin` rows and columns; beyond its edges it is zero.
fn add_shifted(
    result: &mut [f32],
    from: &[f32],
    width: usize,
    tap: [usize; 2],
    margin: usize,
    factor: f32,
) {
    let height = result.len() / width;
    let inside =
        |tap: usize, extent: usize| margin.saturating_sub(tap)..(extent + margin - tap).min(extent);
    let columns = inside(tap[1], width);
    for row in inside(tap[0], height) {
        let first = (row + tap[0] - margin) * width + columns.start + tap[1] - margin;
        let source = &from[first..first + columns.len()];
        let target = &mut result[row * width..][columns.clone()];
        target.iter_mut().zip(source).for_each(|(sum, x)| *sum += x * factor);
    }
}

fn multiply(
    [columns, inner]: [usize; 2],
    transposed: bool,
    left: &[f32],
    right: &[f32],
    bias: &[f32],
    output: &mut [f32],
) {
    for (row, results) in left.chunks_exact(inner).zip(output.chunks_exact_mut(columns)) {
        for (column, result) in results.iter_mut().enumerate() {
            let at = |k| if transposed { column * inner + k } else { k * columns + column };
            *result =
                row.iter().enumerate().fold(bias[column], |sum, (k, x)| sum + x * right[at(k)]);
        }
    }
}

fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

impl Map {
    fn apply(self, a: f32) -> f32 {
        match self {
            Self::Relu => larger(a, 0.0),
            Self::Abs => a.abs(),
            Self::Square => a * a,
            Self::Halve => 0.5 * a,
            Self::Clamp => larger(-1.0, smaller(a, 1.0)),
            Self::LeakyRelu => {
                if a < 0.0 {
                    0.125 * a
                } else {
                    a
                }
            }
            Self::Softsign => a / (1.0 + a.abs()),
            Self::HardSigmoid => larger(0.0, smaller(0.25 * a + 0.5, 1.0)),
        }
    }
}

impl Zip {
    fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Max => larger(a, b),
            Self::Min => smaller(a, b),
            Self::AddRelu => larger(a + b, 0.0),
        }
    }
}

#[cfg(test)]
mod tests;
