#!/usr/bin/env python3
"""Lane "simulator": the stand-in for ncu beside real ncu and NVIDIA's reader.

    simulator.py SIMULATOR RANGESCOPE

SIMULATOR is the words that start it, separated by blanks: `.../simulate_ncu`, or `.../rangescope
simulate-ncu`. Environment: RANGESCOPE_NCU (2024.1), RANGESCOPE_NVTX_PYTHONS (Pythons with the
`nvtx` package, separated by colons; the first is used).

- Command lines that real ncu refuses are refused with the same exit code and the same words, and
  those that it takes are taken.
- Reports of simulated runs (kernels, ranges, several processes) have the same values in NVIDIA's
  reader, in real ncu and in rangescope, and they are what the program announced.
- A filter selects the same kernels when the simulator applies it and when real ncu applies it to
  the unfiltered report.
- Lines, instructions and charts of the sample, of a run of `demo`, and of kernels that announce where they are in a text
  are those of NVIDIA's reader, and the lines are where the announcements say.
- Times of ranges are the sums of their kernels'; faults are as they were asked for.
"""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kernel
import source
from lib import announces, cells, runner
from lib.compare import Tally

ROOT = Path(__file__).resolve().parent
PROGRAM = ROOT / "lib" / "announces.py"
TIMEOUT = 300
TIME = "gpu__time_duration.sum"

# Real ncu refuses these; `|` separates words where one is empty or has a blank.
REFUSED = """
--bogus
-x
-fx
--kernel-na foo
--nvtx=1
--set=
--apply-rules maybe
--replay-mode bogus
--replay-mode Kernel
--filter-mode bogus
--kernel-name-base bogus
--target-processes bogus
--cache-control bogus
--clock-control bogus
--clock-control boost
--graph-profiling bogus
--app-replay-mode balanced
--profile-from-start bogus
--print-summary bogus
--page bogus
--print-units bogus
--nvtx-push-pop-scope process
--rename-kernels off
--communicator tcp
-c abc
-c 0
-c 99999999999999999999999
-s abc
-s 1.5
--launch-skip-before-match x
--pm-sampling-interval x
--warp-sampling-interval 40
--warp-sampling-interval x
--kill yes
--kill bogus
--quiet
--devices x
--devices 0,a
--set full --set basic
--metrics a.sum --metrics b.sum
-k foo -k bar
--nvtx --nvtx
-f -f
-k regex:(
-k regex:[a
--section regex:(
--metrics regex:(
--kernel-id ::regex:(:
--kernel-id foo
--kernel-id 1:2:3:4:5:6
--kernel-id ::foo
--kernel-id ::foo:a
--kernel-id a:b:foo:1
--kernel-id ::bogus:a:1
--section Nope
--section SpeedOfLight --section Nope
--section regex:Zzz.*
--section SpeedOfLight,Occupancy
--section-folder /nonexistent
--section-folder-recursive /nonexistent
--app-replay-match name
--app-replay-mode strict
--app-replay-buffer file
--replay-mode application --app-replay-buffer memory --app-replay-mode relaxed
--range-replay-options enable-greedy-sync
--replay-mode range --range-replay-options bogus
--replay-mode range --app-replay-match name
--replay-mode application --range-replay-options enable-greedy-sync
--replay-mode app-range --range-replay-options enable-greedy-sync
--replay-mode range --filter-mode per-launch-config
--replay-mode app-range --filter-mode per-launch-config
--replay-mode application --graph-profiling graph
--replay-mode range --graph-profiling graph
--replay-mode range -k foo
--replay-mode range --kernel-id ::foo:1
--replay-mode range --nvtx --nvtx-exclude A/
--replay-mode range --nvtx --nvtx-include A/ --nvtx-exclude B/
--replay-mode range --profile-from-start off
--replay-mode app-range -k foo
--replay-mode app-range --nvtx --nvtx-exclude A/
--nvtx-include A
--nvtx-exclude A
--nvtx --nvtx-include @
--nvtx --nvtx-include dom@
--nvtx --nvtx-include */A
--nvtx --nvtx-include a@b@c/
--nvtx --nvtx-include regex:(/
--nvtx --nvtx-exclude @
--range-filter yes:1:2
--range-filter ::1
--range-filter bogus
--range-filter maybe:1:1
--range-filter ON:1:
--range-filter ::(
--range-filter ::abc
--range-filter yes:1:2:3
--disable-profiler-start-stop --range-filter :1:
--print-summary per-nvtx
--print-nvtx-rename kernel
--print-source sass
--chips ga100
--rule CPIStall --apply-rules no
--source-folders DIR
--replay-mode range --import-source yes
--replay-mode app-range --import-source yes
--config-file maybe
--config-file-path /nonexistent.cfg
--preload-library /nope.so
-o exists
-o exists.ncu-rep
-o nowhere/x
-o dir%p/a
-o a_%i_%i
-o a%z
-o a%q
-o o_%q{RANGESCOPE_NO_SUCH_VARIABLE}
--log-file /nonexistent/x.log
--nvtx --
-c 0 --devices x
--kill yes -k regex:(
--app-replay-match name -k regex:(
--section Nope -k regex:(
--section Nope -o exists
--nvtx-include A -o exists
--nvtx --nvtx-include @ -o exists
--range-filter bogus -o exists
"""

