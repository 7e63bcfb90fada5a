//! The kernels of the model: names, families, and estimates about their compiled code.
//!
//! The source of each is in `device/cuda/kernels.cu`, its meaning for the CPU in `device/cpu.rs`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// A convolution of stride 1 with a bias. The filter is 1 or 3 wide and high.
    Convolution {
        size: u32,
        relu: bool,
    },
    /// A matrix product with a bias; a transposed right matrix is stored by columns.
    Product {
        transposed: bool,
    },
    MeanRows,
    MaxRows,
    Transpose,
    Copy,
    Zero,
    /// The same value everywhere.
    Fill,
    /// A function of every element.
    Map(Map),
    /// A function of every two elements at the same place.
    Zip(Zip),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Map {
    Relu,
    Abs,
    Square,
    Halve,
    Clamp,
    LeakyRelu,
    Softsign,
    HardSigmoid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zip {
    Add,
    Sub,
    Mul,
    Max,
    Min,
    AddRelu,
}

impl Map {
    pub(crate) const ALL: [Self; 8] = [
        Self::Relu,
        Self::Abs,
        Self::Square,
        Self::Halve,
        Self::Clamp,
        Self::LeakyRelu,
        Self::Softsign,
        Self::HardSigmoid,
    ];
}

impl Zip {
    pub(crate) const ALL: [Self; 6] =
        [Self::Add, Self::Sub, Self::Mul, Self::Max, Self::Min, Self::AddRelu];
}

impl Kernel {
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for size in [3, 1] {
            for relu in [true, false] {
                all.push(Self::Convolution { size, relu });
            }
        }
        all.extend([Self::Product { transposed: true }, Self::Product { transposed: false }]);
        all.extend([Self::MeanRows, Self::MaxRows, Self::Transpose]);
        all.extend([Self::Copy, Self::Zero, Self::Fill]);
        all.extend(Map::ALL.map(Self::Map));
        all.extend(Zip::ALL.map(Self::Zip));
        all
    }

    /// As in the source.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Convolution { size: 1, relu: true } => "conv1x1_bias_relu",
            Self::Convolution { size: 1, relu: false } => "conv1x1_bias",
            Self::Convolution { relu: true, .. } => "conv3x3_bias_relu",
            Self::Convolution { relu: false, .. } => "conv3x3_bias",
            Self::Product { transposed: true } => "gemm_nt_bias",
            Self::Product { transposed: false } => "gemm_nn_bias",
            Self::MeanRows => "reduce_mean_rows",
            Self::MaxRows => "reduce_max_rows",
            Self::Transpose => "memcpy_transpose",
            Self::Copy => "memcpy_linear",
            Self::Zero => "memset_zero",
            Self::Fill => "memset_value",
            Self::Map(Map::Relu) => "elementwise_relu",
            Self::Map(Map::Abs) => "elementwise_abs",
            Self::Map(Map::Square) => "elementwise_square",
            Self::Map(Map::Halve) => "elementwise_halve",
            Self::Map(Map::Clamp) => "elementwise_clamp",
            Self::Map(Map::LeakyRelu) => "elementwise_leaky_relu",
            Self::Map(Map::Softsign) => "elementwise_softsign",
            Self::Map(Map::HardSigmoid) => "elementwise_hard_sigmoid",
            Self::Zip(Zip::Add) => "elementwise_add",
            Self::Zip(Zip::Sub) => "elementwise_sub",
            Self::Zip(Zip::Mul) => "elementwise_mul",
            Self::Zip(Zip::Max) => "elementwise_max",
            Self::Zip(Zip::Min) => "elementwise_min",
            Self::Zip(Zip::AddRelu) => "elementwise_add_relu",
        }
    }

    /// Registers per thread, about what the compiler needs; for the simulated device alone.
    pub(crate) fn registers(self) -> u32 {
        match self {
            Self::Convolution { size: 3, .. } => 40,
            Self::Convolution { .. } => 32,
            Self::Product { .. } => 32,
            Self::MeanRows | Self::MaxRows => 24,
            Self::Transpose | Self::Zip(_) => 16,
            Self::Copy | Self::Zero | Self::Fill | Self::Map(_) => 12,
        }
    }

    /// Estimated hit rate of the L2 cache; for the simulated device alone.
    pub(crate) fn l2_hit(self) -> f64 {
        match self {
            Self::Convolution { size: 3, .. } => 0.85,
            Self::Convolution { .. } => 0.7,
            Self::Product { .. } => 0.6,
            Self::MeanRows | Self::MaxRows => 0.4,
            Self::Transpose => 0.5,
            Self::Copy | Self::Zero | Self::Fill | Self::Map(_) | Self::Zip(_) => 0.3,
        }
    }
}
