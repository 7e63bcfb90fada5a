//! The launch list: which kernel runs on which buffers, with which geometry, and how much work that is.
//!
//! Every device runs exactly these launches. CUDA passes [`Launch::arguments`] to the kernel, the CPU reads [`Launch::shape`], the simulated device announces [`Launch::work`].

use crate::args::Dtype;
use crate::buffers::BufferId;
use crate::kernel::Kernel;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    pub(crate) reads: Vec<BufferId>,
    /// Never one of those that it reads.
    pub(crate) write: BufferId,
    pub(crate) shape: Shape,
    /// A number, for kernels that take one.
    pub(crate) value: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Planes { images: u32, in_channels: u32, out_channels: u32, height: u32, width: u32 },
    Product { rows: u32, columns: u32, inner: u32 },
    Rows { rows: u32, columns: u32 },
    Matrix { rows: u32, columns: u32 },
    Line { count: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Argument {
    In(BufferId),
    Out(BufferId),
    Int(u32),
    Float(f32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) flops: f64,
    /// Bytes, each once.
    pub(crate) read: f64,
    pub(crate) written: f64,
}

impl Launch {
    /// Threads a block.
    pub(crate) fn block(&self) -> [u32; 3] {
        match self.shape {
            Shape::Planes { .. } | Shape::Product { .. } | Shape::Matrix { .. } => [16, 16, 1],
            Shape::Rows { .. } => [64, 1, 1],
            Shape::Line { .. } => [256, 1, 1],
        }
    }

    /// Blocks: just enough for one thread an element of the output.
    pub(crate) fn grid(&self) -> [u32; 3] {
        let threads = match self.shape {
            Shape::Planes { images, out_channels, height, width, .. } => {
                [width, height, images * out_channels]
            }
            Shape::Product { rows, columns, .. } | Shape::Matrix { rows, columns } => {
                [columns, rows, 1]
            }
            Shape::Rows { rows, .. } => [rows, 1, 1],
            Shape::Line { count } => [count, 1, 1],
        };
        let block = self.block();
        std::array::from_fn(|axis| threads[axis].div_ceil(block[axis]))
    }

    /// The kernel's arguments in the order of its parameters: what it reads, what it writes, sizes, a number.
    pub(crate) fn arguments(&self) -> Vec<Argument> {
        let sizes = match self.shape {
            Shape::Planes { images, in_channels, out_channels, height, width } => {
                vec![images, in_channels, out_channels, height, width]
            }
            Shape::Product { rows, columns, inner } => vec![rows, columns, inner],
            Shape::Rows { rows, columns } | Shape::Matrix { rows, columns } => vec![rows, columns],
            Shape::Line { count } => vec![count],
        };
        let reads = self.reads.iter().copied().map(Argument::In);
        reads
            .chain([Argument::Out(self.write)])
            .chain(sizes.into_iter().map(Argument::Int))
            .chain(self.value.map(Argument::Float))
            .collect()
    }

    /// The kernel's parameters as a demangler writes them.
    pub(crate) fn signature(&self, dtype: Dtype) -> String {
        let scalar = match dtype {
            Dtype::Float32 => "float",
            Dtype::Float16 => "unsigned short",
        };
        let of = |argument: &Argument| match argument {
            Argument::In(_) => format!("const {scalar} *"),
            Argument::Out(_) => format!("{scalar} *"),
            Argument::Int(_) => "int".to_owned(),
            Argument::Float(_) => "float".to_owned(),
        };
        self.arguments().iter().map(of).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn work(&self, dtype: Dtype) -> Work {
        let (flops, read, written) = match self.shape {
            Shape::Planes { images, in_channels, out_channels, height, width } => {
                let pixels = product(&[images, height, width]);
                let taps = match self.kernel {
                    Kernel::Convolution { size, .. } => product(&[size, size, in_channels]),
                    _ => f64::from(in_channels),
                };
                let [inputs, outputs] = [in_channels, out_channels].map(f64::from);
                let weights = outputs * (taps + 1.0);
                (2.0 * pixels * outputs * taps, pixels * inputs + weights, pixels * outputs)
            }
            Shape::Product { rows, columns, inner } => {
                let [rows, columns, inner] = [rows, columns, inner].map(f64::from);
                let read = rows * inner + inner * columns + columns;
                (2.0 * rows * columns * inner, read, rows * columns)
            }
            Shape::Rows { rows, columns } => {
                let read = product(&[rows, columns]);
                (read, read, f64::from(rows))
            }
            Shape::Matrix { rows, columns } => {
                let count = product(&[rows, columns]);
                (0.0, count, count)
            }
            Shape::Line { count } => {
                let count = f64::from(count);
                let operations = match self.kernel {
                    Kernel::Map(_) | Kernel::Zip(_) => count,
                    _ => 0.0,
                };
                (operations, count * self.reads.len() as f64, count)
            }
        };
        let bytes = f64::from(dtype.bytes());
        Work { flops, read: read * bytes, written: written * bytes }
    }
}

fn product(factors: &[u32]) -> f64 {
    factors.iter().copied().map(f64::from).product()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::buffers::Buffers;
    use crate::kernel::{Map, Zip};

    fn launch(kernel: Kernel, reads: usize, shape: Shape) -> Launch {
        let mut buffers = Buffers::default();
        let reads = (0..reads).map(|_| buffers.zeros(1)).collect();
        let write = buffers.zeros(1);
        Launch { kernel, reads, write, shape, value: None }
    }

    /// The elements that the threads of a launch write, by the index arithmetic of kernels.cu.
    fn written(launch: &Launch) -> Vec<u32> {
        let (grid, block) = (launch.grid(), launch.block());
        let all = |axis: usize| 0..grid[axis] * block[axis];
        let mut elements = Vec::new();
        for z in all(2) {
            for y in all(1) {
                for x in all(0) {
                    elements.extend(match launch.shape {
                        Shape::Planes { images, out_channels, height, width, .. } => {
                            (x < width && y < height && z / out_channels < images)
                                .then(|| (z * height + y) * width + x)
                        }
                        Shape::Product { rows, columns, .. } | Shape::Matrix { rows, columns } => {
                            (x < columns && y < rows).then(|| y * columns + x)
                        }
                        Shape::Rows { rows, .. } => (x < rows).then_some(x),
                        Shape::Line { count } => (x < count).then_some(x),
                    });
                }
            }
        }
        elements.sort_unstable();
        elements
    }

    fn any_launch() -> impl Strategy<Value = (Launch, u32)> {
        let side = 1..40u32;
        prop_oneof![
            (1..3u32, 1..4u32, 1..5u32, side.clone(), side.clone()).prop_map(
                |(images, in_channels, out_channels, height, width)| {
                    let shape = Shape::Planes { images, in_channels, out_channels, height, width };
                    let kernel = Kernel::Convolution { size: 3, relu: true };
                    (launch(kernel, 3, shape), images * out_channels * height * width)
                }
            ),
            (side.clone(), side.clone(), side.clone()).prop_map(|(rows, columns, inner)| {
                let shape = Shape::Product { rows, columns, inner };
                (launch(Kernel::Product { transposed: true }, 3, shape), rows * columns)
            }),
            (side.clone(), side.clone()).prop_map(|(rows, columns)| {
                (launch(Kernel::Transpose, 1, Shape::Matrix { rows, columns }), rows * columns)
            }),
            (1..300u32, side).prop_map(|(rows, columns)| {
                (launch(Kernel::MeanRows, 1, Shape::Rows { rows, columns }), rows)
            }),
            (1..2000u32).prop_map(|count| {
                (launch(Kernel::Zip(Zip::Add), 2, Shape::Line { count }), count)
            }),
        ]
    }

    proptest! {
        #[test]
        fn every_element_is_written_by_exactly_one_thread((launch, count) in any_launch()) {
            prop_assert_eq!(written(&launch), (0..count).collect::<Vec<_>>());
        }

        #[test]
        fn no_block_is_superfluous((launch, _) in any_launch()) {
            for axis in 0..3 {
                let mut fewer = launch.grid();
                fewer[axis] -= 1;
                let threads: [u32; 3] = std::array::from_fn(|i| fewer[i] * launch.block()[i]);
                let needed = match launch.shape {
                    Shape::Planes { images, out_channels, height, width, .. } => [width, height, images * out_channels],
                    Shape::Product { rows, columns, .. } | Shape::Matrix { rows, columns } => [columns, rows, 1],
                    Shape::Rows { rows, .. } => [rows, 1, 1],
                    Shape::Line { count } => [count, 1, 1],
                };
                prop_assert!(threads[axis] < needed[axis]);
            }
        }
    }

    #[test]
    fn work_is_counted_by_hand() {
        let shape =
            Shape::Planes { images: 2, in_channels: 3, out_channels: 4, height: 5, width: 6 };
        let convolution = launch(Kernel::Convolution { size: 3, relu: false }, 3, shape);
        // 60 pixels, 4 outputs of 27 products and sums each; 180 inputs, 108 weights, 4 biases; 240 outputs.
        let expected = Work { flops: 12960.0, read: 4.0 * 292.0, written: 960.0 };
        assert_eq!(convolution.work(Dtype::Float32), expected);
        let map = launch(Kernel::Map(Map::Abs), 1, Shape::Line { count: 100 });
        let expected = Work { flops: 100.0, read: 200.0, written: 200.0 };
        assert_eq!(map.work(Dtype::Float16), expected);
    }

    #[test]
    fn signatures_read_as_demanglers_write_them() {
        let mut fill = launch(Kernel::Fill, 0, Shape::Line { count: 1 });
        fill.value = Some(0.5);
        assert_eq!(fill.signature(Dtype::Float16), "unsigned short *, int, float");
        let product = Shape::Product { rows: 1, columns: 1, inner: 1 };
        assert_eq!(
            launch(Kernel::Product { transposed: true }, 3, product).signature(Dtype::Float32),
            "const float *, const float *, const float *, float *, int, int, int"
        );
    }
}
