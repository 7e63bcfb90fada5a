// The kernels of the dummy model, compiled at run time by NVRTC; no header is needed.
//
// One thread makes one element of the output. Storage is float, or half with -DSCALAR_IS_HALF; arithmetic is
// float, in the order in which src/device/cpu.rs does it. Which kernels there are, their parameters and their
// launch geometry are stated in src/kernel.rs and src/launch.rs.

#ifdef SCALAR_IS_HALF
typedef unsigned short scalar;
#else
typedef float scalar;
#endif

// A host that emulates a device brings its own definitions of these two and of the CUDA words.
#ifndef EMULATED_DEVICE
#ifdef SCALAR_IS_HALF
__device__ inline float load(scalar bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ inline scalar store(float value) {
    scalar bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
#else
__device__ inline float load(scalar value) { return value; }
__device__ inline scalar store(float value) { return value; }
#endif
#endif

#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)
#define Z (int)(blockIdx.z * blockDim.z + threadIdx.z)

__device__ inline float larger(float a, float b) { return a > b ? a : b; }
__device__ inline float smaller(float a, float b) { return a < b ? a : b; }

// --- Convolutions: stride 1, edges padded with zero; x and y are the pixel, z is image and output channel ---

template <int SIZE, bool RELU>
__device__ inline void convolve(const scalar* input, const scalar* weight, const scalar* bias, scalar* output,
                                int images, int in_channels, int out_channels, int height, int width) {
    const int x = X, y = Y, image = Z / out_channels, channel = Z % out_channels;
    if (x >= width || y >= height || image >= images) return;
    float sum = load(bias[channel]);
    for (int from = 0; from < in_channels; ++from) {
        const scalar* plane = input + (image * in_channels + from) * height * width;
        const scalar* filter = weight + (channel * in_channels + from) * SIZE * SIZE;
        for (int i = 0; i < SIZE; ++i) {
            const int row = y + i - SIZE / 2;
            if (row < 0 || row >= height) continue;
            for (int j = 0; j < SIZE; ++j) {
                const int column = x + j - SIZE / 2;
                if (column < 0 || column >= width) continue;
                sum += load(plane[row * width + column]) * load(filter[i * SIZE + j]);
            }
        }
    }
    output[((image * out_channels + channel) * height + y) * width + x] = store(RELU ? larger(sum, 0.0f) : sum);
}

#define CONVOLUTION(NAME, SIZE, RELU)                                                                              \
    __global__ void NAME(const scalar* input, const scalar* weight, const scalar* bias, scalar* output, int images, \
                         int in_channels, int out_channels, int height, int width) {                               \
        convolve<SIZE, RELU>(input, weight, bias, output, images, in_channels, out_channels, height, width);       \
    }

CONVOLUTION(conv3x3_bias_relu, 3, true)
CONVOLUTION(conv3x3_bias, 3, false)
CONVOLUTION(conv1x1_bias_relu, 1, true)
CONVOLUTION(conv1x1_bias, 1, false)

// --- Matrix products: x is the column, y the row of the output ---

template <bool TRANSPOSED>
__device__ inline void multiply(const scalar* left, const scalar* right, const scalar* bias, scalar* output, int rows,
                                int columns, int inner) {
    const int column = X, row = Y;
    if (row >= rows || column >= columns) return;
    float sum = load(bias[column]);
    for (int k = 0; k < inner; ++k) {
        const int at = TRANSPOSED ? column * inner + k : k * columns + column;
        sum += load(left[row * inner + k]) * load(right[at]);
    }
    output[row * columns + column] = store(sum);
}

#define PRODUCT(NAME, TRANSPOSED)                                                                            \
    __global__ void NAME(const scalar* left, const scalar* right, const scalar* bias, scalar* output, int rows, \
                         int columns, int inner) {                                                           \
        multiply<TRANSPOSED>(left, right, bias, output, rows, columns, inner);                               \
    }

PRODUCT(gemm_nt_bias, true)
PRODUCT(gemm_nn_bias, false)

// --- Reductions of rows: x is the row ---

__global__ void reduce_mean_rows(const scalar* input, scalar* output, int rows, int columns) {
    const int row = X;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k) sum += load(input[row * columns + k]);
    output[row] = store(sum / (float)columns);
}

__global__ void reduce_max_rows(const scalar* input, scalar* output, int rows, int columns) {
    const int row = X;
    if (row >= rows) return;
    float most = load(input[row * columns]);
    for (int k = 1; k < columns; ++k) most = larger(most, load(input[row * columns + k]));
    output[row] = store(most);
}

// --- Copies and fills ---

__global__ void memcpy_transpose(const scalar* input, scalar* output, int rows, int columns) {
    const int column = X, row = Y;
    if (row < rows && column < columns) output[column * rows + row] = input[row * columns + column];
}

__global__ void memcpy_linear(const scalar* input, scalar* output, int count) {
    const int i = X;
    if (i < count) output[i] = input[i];
}

__global__ void memset_zero(scalar* output, int count) {
    const int i = X;
    if (i < count) output[i] = store(0.0f);
}

__global__ void memset_value(scalar* output, int count, float value) {
    const int i = X;
    if (i < count) output[i] = store(value);
}

// --- Element by element ---

#define ELEMENTWISE_1(NAME, EXPRESSION)                                            \
    __global__ void NAME(const scalar* input, scalar* output, int count) {         \
        const int i = X;                                                           \
        if (i >= count) return;                                                    \
        const float a = load(input[i]);                                            \
        output[i] = store(EXPRESSION);                                             \
    }

#define ELEMENTWISE_2(NAME, EXPRESSION)                                                              \
    __global__ void NAME(const scalar* first, const scalar* second, scalar* output, int count) {     \
        const int i = X;                                                                             \
        if (i >= count) return;                                                                      \
        const float a = load(first[i]), b = load(second[i]);                                         \
        output[i] = store(EXPRESSION);                                                               \
    }

ELEMENTWISE_1(elementwise_relu, larger(a, 0.0f))
ELEMENTWISE_1(elementwise_abs, a < 0.0f ? -a : a)
ELEMENTWISE_1(elementwise_square, a * a)
ELEMENTWISE_1(elementwise_halve, 0.5f * a)
ELEMENTWISE_1(elementwise_clamp, larger(-1.0f, smaller(a, 1.0f)))
ELEMENTWISE_1(elementwise_leaky_relu, a < 0.0f ? 0.125f * a : a)
ELEMENTWISE_1(elementwise_softsign, a / (1.0f + (a < 0.0f ? -a : a)))
ELEMENTWISE_1(elementwise_hard_sigmoid, larger(0.0f, smaller(0.25f * a + 0.5f, 1.0f)))
ELEMENTWISE_2(elementwise_add, a + b)
ELEMENTWISE_2(elementwise_sub, a - b)
ELEMENTWISE_2(elementwise_mul, a * b)
ELEMENTWISE_2(elementwise_max, larger(a, b))
ELEMENTWISE_2(elementwise_min, smaller(a, b))
ELEMENTWISE_2(elementwise_add_relu, larger(a + b, 0.0f))
