#!/usr/bin/env python3
"""Benchmark: rangescope beside NVIDIA's reader and real ncu. Prints a Markdown table, judges nothing.

    bench.py RANGESCOPE SMALL BIG HUGE [--rounds N]

SMALL, BIG and HUGE are reports; HUGE has ten times the results of BIG. The programs take turns,
the best of N rounds counts. Memory is watched in runs of their own, which are not timed.
Environment: RANGESCOPE_NCU (real ncu; left out when not set).
"""

import argparse
import json
import mmap
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

READ_ALL = Path(__file__).parent / "lib" / "read_all.py"
SMALL_RUNS = 20
MB = 1e6


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    for name in ("rangescope", "small", "big", "huge"):
        arguments.add_argument(name)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    ncu = os.environ.get("RANGESCOPE_NCU")

    def ours(report):
        return [options.rangescope, "report", report, "--format", "json"]

    small = [timed(ours(options.small)).wall for _ in range(SMALL_RUNS + 1)][1:]
    big, huge, module, cli, parquet = [], [], [], [], []
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        big.append(timed(ours(options.big)))
        module.append(timed([sys.executable, str(READ_ALL), options.big], inside=True))
        if ncu:
            cli.append(timed([ncu, "--import", options.big, "--page", "raw", "--csv"]))
        huge.append(timed(ours(options.huge)))
        with tempfile.TemporaryDirectory(dir=Path(options.big).parent) as folder:
            parquet.append(timed([options.rangescope, "export", options.big, "--quiet", "--format", "parquet", "--out", f"{folder}/out"]))

    big_best, huge_best, module_best = map(best, (big, huge, module))
    big_memory = watched(ours(options.big), options.big)
    huge_memory = watched(ours(options.huge), options.huge)
    module_memory = watched([sys.executable, str(READ_ALL), options.big], options.big)

    rows = [
        (f"rangescope, {size(options.big)}", seconds(big_best), "", ""),
        ("  CPU time", f"{big_best.cpu:.3f} s", "", ""),
        ("  private memory", megabytes(big_memory.private), "", "≤ 150 MB"),
        ("  peak resident memory", megabytes(big_memory.resident), "", ""),
        (f"rangescope, 10 × as many results, {size(options.huge)}", seconds(huge_best),
         f"{huge_best.wall / big_best.wall:.1f} ×", "≤ 11 ×"),
        ("  private memory", megabytes(huge_memory.private), "", "≤ 150 MB"),
        ("  peak resident memory", megabytes(huge_memory.resident), "", ""),
        ("rangescope export --format parquet, every metric", seconds(best(parquet)),
         f"{best(parquet).wall / big_best.wall:.1f} ×", "≤ 3 ×"),
        ("ncu_report, every metric", seconds(module_best),
         f"{module_best.wall / big_best.wall:.0f} ×", "≥ 60 ×"),
        ("  peak resident memory", megabytes(module_memory.resident), "", ""),
    ]  # fmt: skip
    if cli:
        ratio = f"{best(cli).wall / big_best.wall:.0f} ×"
        rows.append(("ncu --import --page raw --csv", seconds(best(cli)), ratio, "≥ 150 ×"))
        memory = watched([ncu, "--import", options.big, "--page", "raw", "--csv"], options.big)
        rows.append(("  peak resident memory", megabytes(memory.resident), "", ""))
    else:
        print("SKIPPED: ncu --import because RANGESCOPE_NCU is not set", file=sys.stderr)
    rows += [
        (f"rangescope, {size(options.small)}, best of {SMALL_RUNS}", milliseconds(min(small)), "", "< 20 ms"),
        ("  median", milliseconds(statistics.median(small)), "", ""),
    ]  # fmt: skip

    print("| what | measured | compared with the first row | target |\n|---|---|---|---|")
    for row in rows:
        print(("| " + " | ".join(row) + " |").replace("|   ", "| &nbsp; "))


class Time:
    def __init__(self, wall, cpu):
        self.wall, self.cpu = wall, cpu


class Memory:
    def __init__(self, private, resident):
        self.private, self.resident = private, resident


def timed(command, inside=False):
    """Runs the command; with `inside` its own clock counts (a Python program's start does not)."""
    pipe = subprocess.PIPE if inside else subprocess.DEVNULL
    start = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe)
    text = child.stdout.read() if inside else None
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}")
    if inside:
        wall = json.loads(text)["seconds"]
    return Time(wall, usage.ru_utime + usage.ru_stime)


def watched(command, report):
    """Peak memory, asked of the kernel as often as possible while the command runs.

    Pages of a mapped file that only one process maps count as private to it, though the kernel
    can drop them at any time. Mapping the report here as well makes them shared.
    """
    with open(report, "rb") as file, mmap.mmap(
        file.fileno(), 0, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE, prot=mmap.PROT_READ
    ):
        peak = Memory(0, 0)
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while child.poll() is None:
            try:
                table = Path(f"/proc/{child.pid}/smaps_rollup").read_text()
            except (OSError, ProcessLookupError):
                continue
            fields = dict(line.split(":", 1) for line in table.splitlines()[1:])
            read = lambda key: int(fields[key].split()[0]) * 1024  # noqa: E731
            if "Rss" in fields:
                peak.private = max(peak.private, read("Private_Clean") + read("Private_Dirty"))
                peak.resident = max(peak.resident, read("Rss"))
        return peak


def best(times):
    return min(times, key=lambda t: t.wall)


def seconds(measured):
    return f"{measured.wall:.3f} s"


def milliseconds(wall):
    return f"{wall * 1000:.1f} ms"


def megabytes(amount):
    return f"{amount / MB:.0f} MB"


def size(path):
    return f"{os.path.getsize(path) / MB:,.1f} MB"


if __name__ == "__main__":
    main()
