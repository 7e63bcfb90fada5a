#!/usr/bin/env python3
"""Lane "Roofline": work, traffic, intensity and ceilings of every kernel, beside NVIDIA's reader.

    roofline.py EXAMPLE [REPORT...]

EXAMPLE is the built `crates/run/examples/roofline.rs`. Without reports: the corpus below
$RANGESCOPE_SHARED. What NVIDIA's reader says is added up here, with ncu's own derived metrics where
there are any: operations and bytes over all launches of a kernel, divided by their time.
"""

import json
import math
import sys
from collections import Counter, defaultdict

from lib import runner

TOLERANCE = 1e-6
REQUIRED = ("reports", "kernels", "work", "work peaks", "DRAM", "DRAM peaks", "L2", "L2 peaks", "L1", "L1 peaks")
SCALAR = {"fp64": "d", "fp32": "f", "fp16": "h"}
PATH = "sm__ops_path_tensor_src_"
LEVELS = {
    "dram": (("dram__bytes.sum", 1, "dram"),),
    "l2": (
        ("derived__lts__lts2xbar_bytes.sum", 1, "lts"),
        ("l1tex__m_xbar2l1tex_read_bytes.sum", 1, "l1tex"),
        ("lts__t_bytes.sum", 1, "lts"),
        ("lts__t_sectors.sum", 32, "lts"),
    ),
    "l1": (
        ("derived__l1tex__lsu_writeback_bytes_mem_lg.sum", 1, "l1tex"),
        ("derived__l1tex__lsu_writeback_bytes_mem_lgds.sum", 1, "l1tex"),
        ("l1tex__t_bytes.sum", 1, "l1tex"),
    ),
}


def main():
    example, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports", "kernels", "work"), REQUIRED)
    counts, wrong = Counter(), []
    for report, nvidia, ours in runner.parallel(lambda r: (r, *both(example, r)), reports):
        if isinstance(nvidia, str) or isinstance(ours, str):
            wrong.append(f"{report.name}: {nvidia if isinstance(nvidia, str) else ours}")
            continue
        compare(report.name, nvidia, ours, counts, wrong)
    return runner.tell("roofline", counts, wrong, required)


def both(example, report):
    """What NVIDIA's reader says (in a process that may die) and what we say."""
    return (
        runner.nvidia_of(__file__, report),
        runner.answer([example, str(report)], parse=lambda said: json.loads(said.splitlines()[-1])),
    )


# NVIDIA's side


def said_by_nvidia(report):
    """Per kernel and for the whole: precision -> work and peak, level -> bytes per second and peak."""
    from lib import nvidia

    sums = defaultdict(Sums)
    for action, names in nvidia.results(report):
        values = {}
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            if metric.has_value() and isinstance(metric.value(), (int, float)):
                values[name] = metric.value()
        for key in (names["demangled"], None):
            sums[key].add(values)
    return {
        "totals": sums[None].rates() if None in sums else None,
        "kernels": {key: one.rates() for key, one in sums.items() if key is not None},
    }


class Sums:
    """Counts and time of some results; a quantity counts only if every result has it."""

    def __init__(self):
        self.results, self.seconds = 0, 0.0
        self.counts, self.covered = defaultdict(float), Counter()

    def add(self, values):
        self.results += 1
        seconds = values.get("gpu__time_duration.sum", math.nan) * 1e-9
        self.seconds += seconds
        for name, rate in rates_of(values).items():
            if rate is not None and math.isfinite(rate):
                self.counts[name] += rate * seconds
                self.covered[name] += 1

    def rates(self):
        if not self.seconds > 0 or not math.isfinite(self.seconds):
            return None
        return {n: c / self.seconds for n, c in self.counts.items() if self.covered[n] == self.results}


def rates_of(values):
    """Every rate and peak of one result: `work fp32`, `peak fp32`, `bytes dram`, `peak dram`."""
    rates = {}
    clock = lambda unit: values.get(f"{unit}__cycles_elapsed.avg.per_second") or over_time(
        values, f"{unit}__cycles_elapsed.avg"
    )
    for precision, letter in SCALAR.items():
        op = f"sass_thread_inst_executed_op_{letter}"
        parts = [derived(values, f"smsp__{op}{kind}_pred_on") for kind in ("add", "mul", "fma")]
        for number, kind in enumerate(("add", "mul")):  # without a derived metric, one instruction is one operation
            if parts[number] is None:
                parts[number] = values.get(f"smsp__{op}{kind}_pred_on.sum.per_cycle_elapsed")
        if parts[2] is None:  # … and a fused one is two
            parts[2] = product(2, values.get(f"smsp__{op}fma_pred_on.sum.per_cycle_elapsed"))
        peak = derived(values, f"sm__{op}fma_pred_on") or product(2, values.get(f"sm__{op}fma_pred_on.sum.peak_sustained"))
        rates[f"work {precision}"] = product(add(parts), values.get("smsp__cycles_elapsed.avg.per_second"))
        rates[f"peak {precision}"] = product(peak, clock("sm"))
    rates["work tensor"] = product(
        values.get("derived__smsp__inst_executed_pipe_tensor_x512"), values.get("smsp__cycles_elapsed.avg.per_second")
    )
    rates["peak tensor"] = product(values.get("derived__sm__inst_executed_pipe_tensor_x512"), clock("sm"))
    for name in values:
        if name.startswith(PATH) and name.endswith(".sum.per_second"):
            counter = name.removesuffix(".sum.per_second")
            precision = path_name(counter.removeprefix(PATH))
            rates[f"work {precision}"] = values[name]
            rates[f"peak {precision}"] = values.get(f"{counter}.sum.peak_sustained_elapsed.per_second")
    for level, sources in LEVELS.items():
        for counter, factor, unit in sources:
            rate, peak = values.get(f"{counter}.per_second"), values.get(f"{counter}.peak_sustained")
            if rate is None:
                rate = over_time(values, counter)
            if peak is None:
                peak = product(values.get(counter.replace(".sum", ".avg") + ".peak_sustained"), units(values, unit))
            if rate is None:
                continue
            rates[f"bytes {level} by {counter}"] = rate * factor
            rates[f"peak {level} by {counter}"] = product(product(peak, clock(unit)), factor)
    return rates


