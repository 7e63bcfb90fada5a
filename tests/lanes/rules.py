#!/usr/bin/env python3
"""Lane "Rules": throughput, ratios and windows of every region, recomputed from NVIDIA's reader.

    rules.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. For the total and for every region with several
results: a throughput is the largest of the counters that its results list, each the mean weighted by
the elapsed cycles of its unit; a ratio is the ratio of the summed counts, where these give the ratio
of every result; the windows of the results are summed. Nothing here is shared with our program.
"""

import math
import sys
from collections import Counter

from lib import runner

TOLERANCE = 1e-9
REQUIRED = (
    "reports", "sets of results", "throughputs", "of these exact", "ratios of sums", "windows",
    "results given up",
)  # fmt: skip
LIST = "breakdown:"
TIME = "gpu__time_duration.sum"
ONE_CLOCK = ("sm", "smsp", "l1tex")
UNIFORM = "smsp__sass_average_branch_targets_threads_uniform.pct"
PAIRS = {
    "lts__t_sector_hit_rate.pct": ("lts__t_sectors_lookup_hit", "lts__t_sectors", 100),
    "sm__dcc_request_hit_rate.pct": ("sm__dcc_requests_lookup_hit", "sm__dcc_requests", 100),
    "smsp__thread_inst_executed_per_inst_executed.ratio": ("thread_inst_executed", "inst_executed", 1),
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": ("thread_inst_executed_true", "inst_executed", 1),
    "derived__smsp__inst_executed_op_branch_pct": ("smsp__inst_executed_op_branch", "smsp__inst_executed", 1),
}
L1 = "l1tex__t_sectors_pipe_"
L1_TOTAL = "l1tex__t_sector_hit_rate.pct"
L1_OF_ACCESS = "l1tex__t_sector_pipe_*_hit_rate.pct"
COUNTED, GIVEN = "counted: ", "given by its counts: "


def main():
    listed = [GIVEN + name for name in (*PAIRS, L1_TOTAL, L1_OF_ACCESS)]
    binary, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports", "sets of results"), (*REQUIRED, *listed))
    counts, wrong = Counter(), []
    for report, results, ours in runner.parallel(lambda r: (r, *both(binary, r)), reports):
        if isinstance(results, str) or isinstance(ours, str):
            wrong.append(f"{report.name}: {results if isinstance(results, str) else ours}")
            continue
        compare(report.name, results, sets_of(ours), counts, wrong)
    return runner.tell("rules", counts, wrong, required)


def both(binary, report):
    """What NVIDIA's reader says (in a process that may die) and what we say."""
    return (
        runner.nvidia_of(__file__, report),
        runner.answer([binary, "report", str(report), "--format", "json"]),
    )


def sets_of(document):
    """Our side: (domain, kind, path) or None for the total -> metric -> (value, method, exact, busiest).

    The only place that knows the layout of the document.
    """

    def plain(results):
        metrics = {}
        for name, value in results["metrics"].items():
            said = document["metrics"][name] | results.get("metric_details", {}).get(name, {})
            metrics[name] = (value, said["method"], said["exact"], said.get("busiest"))
        return metrics

    for report in document["reports"]:
        if report["scope"]["kind"] == "aggregate" and report["basis"] == "kernel":
            if "same_as" in report:
                report = document["reports"][report["same_as"]]
            sets = {
                (region["domain"], region["kind"], tuple(region["path"])): plain(region)
                for region in report["regions"]
            }
            return sets | {None: plain(report["totals"])}
    return {}


# NVIDIA's side


def said_by_nvidia(report):
    """One entry per kernel result: its numbers, its lists of counters, and the regions that it is in."""
    from lib import nvidia

    found = []
    for action, facts in nvidia.results(report):
        if facts["kind"] == "range":
            continue
        numbers, lists = {}, {}
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            value = metric.value() if metric.has_value() else None
            if isinstance(value, (int, float)):
                numbers[name] = value
            elif isinstance(value, str) and name.startswith(LIST):
                lists[name.removeprefix(LIST)] = [part.strip() for part in value.split(",") if part.strip()]
        regions = []
        for domain, ranges in (nvidia.nvtx(action) or {}).items():
            path = [entry["name"] for entry in ranges["push_pop"]]
            regions += [(domain, "push_pop", path[: depth + 1]) for depth in range(len(path))]
            regions += [(domain, "start_end", [entry["name"]]) for entry in ranges["start_end"]]
        found.append({"numbers": numbers, "lists": lists, "regions": regions})
    return found


