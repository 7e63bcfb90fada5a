#!/usr/bin/env python3
"""Lane "Kernel": the charts of single launches and of whole kernels, beside NVIDIA's reader.

    kernel.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. For single launches every number of
`rangescope kernel --launch N --format json` must be what NVIDIA's reader gives for the metrics that
the number names (times a factor, quotients as such), and opcodes its instances; samples over time
have a lane of their own. For all
launches of the heaviest kernel, counts are added up here and durations sorted here.
"""

import math
import statistics
import sys
from collections import Counter, defaultdict

from lib import runner

TOLERANCE = 1e-9
MOST_LAUNCHES = 12
OPCODES = "sass__inst_executed_per_opcode"
DURATION = "gpu__time_duration.sum"
REQUIRED = (
    "launches", "links", "units", "cells", "stalls in cycles", "stalls in samples", "pipes", "occupancy",
    "opcodes", "summed numbers", "kernels", "quantiles", "grids", "shapes",
)  # fmt: skip


def main():
    program, reports, required = runner.asked(__doc__, said_by_nvidia, ("launches",), REQUIRED)
    counts, wrong = Counter(), []
    for name, found, problems in runner.parallel(lambda report: check(program, report), reports):
        counts.update(found)
        wrong += [f"{name}: {problem}" for problem in problems]
    return runner.tell("kernel", counts, wrong, required)


