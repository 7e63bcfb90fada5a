#!/usr/bin/env python3
"""Benchmark of many ranks: a report of each, all in one pass, beside reading the same bytes. Prints a Markdown table, judges no time.

    bench_ranks.py RANGESCOPE REPORT [--ranks N] [--files N] [--rounds N]

The reports are hard links to copies of REPORT in a folder beside it, each with the record of a rank of its own, as a
capture leaves them; the folder is removed at the end. There are so many copies that a processor's cache does not hold
them, because it would not hold the reports of a thousand ranks either. Both programs take turns, the best round counts.
"""

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

PER_NODE = 8
GB, MB = 1e9, 1e6


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("rangescope")
    arguments.add_argument("report", type=Path)
    arguments.add_argument("--ranks", type=int, default=1000)
    arguments.add_argument("--files", type=int, default=16)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=options.report.parent) as folder:
        bench(options, Path(folder))


def bench(options, folder):
    reports = make_ranks(options, folder)
    size = options.ranks * options.report.stat().st_size
    ours = [options.rangescope, "report", str(folder), "--quiet", "--format", "json"]
    plain, report, memory, results = [], [], [], 0
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        plain.append(run(["cat", *reports]).seconds)
        with open(folder / "report.json", "w+b") as out:
            done = run(ours, out)
            report.append(done.seconds)
            memory.append(done.memory)
        # A child counts what its parent takes when it begins: what is large is read by a process of its own.
        with ProcessPoolExecutor(1) as reader:
            results = reader.submit(check, folder / "report.json", options.ranks).result()
    one_thread = run(ours, open(folder / "one.json", "wb"), RAYON_NUM_THREADS="1")
    if not filecmp.cmp(folder / "one.json", folder / "report.json", shallow=False):
        sys.exit("one thread and several make different documents")
    print(f"{options.ranks:,} ranks, {results:,} results, {size / GB:.1f} GB in {options.files} files, {options.report.name}, {os.cpu_count()} cores\n")
    print("| what | measured | beside reading | target |\n|---|---|---|---|")
    for row in (
        ("reading the bytes (`cat`)", rate(size, min(plain)), "", ""),
        ("rangescope report", rate(size, min(report)), f"{min(report) / min(plain):.2f} ×", "≤ 2 ×"),
        ("&nbsp; with one thread", rate(size, one_thread.seconds), f"{one_thread.seconds / min(plain):.2f} ×", ""),
        ("&nbsp; peak resident memory", f"{max(memory) / MB:.0f} MB", "", "< 500 MB"),
        ("&nbsp; report.json", f"{(folder / 'report.json').stat().st_size / MB:.1f} MB", "", ""),
    ):  # fmt: skip
        print("| " + " | ".join(row) + " |")
    print()


def make_ranks(options, folder):
    reports = []
    copies = [shutil.copy(options.report, folder / f"copy-{number}") for number in range(options.files)]
    for rank in range(options.ranks):
        stem = folder / f"capture.rank-{rank:05}"
        report = stem.with_suffix(f"{stem.suffix}.ncu-rep")
        os.link(copies[rank % len(copies)], report)
        reports.append(str(report))
        record = dict(
            format="rangescope-rank 1.0", rank=rank, size=options.ranks, local_rank=rank % PER_NODE,
            host=f"node-{rank // PER_NODE}", node=rank // PER_NODE, visible_devices=None, launcher=None,
            job_id=None, pid=1 + rank, profiled=True, begun_at="2026-01-01T00:00:00Z", ended=None,
        )  # fmt: skip
        stem.with_suffix(f"{stem.suffix}.json").write_text(json.dumps(record))
    return reports


def check(path, ranks):
    """Every rank has a scope, and nothing is taken for a copy of something else; the number of results."""
    document = json.loads(path.read_bytes())
    seen = {report["scope"]["rank"] for report in document["reports"] if report["scope"]["kind"] == "process"}
    if seen != set(range(ranks)):
        sys.exit(f"{len(seen)} of {ranks} ranks have a scope")
    if any(note["code"] == "same-input-twice" for note in document["notes"]):
        sys.exit("ranks are taken for copies of each other")
    return sum(source["results"] for source in document["sources"])


class Done:
    def __init__(self, seconds, memory):
        self.seconds, self.memory = seconds, memory


def run(command, out=subprocess.DEVNULL, **environment):
    start = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, env=os.environ | environment)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}")
    return Done(seconds, usage.ru_maxrss * 1024)


def rate(size, seconds):
    return f"{seconds:.2f} s, {size / seconds / GB:.2f} GB/s"


if __name__ == "__main__":
    main()
