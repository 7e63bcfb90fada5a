// A stand-in for libcuda and for an NVTX tool in one library, for machines without a GPU.
//
// It records every call in the order of their occurrence, and runs kernels on the CPU from their CUDA source:
// a launch waits in a queue, as on a device, until the context is synchronised. Compiled by a lane with
// -DKERNELS='"kernels.cu"' and -DKERNEL_TABLE='"table.inc"', a list of ENTRY(name), against NVIDIA's NVTX headers.
//
//   FAKE_CUDA_LOG         the file to record in
//   FAKE_CUDA_CAPABILITY  the compute capability, 86 for 8.6
//   FAKE_CUDA_DEVICES     how many devices there are

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <elf.h>
#include <nvtx3/nvToolsExt.h>

// --- The device that the kernels are compiled for ---

struct Triple {
    unsigned x, y, z;
};
static thread_local Triple blockIdx, blockDim, threadIdx;

#define __device__ static
#define __global__ static
#define EMULATED_DEVICE

#ifdef SCALAR_IS_HALF
static float load(unsigned short bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : std::ldexp(1024 + fraction, exponent - 25);
    return static_cast<float>(bits >> 15 ? -value : value);
}

static unsigned short store(float value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(static_cast<double>(value));
    if (std::isnan(value)) return 0x7fff;
    if (magnitude >= 65520) return static_cast<unsigned short>(sign | 0x7c00);
    if (magnitude == 0) return static_cast<unsigned short>(sign);
    int exponent = std::max(std::ilogb(magnitude), -14);
    unsigned units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    // 1024 units or more have the leading bit; 2048 carry into the exponent by themselves.
    unsigned bits = units < 1024 ? units : (static_cast<unsigned>(exponent + 15) << 10) + (units - 1024);
    return static_cast<unsigned short>(sign | bits);
}
#else
static float load(float value) { return value; }
static float store(float value) { return value; }
#endif

#include KERNELS

#undef __device__
#undef __global__
#undef X
#undef Y
#undef Z

// --- The record ---

static std::recursive_mutex lock;
using Guard = std::lock_guard<std::recursive_mutex>;

static int thread_number() {
    static int threads = 0;
    static thread_local int number = threads++;
    return number;
}

__attribute__((format(printf, 1, 2))) static void record(const char* format, ...) {
    static FILE* file = [] {
        const char* path = std::getenv("FAKE_CUDA_LOG");
        return path ? std::fopen(path, "a") : nullptr;
    }();
    Guard guard(lock);
    if (!file) return;
    std::fprintf(file, "%d ", thread_number());
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(file, format, arguments);
    va_end(arguments);
    std::fputc('\n', file);
    std::fflush(file);
}

static int number_from(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

// --- Kernels: name, and how to call one with the driver's array of pointers to arguments ---

using Run = std::function<void()>;
using Bind = std::function<Run(void**)>;

template <class... A, size_t... I>
static Run bind_arguments(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
    auto values = std::make_tuple(*static_cast<std::remove_const_t<A>*>(arguments[I])...);
    return [kernel, values] { std::apply(kernel, values); };
}

template <class... A>
static Bind binder(void (*kernel)(A...)) {
    return [kernel](void** arguments) { return bind_arguments(kernel, arguments, std::index_sequence_for<A...>()); };
}

static const std::map<std::string, Bind> KERNEL_BINDERS = {
#define ENTRY(NAME) {#NAME, binder(NAME)},
#include KERNEL_TABLE
};

// --- The driver ---

enum { OK = 0, INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, NOT_FOUND = 500 };

struct Module {
    std::set<std::string> entries;
};
struct Function {
    std::string name;
    const Bind* bind;
};
struct Pending {
    int thread;
    Triple grid, block;
    Run run;
};

static const size_t MARGIN = 64;
static std::map<uint64_t, size_t> allocations;
static std::vector<Pending> queue;
static std::set<void*> streams;
static thread_local void* current = nullptr;
static char context;

static int capability() { return number_from("FAKE_CUDA_CAPABILITY", 86); }

static void run_queue() {
    for (const Pending& launch : queue) {
        blockDim = launch.block;
        for (blockIdx.z = 0; blockIdx.z < launch.grid.z; ++blockIdx.z)
            for (blockIdx.y = 0; blockIdx.y < launch.grid.y; ++blockIdx.y)
                for (blockIdx.x = 0; blockIdx.x < launch.grid.x; ++blockIdx.x)
                    for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z)
                        for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y)
                            for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) launch.run();
    }
    queue.clear();
    for (auto [address, bytes] : allocations)
        for (size_t i = 0; i < MARGIN; ++i)
            if (reinterpret_cast<unsigned char*>(address)[bytes + i] != 0xab) record("WROTE BEYOND A BUFFER");
}

