#![expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "sizes are small, and the same operations in the same order give the same bits"
)]

use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// Runs one kernel on random inputs of these lengths and gives inputs and output.
fn run(
    kernel: Kernel,
    lengths: &[usize],
    outputs: usize,
    shape: Shape,
) -> (Vec<Vec<f32>>, Vec<f32>) {
    let mut random = Random::new(3);
    let mut buffers = Buffers::default();
    let reads: Vec<BufferId> =
        lengths.iter().map(|&n| buffers.filled(random.vector(n, 2.0))).collect();
    let write = buffers.zeros(outputs);
    let mut cpu = Cpu::new(&buffers, Dtype::Float32);
    let value = (kernel == Kernel::Fill).then_some(2.5);
    cpu.launch(&Launch { kernel, reads: reads.clone(), write, shape, value }).unwrap();
    (reads.iter().map(|&read| cpu.read(read).unwrap()).collect(), cpu.read(write).unwrap())
}

proptest! {
    #[test]
    fn a_convolution_is_its_definition(
        images in 1..3usize, inputs in 1..4usize, outputs in 1..4usize,
        height in 1..7usize, width in 1..7usize, large: bool, relu: bool,
    ) {
        let size = if large { 3 } else { 1 };
        let shape = Shape::Planes {
            images: images as u32, in_channels: inputs as u32, out_channels: outputs as u32,
            height: height as u32, width: width as u32,
        };
        let lengths = [images * inputs * height * width, outputs * inputs * size * size, outputs];
        let count = images * outputs * height * width;
        let kernel = Kernel::Convolution { size: size as u32, relu };
        let (from, result) = run(kernel, &lengths, count, shape);
        let mut expected = Vec::new();
        for image in 0..images { for channel in 0..outputs { for y in 0..height { for x in 0..width {
            let mut sum = from[2][channel];
            for c in 0..inputs { for i in 0..size { for j in 0..size {
                let (Some(row), Some(column)) = ((y + i).checked_sub(size / 2), (x + j).checked_sub(size / 2)) else { continue };
                if row < height && column < width {
                    sum += from[0][((image * inputs + c) * height + row) * width + column]
                        * from[1][((channel * inputs + c) * size + i) * size + j];
                }
            }}}
            expected.push(if relu && sum <= 0.0 { 0.0 } else { sum });
        }}}}
        prop_assert_eq!(result, expected);
    }

    #[test]
    fn a_product_is_its_definition(rows in 1..5usize, columns in 1..5usize, inner in 1..5usize, transposed: bool) {
        let shape = Shape::Product { rows: rows as u32, columns: columns as u32, inner: inner as u32 };
        let lengths = [rows * inner, inner * columns, columns];
        let (from, result) = run(Kernel::Product { transposed }, &lengths, rows * columns, shape);
        for row in 0..rows { for column in 0..columns {
            let mut sum = from[2][column];
            for k in 0..inner {
                let right = if transposed { from[1][column * inner + k] } else { from[1][k * columns + column] };
                sum += from[0][row * inner + k] * right;
            }
            prop_assert_eq!(result[row * columns + column], sum);
        }}
    }
}

#[test]
fn rows_are_reduced() {
    let shape = Shape::Rows { rows: 2, columns: 3 };
    let (from, means) = run(Kernel::MeanRows, &[6], 2, shape);
    assert_eq!(means[1], (from[0][3] + from[0][4] + from[0][5]) / 3.0);
    let (from, maxima) = run(Kernel::MaxRows, &[6], 2, shape);
    assert_eq!(maxima[0], from[0][0].max(from[0][1]).max(from[0][2]));
}

#[test]
fn copies_and_fills() {
    let (from, copy) = run(Kernel::Transpose, &[6], 6, Shape::Matrix { rows: 2, columns: 3 });
    assert_eq!(copy, [0, 3, 1, 4, 2, 5].map(|i| from[0][i]));
    let line = Shape::Line { count: 6 };
    let (from, copy) = run(Kernel::Copy, &[6], 6, line);
    assert_eq!(copy, from[0]);
    assert_eq!(run(Kernel::Fill, &[], 6, line).1, [2.5; 6]);
    assert_eq!(run(Kernel::Zero, &[], 6, line).1, [0.0; 6]);
}

#[test]
fn functions_of_elements() {
    let of = |map: Map| [-2.0, 0.0, 0.5, 4.0].map(|a| map.apply(a));
    assert_eq!(of(Map::Relu), [0.0, 0.0, 0.5, 4.0]);
    assert_eq!(of(Map::Abs), [2.0, 0.0, 0.5, 4.0]);
    assert_eq!(of(Map::Square), [4.0, 0.0, 0.25, 16.0]);
    assert_eq!(of(Map::Halve), [-1.0, 0.0, 0.25, 2.0]);
    assert_eq!(of(Map::Clamp), [-1.0, 0.0, 0.5, 1.0]);
    assert_eq!(of(Map::LeakyRelu), [-0.25, 0.0, 0.5, 4.0]);
    assert_eq!(of(Map::Softsign), [-2.0 / 3.0, 0.0, 1.0 / 3.0, 0.8]);
    assert_eq!(of(Map::HardSigmoid), [0.0, 0.5, 0.625, 1.0]);
    let both = Zip::ALL.map(|zip| zip.apply(1.0, -3.0));
    assert_eq!(both, [-2.0, 4.0, -3.0, 1.0, -3.0, 0.0]);
}

#[test]
fn half_precision_rounds_what_is_stored() {
    let mut buffers = Buffers::default();
    let from = buffers.filled(vec![1.0 / 3.0]);
    let to = buffers.zeros(1);
    let mut cpu = Cpu::new(&buffers, Dtype::Float16);
    assert_eq!(cpu.read(from).unwrap(), [0.333_251_95]);
    let kernel = Kernel::Map(Map::Square);
    let shape = Shape::Line { count: 1 };
    cpu.launch(&Launch { kernel, reads: vec![from], write: to, shape, value: None }).unwrap();
    assert_eq!(cpu.read(to).unwrap(), [0.111_083_984]);
}
