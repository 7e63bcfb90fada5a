#!/usr/bin/env python3
"""Lane "viewers": exports of GPU time by stack, opened by the programs that they are for.

    viewers.py RANGESCOPE VIEWERS [REPORT...]

VIEWERS is the folder with `pprof` (of the Go distribution) and `speedscope` (the package of npm). Without reports: the
corpus below $RANGESCOPE_SHARED. Go's pprof reads every report; what it counts by kernel is compared with durations of
NVIDIA's reader. Speedscope reads the largest trees in Chromium: its own format, the trace events and the collapsed
stacks, whose tables of kernels must agree with each other; a schema of its own checks the format of all reports.
"""

import base64
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from lib import runner

CHROMIUM = "chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
--disable-component-update --disable-sync --allow-file-access-from-files --virtual-time-budget=8000 --window-size=1400,1200".split()
REQUIRED = ("reports", "kernels in pprof", "schemas", "tables in speedscope", "kernels in speedscope")
# Reports that are opened in speedscope, for which a browser is started each time.
OPENED = 4


def said_by_nvidia(report):
    """Nanoseconds of each kernel, for reports of kernels alone."""
    import ncu_report

    sums = collections.Counter()
    context = ncu_report.load_report(report)
    for at in range(context.num_ranges()):
        for number in range(context.range_by_idx(at).num_actions()):
            action = context.range_by_idx(at).action_by_idx(number)
            if action.workload_type() != action.WorkloadType_KERNEL:
                return None
            metric = action.metric_by_name("gpu__time_duration.sum")
            if metric is not None and metric.as_double() == metric.as_double():
                sums[action.name(action.NameBase_DEMANGLED)] += metric.as_double()
    return sorted(sums.values())


def exported(program, report, kind):
    done = subprocess.run([program, "report", report, "--format", kind, "--quiet"], capture_output=True, timeout=runner.TIMEOUT)
    return done.stdout if done.returncode == 0 else None


def kernels_of_pprof(viewers, file):
    """Nanoseconds by kernel, as Go's pprof adds them up; kernels are told by their file."""
    raw = subprocess.run([viewers / "pprof", "-raw", file], capture_output=True, text=True, check=True).stdout
    samples, locations = raw.split("Samples:\n")[1].split("Locations\n")
    kernels = set(re.findall(r"^ +(\d+): 0x0 .* kernel:0", locations, re.MULTILINE))
    sums = collections.Counter()
    for values, stack in re.findall(r"^ +([\d ]+): ([\d ]+)$", samples, re.MULTILINE):
        leaf = stack.split()[0]
        if leaf in kernels:
            sums[leaf] += int(values.split()[0])
    # Launches without a duration are counted and have no time.
    return sorted(value for value in sums.values() if value > 0)


def of_nsys(program, viewers, validator, export, work, counts):
    """An export of Nsight Systems in pprof: the times of its kernels are those that sqlite3 adds up."""
    kinds = {}
    for kind in ("speedscope", "pprof"):
        done = subprocess.run([program, "export", export, "--format", kind, "--quiet"], capture_output=True, timeout=runner.TIMEOUT)
        if done.returncode != 0:
            return [f"{export.name}: {kind} ended with {done.returncode}"]
        kinds[kind] = done.stdout
    document = json.loads(kinds["speedscope"])
    wrong = [f"{export.name}: {error.message[:200]}" for error in validator.iter_errors(document)]
    if len(document["profiles"]) != 1:
        return wrong
    (work / "nsys.pb").write_bytes(kinds["pprof"])
    ours = kernels_of_pprof(viewers, work / "nsys.pb")
    with sqlite3.connect(f"file:{export}?immutable=1", uri=True) as database:
        sums = database.execute('SELECT SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON k.demangledName = s.id GROUP BY s.value')
        theirs = sorted(total for (total,) in sums)
    # Names are shortened in the middle, so that kernels of a template may become one.
    if sum(ours) != sum(theirs) or len(ours) > len(theirs):
        wrong.append(f"{export.name}: kernels in pprof {sum(ours)} ns of {len(ours)}, by sqlite3 {sum(theirs)} ns of {len(theirs)}")
    counts["kernels of nsys in pprof"] += len(ours)
    return wrong