# Real ncu takes these.
TAKEN = """
|
--set=basic
--set full
--set detailed
--set roofline
--set nope
--set default
--section SpeedOfLight
--section regex:Speed.*
--section regex:
--metrics sm__cycles_elapsed.avg
--metrics group:bogus
--metrics breakdown:bogus
--rule Nope
--replay-mode kernel
--replay kernel
--replay-mode range
--replay-mode application
--replay-mode app-range
--replay-mode range --nvtx --nvtx-include A/
--replay-mode range --range-replay-options enable-greedy-sync
--replay-mode range -c 1 -s 1
--replay-mode range --kernel-name-base mangled
--replay-mode application --app-replay-match all --app-replay-buffer memory
--replay-mode application --app-replay-mode relaxed
--graph-profiling graph
--filter-mode per-gpu
--filter-mode per-launch-config
-k foo
-kfoo
-k -foo
-k bogus:foo
-k regex:^foo.*
-k regex:
-c5
-c -1
-s -1
--kernel-id ::foo:2
--kernel-id :::
--kernel-id ::regex:a:1
--nvtx --nvtx-include A//B
--nvtx --nvtx-include [A]
--nvtx --nvtx-include A,B
--nvtx --nvtx-include A/*/B]
--nvtx --nvtx-include LLM@B/ --nvtx-exclude regex:A.*/
--nvtx-include=A --nvtx
--range-filter :1:
--range-filter ::
--range-filter yes::
--range-filter :[1-3:
--nvtx --nvtx-include A/ --range-filter no:[2-4]:2|3
--target-processes all
--target-processes application-only
--target-processes-filter regex:py.*,true
--target-processes-filter exclude:x
--target-processes-filter exclude-tree:x
--cache-control none
--clock-control none
--profile-from-start off
--kill yes -c 1
--devices 0
--devices 0,1
--import-source yes
--pm-sampling-interval 1000
--warp-sampling-interval auto
--csv --page raw --nvtx --print-summary per-nvtx
--print-details all
--config-file off
--disable-extra-suffixes
--call-stack
--null-stdin
--check-exit-code no
--apply-rules YES
-f -o exists
-o fine
-o fine_%h_%p_%i_%q{LC_ALL}_%%
-o=fine
"""

# What real ncu can also do with a finished report.
FILTERS = """
|
--nvtx-include A/
--nvtx-include A/A1/
--nvtx-include A1]
--nvtx-include [A/*
--nvtx-include A/ --nvtx-include B/
--nvtx-include A/ --nvtx-exclude A1/
--nvtx-exclude A/
--nvtx-exclude B/ --nvtx-exclude S
--nvtx-include S
--nvtx-include other@D1/
--nvtx-include regex:other@D.*/
--nvtx-include regex:^A$/
--nvtx-include regex:A|B/
--nvtx-include A\\/slash, [x\\]/
--nvtx-include nothing/
-k k01_gemm
-k regex:gemm
-k regex:^k0[1-4]_
--kernel-name-base demangled -k regex:float
--kernel-name-base demangled -k k01_gemm(float *, int)
--kernel-name-base mangled -k regex:^_Z
--kernel-id ::k05_gemm:1
--kernel-id ::regex:gemm:2
--kernel-id :13::
--kernel-id 1:7:regex:k0[0-3]:
-c 3
-s 4
-s 2 -c 3
--launch-skip-before-match 3
--launch-skip-before-match 3 -k regex:gemm
--launch-skip-before-match 2 -s 1 -c 2
-k regex:gemm -s 1
-k regex:gemm -c 1
--nvtx-include A/ -c 2
--nvtx-include A/ -s 1 -c 2
--nvtx-include A/ --launch-skip-before-match 3
--nvtx-include A/ -k regex:gemm|relu
--nvtx-include A/ --kernel-id ::regex:_:2
--nvtx-exclude A/ --kernel-id ::regex:_:2
"""


