//! A tour of every kernel there is: many different kernels in one region.

use super::Size;
use super::network::{IMAGE_CHANNELS, weights};
use crate::buffers::{BufferId, Buffers};
use crate::kernel::{Kernel, Map, Zip};
use crate::launch::{Launch, Shape};
use crate::random::Random;

pub(super) struct Tour {
    pub(super) launches: Vec<Launch>,
    pub(super) result: BufferId,
}

pub(super) fn build(
    size: Size,
    images: BufferId,
    buffers: &mut Buffers,
    random: &mut Random,
) -> Tour {
    let Size { batch, side, channels, classes, .. } = size;
    let (planes, pixels) = (batch * channels, side * side);
    let line = Shape::Line { count: planes * pixels };
    let mut activations = || buffers.zeros(planes as usize * pixels as usize);
    let (first, second, part) = (activations(), activations(), activations());
    let mut tour =
        Steps { launches: Vec::new(), part, sum: activations(), next: activations(), line };
    let [means, maxima, both] = [0; 3].map(|_| buffers.zeros(planes as usize));
    let [hidden, result] = [0; 2].map(|_| buffers.zeros(batch as usize * classes as usize));

    tour.step(Kernel::Zero, &[], tour.sum, line);
    tour.add(Kernel::Fill, &[]);
    for (from, taps, relu, to) in [
        (images, 3, true, part),
        (part, 1, false, first),
        (first, 3, false, second),
        (second, 1, true, part),
    ] {
        let in_channels = if from == images { IMAGE_CHANNELS } else { channels };
        let (weight, bias) = weights(buffers, random, in_channels * taps * taps, channels);
        let reads = [from, weight, bias];
        tour.step(Kernel::Convolution { size: taps, relu }, &reads, to, size.planes(in_channels));
    }
    tour.add_part();
    for map in Map::ALL {
        tour.add(Kernel::Map(map), &[first]);
    }
    for zip in Zip::ALL {
        tour.add(Kernel::Zip(zip), &[first, second]);
    }
    let matrix = Shape::Matrix { rows: planes, columns: pixels };
    tour.step(Kernel::Transpose, &[tour.sum], part, matrix);
    tour.step(Kernel::Copy, &[part], first, line);

    let rows = Shape::Rows { rows: planes, columns: pixels };
    tour.step(Kernel::MeanRows, &[first], means, rows);
    tour.step(Kernel::MaxRows, &[first], maxima, rows);
    let planes = Shape::Line { count: planes };
    tour.step(Kernel::Zip(Zip::Add), &[means, maxima], both, planes);
    for (transposed, from, inner, to) in
        [(true, both, channels, hidden), (false, hidden, classes, result)]
    {
        let (weight, bias) = weights(buffers, random, inner, classes);
        let shape = Shape::Product { rows: batch, columns: classes, inner };
        tour.step(Kernel::Product { transposed }, &[from, weight, bias], to, shape);
    }
    Tour { launches: tour.launches, result }
}

/// The steps so far. The output of every kernel is added to a sum, so that an error in any of them shows in the result.
struct Steps {
    launches: Vec<Launch>,
    part: BufferId,
    sum: BufferId,
    next: BufferId,
    line: Shape,
}

impl Steps {
    fn step(&mut self, kernel: Kernel, reads: &[BufferId], write: BufferId, shape: Shape) {
        let value = (kernel == Kernel::Fill).then_some(0.5);
        self.launches.push(Launch { kernel, reads: reads.to_vec(), write, shape, value });
    }

    /// Runs a kernel and adds its output to the sum.
    fn add(&mut self, kernel: Kernel, reads: &[BufferId]) {
        self.step(kernel, reads, self.part, self.line);
        self.add_part();
    }

    fn add_part(&mut self) {
        self.step(Kernel::Zip(Zip::Add), &[self.sum, self.part], self.next, self.line);
        std::mem::swap(&mut self.sum, &mut self.next);
    }
}