def table_of_speedscope(viewers, name, content, work):
    """Total time by kernel or region, as speedscope's table shows it, in parts of its precision."""
    script = work / "load.js"
    script.write_text(f"speedscope.loadFileFromBase64({name!r}, {base64.b64encode(content).decode()!r})")
    page = f"file://{viewers}/speedscope/dist/release/index.html#localProfilePath={script}&view=sandwich"
    done = subprocess.run([*CHROMIUM, f"--user-data-dir={work}/profile", "--dump-dom", page], capture_output=True, text=True, timeout=120)
    text = re.sub(r"<[^>]*>", "\n", done.stdout)
    scale = {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    cell = r"([\d.,]+)(ns|µs|ms|s|)\s\([^)]*\)\s+"
    rows = re.findall(cell + r"[\d.,]+(?:ns|µs|ms|s|)\s\([^)]*\)\s+(\S[^\n]*)", text)
    return {name: float(number.replace(",", "")) * scale[unit] for number, unit, name in rows}


def main():
    if sys.argv[1:2] != ["--nvidia"]:
        viewers = Path(sys.argv.pop(2)).resolve()
    program, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports", "schemas"), REQUIRED)
    import jsonschema

    schema = json.loads((viewers / "speedscope/dist/release/file-format-schema.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    counts, wrong, trees = collections.Counter(), [], []
    with tempfile.TemporaryDirectory(prefix="rangescope-viewers-") as folder:
        work = Path(folder)
        for report in reports:
            pprof, speedscope = exported(program, report, "pprof"), exported(program, report, "speedscope")
            if pprof is None or speedscope is None:
                continue
            counts["reports"] += 1
            document = json.loads(speedscope)
            errors = [error.message for error in validator.iter_errors(document)]
            wrong += [f"{report.name}: {error[:200]}" for error in errors[:3]]
            counts["schemas"] += not errors
            trees.append((len(document["shared"]["frames"]), len(document["profiles"]), report))
            file = work / "profile.pb"
            file.write_bytes(pprof)
            ours, theirs = kernels_of_pprof(viewers, file), runner.nvidia_of(__file__, report)
            # Launches that are in several trees are counted more than once.
            if not isinstance(theirs, list) or sum(p["unit"] == "nanoseconds" for p in document["profiles"]) != 1:
                continue
            same = len(ours) == len(theirs) and all(abs(a - b) <= 1 + 1e-9 * b for a, b in zip(ours, theirs))
            if not same:
                wrong.append(f"{report.name}: kernels in pprof {ours[-3:]} of {len(ours)}, by NVIDIA's reader {theirs[-3:]} of {len(theirs)}")
            counts["kernels in pprof"] += len(ours)
        single = [(size, report) for size, profiles, report in trees if profiles <= 2 and size <= 60]
        for _, report in sorted(single, key=lambda one: -one[0])[:OPENED]:
            kinds = {"speedscope": "x.speedscope.json", "perfetto": "x.json", "collapsed": "x.txt"}
            tables = {k: table_of_speedscope(viewers, name, exported(program, report, k), work) for k, name in kinds.items()}
            exact = tables["collapsed"]
            for kind, table in tables.items():
                counts["tables in speedscope"] += bool(table)
                counts["kernels in speedscope"] += len(table)
                far = {n for n in exact if n not in table or abs(table[n] - exact[n]) > max(0.006e3, 0.006 * exact[n])}
                if set(table) != set(exact) or far:
                    wrong.append(f"{report.name}: {kind} and collapsed stacks differ in {sorted(far | set(table) ^ set(exact))[:3]}")
        shared = os.environ.get("RANGESCOPE_SHARED")
        for export in sorted(Path(shared, "corpus/nsys").glob("*.sqlite")) if shared else []:
            wrong += of_nsys(program, viewers, validator, export, work, counts)
    return runner.tell("viewers", counts, wrong, required)


if __name__ == "__main__":
    sys.exit(main())
