#!/usr/bin/env python3
"""Lane "Compare": intervals, verdicts and gates of comparisons, recomputed from docs/comparing.md.

    compare.py RANGESCOPE

Runs are made of the sample report: times are changed by simulated noise and written as JSON. What
`rangescope compare` says of them is computed once more here, from the files alone and without any
code of ours: the ways to deal out the sides, the limit, the drift, the steps of the timer.
"""

import itertools
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ERROR, TYPICAL, LEAST = 0.03, 4, 1e-8
RUNS = 5
TOLERANCE = 0.01
LONGEST_STEP = 1024


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rangescope = sys.argv[1]
    sample = json.loads(run(rangescope, "report", "--sample", "--format", "json"))
    noises = {
        "normal": lambda dice, place: 1 + 0.01 * dice.gauss(0, 1),
        "lognormal": lambda dice, place: math.exp(0.02 * dice.gauss(0, 1)),
        "outliers": lambda dice, place: 1 + 0.01 * dice.gauss(0, 1) + 0.2 * (dice.random() < 0.05),
        "two modes": lambda dice, place: 1 + 0.005 * dice.gauss(0, 1) + 0.1 * (dice.random() < 0.5),
        "drift": lambda dice, place: 1 + 0.01 * dice.gauss(0, 1) + 0.02 * place,
    }
    rows, wrong, slower = 0, [], 0
    for name, noise in noises.items():
        for seed, change in ((1, 1.0), (2, 1.0), (3, 1.3)):
            for step in (0, 32):
                dice = random.Random(f"{name} {seed} {step}")
                side = lambda at, factor: [
                    noisy(sample, lambda: noise(dice, at * RUNS + place), factor, step) for place in range(RUNS)
                ]
                base, new = side(0, 1.0), side(1, change)
                said = compared(rangescope, base, new)
                counted, differ = check(said, base, new)
                rows += counted
                wrong += [f"{name} {seed} {step}: {line}" for line in differ]
                slower += sum(region["verdict"] == "slower" for region in said["scopes"][0]["regions"])
    print(f"compare: {rows} rows recomputed, {slower} slower, {len(wrong)} wrong")
    for line in wrong[:20]:
        print(f"  {line}")
    if rows == 0 or slower == 0:
        print("compare: nothing was compared, or nothing found slower")
    return 1 if wrong or rows == 0 or slower == 0 else 0


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def noisy(sample, noise, factor, step):
    """A run: everything but regions and totals is left out, and every time has noise of its own."""
    document = json.loads(json.dumps(sample))
    document["generated_at"] = None
    report = results(document)

    def time(ms):
        if ms is None:
            return None
        ns = ms * 1e6 * factor * noise()
        return (max(round(ns / step), 1) * step if step else ns) / 1e6

    for entry in [report["totals"], report["unlabeled"], *report["regions"]]:
        entry["kernels"] = []
        for key in ("total_ms", "exclusive_ms"):
            if key in entry:
                entry[key] = time(entry[key])
    return document


def results(document):
    """Scopes that hold the same results refer to the one that has them."""
    return next(report for report in document["reports"] if "totals" in report)


def compared(rangescope, base, new):
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for side, documents in (("base", base), ("new", new)):
            for at, document in enumerate(documents):
                path = Path(folder, f"{side}{at}.json")
                path.write_text(json.dumps(document), encoding="utf-8")
                words += [path] if at == 0 and side == "base" else [f"--{side}", path]
        # The second path is the first run of the new side.
        first = words.index("--new")
        words = [words[0], words[first + 1], *words[1:first], *words[first + 2 :]]
        gates = ("--fail-on", "time > 5%")
        outcome = subprocess.run(
            [rangescope, "compare", *map(str, words), "--format", "json", *gates],
            check=False,
            capture_output=True,
            text=True,
        )
        if outcome.returncode not in (0, 1):
            raise SystemExit(outcome.stderr)
        return json.loads(outcome.stdout)


