#!/usr/bin/env python3
"""Lane "NVRTC": the dummy model's CUDA path without a GPU, and its NVTX client beside NVIDIA's software.

    nvrtc.py PROGRAM CUDA

PROGRAM is dummy_shallow_resnet; CUDA the folder into which PyPI's nvidia-cuda-nvrtc-cu12 and nvidia-nvtx-cu12 were
installed. Needs a C++ compiler. RANGESCOPE_NCU, RANGESCOPE_NCU_OLD, RANGESCOPE_NSYS and RANGESCOPE_NSYS_OLD name the
tools to run the program under; those that are not set are said to be left out.

1. NVIDIA's NVRTC compiles the kernels to PTX through the program's own code, for every architecture it knows.
2. The program runs on an emulated device: NVRTC's real code is loaded by a stand-in for libcuda (lib/fake_cuda.cpp)
   that checks every call and runs the kernels' CUDA source on the CPU. The results must be those of the CPU, bit by bit;
   the calls must come in the order that range replay needs; every kernel must be in the ranges that a simulated run
   announces for it.
3. Real ncu attaches to the program's ranges; real nsys sees exactly the ranges that the stand-in, which is compiled
   against NVIDIA's NVTX headers, sees.
"""

import ctypes
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import events  # noqa: E402
from lib.cases import until_it_succeeds  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "crates/dummy-model/src/device/cuda/kernels.cu"
FAKE = Path(__file__).resolve().parent / "lib/fake_cuda.cpp"
DTYPES = {"float32": [], "float16": ["-DSCALAR_IS_HALF"]}
# The last is newer than anything that NVRTC knows.
CAPABILITIES = {"86": "machine code", "999": "PTX"}
ENDLESS = {"hang", "crash"}
UNDER_NSYS = ["resnet", "nested", "start-end", "domains", "threads", "overlapping"]
RANGE_CALLS = ("push", "pop", "start", "end")
# What must not happen once ranges are open.
PREPARATION = ("cuInit", "cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuMemAlloc", "cuMemcpyHtoD", "cuStreamCreate")