def words(text):
    for line in text.strip().splitlines():
        yield [] if line == "|" else split(line)


def split(line):
    """At blanks, but not inside names: a word that begins an option ends the one before."""
    parts, current = [], None
    for part in line.split(" "):
        if part.startswith("-") and not (parts and parts[-1] in ("-c", "-s", "-k")) or current is None:
            parts.append(part)
            current = part if part.startswith("-") and "=" not in part and part not in FLAGS else None
            continue
        if parts[-1] == current:
            parts.append(part)
        else:
            parts[-1] += " " + part
    return parts


FLAGS = (
    "--nvtx", "--quiet", "--csv", "--call-stack", "--null-stdin", "--disable-extra-suffixes",
    "--disable-profiler-start-stop", "-f",
)  # fmt: skip


class Lane:
    def __init__(self, simulator, rangescope, work):
        self.simulator, self.rangescope, self.work = simulator, rangescope, work
        self.ncu = os.environ["RANGESCOPE_NCU"]
        self.python = os.environ["RANGESCOPE_NVTX_PYTHONS"].split(":")[0]
        (work / "exists.ncu-rep").touch()
        (work / "DIR").mkdir()

    def run(self, command, **environment):
        return subprocess.run(
            command, cwd=self.work, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
            env=os.environ | {"LC_ALL": "C"} | environment, timeout=TIMEOUT,
        )  # fmt: skip

    def simulate(self, *options, program=(), **environment):
        return self.run([*self.simulator, *options, self.python, str(PROGRAM), *program], **environment)

    def import_rows(self, report, options):
        """The rows of the raw page as dictionaries, without the row of units."""
        command = [self.ncu, "--import", str(report), "--page", "raw", "--csv", "--print-units", "base", *options]
        done = self.run(command)
        if done.returncode != 0:
            raise RuntimeError(f"real ncu refuses {options}: {done.stdout.strip()[-300:]}")
        text = "".join(l for l in done.stdout.splitlines(keepends=True) if not l.startswith("=="))
        return list(csv.DictReader(io.StringIO(text)))[1:]


def said(done, mark):
    """The first line of a kind, without what may differ: folders, and where a regex is wrong."""
    for line in done.stdout.splitlines():
        if line.startswith(mark):
            for end in ("  The error occurred", " matches 'app-replay-buffer'"):
                line = line.split(end)[0]
            return line
    return ""


def command_lines(lane):
    tally = Tally()
    lines = [(w, True) for w in words(REFUSED)] + [(w, False) for w in words(TAKEN)]

    def one(job):
        options, _ = job
        return job, *(lane.run([*tool, *options, "/bin/true"]) for tool in ([lane.ncu], lane.simulator))

    for (options, refused), theirs, ours in runner.parallel(one, lines):
        where = " ".join(options) or "(no option)"
        tally.counts["command lines"] += 1
        if refused != (theirs.returncode != 0):
            tally.fail(f"{where}: real ncu ends with {theirs.returncode}: {theirs.stdout[-200:]!r}")
        tally.check("exit codes", where, theirs.returncode, ours.returncode)
        tally.check("error lines", where, said(theirs, "==ERROR=="), said(ours, "==ERROR=="))
        if not refused:
            nothing = [l for l in theirs.stdout.splitlines() if "were profiled" in l]
            mine = [l for l in ours.stdout.splitlines() if "were profiled" in l]
            tally.check("last lines", where, nothing, mine)
    return runner.conclude("simulator, command lines", tally, ("command lines",))


def questions(lane):
    """What tools read of the help and the tables is the same."""
    tally = Tally()

    def ask(question, pattern):
        both = [lane.run([*tool, question]).stdout for tool in ([lane.ncu], lane.simulator)]
        theirs, ours = (sorted(re.findall(pattern, text, re.MULTILINE)) for text in both)
        tally.check("questions", question, theirs, ours)
        tally.counts["answers"] += len(theirs)

    ask("--help", r"^ {1,7}(?:-(\w) \[ )?--([a-z0-9-]+)(?: \])?( arg)?")
    ask("--list-sets", r"^(\w+) +\w.* +(yes|no) ")
    ask("--list-sections", r"^(\w+) +(\S.*?) +(yes|no) ")
    ask("--version", r"^Version ([\d.]+)")
    return runner.conclude("simulator, questions", tally, ("questions", "answers"))