def compare(report, results, ours, counts, wrong):
    """Every set of several results of one report."""
    counts["reports"] += 1
    measured = [r for r in results if not given_up(r["numbers"])]
    counts["results given up"] += len(results) - len(measured)
    for one in measured:
        count_pairs(one["numbers"], counts)
    for key, metrics in ours.items():
        is_inside = lambda r: key is None or key in keys(r)  # noqa: B023
        inside = [r for r in measured if is_inside(r)]
        if len(inside) < 2:
            continue
        counts["sets of results"] += 1
        numbers = [r["numbers"] for r in inside]
        of = sum(map(is_inside, results))
        for kind, name, value, facts in expected(numbers, [r["lists"] for r in inside]):
            counts[kind] += 1
            if facts is not None and sum(finite(one, name) for one in numbers) < of:
                facts = (facts[0], False, facts[2])
            said = metrics.get(name)
            if said is None or said[0] is None or not near(said[0], value):
                wrong.append(f"{report} {key}: {name} is {value}, we say {said}")
            elif facts is not None and said[1:] != facts:
                wrong.append(f"{report} {key}: {name} is {facts}, we say {said[1:]}")
            elif kind == "throughputs" and said[2]:
                counts["of these exact"] += 1


def keys(result):
    return {(domain, kind, tuple(path)) for domain, kind, path in result["regions"]}


def given_up(numbers):
    """One pass, and a duration that was asked for but is no number."""
    return numbers.get("profiler__replayer_passes", math.inf) <= 1 and math.isnan(numbers.get(TIME, 0.0))


def expected(numbers, lists):
    """(kind, metric, value, (method, exact, busiest) or None) of everything that can be recomputed."""
    names = sorted({name for one in numbers for name in one})
    for name in names:
        having = [one for one in numbers if finite(one, name)]
        if len(having) < 2:
            continue
        counters = [one[name] for one, n in zip(lists, numbers) if finite(n, name) and name in one]
        if counters:
            yield "throughputs", name, *throughput(name, having, counters)
        elif name in PAIRS or is_hit_rate(name):
            # A result without the ratio may still have its counts.
            ratio = ratio_of_sums(name, numbers)
            if ratio is not None:
                yield "ratios of sums", name, ratio, ("ratio_of_sums", True, None)
        elif name.endswith(("__cycles_elapsed.max", "__cycles_elapsed.min")):
            yield "windows", name, math.fsum(one[name] for one in having), ("sum", False, None)
        elif name == UNIFORM:
            targets = [one for one in having if one[name] != 0 or not any_zero(one)]
            if targets:
                yield "branch uniformity", name, mean(targets, name, [one.get(TIME) for one in targets]), None


def throughput(name, having, lists):
    """The largest counter, if all results list the same ones and have them; else the mean by time."""
    counters = lists[0]
    complete = len(lists) == len(having) and all(sorted(one) == sorted(counters) for one in lists)
    complete = complete and all(finite(one, counter) for one in having for counter in counters)
    if not complete:
        return mean(having, name, [one.get(TIME) for one in having]), ("time_weighted", False, None)
    made = {counter: counter_mean(counter, having) for counter in counters}
    value = max(made_value for made_value, _ in made.values())
    busiest = [counter for counter in counters if near(made[counter][0], value)]
    if len(busiest) > 1 or value == 0:
        return value, None
    exact = made[busiest[0]][1] and all(near(max(one[c] for c in counters), one[name]) for one in having)
    return value, ("largest_part", exact, busiest[0])


