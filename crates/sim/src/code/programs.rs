//! The instructions of the sample's kernels, by the fragments of the lines that they come from.

use super::{Instruction, Kind};
use Kind::{Control, Integer, Load, Math, SharedLoad, SharedStore, Store, Tensor};

const fn once(kind: Kind, at: &'static [&'static str]) -> Instruction {
    often(kind, 1.0, at)
}

const fn often(kind: Kind, weight: f64, at: &'static [&'static str]) -> Instruction {
    Instruction { kind, weight, ideal: 1.0, at }
}

/// An access whose threads are far from each other.
const fn strided(kind: Kind, ideal: f64, at: &'static [&'static str]) -> Instruction {
    Instruction { kind, weight: 1.0, ideal, at }
}

pub(super) const ANNOUNCED: &[Instruction] = &[
    once(Integer, &[]),
    once(Load, &[]),
    once(SharedStore, &[]),
    once(SharedLoad, &[]),
    once(Math, &[]),
    once(Tensor, &[]),
    once(Store, &[]),
    once(Control, &[]),
];

const GEMM: &[Instruction] = &[
    once(Integer, &["gemm(args);", "Accumulator sum;"]),
    often(Integer, 8.0, &["gemm(args);", "for (int k = 0"]),
    strided(Load, 1.0, &["gemm(args);", "load_tile(a,", "int4 words ="]),
    once(SharedStore, &["gemm(args);", "load_tile(a,", "[threadIdx.x] = words"]),
    strided(Load, 0.5, &["gemm(args);", "load_tile(b,", "int4 words ="]),
    once(SharedStore, &["gemm(args);", "load_tile(b,", "[threadIdx.x] = words"]),
    often(Control, 8.0, &["gemm(args);", "__syncthreads();"]),
    once(
        SharedLoad,
        &["gemm(args);", "multiply_tile(sum, a, b);", "Fragment left =", "load_matrix("],
    ),
    once(
        SharedLoad,
        &["gemm(args);", "multiply_tile(sum, a, b);", "Fragment left =", "load_matrix("],
    ),
    once(Tensor, &["gemm(args);", "multiply_tile(sum, a, b);", "mma_sync("]),
    once(Tensor, &["gemm(args);", "multiply_tile(sum, a, b);", "mma_sync("]),
    often(Control, 4.0, &["gemm(args);", "for (int k = 0"]),
    once(Store, &["gemm(args);", "store_fragment(args.c"]),
    once(Control, &["gemm(args);", "store_fragment(args.c"]),
];

/// The kernels by name.
pub(super) const PROGRAMS: &[(&str, &[Instruction])] = &[
    ("gemm_qkv", GEMM),
    ("gemm_out", GEMM),
    ("gemm_up", GEMM),
    ("gemm_down", GEMM),
    (
        "flash_attention",
        &[
            once(Integer, &["Accumulator scores, sum;"]),
            often(Integer, 8.0, &["for (int block = 0"]),
            strided(Load, 0.25, &["load_tile(keys,", "int4 words ="]),
            once(SharedStore, &["load_tile(keys,", "[threadIdx.x] = words"]),
            strided(Load, 0.25, &["load_tile(values,", "int4 words ="]),
            once(SharedStore, &["load_tile(values,", "[threadIdx.x] = words"]),
            often(Control, 8.0, &["__syncthreads();"]),
            once(
                SharedLoad,
                &["multiply_tile(scores, query, keys);", "Fragment left =", "load_matrix("],
            ),
            once(Tensor, &["multiply_tile(scores, query, keys);", "mma_sync("]),
            often(Integer, 4.0, &["rescale(sum, scores);"]),
            once(
                SharedLoad,
                &["multiply_tile(sum, scores, values);", "Fragment left =", "load_matrix("],
            ),
            once(Tensor, &["multiply_tile(sum, scores, values);", "mma_sync("]),
            once(Store, &["store_fragment(args.out"]),
            once(Control, &["for (int block = 0"]),
        ],
    ),
    (
        "rmsnorm",
        &[
            once(Integer, &["int i = global_index();", "return blockIdx.x"]),
            once(Load, &["float x = __half2float(in[i]);"]),
            once(Math, &["float x = __half2float(in[i]);"]),
            once(Math, &["warp_sum(x * x)"]),
            often(Math, 5.0, &["warp_sum(x * x)", "__shfl_xor_sync"]),
            once(Control, &["warp_sum(x * x)", "for (int lane = 16"]),
            often(Math, 2.0, &["out[i] = __float2half(x * rsqrtf"]),
            once(Store, &["out[i] = __float2half(x * rsqrtf"]),
            once(Control, &["}"]),
        ],
    ),
    (
        "add_residual",
        &[
            once(Integer, &["int i = global_index();", "return blockIdx.x"]),
            once(Load, &["to[i] = __hadd"]),
            once(Load, &["to[i] = __hadd"]),
            once(Math, &["to[i] = __hadd"]),
            once(Store, &["to[i] = __hadd"]),
            once(Control, &["}"]),
        ],
    ),
    (
        "gather_rows",
        &[
            once(Integer, &["int i = global_index();", "return blockIdx.x"]),
            strided(Load, 0.125, &["int row = tokens["]),
            once(Integer, &["out[i] = table[row"]),
            often(Load, 3.0, &["out[i] = table[row"]),
            once(Store, &["out[i] = table[row"]),
            once(Control, &["}"]),
        ],
    ),
    (
        "argmax",
        &[
            once(Integer, &["int best = 0;"]),
            often(Integer, 2.0, &["for (int i = threadIdx.x"]),
            once(Load, &["if (scores[i] > scores[best])"]),
            strided(Load, 0.25, &["if (scores[i] > scores[best])"]),
            once(Math, &["if (scores[i] > scores[best])"]),
            often(Control, 2.0, &["if (scores[i] > scores[best])"]),
            once(Store, &["*token = best_of_block"]),
            once(Control, &["}"]),
        ],
    ),
    (
        "fill",
        &[
            once(Integer, &["int i = global_index();", "return blockIdx.x"]),
            once(Control, &["if (i < count)"]),
            once(Store, &["if (i < count)"]),
            once(Control, &["}"]),
        ],
    ),
];