class Lane:
    def __init__(self, program, cuda, scratch):
        self.program, self.scratch = program, scratch
        self.nvrtc = next((cuda / "nvidia/cuda_nvrtc/lib").glob("libnvrtc.so.*"))
        self.nvtx = cuda / "nvidia/nvtx/include"
        self.checks, self.failures = 0, []
        self.kernels = self.run("--list-kernels").stdout.split()
        self.scenarios = [line.split()[0] for line in self.run("--list-scenarios").stdout.splitlines()]

    def check(self, right, what):
        self.checks += 1
        if not right:
            self.failures.append(what)

    def run(self, *arguments, env=None, before=()):
        environment = {k: v for k, v in os.environ.items() if k not in ("NVTX_INJECTION64_PATH", "RANK")} | (env or {})
        command = [*map(str, before), str(self.program), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=300)

    def result(self, *arguments, **options):
        done = self.run(*arguments, "--json", **options)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    # --- 1. PTX ---

    def ptx(self):
        for architecture in self.architectures():
            for dtype in DTYPES:
                where = f"PTX for {architecture}, {dtype}"
                done = self.run("--compile-ptx", f"compute_{architecture}", "--dtype", dtype, "--nvrtc", self.nvrtc)
                self.check(done.returncode == 0, f"{where}: {done.stderr.strip()[-300:]}")
                entries = [demangled(name) for name in re.findall(r"\.entry (\w+)\(", done.stdout)]
                self.check(sorted(entries) == sorted(self.kernels), f"{where}: entries are {entries}")
                self.check(f".target sm_{architecture}" in done.stdout, f"{where}: another target")
                self.check(("cvt.rn.f16.f32" in done.stdout) == (dtype == "float16"), f"{where}: conversions")
                self.check(".extern" not in done.stdout, f"{where}: something is missing")
        done = self.run("--compile-ptx", "compute_1", "--nvrtc", self.nvrtc)
        self.check(done.returncode == 1 and "nvrtcCompileProgram" in done.stderr, "an unknown architecture is refused")

    def architectures(self):
        library = ctypes.CDLL(str(self.nvrtc))
        count = ctypes.c_int()
        library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        library.nvrtcGetSupportedArchs(known)
        self.check({70, 80, 90} <= set(known), f"NVRTC knows {list(known)}")
        return sorted(known)

    # --- 2. The emulated device ---

    def build(self):
        table = self.scratch / "table.inc"
        table.write_text("".join(f"ENTRY({name})\n" for name in self.kernels))
        self.fakes = {}
        for dtype, options in DTYPES.items():
            self.fakes[dtype] = library = self.scratch / dtype / "libcuda.so.1"
            library.parent.mkdir()
            subprocess.run(
                [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off",
                 "-shared", "-fPIC", f'-DKERNELS="{SOURCE}"', f'-DKERNEL_TABLE="{table}"', f"-I{self.nvtx}", *options,
                 str(FAKE), "-o", str(library)],
                check=True,
            )  # fmt: skip

    def seen(self, *arguments, dtype="float32", device, env=None):
        """Runs with the stand-in as device and as NVTX tool: results, and what it recorded."""
        log = self.scratch / "log"
        log.unlink(missing_ok=True)
        library = self.fakes[dtype]
        env = {"FAKE_CUDA_LOG": str(log), "NVTX_INJECTION64_PATH": str(library),
               "LD_LIBRARY_PATH": str(library.parent)} | (env or {})  # fmt: skip
        results = self.result(*arguments, "--dtype", dtype, "--device", device, "--nvrtc", self.nvrtc, env=env)
        return results, log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def emulated(self):
        for scenario in self.scenarios:
            if scenario in ENDLESS or scenario == "processes":
                continue
            for dtype in DTYPES:
                small = ["--scenario", scenario, "--size", "19", "--channels", "5", "--repeats", "2"]
                expected = self.result(*small, "--dtype", dtype, "--device", "cpu")[0]
                _, simulated = self.seen(*small, dtype=dtype, device="sim")
                for capability, form in CAPABILITIES.items():
                    where = f"{scenario}, {dtype}, {form}"
                    results, log = self.seen(
                        *small, dtype=dtype, device="cuda", env={"FAKE_CUDA_CAPABILITY": capability}
                    )
                    self.check(results[0]["device"] == "cuda:0", f"{where}: ran on {results[0]['device']}")
                    self.check(results[0]["logits"] == expected["logits"], f"{where}: other numbers than the CPU")
                    self.check(any(f"cuModuleLoadData {form}, {len(self.kernels)} kernels" in line for line in log),
                               f"{where}: other code was loaded")  # fmt: skip
                    self.order(where, log, results[0])
                    real, announced = events.from_log(log, "launch"), events.from_log(simulated, "mark")
                    self.check(by_work(real) == by_work(announced), f"{where}: a simulated run announces other kernels")
                    launches = sum(map(len, real.values()))
                    self.check(launches == results[0]["launches"], f"{where}: {launches} launches")

        env = {"FAKE_CUDA_DEVICES": "2"}
        results, log = self.seen("--scenario", "processes", "--ranks", "3", device="cuda", env=env)
        self.check([r["device"] for r in results] == ["cuda:0", "cuda:1", "cuda:0"], "ranks go round the devices")
        self.check({"0 cuDeviceGet 0", "0 cuDeviceGet 1"} <= set(log), "ranks use their devices")
        results, _ = self.seen(device="cuda", env={"FAKE_CUDA_DEVICES": "0"})
        self.check(results[0]["device"] == "cpu", "a driver without devices")

    def order(self, where, log, result):
        calls = [line.split(" ", 2)[1] for line in log]
        self.check(not [line for line in log if re.search(r"\b[A-Z]{3,} [A-Z]{3,}", line)], f"{where}: {log[-3:]}")
        first = {call: calls.index(call) for call in PREPARATION + ("cuLaunchKernel",) if call in calls}
        steps = ["cuInit", "cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuMemAlloc", "cuMemcpyHtoD", "cuLaunchKernel"]
        self.check([first[step] for step in steps] == sorted(first[step] for step in steps), f"{where}: order {first}")
        ranges = [i for i, call in enumerate(calls) if call in RANGE_CALLS]
        if ranges:
            late = [call for call in calls[ranges[0]:] if call in PREPARATION]
            self.check(not late, f"{where}: {late} after the first range")
            warm = calls[: ranges[0]].count("cuLaunchKernel")
            self.check(warm > 0, f"{where}: no warm-up")
        for i in ranges:
            thread = log[i].split(" ", 1)[0]
            before = next(line for line in reversed(log[:i]) if line.startswith(f"{thread} "))
            self.check(before == f"{thread} cuCtxSynchronize", f"{where}: {log[i]} follows {before}")
        self.check(result["nvtx"] is not None, f"{where}: no tool attached")

    def endless(self):
        log = self.scratch / "log"
        library = self.fakes["float32"]
        env = {"FAKE_CUDA_LOG": str(log), "NVTX_INJECTION64_PATH": str(library)}
        log.unlink(missing_ok=True)
        done = self.run("--scenario", "crash", "--device", "sim", env=env)
        self.check(done.returncode == -signal.SIGABRT, f"crash ended with {done.returncode}")
        lines = [line for line in log.read_text().splitlines() if " mark " not in line]
        self.check(lines == ["0 push - A", "0 pop -", "0 push - B"], f"crash: {lines}")

        log.unlink()
        child = subprocess.Popen([self.program, "--scenario", "hang", "--device", "sim"], env=os.environ | env)
        wanted = "0 push NCCL ncclAllReduce"
        try:
            for _ in range(600):
                if child.poll() is not None or (log.exists() and wanted in log.read_text()):
                    break
                time.sleep(0.1)
            self.check(child.poll() is None, "hang ended")
            lines = [line for line in log.read_text().splitlines() if " mark " not in line]
            self.check(lines == ["0 push - A", "0 pop -", "0 push - B", wanted], f"hang: {lines}")
        finally:
            child.kill()
            child.wait()

    # --- 3. Real tools ---

    def ncu(self, ncu):
        for device in ("cpu", "cuda"):
            # A program this short may end before ncu has connected to it.
            for _ in range(10):
                words = ["--scenario", "domains", "--device", device, "--repeats", "100", "--json"]
                done = self.run(*words, before=[ncu, "--nvtx"])
                if "==PROF== Connected to process" in done.stdout:
                    break
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
            where = f"{Path(ncu).name} on {device}"
            self.check(done.returncode == 0 and len(lines) == 1, f"{where}: {done.stdout[-300:]} {done.stderr[-300:]}")
            # Without ranges, ncu connects only to programs that use CUDA.
            self.check("==PROF== Connected to process" in done.stdout, f"{where}: not connected")
            self.check(lines and "injection" in (json.loads(lines[0])["nvtx"] or ""), f"{where}: not attached")

    def nsys(self, nsys):
        for scenario in UNDER_NSYS:
            where = f"{Path(nsys).name}, {scenario}"
            arguments = ["--scenario", scenario, "--device", "sim", "--size", "8"]
            try:
                theirs = until_it_succeeds(lambda: self.traced(nsys, arguments))
            except RuntimeError as error:
                self.check(False, f"{where}: {error}")
                continue
            _, log = self.seen(*arguments[:2], *arguments[4:], device="sim")
            ours = events.from_log(log, "mark")
            self.check(by_work(theirs) == by_work(ours), f"{where}: other kernels or ranges")
            self.check(any(ranges for kernels in theirs.values() for _, ranges in kernels), f"{where}: no ranges")

    def traced(self, nsys, arguments):
        """What nsys recorded of the program."""
        report, database = self.scratch / "traced.nsys-rep", self.scratch / "traced.sqlite"
        for stale in (report, database):
            stale.unlink(missing_ok=True)
        profile = [nsys, "profile", "-t", "nvtx", "-s", "none", "--cpuctxsw=none", "-o", report]
        export = [nsys, "export", "-q", "true", "-t", "sqlite", "-o", str(database), str(report)]
        for what, made, step in [
            ("profile", report, lambda: self.run(*arguments, before=profile)),
            ("export", database, lambda: subprocess.run(export, capture_output=True, encoding="utf-8", timeout=300)),
        ]:
            done = step()
            if done.returncode or not made.exists():
                raise RuntimeError(f"nsys {what} ended with {done.returncode}: {done.stdout[-300:]} {done.stderr[-600:]}")
        try:
            return events.from_nsys(database)
        except sqlite3.OperationalError as error:
            # There is no table for what was not recorded: the program can end before nsys has attached to it.
            raise RuntimeError(f"nsys recorded nothing: {error}") from error


