// Kernels of the made-up program of the sample. No compiler ever saw them, and no device ran them.
#include <cuda_fp16.h>
#include <mma.h>

struct GemmArgs { const half *a, *b; half *c; int rows, columns, inner; };
struct AttnArgs { const half *q, *k, *v; half *out; int tokens, heads; };

__device__ __forceinline__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ float warp_sum(float value) {
  for (int lane = 16; lane > 0; lane /= 2)
    value += __shfl_xor_sync(0xffffffff, value, lane);
  return value;
}

__device__ __forceinline__ void load_tile(half *tile, const half *from, int stride) {
  int4 words = *reinterpret_cast<const int4 *>(from + threadIdx.x * stride);
  reinterpret_cast<int4 *>(tile)[threadIdx.x] = words;
}

__device__ __forceinline__ Fragment load_fragment(const half *tile) {
  return load_matrix(tile + threadIdx.x % 16 * STEP);
}

__device__ __forceinline__ void multiply_tile(Accumulator &sum, const half *a, const half *b) {
  Fragment left = load_fragment(a), right = load_fragment(b);
  mma_sync(sum, left, right, sum);
}

__device__ __forceinline__ void gemm(GemmArgs args) {
  __shared__ half a[TILE], b[TILE];
  Accumulator sum;
  for (int k = 0; k < args.inner; k += STEP) {
    load_tile(a, args.a + k, 1);
    load_tile(b, args.b + k, args.columns);
    __syncthreads();
    multiply_tile(sum, a, b);
  }
  store_fragment(args.c, sum, args.columns);
}

__global__ void gemm_qkv(GemmArgs args) { gemm(args); }
__global__ void gemm_out(GemmArgs args) { gemm(args); }
__global__ void gemm_up(GemmArgs args) { gemm(args); }
__global__ void gemm_down(GemmArgs args) { gemm(args); }

__global__ void flash_attention(AttnArgs args) {
  __shared__ half keys[TILE], values[TILE];
  Accumulator scores, sum;
  for (int block = 0; block < args.tokens; block += STEP) {
    load_tile(keys, args.k + block, args.heads);
    load_tile(values, args.v + block, args.heads);
    __syncthreads();
    multiply_tile(scores, query, keys);
    rescale(sum, scores);
    multiply_tile(sum, scores, values);
  }
  store_fragment(args.out, sum, args.heads);
}

__global__ void rmsnorm(const half *in, half *out) {
  int i = global_index();
  float x = __half2float(in[i]);
  float sum = warp_sum(x * x);
  out[i] = __float2half(x * rsqrtf(sum / 32.0f + 1e-6f));
}

__global__ void add_residual(half *to, const half *from) {
  int i = global_index();
  to[i] = __hadd(to[i], from[i]);
}

__global__ void gather_rows(const half *table, const int *tokens, half *out) {
  int i = global_index();
  int row = tokens[i / WIDTH];
  out[i] = table[row * WIDTH + i % WIDTH];
}

__global__ void argmax(const float *scores, int *token) {
  int best = 0;
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
    if (scores[i] > scores[best]) best = i;
  *token = best_of_block(best);
}

__global__ void fill(float *out, int count) {
  int i = global_index();
  if (i < count) out[i] = 0.0f;
}
