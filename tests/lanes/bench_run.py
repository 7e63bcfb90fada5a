#!/usr/bin/env python3
"""Benchmark of a run: the cost of choosing regions, and of making the reports.

    bench_run.py RANGESCOPE PYTHON [--rounds N]

PYTHON has the package `nvtx`. Both captures are made in turns in one run, so that what else the
machine does meets both. Times are for people: nothing here fails because of one.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REGIONS, KERNELS = 20, 500
PROGRAM = f"""
import json, nvtx
gpu = nvtx.get_domain("rangescope.sim")
marks = [gpu.get_event_attributes(json.dumps(dict(kernel=f"kernel_{{k % 50}}", grid=[64 + k], block=[128],
         flops=1e6 * (k + 1), read=1e5 * (k + 1), written=5e4))) for k in range({KERNELS})]
for r in range({REGIONS}):
    with nvtx.annotate(f"region_{{r}}"):
        for mark in marks:
            gpu.mark(mark)
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("rangescope", type=lambda text: Path(text).resolve())
    arguments.add_argument("python")
    arguments.add_argument("--rounds", type=int, default=7)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench(options, Path(folder))


def bench(options, folder):
    (folder / "program.py").write_text(PROGRAM)
    program = [options.python, "program.py"]
    kinds = {"without regions": [], "with 20 regions": ["--region", "region_*"]}
    times = {kind: [] for kind in kinds}
    reports = []
    for number in range(options.rounds):
        for kind, words in kinds.items():
            out = f"{kind.replace(' ', '-')}-{number}"
            profile = [options.rangescope, "profile", "--quiet", "--simulate", "--out", out, *words, "--", *program]
            times[kind].append(timed(profile, folder))
        report = [options.rangescope, "report", out, "--out", f"again-{number}", "--quiet"]
        reports.append(timed(report, folder))
    print(f"{REGIONS} regions x {KERNELS} kernels, {options.rounds} rounds, simulated device\n")
    print("| | best s | median s |\n|---|---:|---:|")
    for kind, seconds in times.items():
        print(f"| capture and reports, {kind} | {min(seconds):.3f} | {statistics.median(seconds):.3f} |")
    print(f"| reports alone, from the run folder | {min(reports):.3f} | {statistics.median(reports):.3f} |")
    without, with_regions = times.values()
    best, median = min(with_regions) / min(without), statistics.median(with_regions) / statistics.median(without)
    print(f"\nregions cost {100 * (best - 1):+.1f} % (best), {100 * (median - 1):+.1f} % (median)")


def timed(command, folder):
    begun = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
