#!/usr/bin/env python3
"""Benchmark: what recording costs a program, beside nsys. Prints a Markdown table, judges nothing.

    bench_recorder.py REGIONS [--rounds N] [--pairs N]

REGIONS is `cargo build -p rangescope-run --example regions`. The contenders take turns; of
every one the best and the median of N rounds is shown. Environment: RANGESCOPE_NVTX_HEADERS, and
RANGESCOPE_NSYS (real nsys; left out when not set).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "emitters" / "bench.c"
THREADS = (1, 2)
TIMEOUT = 600
WALL, CPU = 0, 1


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("regions")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--pairs", type=int, default=1_000_000)
    options = arguments.parse_args()
    nsys = os.environ.get("RANGESCOPE_NSYS")
    library = subprocess.run([options.regions, "--unpack"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory, tempfile.TemporaryDirectory() as disk:
        program = Path(disk) / "bench"
        include = os.environ["RANGESCOPE_NVTX_HEADERS"].split(":")[0]
        subprocess.run(["cc", "-O2", f"-I{include}", "-o", program, SOURCE, "-lpthread", "-ldl"], check=True)
        contenders = {
            "no injection": lambda threads: run([program, threads, options.pairs]),
            "recorder, /dev/shm": lambda threads: recorded(memory, library, program, threads, options.pairs),
            "recorder, disk": lambda threads: recorded(disk, library, program, threads, options.pairs),
        }
        if nsys:
            contenders["nsys"] = lambda threads: profiled(disk, nsys, program, threads, options.pairs)
        else:
            print("SKIPPED: nsys because RANGESCOPE_NSYS is not set", file=sys.stderr)
        measured = {(name, threads): [] for threads in THREADS for name in contenders}
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for name, threads in measured:
                measured[name, threads].append(contenders[name](threads))
    table(measured, contenders)


def run(command, **variables):
    command = [str(part) for part in command]
    done = subprocess.run(command, env={**os.environ, **variables}, check=True, capture_output=True, text=True, timeout=TIMEOUT)
    # nsys prints lines of its own around those of the program.
    numbers = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    wall, cpu = map(float, numbers[0])
    return wall, cpu


def recorded(place, library, program, threads, pairs):
    folder = Path(place) / "recording"
    folder.mkdir()
    result = run([program, threads, pairs], NVTX_INJECTION64_PATH=library, RANGESCOPE_RECORDING=str(folder))
    shutil.rmtree(folder)
    return result


def profiled(place, nsys, program, threads, pairs):
    output = Path(place) / "nsys-report"
    options = ["-t", "nvtx", "-s", "none", "--cpuctxsw=none", "--force-overwrite", "true", "-o", output]
    return run([nsys, "profile", *options, program, threads, pairs])


def table(measured, contenders):
    def best(name, threads, clock):
        return min(values[clock] for values in measured[name, threads])

    def cell(name, threads):
        median = statistics.median(wall for wall, _ in measured[name, threads])
        return f"{best(name, threads, WALL):.1f} ({median:.1f}; {best(name, threads, CPU):.1f})"

    print("| ns a push/pop pair: best (median; best processor time) | 1 thread | 2 threads | compared with the recorder, 1 thread |")
    print("|---|---|---|---|")
    for name in contenders:
        ratio = best(name, 1, WALL) / best("recorder, /dev/shm", 1, WALL)
        print(f"| {name} | {cell(name, 1)} | {cell(name, 2)} | {ratio:.2f} × |")
    print("\nTargets: the recorder in /dev/shm at most 200 ns with one thread, and at most half of nsys.")


if __name__ == "__main__":
    main()