def check(said, base, new):
    scope = said["scopes"][0]
    step = max(timer_step(base), timer_step(new))
    wrong = []
    if abs((said["step_ns"] or 0) - step) > 1e-3:
        wrong.append(f"step {said['step_ns']} for {step}")
    deltas = {}

    def collect(times, launches, delta, what):
        values = tuple(value for value in times)
        if None not in values and min(values) > 0 and delta["interval"]:
            deltas.setdefault(values, []).append((delta, launches, what))

    def of(key, get):
        return [get(results(document)).get(key) for document in base + new]

    collect(of("total_ms", lambda report: report["totals"]), scope["totals"]["calls"]["base"]["max"], scope["totals"]["time"], "(all)")
    if scope["unlabeled"]:
        unlabeled = scope["unlabeled"]
        collect(of("total_ms", lambda report: report["unlabeled"]), unlabeled["calls"]["base"]["max"], unlabeled["time"], "(unlabeled)")
    for region in scope["regions"]:
        path = (region["domain"], region["kind"], region["path"])
        find = lambda report, path=path: next(
            entry for entry in report["regions"] if (entry["domain"], entry["kind"], entry["path"]) == path
        )
        collect(of("total_ms", find), region["calls"]["base"]["max"], region["time"], region["name"])
        own = region["exclusive_calls"]["base"]["max"]
        collect(of("exclusive_ms", find), own, region["exclusive_time"], region["name"] + " alone")
    intervals = judged(list(deltas), [max(launches for _, launches, _ in known) for known in deltas.values()], step / 1e6)
    counted = 0
    for (values, known), (low, high, rounding) in zip(deltas.items(), intervals):
        median = sorted(values[:RUNS])[RUNS // 2]
        absolute = sorted(values[RUNS:])[RUNS // 2] - median
        for delta, launches, what in known:
            widened = rounding(launches)
            ends = [
                min(median * math.expm1(low), absolute) - widened,
                max(median * math.expm1(high), absolute) + widened,
            ]
            counted += 1
            for ours, theirs in zip(ends, (delta["interval"]["low"], delta["interval"]["high"])):
                if not math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-9):
                    wrong.append(f"{what}: interval {ends} for {delta['interval']}")
                    break
            # The tolerance itself is beyond it, and floats miss it by a little.
            is_large = abs(absolute) >= TOLERANCE * median * (1 - 1e-9)
            expected = "same" if not is_large or abs(absolute) <= widened else "higher" if ends[0] > 0 else "lower" if ends[1] < 0 else "undecided"
            if delta["change"] != expected:
                wrong.append(f"{what}: {delta['change']} for {expected}")
    ends = scope["totals"]["time"]["interval"]
    gate = "violated" if ends["relative_low"] > 0.05 else "passed" if ends["relative_high"] <= 0.05 else "not_judged"
    if said["gates"]["gates"][0]["status"] != gate:
        wrong.append(f"gate {said['gates']['gates'][0]} for {gate}")
    return counted, wrong


def timer_step(documents):
    """The greatest common divisor of all times in whole nanoseconds; none where they are not whole."""
    step = 0
    for document in documents:
        report = results(document)
        for entry in [report["totals"], *report["regions"]]:
            ns = (entry["total_ms"] or 0) * 1e6
            if abs(ns - round(ns)) > 1e-3:
                return 0
            step = math.gcd(step, round(ns))
    return min(step, LONGEST_STEP)


def judged(rows, launches, step):
    """For each row the logarithms between which its difference lies, and by how much rounding widens that."""
    logs = [[math.log(value) for value in row] for row in rows]
    steps = [
        count * step**2 / 12 / (sum(row) / len(row)) ** 2 for row, count in zip(rows, launches)
    ]
    raw = [mean(row[RUNS:]) - mean(row[:RUNS]) for row in logs]
    # Drift: what all rows share within the sides, as far as it exceeds its own variance.
    within = [place - (RUNS - 1) / 2 for place in range(RUNS)] * 2
    squares = sum(place**2 for place in within)
    deviations = [deviate(row) for row in logs]
    common = [median([row[run] for row in deviations]) for run in range(2 * RUNS)]
    slope = sum(place * value for place, value in zip(within, common)) / squares
    left = sum((value - slope * place) ** 2 for place, value in zip(within, common)) / (2 * RUNS - 3)
    slope *= max(0, 1 - left / squares / slope**2) if slope else 0
    logs = [[value - slope * (run - (2 * RUNS - 1) / 2) for run, value in enumerate(row)] for row in logs]
    own = list(tests(logs, steps, range(RUNS)))
    normal = [t_beyond(ERROR / len(rows), math.floor(test["freedom"])) for test in own]

    def reach(limit, at):
        limit = max(limit, normal[at])
        error, variance = own[at]["error"], own[at]["variance"]
        mine = sum(place * value for place, value in zip(within, deviate(logs[at]))) / squares
        share = max(0, 1 - 4 * variance / squares / mine**2) if mine else 0
        spread = math.sqrt(error**2 + (share * RUNS) ** 2 * variance / squares)
        shared = slope * RUNS
        centres = [(raw[at], error), (raw[at] - shared, error), (raw[at] - shared - mine * share * RUNS, spread)]
        return (
            min(centre - limit * width for centre, width in centres),
            max(centre + limit * width for centre, width in centres),
        )

    ways = [way for way in itertools.combinations(range(2 * RUNS), RUNS) if way[0] == 0]
    moved, changed = [list(row) for row in logs], set()
    while True:
        largest = sorted((max(test["t"] for test in tests(moved, steps, way)) for way in ways), reverse=True)
        limit = largest[int(ERROR * len(ways))]
        found = {at for at in range(len(rows)) if reach(limit, at)[0] > 0 or reach(limit, at)[1] < 0} - changed
        if not found:
            break
        changed |= found
        for at in found:
            difference = mean(moved[at][RUNS:]) - mean(moved[at][:RUNS])
            moved[at] = moved[at][:RUNS] + [value - difference for value in moved[at][RUNS:]]
    for at in range(len(rows)):
        is_dithered = own[at]["measured"] >= steps[at] / 4
        rounding = lambda count, is_dithered=is_dithered: step * (1 + 1e-9) * (1 if is_dithered else count)
        yield *reach(limit, at), rounding


def tests(rows, steps, way):
    way = set(way)
    sides = [
        [[value for run, value in enumerate(row) if (run in way) == is_base] for is_base in (True, False)] for row in rows
    ]
    squares = [[sum((value - mean(side)) ** 2 for value in side) for side in row] for row in sides]
    typical = [median([max(row[side] / (RUNS - 1), LEAST) for row in squares]) for side in (0, 1)]
    for row, square, least in zip(sides, squares, steps):
        variances = [
            max((TYPICAL * typical[side] + square[side]) / (TYPICAL + RUNS - 1), least, LEAST) for side in (0, 1)
        ]
        of_means = [variance / RUNS for variance in variances]
        error = math.sqrt(sum(of_means))
        yield {
            "t": abs(mean(row[1]) - mean(row[0])) / error,
            "error": error,
            "variance": mean(variances),
            "measured": min(square) / (RUNS - 1),
            "freedom": sum(of_means) ** 2 / sum(part**2 / (TYPICAL + RUNS - 1) for part in of_means),
        }


def deviate(row):
    base, new = mean(row[:RUNS]), mean(row[RUNS:])
    return [value - (base if run < RUNS else new) for run, value in enumerate(row)]


def mean(values):
    return sum(values) / len(values)


def median(values):
    values, half = sorted(values), len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def t_beyond(probability, freedom, known={}):
    """Student's t by integration of its density (Simpson, substituted by the tangent), and bisection."""
    key = (probability, freedom)
    if key not in known:
        norm = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)

        def tails(t):
            # With x = tan(a)·sqrt(f) the density is norm·cos(a)^(f-1).
            begin, count = math.atan(t / math.sqrt(freedom)), 400
            width = (math.pi / 2 - begin) / count
            weights = [1 if at in (0, count) else 4 if at % 2 else 2 for at in range(count + 1)]
            values = (max(math.cos(begin + at * width), 0) ** (freedom - 1) for at in range(count + 1))
            return 2 * norm * width / 3 * sum(weight * value for weight, value in zip(weights, values))

        low, high = 0.0, 1e4
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if tails(middle) > probability else (low, middle)
        known[key] = high
    return known[key]


if __name__ == "__main__":
    sys.exit(main())