extern "C" {

int cuInit(unsigned flags) {
    record("cuInit");
    if (flags) return INVALID_VALUE;
    return number_from("FAKE_CUDA_DEVICES", 1) ? OK : NO_DEVICE;
}

// NVRTC asks a driver that is there for private tables; it gets none.
int cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return NOT_FOUND;
}

int cuGetErrorName(int code, const char** name) {
    *name = code == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_OTHER";
    return OK;
}

int cuDeviceGetCount(int* count) {
    *count = number_from("FAKE_CUDA_DEVICES", 1);
    return OK;
}

int cuDeviceGet(int* device, int number) {
    if (number < 0 || number >= number_from("FAKE_CUDA_DEVICES", 1)) return INVALID_DEVICE;
    record("cuDeviceGet %d", number);
    *device = number;
    return OK;
}

int cuDeviceGetName(char* name, int size, int) {
    std::snprintf(name, static_cast<size_t>(size), "Emulated GPU");
    return OK;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
    if (attribute == 75) *value = capability() / 10;
    else if (attribute == 76) *value = capability() % 10;
    else return INVALID_VALUE;
    return OK;
}

int cuDevicePrimaryCtxRetain(void** out, int) {
    record("cuDevicePrimaryCtxRetain");
    *out = &context;
    return OK;
}

int cuCtxSetCurrent(void* to) {
    current = to;
    return to == &context ? OK : INVALID_CONTEXT;
}

int cuCtxSynchronize() {
    Guard guard(lock);
    if (!current) return INVALID_CONTEXT;
    record("cuCtxSynchronize");
    run_queue();
    return OK;
}

int cuStreamCreate(void** stream, unsigned flags) {
    Guard guard(lock);
    if (!current || flags != 1) return INVALID_CONTEXT;
    *stream = new char;
    streams.insert(*stream);
    return OK;
}

int cuModuleLoadData(void** out, const void* image) {
    if (!current) return INVALID_CONTEXT;
    auto* module = new Module;
    const char* bytes = static_cast<const char*>(image);
    if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        Elf64_Ehdr header;
        std::memcpy(&header, bytes, sizeof header);
        std::vector<Elf64_Shdr> sections(header.e_shnum);
        std::memcpy(sections.data(), bytes + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
        for (const auto& section : sections) {
            const char* name = bytes + sections[header.e_shstrndx].sh_offset + section.sh_name;
            if (std::strncmp(name, ".text.", 6) == 0) module->entries.insert(name + 6);
        }
        record("cuModuleLoadData machine code, %zu kernels", module->entries.size());
    } else {
        for (const char* at = bytes; (at = std::strstr(at, ".entry "));) {
            at += 7;
            module->entries.insert(std::string(at, std::strcspn(at, "(\n ")));
        }
        record("cuModuleLoadData PTX, %zu kernels", module->entries.size());
    }
    *out = module;
    return OK;
}

int cuModuleGetFunction(void** out, void* module, const char* name) {
    if (!current || !static_cast<Module*>(module)->entries.count(name)) return NOT_FOUND;
    // _Z, the length of the name, the name, the types of the parameters.
    if (std::strncmp(name, "_Z", 2) != 0) return NOT_FOUND;
    char* rest;
    const size_t length = std::strtoul(name + 2, &rest, 10);
    const auto found = KERNEL_BINDERS.find(std::string(rest, std::min(length, std::strlen(rest))));
    if (found == KERNEL_BINDERS.end()) return NOT_FOUND;
    *out = new Function{found->first, &found->second};
    return OK;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    Guard guard(lock);
    if (!current || bytes == 0) return INVALID_VALUE;
    record("cuMemAlloc");
    auto* memory = static_cast<unsigned char*>(std::malloc(bytes + MARGIN));
    std::memset(memory, 0xcd, bytes);
    std::memset(memory + bytes, 0xab, MARGIN);
    *address = reinterpret_cast<uint64_t>(memory);
    allocations[*address] = bytes;
    return OK;
}

static int copy(uint64_t device, size_t bytes, void* to, const void* from) {
    Guard guard(lock);
    const auto found = allocations.find(device);
    if (!current || found == allocations.end() || found->second != bytes) return INVALID_VALUE;
    std::memcpy(to, from, bytes);
    return OK;
}

int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
    record("cuMemcpyHtoD");
    return copy(to, bytes, reinterpret_cast<void*>(to), from);
}