def demangled(name):
    found = re.match(r"_Z(\d+)", name)
    return name[found.end() : found.end() + int(found[1])] if found else name


def by_work(threads):
    """The lists of all threads, in an order that does not depend on how threads are numbered."""
    return sorted(threads.values(), key=repr)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    scratch = Path(tempfile.mkdtemp(prefix="rangescope-nvrtc-"))
    try:
        lane = Lane(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), scratch)
        steps = [("ptx", lane.ptx), ("build", lane.build), ("emulated device", lane.emulated), ("endless", lane.endless)]
        for variable, step in [("RANGESCOPE_NCU", lane.ncu), ("RANGESCOPE_NCU_OLD", lane.ncu),
                               ("RANGESCOPE_NSYS", lane.nsys), ("RANGESCOPE_NSYS_OLD", lane.nsys)]:  # fmt: skip
            if tool := os.environ.get(variable):
                steps.append((variable, lambda step=step, tool=tool: step(tool)))
            else:
                print(f"  left out: {variable} is not set")
        for name, step in steps:
            before = lane.checks
            step()
            print(f"  {name:<24}{lane.checks - before:>8,} checks")
        print(f"nvrtc: {lane.checks:,} checks, {len(lane.failures)} failed")
        for failure in lane.failures[:20]:
            print(f"  {failure}")
        return 1 if lane.failures or lane.checks == 0 else 0
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