def reports(lane):
    tally = Tally()
    kinds = {
        "kernels": (["--nvtx", "--set", "full"], []),
        "ranges": (["--nvtx", "--set", "full", "--replay-mode", "range", "--nvtx-include", "A/"], []),
        "processes": (["--nvtx", "--section", "SpeedOfLight"], ["--processes", "3"]),
        "metrics": (["--metrics", f"{TIME},dram__bytes_read.sum,dram__bytes_write.sum"], []),
        "seeded": (["--nvtx", "--set", "roofline"], []),
    }
    jobs = []
    for name, (options, program) in kinds.items():
        seed = {"RANGESCOPE_SIM_SEED": "7"} if name == "seeded" else {}
        done = lane.simulate(*options, "-f", "-o", name, program=program, **seed)
        report = lane.work / f"{name}.ncu-rep"
        if done.returncode != 0 or not report.exists():
            tally.fail(f"{name}: the simulator ended with {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")
            continue
        tally.check("programs' output", name, True, "the program's own output\n" in done.stdout)
        tally.check("report lines", name, True, f"==PROF== Report: {report}" in done.stdout)
        jobs.append((report, ["--rangescope", lane.rangescope]))
        for units in cells.UNITS:
            where = f"{name} ({units})"
            theirs = cells.ncu_csv(lane.ncu, report, units)
            if theirs is None:
                tally.fail(f"{name}: real ncu cannot open it")
            else:
                ours = cells.our_csv(lane.rangescope, report, units, "2024.1")
                cells.compare(tally, where, without_derived(theirs), without_derived(ours))
    checked = runner.check(jobs)
    tally.add(checked.counts, checked.total, checked.details)
    announced(lane, tally)
    return runner.conclude("simulator, reports", tally, ("files", "results", "cells", "announced"))


def without_derived(text):
    """Units of derived metrics stand in ncu's section files, of which simulated reports hold none."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    kept = [i for i, name in enumerate(rows[0]) if not name.startswith("derived__")]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([row[i] for i in kept] for row in rows)
    return out.getvalue()


def announced(lane, tally):
    """What real ncu reads is what the program announced."""
    rows = lane.import_rows(lane.work / "metrics.ncu-rep", ["--print-kernel-base", "function"])
    tally.check("announced", "kernels", [k["kernel"] for k in announces.KERNELS], [r["Kernel Name"] for r in rows])
    for kernel, row in zip(announces.KERNELS, rows):
        for key, metric in (("read", "dram__bytes_read.sum"), ("written", "dram__bytes_write.sum")):
            tally.check("announced", f"{kernel['kernel']} {key}", float(kernel.get(key, 0)), float(row[metric]))
        for key, column in (("grid", "Grid Size"), ("block", "Block Size")):
            sizes = kernel.get(key, [1] if key == "grid" else [32])
            sizes = tuple((sizes + [1, 1])[:3])
            tally.check("announced", f"{kernel['kernel']} {key}", str(sizes), row[column])
        tally.check("announced", kernel["kernel"], str(kernel.get("device", 0)), row["Device"])
    asked = {TIME, "dram__bytes_read.sum", "dram__bytes_write.sum"}
    extra = {"device__attribute_", "launch__"}
    own = {c for c in rows[0] if "__" in c and not any(c.startswith(e) for e in extra)}
    tally.check("announced", "collected metrics", sorted(asked), sorted(own))
    processes = lane.import_rows(lane.work / "processes.ncu-rep", [])
    tally.check("announced", "processes", 3, len({r["Process ID"] for r in processes}))
    tally.check("announced", "results of processes", 3 * len(announces.KERNELS), len(processes))


def lines(lane):
    """Lines and charts of simulated reports, as the lanes of real ones compare them."""
    tally = Tally()
    sample, demo, own = lane.work / "sample.ncu-rep", lane.work / "demo", lane.work / "lines.ncu-rep"
    done = [
        lane.run([lane.rangescope, "sample", str(sample)]),
        lane.run([lane.rangescope, "demo", "--out", str(demo)]),
        lane.simulate("--nvtx", "--set", "full", "--import-source", "yes", "-o", str(own)),
    ]
    tally.check("programs", "exit codes", [0, 0, 0], [one.returncode for one in done])
    reports = [sample, demo / "kernel" / "ncu" / "kernel.ncu-rep", own]
    for report in reports:
        counts, wrong = source.check(lane.rangescope, report)
        _, more, also = kernel.check(lane.rangescope, report)
        tally.add(dict(counts), len(wrong), wrong[:20])
        tally.add(dict(more), len(also), also[:20])
        for kind in ("lines", "texts", "stalls", "launches", "links"):
            tally.check("reports with lines", f"{report.name}: {kind}", True, (counts + more)[kind] > 0)
    announced_lines(lane, own, tally)
    required = ("with a line", "texts", "estimated times", "counts of regions", "disassembled", "cells", "opcodes", "announced lines")
    return runner.conclude("simulator, lines", tally, required)


def announced_lines(lane, report, tally):
    """NVIDIA's reader finds every kernel of the program where the program says that it is."""
    said = runner.nvidia_of(source.__file__, report)
    found = {launch["name"].split("(")[0]: launch for launch in said} if isinstance(said, list) else {}
    texts = dict(announces.texts())
    for each in announces.KERNELS:
        place, launch = each.get("source"), found.get(each["kernel"])
        if launch is None:
            tally.fail(f"{each['kernel']}: not found: {str(said)[:200]}")
            continue
        places = [at[0] for _, at in launch["at"]]
        if place is None:
            tally.check("kernels without lines", each["kernel"], [], [at for at in places if at is not None])
            continue
        first, last = place["lines"]
        allowed = {*range(first, last + 1), place.get("called_at", first)}
        strangers = [at for at in places if at is None or at[0] != place["file"] or at[1] not in allowed]
        tally.check("announced lines", each["kernel"], [], strangers)
        tally.check("announced lines", f"{each['kernel']} text", texts[place["file"]], launch["files"].get(place["file"]))