int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
    Guard guard(lock);
    record("cuMemcpyDtoH");
    // Another thread has buffers and a stream of its own.
    for (const Pending& launch : queue)
        if (launch.thread == thread_number()) record("READ BEFORE THE DEVICE WAS SYNCHRONISED");
    return copy(from, bytes, to, reinterpret_cast<const void*>(from));
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
    Guard guard(lock);
    const bool fits = gx && gy && gz && gx <= 0x7fffffff && gy <= 65535 && gz <= 65535;
    if (!current || !fits || bx * by * bz == 0 || bx * by * bz > 1024 || shared || extra) return INVALID_VALUE;
    if (stream && !streams.count(stream)) return INVALID_VALUE;
    const auto* kernel = static_cast<Function*>(function);
    record("cuLaunchKernel %s [%u, %u, %u] [%u, %u, %u] %s", kernel->name.c_str(), gx, gy, gz, bx, by, bz,
           stream ? "stream" : "default");
    queue.push_back({thread_number(), {gx, gy, gz}, {bx, by, bz}, (*kernel->bind)(arguments)});
    return OK;
}

// --- The NVTX tool ---

static const char* message(const nvtxEventAttributes_t* event) {
    if (event->version != NVTX_VERSION || event->size != NVTX_EVENT_ATTRIB_STRUCT_SIZE ||
        event->messageType != NVTX_MESSAGE_TYPE_ASCII || event->category || event->colorType || event->payloadType)
        return "MALFORMED EVENT";
    return event->message.ascii;
}

static std::deque<std::string> domains; // its elements stay where they are
static nvtxRangeId_t ranges = 100;

static const char* name(nvtxDomainHandle_t domain) {
    const auto number = reinterpret_cast<size_t>(domain);
    Guard guard(lock);
    return number >= 1 && number <= domains.size() ? domains[number - 1].c_str() : "UNKNOWN";
}

static nvtxDomainHandle_t tool_create(const char* domain) {
    Guard guard(lock);
    domains.push_back(domain);
    return reinterpret_cast<nvtxDomainHandle_t>(domains.size());
}

static void tool_mark(const char* text) { record("mark - %s", text); }
static int tool_push(const char* text) { return record("push - %s", text), 0; }
static int tool_pop() { return record("pop -"), 0; }
static nvtxRangeId_t tool_start(const char* text) {
    Guard guard(lock);
    record("start - %llu %s", static_cast<unsigned long long>(++ranges), text);
    return ranges;
}
static void tool_end(nvtxRangeId_t id) { record("end - %llu", static_cast<unsigned long long>(id)); }
static void tool_domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
    record("mark %s %s", name(domain), message(event));
}
static int tool_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
    return record("push %s %s", name(domain), message(event)), 0;
}
static int tool_domain_pop(nvtxDomainHandle_t domain) { return record("pop %s", name(domain)), 0; }

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
    const auto* version = static_cast<const NvtxExportTableVersionInfo*>(get(NVTX_ETID_VERSIONINFO));
    if (!callbacks || callbacks->struct_size != sizeof *callbacks) return 0;
    if (!version || version->struct_size != sizeof *version || version->version != NVTX_VERSION) return 0;
    const auto table = [&](NvtxCallbackModule module, unsigned expected) {
        NvtxFunctionTable table = nullptr;
        unsigned size = 0;
        if (callbacks->GetModuleFunctionTable(module, &table, &size) != 1 || size != expected) std::abort();
        return table;
    };
    table(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_SIZE);
    table(NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_SIZE);
    table(NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_SIZE);
    table(NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_SIZE);
#define PUT(ID, FUNCTION) *slots[ID] = reinterpret_cast<NvtxFunctionPointer>(FUNCTION)
    auto slots = table(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_SIZE);
    PUT(NVTX_CBID_CORE_MarkA, tool_mark);
    PUT(NVTX_CBID_CORE_RangePushA, tool_push);
    PUT(NVTX_CBID_CORE_RangePop, tool_pop);
    PUT(NVTX_CBID_CORE_RangeStartA, tool_start);
    PUT(NVTX_CBID_CORE_RangeEnd, tool_end);
    slots = table(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_SIZE);
    PUT(NVTX_CBID_CORE2_DomainCreateA, tool_create);
    PUT(NVTX_CBID_CORE2_DomainMarkEx, tool_domain_mark);
    PUT(NVTX_CBID_CORE2_DomainRangePushEx, tool_domain_push);
    PUT(NVTX_CBID_CORE2_DomainRangePop, tool_domain_pop);
    return 1;
}
}
