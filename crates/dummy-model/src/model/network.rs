//! The shallow residual network: stem, blocks of two convolutions with a shortcut, head.

use super::Size;
use crate::buffers::{BufferId, Buffers};
use crate::kernel::{Kernel, Zip};
use crate::launch::{Launch, Shape};
use crate::random::Random;

pub(super) const IMAGE_CHANNELS: u32 = 3;

#[derive(Clone, Debug)]
pub(crate) enum Layer {
    Open(&'static str),
    Launch(Launch),
    Close,
}

pub(super) struct Network {
    pub(super) layers: Vec<Layer>,
    pub(super) images: BufferId,
    pub(super) logits: BufferId,
}

pub(super) fn build(size: Size, buffers: &mut Buffers, random: &mut Random) -> Network {
    let Size { batch, side, channels, classes, .. } = size;
    let elements = |channels: u32| batch as usize * channels as usize * (side * side) as usize;
    let images = buffers.filled(random.vector(elements(IMAGE_CHANNELS), 1.0));
    let mut activations = || buffers.zeros(elements(channels));
    // The input of a block, its two convolutions, its output; the output is the next block's input.
    let (mut input, middle, branch, mut output) =
        (activations(), activations(), activations(), activations());
    let pooled = buffers.zeros(batch as usize * channels as usize);
    let logits = buffers.zeros(batch as usize * classes as usize);

    let mut convolution = |from, to, in_channels, relu| {
        let weights = weights(buffers, random, in_channels * 9, channels);
        let shape = size.planes(in_channels);
        let kernel = Kernel::Convolution { size: 3, relu };
        let reads = vec![from, weights.0, weights.1];
        Layer::Launch(Launch { kernel, reads, write: to, shape, value: None })
    };
    let mut layers =
        vec![Layer::Open("stem"), convolution(images, input, IMAGE_CHANNELS, true), Layer::Close];
    for _ in 0..size.blocks {
        layers.extend([
            Layer::Open("residual"),
            Layer::Open("block.conv1"),
            convolution(input, middle, channels, true),
            Layer::Close,
            Layer::Open("block.conv2"),
            convolution(middle, branch, channels, false),
            Layer::Close,
            Layer::Launch(Launch {
                kernel: Kernel::Zip(Zip::AddRelu),
                reads: vec![input, branch],
                write: output,
                shape: Shape::Line { count: batch * channels * side * side },
                value: None,
            }),
            Layer::Close,
        ]);
        std::mem::swap(&mut input, &mut output);
    }
    let (weight, bias) = weights(buffers, random, channels, classes);
    layers.extend([
        Layer::Open("head"),
        Layer::Launch(Launch {
            kernel: Kernel::MeanRows,
            reads: vec![input],
            write: pooled,
            shape: Shape::Rows { rows: batch * channels, columns: side * side },
            value: None,
        }),
        Layer::Launch(Launch {
            kernel: Kernel::Product { transposed: true },
            reads: vec![pooled, weight, bias],
            write: logits,
            shape: Shape::Product { rows: batch, columns: classes, inner: channels },
            value: None,
        }),
        Layer::Close,
    ]);
    Network { layers, images, logits }
}

/// Weights and biases of `outputs` sums over `inputs` products, scaled so that activations keep their size.
pub(super) fn weights(
    buffers: &mut Buffers,
    random: &mut Random,
    inputs: u32,
    outputs: u32,
) -> (BufferId, BufferId) {
    let scale = (3.0 / inputs as f32).sqrt();
    let weight = random.vector(inputs as usize * outputs as usize, scale);
    let bias = random.vector(outputs as usize, 0.1);
    (buffers.filled(weight), buffers.filled(bias))
}