def filters(lane):
    tally = Tally()
    every = list(words(FILTERS))
    # With several processes it is the counting that may differ.
    counting = [options for options in every if {"-c", "-s", "--kernel-id", "--launch-skip-before-match"} & set(options)]
    for name, program, chosen in (("one", [], every), ("several", ["--processes", "2"], counting)):
        full = lane.work / f"{name}.ncu-rep"
        lane.simulate("--nvtx", "--metrics", TIME, "-f", "-o", str(full), program=program)

        def one(job):
            number, options = job
            mine = lane.work / f"{name}-{number}.ncu-rep"  # noqa: B023
            done = lane.simulate("--nvtx", "--metrics", TIME, *options, "-o", str(mine), program=program)  # noqa: B023
            got = [row["Kernel Name"] for row in lane.import_rows(mine, [])] if mine.exists() else []
            expected = [row["Kernel Name"] for row in lane.import_rows(full, options)]  # noqa: B023
            return options, done, expected, got

        for options, done, expected, got in runner.parallel(one, enumerate(chosen)):
            where = f"{name} {' '.join(options) or '(none)'}"
            tally.check("exit codes", where, 0, done.returncode)
            tally.check("filters", where, expected, got)
            tally.counts["filtered results"] += len(got)
    return runner.conclude("simulator, filters", tally, ("filters", "filtered results"))


def ranges(lane):
    """Range mode against kernel mode: the same time, the same bytes."""
    tally = Tally()
    metrics = f"{TIME},dram__bytes.sum,sm__cycles_elapsed.avg,lts__t_sector_hit_rate.pct,lts__t_sectors.sum,lts__t_sectors_lookup_hit.sum"
    collect = ["--nvtx", "--metrics", metrics, "-f"]
    for include, instances in ((["A/"], [4, 2]), (["A1/"], [2]), (["A/", "A1/", "B/"], [4, 1, 2]), (["S"], [2])):
        options = [word for i in include for word in ("--nvtx-include", i)]
        lane.simulate(*collect, *options, "-o", "mode-kernel", RANGESCOPE_SIM_SEED="3")
        lane.simulate(*collect, *options, "--replay-mode", "range", "-o", "mode-range", RANGESCOPE_SIM_SEED="3")
        kernels = lane.import_rows(lane.work / "mode-kernel.ncu-rep", [])
        results = lane.import_rows(lane.work / "mode-range.ncu-rep", [])
        where = " ".join(include)
        tally.check("ranges", where, len(instances), len(results))
        position = 0
        for count, result in zip(instances, results):
            part = kernels[position : position + count]
            position += count
            total = lambda name: sum(float(k[name]) for k in part)  # noqa: B023, E731
            for name in (TIME, "dram__bytes.sum", "sm__cycles_elapsed.avg", "lts__t_sectors.sum"):
                same = abs(total(name) - float(result[name])) <= 0.01 * max(1, count)
                tally.check("sums", f"{where} {name}", total(name), float(result[name]), same)
            rate = 100 * total("lts__t_sectors_lookup_hit.sum") / (total("lts__t_sectors.sum") or 1)
            same = abs(rate - float(result["lts__t_sector_hit_rate.pct"])) < 0.01
            tally.check("ratios", where, rate, float(result["lts__t_sector_hit_rate.pct"]), same)
    return runner.conclude("simulator, ranges", tally, ("ranges", "sums", "ratios"))


