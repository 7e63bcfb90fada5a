"""A program for the simulator: opens NVTX ranges and announces kernels, each with a name of its own.

    announces.py [--processes N] [--exit CODE] [--sleep SECONDS]

Needs the `nvtx` package. The kernels that it announces are in KERNELS, for those who check.
"""

import argparse
import json
import os
import subprocess
import sys
import time

DOMAIN = "rangescope.sim"

# The text of some of the kernels: one that the program announces, and one that it leaves to be read from the disk.
TEXT = """\
// Nothing compiles this.
__device__ float twice(const float *in, int i) {
    float sum = 0.0f;
    for (int k = 0; k < 2; ++k) {
        sum += in[i] * 1.0f;
    }
    return sum;
}

__global__ void k01_gemm(const float *in, float *out) { out[threadIdx.x] = twice(in, threadIdx.x); }
"""
THIS = os.path.abspath(__file__)

# (steps before it, what is announced); steps: ("push", name[, domain]), ("pop"[, domain]),
# ("start", name), ("end", name).
PROGRAM = [
    ([], {"kernel": "k00_fill", "grid": [10], "block": [64]}),
    ([("push", "A")], {"kernel": "k01_gemm", "signature": "float *, int", "grid": [64, 8], "block": [16, 16], "flops": 4e9, "read": 6e6, "written": 2e6, "source": {"file": "announced.cu", "lines": [2, 8], "function": "twice", "called_at": 10}}),
    ([("push", "A1")], {"kernel": "k02_conv", "grid": [128, 2, 2], "block": [128], "flops": 2e10, "read": 1e7, "written": 4e6, "tensor": True, "precision": "fp16"}),
    ([], {"kernel": "k03_relu", "grid": [256], "block": [256], "flops": 1e6, "read": 4e6, "written": 4e6, "stream": 13, "source": {"file": THIS, "lines": [1, 40]}}),
    ([("pop",)], {"kernel": "k04_add", "grid": [300], "block": [96], "flops": 3e6, "read": 8e6, "written": 4e6, "source": {"file": "announced.cu", "lines": [10, 10], "text": TEXT}}),
    ([("pop",), ("push", "B")], {"kernel": "k05_gemm", "signature": "float *, int", "grid": [64, 8], "block": [16, 16], "flops": 4e9, "read": 6e6, "written": 2e6}),
    ([("pop",), ("start", "S")], {"kernel": "k06_copy", "read": 1e8, "written": 1e8, "grid": [1000], "block": [512], "l2_hit": 0.1}),
    ([("push", "A"), ("push", "D1", "other")], {"kernel": "k07_fp64", "flops": 1e8, "precision": "fp64", "grid": [46], "block": [1024], "registers": 64}),
    ([("end", "S"), ("pop", "other")], {"kernel": "k08_shared", "shared": 40000, "grid": [500], "block": [128], "flops": 1e8, "read": 1e5}),
    ([("pop",), ("push", "A/slash, [x]")], {"kernel": "k09_odd<int>", "signature": "", "grid": [1, 2, 3], "block": [4, 5, 6]}),
    ([("pop",)], {"kernel": "k10_other_device", "device": 1, "grid": [10], "block": [64], "read": 1e6}),
]  # fmt: skip
KERNELS = [kernel for _, kernel in PROGRAM]


def texts():
    """Source files by name, as readers have to find them."""
    yield "announced.cu", TEXT
    with open(THIS, encoding="utf-8") as file:
        yield THIS, file.read()


def play():
    import nvtx

    started = {}
    for steps, kernel in PROGRAM:
        for action, *rest in steps:
            if action == "push":
                nvtx.push_range(rest[0], domain=rest[1] if rest[1:] else None)
            elif action == "pop":
                nvtx.pop_range(domain=rest[0] if rest else None)
            elif action == "start":
                started[rest[0]] = nvtx.start_range(rest[0])
            else:
                nvtx.end_range(started.pop(rest[0]))
        nvtx.mark(json.dumps(kernel), domain=DOMAIN)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--exit", type=int, default=0)
    arguments.add_argument("--sleep", type=float, default=0)
    options = arguments.parse_args()
    if os.environ.get("RANGESCOPE_SIMULATE") != "1":
        sys.exit("not simulated")
    play()
    for rank in range(1, options.processes):
        child = [sys.executable, __file__]
        subprocess.run(child, env=os.environ | {"RANK": str(rank)}, check=True)
    print("the program's own output", flush=True)
    time.sleep(options.sleep)
    sys.exit(options.exit)


if __name__ == "__main__":
    main()
