#!/usr/bin/env python3
"""Lane "Samples": counters sampled over the time of a launch, beside NVIDIA's reader.

    samples.py RANGESCOPE [REPORT...]

The corpus below $RANGESCOPE_SHARED and these reports. Every series of every result in
`rangescope kernel --launch N --format json` must be the one of `ITimelines.aligned_metric`: so many
samples, the same time stamps, the same values. A series that NVIDIA's reader does not align must be
marked as not cut, and one that is marked is all that was sampled.
"""

import os
import sys
from collections import Counter
from pathlib import Path

from lib import runner

BEGIN, END = "profiler__timestamp_workload_start_", "profiler__timestamp_workload_end_"
SWITCHES = "profiler__pmsampler_ctxsw_"
PASSES = "profiler__pmsampler_pass_groups"
REQUIRED = (
    "results", "series cut", "of those changed", "samples of series that are cut", "series without samples",
    "series left as they are", "ends", "unknown ends",
)  # fmt: skip


def main():
    if sys.argv[1:2] == ["--nvidia"]:
        runner.asked(__doc__, said_by_nvidia, (), ())
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, reports = os.path.abspath(sys.argv[1]), [Path(p) for p in sys.argv[2:]]
    shared = os.environ.get("RANGESCOPE_SHARED") or sys.exit("RANGESCOPE_SHARED is not set")
    reports = runner.corpus(shared) + reports
    counts, wrong = Counter(), []
    for name, found, problems in runner.parallel(lambda report: check(program, report), reports):
        counts.update(found)
        wrong += [f"{name}: {problem}" for problem in problems]
    return runner.tell("samples", counts, wrong, REQUIRED)


def check(program, report):
    counts, wrong = Counter(reports=1), []
    nvidia = runner.nvidia_of(__file__, report)
    if isinstance(nvidia, str):
        return report.name, counts, [nvidia]
    for number, theirs in enumerate(nvidia):
        if not theirs["series"]:
            continue
        ours = runner.answer([program, "-q", "kernel", str(report), "--launch", str(number), "--format", "json"])
        if isinstance(ours, str):
            wrong.append(f"launch {number}: {ours}")
            continue
        counts["results"] += 1
        compare(theirs, ours["pm_sampling"], counts, lambda text, n=number: wrong.append(f"launch {n}: {text}"))
    return report.name, counts, wrong


def said_by_nvidia(report):
    from lib import nvidia

    said = []
    for action, _ in nvidia.results(report):
        series, times, passes = {}, {}, {}
        timelines = action.timelines()
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            if name.startswith((BEGIN, END, SWITCHES)):
                times[name] = nvidia._instances(metric)
            elif name == PASSES:
                for number, names in nvidia._instances(metric):
                    passes |= dict.fromkeys(names.split(","), number)
            elif not name.startswith("profiler__"):
                aligned = timelines and timelines.aligned_metric(metric)
                raw = plain(nvidia._instances(metric))
                looks = name.startswith(("pmsampling:", "Triage")) or ".Triage" in name
                if aligned is not None or (looks and raw):
                    series[name] = {"raw": raw, "aligned": aligned and plain(nvidia._instances(aligned))}
        said.append({"series": series, "times": times, "passes": passes})
    return said


def plain(instances):
    """JSON has no word for what is no number."""
    finite = lambda value: isinstance(value, (int, float)) and abs(value) != float("inf") and value == value  # noqa: E731
    return [[at, value if finite(value) else None] for at, value in instances]


def compare(nvidia, ours, counts, tell):
    series = {one["metric"]: one for one in (ours or {"series": []})["series"]}
    # A counter of which nothing was sampled is no series, unless the rule makes one of it.
    wanted = {name: one for name, one in nvidia["series"].items() if one["raw"] or one["aligned"]}
    if set(series) != set(wanted):
        tell(f"sampled counters differ: {sorted(set(series) ^ set(wanted))[:4]}")
    for name in set(series) & set(wanted):
        one, theirs = series[name], wanted[name]
        found = [[one["origin_ns"] + at, value] for at, value in zip(one["at_ns"], one["values"], strict=True)]
        if one["uncut"]:
            counts["series left as they are"] += 1
            counts[f"  {one['uncut']}"] += 1
            if found != theirs["raw"]:
                tell(f"{name} is not what was sampled")
        elif theirs["aligned"] is None:
            tell(f"{name} is cut, and NVIDIA's reader does not align it")
        else:
            counts["series cut"] += 1
            counts["of those changed"] += theirs["aligned"] != theirs["raw"]
            counts["series without samples"] += not found
            counts["samples of series that are cut"] += len(found)
            if found != theirs["aligned"]:
                tell(f"{name}: {len(found)} samples, NVIDIA's reader has {len(theirs['aligned'])}: {difference(found, theirs['aligned'])}")
        compare_end(name, one, nvidia, counts, tell)


def difference(found, wanted):
    place = next((at for at, (left, right) in enumerate(zip(found, wanted)) if left != right), min(len(found), len(wanted)))
    return f"at {place} {found[place:place + 2]}, {wanted[place:place + 2]}"


def compare_end(name, one, nvidia, counts, tell):
    number = nvidia["passes"].get(name)
    times = [nvidia["times"].get(f"{stem}{number}") for stem in (BEGIN, END)]
    if not all(times):
        counts["unknown ends"] += 1
        if one["end_ns"] is not None or not one["end_unknown"]:
            tell(f"{name}: nothing says when the kernel ended, and {one['end_ns']} is said, {one['end_unknown']!r}")
        return
    counts["ends"] += 1
    (begin, _), (end, _) = times[0][0], times[1][0]
    if one["end_ns"] is None or one["end_unknown"]:
        tell(f"{name}: its end is known")
    elif not nvidia["times"].get(f"{SWITCHES}{number}"):
        if (one["origin_ns"], one["end_ns"]) != (begin, end - begin):
            tell(f"{name}: from {one['origin_ns']} for {one['end_ns']}, the kernel ran from {begin} to {end}")
    elif not 0 <= one["end_ns"] <= end - begin:
        tell(f"{name}: {one['end_ns']} is longer than the kernel ran, {end - begin}")


if __name__ == "__main__":
    sys.exit(main())
