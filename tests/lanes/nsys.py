#!/usr/bin/env python3
"""Lane "nsys": real Nsight Systems on a real NVTX program, and our summaries beside those of `nsys stats`.

    nsys.py TRACE COMMAND SCRATCH [--seed S]

TRACE and COMMAND are the examples `trace` of rangescope-read and `nsys_command` of rangescope-capture, SCRATCH is an empty folder. For every nsys:

1. A program that writes down which ranges it opens is recorded and exported by the command lines that we make.
   The ranges we read have to be those it opened: names, kinds, domains, threads, nesting, order, counts.
2. Recordings bound to a range or to domains hold what they should, and leave the program alive.
3. Launches, kernels and copies are added to such an export, from the seed; our summaries have to be those of
   `nsys stats`. Attribution in the scope of processes, which nsys does not have, is compared with a plain search.
4. The same for real exports from machines with GPUs, where they are at hand.

Environment: RANGESCOPE_NSYS (2023.4), RANGESCOPE_NSYS_OLD (2022.4), RANGESCOPE_SHARED; what is not set is left
out, visibly. Needs a C compiler; the headers of NVTX come with nsys.
"""

import argparse
import collections
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from lib import nsys_export
from lib.cases import until_it_succeeds
from lib.compare import Tally
from lib.runner import conclude

PROGRAM = Path(__file__).with_name("lib") / "nvtx_program.c"
DEFAULT = "<default domain>"
KINDS = {"PushPop": "push_pop", "StartEnd": "start_end"}
# The reports have other names from 2023 on, and the columns differ a little.
REPORTS = {
    True: {"kernels": "gpukernsum", "ranges": "nvtxsum", "by_region": "nvtxkernsum"},
    False: {"kernels": "cuda_gpu_kern_sum", "ranges": "nvtx_sum", "by_region": "nvtx_kern_sum"},
}
TIMEOUT = 120
RANK = 37  # what a launcher would tell the program
PLACED = 1000  # kernels of a file that are searched for


def run(command, **options):
    """nsys draws over its own lines and leaves no children behind; its output is of use only when it fails."""
    command = [str(part) for part in command]
    options = {"capture_output": True, "text": True, "errors": "replace", "timeout": TIMEOUT} | options
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, **options)