def derived(values, counter):
    """What ncu derives from a counter: `derived__<counter>_x<operations>`."""
    prefix = f"derived__{counter}_x"
    return next((value for name, value in values.items() if name.startswith(prefix)), None)


def over_time(values, name):
    duration = values.get("gpu__time_duration.sum")
    return values[name] / duration * 1e9 if name in values and duration else None


def units(values, unit):
    total, each = values.get(f"{unit}__cycles_elapsed.sum"), values.get(f"{unit}__cycles_elapsed.avg")
    return round(total / each) if total and each else None


def path_name(path):
    mark = " sparse" if path.endswith("_sparsity_on") else ""
    path = path.removesuffix("_sparsity_on").removesuffix("_sparsity_off")
    return f"tensor {path.replace('_dst_', '→')}{mark}"


def add(parts):
    return sum(parts) if None not in parts else None


def product(left, right):
    return left * right if left is not None and right is not None else None


# The comparison


def compare(report, nvidia, ours, counts, wrong):
    counts["reports"] += 1
    # Kernels of one name are one kernel on both sides, unless they are of different kinds.
    names = Counter(ours["kernels"])
    # Where results disagree about a peak (a failed result states zero) there is none, and we say so.
    excused = any("without one value" in missing["what"] for missing in ours["missing"])
    counts = Peakless(counts) if excused else counts
    roofline = ours["totals"]["roofline"]
    left_out = lambda of: {missing["precision"] for missing in of.get("not_drawn", [])}
    for name, kernel in zip(ours["kernels"], ours["totals"]["kernels"], strict=True):
        expected = nvidia["kernels"].get(name)
        if expected is not None and names[name] == 1:
            counts["kernels"] += 1
            compare_points(f"{report}: {name[:60]}", expected, kernel["points"], left_out(kernel), counts, wrong)
    if nvidia["totals"] is not None:
        compare_points(f"{report}: all", nvidia["totals"], roofline["points"], left_out(roofline), counts, wrong)


def compare_points(where, expected, points, left_out, counts, wrong):
    for point in points:
        precision = point["precision"]
        near(f"{where}: work {precision}", point["work"], expected.get(f"work {precision}"), counts, "work", wrong)
        near(f"{where}: peak {precision}", point["peak"], expected.get(f"peak {precision}"), counts, "work peaks", wrong)
        for level in point["traffic"]:
            compare_level(f"{where}: {precision} {level['level']}", expected, point, level, counts, wrong)
    worked = {n.removeprefix("work ") for n, v in expected.items() if n.startswith("work ") and v > 0}
    absent = worked - {point["precision"] for point in points}
    # Scalar work beside busier tensor cores whose operations were not counted is listed, not drawn.
    counts["left out and listed"] += len(absent & left_out)
    if absent - left_out:
        wrong.append(f"{where}: no point for {sorted(absent)}")


def compare_level(where, expected, point, level, counts, wrong):
    """A level may be stated by several counters: ours must be one of them, with that one's own peak."""
    kind = level["level"].upper()
    candidates = [
        (rate, expected.get(f"peak {name.removeprefix('bytes ')}"))
        for name, rate in expected.items()
        if name.startswith(f"bytes {level['level']} by ")
    ]
    if not candidates:
        counts[f"{kind} not compared"] += 1
        return
    fitting = [c for c in candidates if is_near(level["bytes_per_second"], c[0])]
    if not fitting:
        wrong.append(f"{where}: {level['bytes_per_second']} B/s is none of {[c[0] for c in candidates]}")
        return
    rate, peak = fitting[0]
    counts[kind] += 1
    work = expected.get(f"work {point['precision']}", math.nan)
    near(f"{where}: intensity", level["intensity"], work / rate, counts, f"{kind} intensities", wrong)
    near(f"{where}: peak", level["peak"], peak, counts, f"{kind} peaks", wrong)


def near(where, value, expected, counts, kind, wrong):
    if value is None and expected is None:
        return
    if value is None and kind.endswith("peaks") and isinstance(counts, Peakless):
        counts["peaks that differ"] += 1
    elif value is None or expected is None or not is_near(value, expected):
        wrong.append(f"{where}: {value} is not {expected}")
    else:
        counts[kind] += 1


class Peakless:
    """Counts for a report whose results disagree about peaks."""

    def __init__(self, counts):
        self.counts = counts

    def __getitem__(self, kind):
        return self.counts[kind]

    def __setitem__(self, kind, count):
        self.counts[kind] = count


def is_near(value, expected):
    return abs(value - expected) <= TOLERANCE * abs(expected)


if __name__ == "__main__":
    sys.exit(main())
