//! The model: its buffers, a forward pass, and a tour of all kernels.

mod network;
mod tour;

use crate::args::Args;
use crate::buffers::{BufferId, Buffers};
use crate::error::ModelError;
use crate::launch::{Launch, Shape};
use crate::random::Random;

pub(crate) use network::Layer;

/// Elements that the largest buffer may have: indices in the kernels are 32 bits wide.
const MOST_ELEMENTS: u64 = 1 << 28;
/// Blocks that a grid may have in y and z.
const MOST_BLOCKS: u64 = 65_535;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) batch: u32,
    pub(crate) side: u32,
    pub(crate) channels: u32,
    pub(crate) blocks: u32,
    pub(crate) classes: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) buffers: Buffers,
    /// A forward pass, layer by layer.
    pub(crate) forward: Vec<Layer>,
    /// Every kernel at least once.
    pub(crate) tour: Vec<Launch>,
    pub(crate) logits: BufferId,
    pub(crate) tour_result: BufferId,
}

impl Model {
    /// The same arguments always give the same model.
    pub(crate) fn new(args: &Args) -> Result<Self, ModelError> {
        let size = Size {
            batch: args.batch,
            side: args.size,
            channels: args.channels,
            blocks: args.blocks,
            classes: args.classes,
        };
        size.check()?;
        let mut buffers = Buffers::default();
        let mut random = Random::new(args.seed);
        let network = network::build(size, &mut buffers, &mut random);
        let tour = tour::build(size, network.images, &mut buffers, &mut random);
        Ok(Self {
            buffers,
            forward: network.layers,
            tour: tour.launches,
            logits: network.logits,
            tour_result: tour.result,
        })
    }

    /// The launches of a forward pass.
    pub(crate) fn pass(&self) -> impl Iterator<Item = &Launch> {
        self.forward.iter().filter_map(|layer| match layer {
            Layer::Launch(launch) => Some(launch),
            Layer::Open(_) | Layer::Close => None,
        })
    }
}

impl Size {
    /// Of a convolution that makes all channels from `in_channels`.
    fn planes(self, in_channels: u32) -> Shape {
        Shape::Planes {
            images: self.batch,
            in_channels,
            out_channels: self.channels,
            height: self.side,
            width: self.side,
        }
    }

    fn check(self) -> Result<(), ModelError> {
        let check = |what, factors: &[u32], limit| {
            let got = factors.iter().map(|&f| u64::from(f)).product();
            if got <= limit { Ok(()) } else { Err(ModelError::TooLarge { what, got, limit }) }
        };
        let Self { batch, side, channels, classes, .. } = self;
        let widest = channels.max(network::IMAGE_CHANNELS);
        check("elements of a layer", &[batch, widest, side, side], MOST_ELEMENTS)?;
        check("weights of a layer", &[widest, widest, 9], MOST_ELEMENTS)?;
        check("weights of the head", &[widest, classes], MOST_ELEMENTS)?;
        check("images times channels", &[batch, widest], MOST_BLOCKS)
    }
}