def seeds(lane):
    """The same seed gives the same times; another one gives others, less than 1 % away."""
    tally = Tally()

    def times(seed):
        lane.simulate("--metrics", TIME, "-f", "-o", "seed", program=["--processes", "2"], RANGESCOPE_SIM_SEED=seed)
        return [float(row[TIME]) for row in lane.import_rows(lane.work / "seed.ncu-rep", [])]

    plain, first, again, other = times(""), times("1"), times("1"), times("2")
    tally.check("seeds", "the same seed", first, again)
    tally.check("seeds", "another seed", True, first != other and plain != first)
    for name, values in (("1", first), ("2", other)):
        near = all(abs(a - b) <= 0.01 * b for a, b in zip(values, plain, strict=True))
        tally.check("seeds", f"seed {name} is near", True, near)
    return runner.conclude("simulator, seeds", tally, ("seeds",))


def faults(lane):
    tally = Tally()
    report = lane.work / "fault.ncu-rep"

    def fault(name, *options, program=()):
        report.unlink(missing_ok=True)
        return lane.simulate(*options, "-o", str(report), program=program, RANGESCOPE_SIM_FAULT=name)

    def expect(name, done, code, text, exists):
        tally.check("faults", f"{name} code", code, done.returncode)
        tally.check("faults", f"{name} text", text, text if text in done.stdout else done.stdout[-300:])
        tally.check("faults", f"{name} report", exists, report.exists())

    expect("permission", fault("permission"), 1, "==ERROR== ERR_NVGPUCTRPERM - ", False)
    expect("no-kernels", fault("no-kernels"), 0, "==WARNING== No kernels were profiled.", False)
    expect("crash", fault("crash"), -signal.SIGABRT, '==PROF== Profiling "k01_gemm" - 1', False)
    expect("slow", fault("slow:1"), 0, "==PROF== Report: ", True)
    expect("program", fault("", program=["--exit", "5"]), 5, "==ERROR== The application returned an error code (5).", True)
    expect("unknown metric", fault("", "--metrics", "bogus__x.sum"), 1, "==ERROR== Failed to find metric bogus__x.sum", False)
    expect("truncated", fault("truncated"), 0, "==PROF== Report: ", True)
    whole = lane.run([lane.ncu, "--import", str(report)])
    tally.check("faults", "real ncu and a truncated report", True, whole.returncode != 0)
    expect("kill", fault("", "--kill", "yes", "-c", "2", program=["--sleep", "60"]), 0, "==PROF== Report: ", True)
    hang(lane, tally)
    return runner.conclude("simulator, faults", tally, ("faults",))


def hang(lane, tally):
    command = [*lane.simulator, "-o", "hang", lane.python, str(PROGRAM)]
    environment = os.environ | {"RANGESCOPE_SIM_FAULT": "hang"}
    with subprocess.Popen(command, cwd=lane.work, stdout=subprocess.PIPE, env=environment) as child:
        text, deadline = b"", time.monotonic() + TIMEOUT
        while b'"nccl' not in text and time.monotonic() < deadline:
            text += os.read(child.stdout.fileno(), 4096)
        tally.check("faults", "hang is still there", None, child.poll())
        child.terminate()
        tally.check("faults", "hang ends on a signal", -signal.SIGTERM, child.wait(TIMEOUT))
    tally.check("faults", "hang report", False, (lane.work / "hang.ncu-rep").exists())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for variable in ("RANGESCOPE_NCU", "RANGESCOPE_NVTX_PYTHONS"):
        if not os.environ.get(variable):
            sys.exit(f"{variable} is not set")
    source.use_places_of(os.path.abspath(sys.argv[2]))
    with tempfile.TemporaryDirectory(prefix="simulator-") as folder:
        lane = Lane(sys.argv[1].split(" "), os.path.abspath(sys.argv[2]), Path(folder))
        steps = (command_lines, questions, reports, lines, filters, ranges, seeds, faults)
        return max([step(lane) for step in steps])


if __name__ == "__main__":
    sys.exit(main())