def counter_mean(counter, having):
    """Value and whether it is exact: weighted by the unit's elapsed cycles, else those of gpc, else time."""
    unit, rollup = counter.split("__")[0], counter.split(".")[1]
    of_all_units = rollup not in ("max", "min")
    if "throughput" not in counter:
        units = ONE_CLOCK if unit in ONE_CLOCK else (unit,)
        averages = [f"{u}__cycles_elapsed.avg" for u in units]
        weights = [first(one, averages, size(one) if unit in ONE_CLOCK else 1) for one in having]
        if None not in weights:
            return mean(having, counter, weights), of_all_units
        sums = [f"{u}__cycles_elapsed.sum" for u in units]
        others = ["gpc__cycles_elapsed.avg", "gpc__cycles_elapsed.max"] if unit in ONE_CLOCK else []
        for name in sums + others:
            if all(finite(one, name) for one in having):
                exact = of_all_units and name in sums
                return mean(having, counter, [one[name] for one in having]), exact
    return mean(having, counter, [one.get(TIME) for one in having]), False


def first(one, names, factor):
    """The first of these metrics, collected as it is or as a rate."""
    for name in names:
        if finite(one, name):
            return one[name] * factor
    for name in names:
        if finite(one, f"{name}.per_second") and finite(one, TIME):
            return one[f"{name}.per_second"] * one[TIME] * 1e-9 * factor
    return None


def size(one):
    return one.get("device__attribute_multiprocessor_count", 1)


def is_hit_rate(name):
    return name == L1_TOTAL or (
        name.startswith("l1tex__t_sector_pipe_") and name.endswith("_hit_rate.pct")
    )


def counts_of(name, one):
    """Numerator, denominator and scale of a ratio in one result; None where it lacks one."""
    if name == L1_TOTAL:
        hits = [k for k in one if k.startswith(L1) and k.endswith("_lookup_hit.sum")]
        sectors = [k.replace("_lookup_hit.sum", ".sum") for k in hits]
        if not hits or not all(finite(one, k) for k in hits + sectors):
            return None
        return sum(one[k] for k in hits), sum(one[k] for k in sectors), 100
    if name in PAIRS:
        above, below, scale = PAIRS[name]
    else:
        below = L1 + name.removeprefix("l1tex__t_sector_pipe_").removesuffix("_hit_rate.pct")
        above, scale = f"{below}_lookup_hit", 100
    ending = ".sum" if "__" in below else ""
    above, below = first(one, [above + ending], 1), first(one, [below + ending], 1)
    return None if above is None or below is None else (above, below, scale)


def ratio_of_sums(name, numbers):
    """The ratio of the sums, if the counts give the ratio of every result that has it."""
    parts = [counts_of(name, one) for one in numbers]
    if not all(gives(name, one, counts) for one, counts in zip(numbers, parts) if finite(one, name)):
        return None
    parts = [counts for counts in parts if counts]
    above, below = sum(counts[0] for counts in parts), sum(counts[1] for counts in parts)
    return above / below * parts[0][2] if below else None


def gives(name, one, counts):
    """Whether the counts of a result give its ratio; nothing over nothing gives any."""
    if counts is None:
        return False
    above, below, scale = counts
    return below == 0 or abs(above / below * scale - one[name]) <= 1e-6 * abs(one[name])


def count_pairs(one, counts):
    """How often numerator and denominator of a ratio are there, and how often they give it."""
    for name in one:
        parts = counts_of(name, one) if name in PAIRS or is_hit_rate(name) else None
        if parts and parts[1] and finite(one, name):
            listed = name if name in PAIRS or name == L1_TOTAL else L1_OF_ACCESS
            counts[f"{COUNTED}{listed}"] += 1
            counts[f"{GIVEN}{listed}"] += gives(name, one, parts)


def any_zero(one):
    divergent = "smsp__sass_branch_targets_threads_divergent"
    names = (f"{divergent}.sum", f"{divergent}.avg", "smsp__branch_targets_threads_divergent")
    return any(one.get(name) == 0 for name in names)


def mean(having, name, weights):
    pairs = [(one[name], weight) for one, weight in zip(having, weights) if weight is not None]
    return math.fsum(v * w for v, w in pairs) / math.fsum(w for _, w in pairs)


def finite(one, name):
    return name in one and math.isfinite(one[name])


def near(left, right):
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=1e-12)


if __name__ == "__main__":
    sys.exit(main())