class Lane:
    def __init__(self, args, nsys, version):
        self.trace, self.command = os.path.abspath(args.trace), os.path.abspath(args.command)
        self.nsys, self.version = os.path.abspath(nsys), version
        self.folder = Path(args.scratch).resolve() / version
        self.folder.mkdir(parents=True)
        self.rng = random.Random(f"{args.seed}/{version}")
        self.tally = Tally()
        self.program = self.folder / "program"
        headers = Path(self.nsys).resolve().parent / "nvtx" / "include"
        built = run(["cc", "-O1", "-Wall", "-I", headers, PROGRAM, "-o", self.program, "-ldl", "-lpthread"])
        if built.returncode:
            sys.exit(f"the program cannot be compiled: {built.stderr}")

    def check(self):
        exports = [self.recording(number) for number in range(3)]
        self.gates()
        for number, export in enumerate(exports):
            if export:
                made = self.folder / f"oracle-{number}.sqlite"
                shutil.copy(self.full_export(export), made)
                with sqlite3.connect(made) as db:
                    if number > 0:
                        nsys_export.tell_apart(db)
                    nsys_export.add_kernels(self.rng, db)
                self.oracle(made)
        shared = os.environ.get("RANGESCOPE_SHARED")
        if shared:
            for export in sorted(Path(shared, "corpus", "nsys").glob("*.sqlite")):
                copy = self.folder / export.name  # nsys writes indices into the file
                shutil.copy(export, copy)
                self.oracle(copy)
        else:
            print("SKIPPED: real exports because RANGESCOPE_SHARED is not set")
        required = ["recordings", "ranges", "gates", "refusals", "kernel rows", "range rows", "region rows", "kernels placed"]
        return conclude(f"nsys {self.version}", self.tally, required)

    def read(self, export):
        done = run([self.trace, export])
        if done.returncode:
            self.tally.fail(f"{export.name}: {done.stderr.strip()}")
            return None
        return json.loads(done.stdout)

    # --- recording --------------------------------------------------------------------------------

    def record(self, name, options, seed, steps, threads, children):
        """Runs the program under nsys and exports the report; (export or None, lines of the program's logs)."""
        try:
            return until_it_succeeds(lambda: self.recorded(name, options, [seed, steps, threads, children]))
        except RuntimeError as error:
            self.tally.fail(f"{name}: {error}")
            return None, []

    def recorded(self, name, options, arguments):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        program = [self.program, folder / "log", *arguments]
        asked = run([self.command, self.nsys, folder / "run 100%", json.dumps(options), *program])
        lines = json.loads(asked.stdout)
        if "error" in lines:
            raise RuntimeError(lines["error"])
        done = run(lines["profile"], env={**os.environ, "SLURM_PROCID": str(RANK)})
        if done.returncode or "program ended" not in done.stdout:
            raise RuntimeError(f"nsys profile ended with {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
        log = [line.split("\t") for file in sorted(folder.glob("log*")) for line in file.read_text().splitlines()]
        if not Path(lines["report"]).exists():
            return None, log
        exported = run(lines["export"])
        if exported.returncode:
            raise RuntimeError(f"nsys export ended with {exported.returncode}: {exported.stderr[-600:]}")
        return folder / "run 100%.sqlite", log

    def full_export(self, export):
        """The same with every table, empty ones too."""
        full = export.with_name("full.sqlite")
        report = export.with_suffix(".nsys-rep")
        done = run([self.nsys, "export", "-q", "true", "-f", "true", "-l", "false", "-t", "sqlite", "-o", full, report])
        if done.returncode:
            sys.exit(f"no full export: {done.stderr}")
        return full

    def recording(self, number):
        name = f"recording {number}"
        seed, children = self.rng.randrange(1, 10**6), number
        export, log = self.record(f"recording-{number}", {"trace": ["nvtx"]}, seed, 400, 3, children)
        if export is None:
            self.tally.fail(f"{name}: no report")
            return None
        self.tally.counts["recordings"] += 1
        found = self.read(export)
        if found is None:
            return None
        # The environment of the program is in exports of newer versions.
        if found["rank"] not in ([None] if self.version.startswith("2022") else [RANK]):
            self.tally.fail(f"{name}: rank {found['rank']}")
        self.tally.counts["ranks"] += found["rank"] == RANK
        opened, ranges = opened_ranges(log), read_ranges(found)
        for thread in sorted(opened.keys() | ranges.keys()):
            self.tally.counts["threads"] += 1
            theirs, ours = opened.get(thread, []), ranges.get(thread, [])
            if len(theirs) != len(ours):
                self.tally.fail(f"{name} thread {thread}: {len(theirs)} ranges opened, {len(ours)} read")
            for position, pair in enumerate(zip(theirs, ours)):
                self.tally.check("ranges", f"{name} thread {thread} range {position}", *pair)
        self.summed_up(name, log, found["summary"]["ranges"])
        return export

    def summed_up(self, name, log, rows):
        expected = collections.defaultdict(lambda: [0, set(), set()])
        for _, _, pid, tid, kind, domain, _, message in (line for line in log if line[0] == "open"):
            entry = expected[domain, kind, message]
            entry[0] += 1
            entry[1].add((pid, tid))
            entry[2].add(pid)
        theirs = {key: (count, len(threads), len(pids)) for key, (count, threads, pids) in expected.items()}
        ours = {(r["domain"], r["kind"], r["name"]): (r["instances"], r["threads"], r["processes"]) for r in rows}
        for key in sorted(theirs.keys() | ours.keys()):
            self.tally.check("counts of ranges", f"{name} {key}", theirs.get(key), ours.get(key))

    # --- gates and refusals -----------------------------------------------------------------------

    def gates(self):
        steps = dict(seed=5, steps=600, threads=0, children=0)
        for options, inside in [
            ({"nvtx_capture": "prefill@*"}, lambda line: True),
            ({"nvtx_capture": "decode", "capture_range": "nvtx"}, lambda line: True),
            ({"nvtx_capture": "A::A1@LLM", "extra_args": ["-e", "X=1"]}, lambda line: True),
            ({"nvtx_domain_include": ["LLM", "default"]}, lambda line: line[5] in ("LLM", DEFAULT)),
            ({"nvtx_domain_exclude": ["LLM"]}, lambda line: line[5] != "LLM"),
        ]:
            name = f"gate {self.tally.counts['gates']}"
            export, log = self.record(name, options | {"trace": ["nvtx"]}, **steps)
            found = export and self.read(export)
            if not found:
                self.tally.fail(f"{name} {options}: no report")
                continue
            self.tally.counts["gates"] += 1
            opened = [line for line in log if line[0] == "open" and inside(line)]
            read = [(r["kind"], r["domain"], r["name"]) for r in found["ranges"]]
            if "nvtx_capture" not in options:
                theirs = collections.Counter((line[4], line[5], line[7]) for line in opened)
                self.tally.check("gated ranges", name, theirs, collections.Counter(read))
                continue
            # What is recorded is the first such range with all that was opened inside of it.
            wanted, _, domain = options["nvtx_capture"].partition("@")
            is_wanted = lambda line: line[7] == wanted and domain in ("*", line[5] if line[5] != DEFAULT else "")  # noqa: E731
            first = next(line for line in opened if is_wanted(line))
            self.tally.check("gated ranges", f"{name} first", (first[4], first[5], first[7]), read[0] if read else None)
            at = log.index(first)
            closed = next((i for i, line in enumerate(log) if line[0] == "close" and line[1] == first[1]), len(log))
            theirs = [(l[4], l[5], l[7]) for l in log[at:closed] if l[0] == "open"]
            self.tally.check("gated ranges", f"{name} all", theirs, read[: len(theirs)])
            self.tally.check("gated ranges", f"{name} is an end", True, len(read) <= len(theirs) + 2)
        self.refusals()

    def refusals(self):
        """What we refuse, nsys refuses too, or records nothing; what we let through, it takes."""
        base = ["profile", "--sample=none", "--cpuctxsw=none", "--force-overwrite=true"]
        for options, theirs in [
            ({"trace": ["nope"]}, ["--trace=nope"]),
            ({"trace": ["nvtx", " cuda"]}, ["--trace=nvtx, cuda"]),
            ({"capture_range": "nvtx"}, ["--trace=nvtx", "--capture-range=nvtx"]),
            ({"capture_range_end": "stop"}, ["--trace=nvtx", "--capture-range-end=stop"]),
            ({"nvtx_capture": "prefill@*", "capture_range_end": "repeat-shutdown"},
             ["--trace=nvtx", "--capture-range=nvtx", "--nvtx-capture=prefill@*", "--capture-range-end=repeat-shutdown"]),
            ({"nvtx_domain_include": ["a"], "nvtx_domain_exclude": ["b"]},
             ["--trace=nvtx", "--nvtx-domain-include=a", "--nvtx-domain-exclude=b"]),
            ({"extra_args": ["--sample=none"]}, ["--trace=nvtx", "--sample=none"]),
        ]:  # fmt: skip
            name = f"refusal {self.tally.counts['refusals']}"
            self.tally.counts["refusals"] += 1
            output = self.folder / name
            asked = run([self.command, self.nsys, output, json.dumps(options), "true"])
            self.tally.check("refused by us", f"{name} {options}", True, "error" in json.loads(asked.stdout))
            run([self.nsys, *base, f"--output={output}", *theirs, self.program, self.folder / "log", 1, 10, 0, 0])
            made = list(self.folder.glob(f"{name}*.nsys-rep"))
            self.tally.check("refused by nsys", f"{name} {theirs}", [], made)

    # --- the oracle -------------------------------------------------------------------------------

    def stats(self, report, export):
        name = REPORTS[self.version.startswith("2022")][report]
        done = run([self.nsys, "stats", "-q", "-r", name, "--format", "json", "-o", "-", export])
        try:
            rows = json.loads(done.stdout)
        except json.JSONDecodeError:
            self.tally.fail(f"{export.name}: nsys has no report {name}: {done.stderr.strip()}")
            return []
        return [{key: None if value in ("", "None") else value for key, value in row.items()} for row in rows]

    def oracle(self, export):
        found = self.read(export)
        if found is None:
            return
        self.kernels(export, found["as_nsys"])
        self.ranges(export, found["as_nsys"])
        self.by_region(export, found)
        self.placed(export, found)

    def kernels(self, export, summary):
        """Old nsys tells launch shapes apart, so its rows are added up, which leaves the median out."""
        theirs = collections.defaultdict(list)
        for row in self.stats("kernels", export):
            theirs[row["Name"]].append(row)
        theirs = {name: merged(rows, "Instances") for name, rows in theirs.items()}
        ours = {row["name"]: figures(row["calls"], row["time"]) for row in summary["kernels"]}
        self.compare("kernel rows", export, theirs, ours)
        whole = sum(row["share"] for row in summary["kernels"])
        self.tally.check("shares", export.name, True, abs(whole - 1) < 1e-9)

    def ranges(self, export, summary):
        """nsys does not know the domain of ranges without a message, so those are left out."""
        theirs, ours = {}, {}
        for row in self.stats("ranges", export):
            if row["Style"] in KINDS and not is_nameless(row["Range"]):
                theirs[row["Range"], KINDS[row["Style"]]] = merged([row], "Instances")
        for row in summary["ranges"]:
            if row["name"]:
                ours[shown(row["domain"], row["name"]), row["kind"]] = figures(row["instances"], row["time"])
        self.compare("range rows", export, theirs, ours)

    def by_region(self, export, found):
        """nsys counts the time of a kernel again for every range of the same name around it; then only its other
        figures are compared."""
        theirs, ours, again = {}, {}, repeated(found["ranges"])
        for row in self.stats("by_region", export):
            if row["Style"] and is_nameless(row["NVTX Range"]):
                continue
            thread = [row[column] and int(row[column]) for column in ("PID", "TID")]
            region = (row["NVTX Range"], KINDS.get(row["Style"]), *thread)
            theirs[(*region, row["Kernel Name"])] = merged([row], "Kern Inst")
        for row in found["as_nsys"]["kernels_by_region"]:
            region, kernel = row["region"], row["kernel"]
            if region and not region["name"]:
                continue
            name = region and shown(region["domain"], region["name"])
            key = (name, region and region["kind"], row["process_id"], row["thread_id"])
            ours[(*key, kernel["name"])] = figures(kernel["calls"], kernel["time"])
        for key, row in theirs.items():
            if key[:4] in again:
                self.tally.counts["region rows without sums"] += 1
                theirs[key] = {name: row[name] for name in ("count", "min", "max")}
        self.compare("region rows", export, theirs, ours)

    def compare(self, kind, export, theirs, ours):
        for key in sorted(theirs.keys() | ours.keys(), key=repr):
            a, b = theirs.get(key), ours.get(key)
            self.tally.check(kind, f"{export.name} {key}", a, b, a is not None and b is not None and same(a, b))

    def placed(self, export, found):
        """The regions of every kernel, found by looking at every range for every launch."""
        ranges = collections.defaultdict(list)
        for row in found["ranges"]:
            ranges[row["pid"]].append(row)
        calls = nsys_export.launches(export)
        for kernel in found["kernels"][:: len(found["kernels"]) // PLACED + 1]:
            call, expected = calls.get(kernel["row"]), set()
            for row in ranges[call[0]] if call else ():
                _, tid, start, end = call
                on_thread = row["kind"] == "start_end" or row["tid"] == tid
                if on_thread and row["start"] <= start and row["end"] >= end:
                    expected.add((row["domain"], row["kind"], tuple(row["path"])))
            ours = {(domain, kind, tuple(path)) for domain, kind, path in kernel["regions"]}
            self.tally.check("kernels placed", f"{export.name} kernel {kernel['row']}", expected, ours)


def opened_ranges(log):
    """By thread: what the program opened, in order, each with the position of the range around it."""
    ended = {(line[2], line[1]): line[3] for line in log if line[0] == "close"}
    threads, stacks = collections.defaultdict(list), collections.defaultdict(list)
    for line in log:
        if line[0] == "close":
            for stack in stacks.values():
                if stack and stack[-1][:2] == (line[2], line[1]):
                    stack.pop()
            continue
        _, id, pid, tid, kind, domain, is_registered, name = line
        stack = stacks[pid, tid, domain]
        parent = stack[-1][2] if stack and kind == "push_pop" else None
        end_tid = ended.get((pid, id), tid)
        other = int(end_tid) if kind == "start_end" and end_tid != tid else None
        entry = (kind, domain, name, is_registered == "1", parent, other)
        if kind == "push_pop":
            stack.append((pid, id, len(threads[int(pid), int(tid)])))
        threads[int(pid), int(tid)].append(entry)
    return threads


def read_ranges(found):
    threads, position = collections.defaultdict(list), {}
    for row in found["ranges"]:
        entries = threads[row["pid"], row["tid"]]
        position[row["row"]] = len(entries)
        parent = position.get(row["parent"])
        entries.append((row["kind"], row["domain"], row["name"], row["is_registered"], parent, row["end_tid"]))
    return threads


def repeated(ranges):
    """The labels of ranges that are open twice at a time on one thread."""
    open_until, again = {}, set()
    for row in ranges:
        label = (shown(row["domain"], row["name"]), row["kind"], row["pid"], row["tid"])
        if row["start"] <= open_until.get(label, -1):
            again.add(label)
        open_until[label] = max(row["end"], open_until.get(label, -1))
    return again


def is_nameless(range):
    return range is None or range.endswith(":") and not range.endswith("::")


def shown(domain, name):
    """A range as nsys shows it. A domain that was made before the recording began has no name."""
    return name if domain == DEFAULT or domain.startswith("(domain ") else f"{domain}:{name}"


def figures(count, time):
    return {"count": count, "total": time["total_ns"], "min": time["min_ns"], "max": time["max_ns"],
            "mean": time["mean_ns"], "median": time["median_ns"]}  # fmt: skip


def merged(rows, instances):
    count, total = sum(int(row[instances]) for row in rows), sum(int(row["Total Time (ns)"]) for row in rows)
    result = {"count": count, "total": total}
    result["min"] = min(int(row["Min (ns)"]) for row in rows)
    result["max"] = max(int(row["Max (ns)"]) for row in rows)
    if len(rows) == 1:
        result |= {"mean": float(rows[0]["Avg (ns)"]), "median": float(rows[0]["Med (ns)"])}
    return result


def same(theirs, ours):
    """Whole numbers are equal; nsys prints the others with one digit after the point."""
    exact = all(theirs[key] == ours[key] for key in ("count", "total", "min", "max") if key in theirs)
    return exact and all(abs(theirs[key] - ours[key]) < 0.0501 for key in ("mean", "median") if key in theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("command")
    parser.add_argument("scratch")
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    failed, checked = 0, 0
    for variable, version in (("RANGESCOPE_NSYS", "2023.4"), ("RANGESCOPE_NSYS_OLD", "2022.4")):
        nsys = os.environ.get(variable)
        if not nsys:
            print(f"SKIPPED: nsys {version} because {variable} is not set")
            continue
        checked += 1
        failed |= Lane(args, nsys, version).check()
    return failed if checked else 1


if __name__ == "__main__":
    sys.exit(main())
