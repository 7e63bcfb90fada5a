#!/usr/bin/env python3
"""Lane "parser": every command line that rangescope plans is accepted by NVIDIA's ncu.

    parser.py RANGESCOPE NCU...

For every ncu: presets x replay modes x documented command lines are planned by `rangescope plan`,
and every planned command line is run with `true` as the program. Without a GPU ncu then ends with
"No kernels were profiled"; anything that it refuses is a failure. What rangescope itself refuses
because this ncu lacks it is counted apart and must name a version.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = [
    "model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
    "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default",
    "pipeline.ncu.enable=true",
    "pipeline.nsys.enable=false",
    "device=cuda:0",
]
KEY = "pipeline.ncu.ncu_cli."
LINES = [
    [KEY + "nvtx.include=*"],
    [KEY + "nvtx.include=*", KEY + "sections=[SpeedOfLight,Occupancy]"],
    [KEY + "nvtx.include=*", KEY + "kernel_name=regex:.*conv.*"],
    [KEY + "nvtx.include=*", KEY + "kernel_exclude=[regex:memcpy.*,regex:memset.*]"],
    [KEY + "nvtx.include=A;B;A::A1"],
    [KEY + "nvtx.include=decode*"],
    [KEY + "nvtx.include=LLM@*"],
    # Names that have a meaning in ncu's own language.
    [KEY + r"nvtx.include=['a\@b','x[0]','q?','model/**/attn','regex:layers\.[0-9]+']"],
    [KEY + "nvtx.exclude=['warmup*']", KEY + "launch_count=3", KEY + "launch_skip=1"],
]
MODES = ["kernel", "application", "range", "app-range"]


def main():
    rangescope, ncus = Path(sys.argv[1]).resolve(), sys.argv[2:]
    if not ncus:
        sys.exit("no ncu was given")
    listing = subprocess.run([rangescope, "config", "list"], check=True, capture_output=True, text=True).stdout
    presets = sorted({word for word in listing.split() if word.startswith("ncu.")})
    assert len(presets) >= 6, presets
    failures = 0
    for ncu in ncus:
        cases = [(preset, mode, line) for preset in presets for mode in MODES for line in LINES]
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            Path(folder, "run", "ncu").mkdir(parents=True)
            check = lambda case: one(rangescope, ncu, *case, Path(folder))
            outcomes = list(pool.map(check, cases))
        accepted = sum(count for count, _, _ in outcomes)
        refused_by_us = [why for _, why, _ in outcomes if why]
        wrong = [text for _, _, texts in outcomes for text in texts]
        print(f"{Path(ncu).name}: {len(presets)} presets x {len(MODES)} modes x {len(LINES)} lines: "
              f"{accepted} command lines accepted, {len(wrong)} refused; "
              f"{len(refused_by_us)} cases need a newer ncu")
        for why in sorted(set(refused_by_us)):
            print(f"  refused by rangescope: {why}")
        for text in wrong[:3]:
            print(text)
        failures += len(wrong) + (accepted == 0)
    print(f"{failures} failures")
    sys.exit(failures > 0)


def one(rangescope, ncu, preset, mode, line, folder):
    """How many command lines ncu accepted, why rangescope refused, what ncu refused."""
    words = [f"profiling/ncu@pipeline.ncu={preset}", f"{KEY}replay_mode={mode}", *MODEL, *line]
    words += [f"pipeline.ncu.executable={ncu}", f"run.dir={folder}/run"]
    words += ["pipeline.ncu.ncu_cli.force_overwrite=true"]
    plan = subprocess.run([rangescope, "plan", "--format", "json", *words, "--", "true"],
                          capture_output=True, text=True, cwd=folder)
    if plan.returncode != 0:
        first = plan.stderr.splitlines()[0] if plan.stderr else f"exit code {plan.returncode}"
        if re.search(r"ncu 20\d\d\.\d and later have it", first):
            return 0, first, []
        return 0, None, [f"{preset} {mode} {line}: rangescope plan fails\n{plan.stderr}"]
    accepted, wrong = 0, []
    for capture in json.loads(plan.stdout)["ncu"]["captures"]:
        run = subprocess.run(capture["argv"], capture_output=True, text=True, cwd=folder)
        # Application replay without any kernel ends with an error about the report, not about the line.
        errors = [line for line in run.stdout.splitlines()
                  if line.startswith("==ERROR==") and line != "==ERROR== Failed to create report."]
        if run.returncode == 0 and re.search("No (kernels|ranges) were profiled", run.stdout) and not errors:
            accepted += 1
        else:
            said = (run.stdout + run.stderr).strip()
            wrong.append(f"{preset} {mode} {line}: {run.returncode}\n  {' '.join(capture['argv'])}\n{said}")
    return accepted, None, wrong


if __name__ == "__main__":
    main()