def check(program, report):
    counts, wrong = Counter(), []
    nvidia = runner.nvidia_of(__file__, report)
    if isinstance(nvidia, str):
        return report.name, counts, [nvidia]
    step = max(1, len(nvidia) // MOST_LAUNCHES)
    for number in range(0, len(nvidia), step):
        ours = runner.answer([program, "-q", "kernel", str(report), "--launch", str(number), "--format", "json"])
        if isinstance(ours, str):
            wrong.append(f"launch {number}: {ours}")
            continue
        counts["launches"] += 1
        compare_launch(nvidia[number], ours, counts, lambda text, n=number: wrong.append(f"launch {n}: {text}"))
    if nvidia:
        ours = runner.answer([program, "-q", "kernel", str(report), "--format", "json"])
        if isinstance(ours, str):
            wrong.append(ours)
        else:
            compare_kernel(nvidia, ours, counts, wrong.append)
        compare_shapes(program, report, nvidia, counts, wrong.append)
    return report.name, counts, wrong


# NVIDIA's side


def said_by_nvidia(report):
    from lib import nvidia

    said = []
    for action, names in nvidia.results(report):
        values, instances = {}, {}
        for name, value, parts in nvidia.metrics(action):
            if isinstance(value, (int, float)) and math.isfinite(value):
                values[name] = value
            if parts and name == OPCODES:
                instances[name] = [[key, part if is_number(part) else None] for key, part in parts]
        said.append({"name": names["demangled"], "kind": names["kind"], "values": values, "instances": instances})
    return said


def is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


# The comparison


def readings(ours):
    """Every number of the charts with what it is."""
    details = ours["details"]
    for link in (details["memory"] or {}).get("links", []):
        for part in ("amount", "rate", "peak_pct"):
            yield "links", f"{link['from']}-{link['to']} {link['flow']} {part}", link.get(part)
    for unit in (details["memory"] or {}).get("units", []):
        for part in ("hit_rate", "busy"):
            yield "units", f"{unit['place']} {part}", unit[part]
    for table in ours["memory_tables"]:
        for row in table["rows"]:
            for column, cell in zip(table["columns"], row["cells"], strict=True):
                yield "cells", f"{table['title']}, {row['name']}, {column}", cell
    stalls = details["stalls"] or {"states": [], "cycles_per_instruction": None}
    yield "stalls in cycles", "cycles per instruction", stalls["cycles_per_instruction"]
    for state in stalls["states"]:
        yield "stalls in cycles", state["reason"], state["cycles"]
        yield "stalls in samples", state["reason"], state["samples"]
    for pipe in details["pipes"]:
        yield "pipes", f"{pipe['pipe']} cycles", pipe["cycles_pct"]
        yield "pipes", f"{pipe['pipe']} instructions", pipe["instructions_pct"]
    if details["occupancy"]:
        yield "occupancy", "achieved", details["occupancy"]["achieved"]


def compare_launch(nvidia, ours, counts, tell):
    values = nvidia["values"]
    if [kernel["name"] for kernel in ours["kernels"]] != [nvidia["name"]] and nvidia["kind"] == "kernel":
        tell(f"is of {nvidia['name']!r}, not {ours['kernels']}")
    for what, name, reading in readings(ours):
        if reading is None:
            continue
        counts[what] += 1
        wanted = value_of(reading, values)
        if wanted is None or not equal(wanted, reading["value"]):
            tell(f"{what}, {name}: {reading['value']}, NVIDIA's reader has {wanted} ({reading['metrics']})")
        if not reading["exact"]:
            tell(f"{what}, {name}: one launch is its own exact value")
    [shape] = ours["shapes"] or [{"grid": None}]
    if nvidia["kind"] == "kernel" and (size := values.get("launch__grid_size")) is not None:
        counts["grids"] += 1
        grid = shape_of(values)[0]
        if shape["grid"] is None or (grid and shape["grid"] != grid) or math.prod(shape["grid"]) != size:
            tell(f"grid {shape['grid']}: NVIDIA's reader has {grid}, {size} blocks")
    occupancy = ours["details"]["occupancy"]
    for limit in (occupancy or {"block_limits": []})["block_limits"]:
        counts["occupancy"] += 1
        if values.get(limit["metric"]) != limit["blocks"]["least"]:
            tell(f"{limit}: NVIDIA's reader has {values.get(limit['metric'])}")
    compare_opcodes([nvidia], ours, counts, tell)
    # What is said not to be there must not be there.
    present = any(name.startswith("smsp__average_warps_issue_stalled_") for name in values)
    if present and not any(state["cycles"] for state in (ours["details"]["stalls"] or {"states": []})["states"]):
        tell("stalls are there and are not shown")


def shape_of(values):
    """Grid and block, or nothing for what is not stated."""
    both = [[values.get(f"launch__{part}_dim_{axis}") for axis in "xyz"] for part in ("grid", "block")]
    return [None if None in sizes else [int(size) for size in sizes] for sizes in both]


def kernel_count(report):
    """Of the scope that holds everything; others refer to it."""
    return report["totals"]["kernel_count"] if "totals" in report else 0


def compare_shapes(program, report, nvidia, counts, tell):
    """Launches that are selected by grid and block."""
    shapes = Counter()
    for one in nvidia:
        grid, block = shape_of(one["values"])
        if one["kind"] == "kernel" and grid and block:
            shapes[",".join(map(str, grid)) + "x" + ",".join(map(str, block))] += 1
    for shape, launches in shapes.most_common(3):
        counts["shapes"] += 1
        ours = runner.answer([program, "-q", "report", str(report), "--shape", shape, "--format", "json"])
        found = ours if isinstance(ours, str) else max(map(kernel_count, ours["reports"]))
        if found != launches:
            tell(f"--shape {shape}: {found} launches, NVIDIA's reader has {launches}")


def value_of(reading, values):
    """The number from NVIDIA's values: a sum, or a quotient of two metrics."""
    parts = [values.get(name) for name in reading["metrics"]]
    if any(part is None for part in parts):
        return None
    times = reading.get("times", 1)
    if reading["method"] == "ratio_of_sums" and len(parts) == 2:
        return times * parts[0] / parts[1] if parts[1] else None
    return times * sum(parts)


def compare_opcodes(launches, ours, counts, tell):
    wanted = defaultdict(float)
    for launch in launches:
        for opcode, count in launch["instances"].get(OPCODES, []):
            wanted[opcode] += count or 0
    wanted = {opcode: count for opcode, count in wanted.items() if count > 0}
    found = {one["opcode"]: one["instructions"] for one in ours["opcodes"]}
    counts["opcodes"] += len(found)
    if found != wanted:
        tell(f"opcodes differ: {sorted(set(found.items()) ^ set(wanted.items()))[:4]}")


def compare_kernel(nvidia, ours, counts, tell):
    """All launches of the heaviest kernel, added up here."""
    names = {kernel["name"] for kernel in ours["kernels"]}
    launches = [one for one in nvidia if one["name"] in names]
    if ours["basis"] != "kernel" or not launches:
        return
    counts["kernels"] += 1
    if len(launches) != ours["launches"]:
        tell(f"{ours['launches']} launches, NVIDIA's reader has {len(launches)}")
        return
    total = defaultdict(float)
    for one in nvidia:
        total[one["name"]] += one["values"].get(DURATION, 0)
    if total and max(total.values()) > 0 and total[next(iter(names))] < max(total.values()):
        tell("it is not the heaviest")
    for what, name, reading in readings(ours):
        if reading is None or reading["method"] not in ("sum", "ratio_of_sums") or reading.get("covered"):
            continue
        sums = {metric: sum_of(launches, metric) for metric in reading["metrics"]}
        if reading["method"] == "ratio_of_sums" and len(sums) != 2:
            continue
        if "interval" in what or "samples" in what and differ(launches, "smsp__pcsamp_interval"):
            continue
        counts["summed numbers"] += 1
        wanted = value_of(reading, sums)
        if wanted is None or not equal(wanted, reading["value"]):
            tell(f"{what}, {name} over all launches: {reading['value']}, added up {wanted}")
    compare_opcodes(launches, ours, counts, tell)
    durations = sorted(one["values"][DURATION] for one in launches if DURATION in one["values"])
    said = ours["durations"]
    if not durations:
        if said:
            tell("there are no durations")
        return
    wanted = [durations[0], *quartiles(durations), durations[-1], statistics.fmean(durations)]
    keys = ("min_ms", "lower_quartile_ms", "median_ms", "upper_quartile_ms", "p95_ms", "max_ms", "mean_ms")
    for key, value in zip(keys, wanted, strict=True):
        counts["quantiles"] += 1
        if not equal(value / 1e6, said[key]):
            tell(f"{key}: {said[key]}, sorted here {value / 1e6}")
    if sum(one["launches"] for one in said["histogram"]) != len(durations):
        tell("the histogram does not hold every launch")


def quartiles(durations):
    if len(durations) == 1:
        return durations * 4
    cut = statistics.quantiles(durations, n=100, method="inclusive")
    return [cut[24], cut[49], cut[74], cut[94]]


def sum_of(launches, metric):
    values = [one["values"].get(metric) for one in launches]
    return None if any(value is None for value in values) else math.fsum(values)


def differ(launches, metric):
    return len({one["values"].get(metric) for one in launches}) > 1


def equal(left, right):
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=1e-12)


if __name__ == "__main__":
    sys.exit(main())
