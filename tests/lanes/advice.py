#!/usr/bin/env python3
"""Lane "Advice": what findings are about and what they could gain, recomputed from NVIDIA's reader.

    advice.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. Every finding that `advice --all --unfold` gives names its
launches; from NVIDIA's reader alone come which launches those are (by the rule's messages, or by the condition on
the counters), their share of the time, and the gain: of each launch its largest estimate, but no more than its
busiest unit leaves, unless the advice takes work off that unit. What a message says is read here with patterns of
our own. Nothing here is shared with our program.
"""

import math
import re
import sys
from collections import Counter

from lib import runner

OUTCOMES = {
    # outcome: (what the text of every message must match, what it must not)
    "occupancy-gap": (r"difference between", r"grid is too small to fill it"),
    "occupancy-unlimited": (r"not impacted by any block limit", r"difference between"),
    "pipes-idle": (r"under-utilized", r"over-utilized"),
    "issue-slots-limited-by-occupancy": (r"theoretical warps|theoretical number of warps", None),
    "issue-slots-idle": (r"only issues an instruction every|capable of issuing", None),
    "not-selected": (r"select the warp to issue", None),
    "rule-failed": (r"error|exception|division by zero|Required metric|required metrics|File \"|\.py:", None),
    "excess-sectors": (r"excessive sectors|expected .* sectors, got|expected .* transactions, got", None),
}
BUSY, BALANCED, HALF = 60.0, 10.0, 0.5
REQUIRED = (
    "reports", "findings", "findings of rules", "findings of counters", "gains", "gains cut by the busiest unit", "limits",
    "memory-bound reports", "compute-bound reports", "messages of outcomes",
)  # fmt: skip
TIME = "gpu__time_duration.sum"
MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
ELAPSED, ACTIVE = ".avg.pct_of_peak_sustained_elapsed", ".avg.pct_of_peak_sustained_active"
LEVELS = ("gpu__dram_throughput", "dram__throughput", "lts__throughput", "l1tex__throughput")
SIDES = {"memory": {"memory", "l1", "l2", "dram"}}
MARKUP = re.compile(r"@(section|url|source|sass):")


def main():
    binary, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports", "findings"), REQUIRED)
    counts, wrong = Counter(), []
    for report, results, ours in runner.parallel(lambda r: (r, *both(binary, r)), reports):
        if isinstance(results, str) or isinstance(ours, str):
            wrong.append(f"{report.name}: {results if isinstance(results, str) else ours}")
            continue
        counts["reports"] += 1
        compare(report.name, results, ours, counts, wrong)
    return runner.tell("advice", counts, wrong, required)


def both(binary, report):
    words = [binary, "advice", str(report), "--all", "--unfold", "--format", "json"]
    return runner.nvidia_of(__file__, report), runner.answer(words)


# NVIDIA's side


def said_by_nvidia(report):
    """One entry per result: its numbers, its regions, and what rules said of it."""
    from lib import nvidia

    kinds = ("none", "ok", "optimization", "warning", "error")
    found = []
    for action, facts in nvidia.results(report):
        numbers = {}
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            value = metric.value() if metric.has_value() else None
            if isinstance(value, (int, float)):
                numbers[name] = value
        messages = []
        for item in nvidia.rule_items(action):
            if item["message"]:
                text, kind, title = item["message"]
                speedup = item["speedup"][1] if item["speedup"] else None
                messages.append([item["rule"], kinds[kind], title, text, speedup])
        regions = []
        for domain, ranges in (nvidia.nvtx(action) or {}).items():
            path = [entry["name"] for entry in ranges["push_pop"]]
            regions += [[domain, path[: depth + 1]] for depth in range(len(path))]
            regions += [[domain, [entry["name"]]] for entry in ranges["start_end"]]
        found.append({**facts, "numbers": numbers, "messages": messages, "regions": regions})
    return found


# What is compared


def compare(report, results, ours, counts, wrong):
    launches = {at: Launch(at, one) for at, one in enumerate(results)}
    for one in launches.values():
        one.is_synthetic = report.startswith(("synth", "manual_nvtx_"))
    kernels = {at: one for at, one in launches.items() if one.kind != "range"}
    if kernels:
        launches = kernels
    whole = math.fsum(one.time for one in launches.values())
    seen = []
    for finding in ours["findings"]:
        counts["findings"] += 1
        fail = lambda text: wrong.append(f"{report} {finding['outcome']} {finding['place']}: {text}")  # noqa: B023
        if MARKUP.search(finding["text"]) or MARKUP.search(finding["title"]):
            fail(f"markup reaches people: {finding['text'][:200]}")
        if not finding["title"]:
            fail("no title")
        gain, share = finding["gain"], finding["share"]
        if gain is not None and not 0 <= gain <= (share or 0) + 1e-9:
            fail(f"gain {gain} of share {share}")
        if finding["launches"] is None:
            if finding["rule"]:
                fail("a rule without launches")
            continue
        about = [launches[at] for at in finding["launches"] if at in launches]
        if len(about) != len(finding["launches"]):
            fail("launches that are not there")
            continue
        expected = math.fsum(one.time for one in about) / whole if whole and any(one.timed for one in about) else None
        if not same(share, expected):
            fail(f"share {share}, recomputed {expected}")
        inside = [one for one in launches.values() if one.is_in(finding)]
        check_finding(finding, inside, about, whole, counts, fail)
        seen.append((finding, about))
    check_first(ours["findings"], launches, whole, counts, lambda text: wrong.append(f"{report}: {text}"))


def check_finding(finding, inside, about, whole, counts, fail):
    outcome, rule = finding["outcome"], finding["rule"]
    ids = {one.at for one in about}
    if rule:
        counts["findings of rules"] += 1
        says = lambda message: message[0] == rule and is_of(finding, message)  # noqa: E731
        messages = {one.at: [m for m in one.messages if says(m)] for one in inside}
        wanted = {at for at, found in messages.items() if found}
        if outcome == "occupancy-by-design":
            wanted = {one.at for one in inside if one.at in ids and one.is_persistent()}
        if outcome in ("unknown", "unknown-advice"):
            if not any(one.is_synthetic for one in about):
                fail("a message of the corpus that no row of the table knows")
            return
        if not ids <= {one.at for one in inside if any(m[0] == rule for m in one.messages)}:
            fail("launches on which the rule said nothing")
        # One message of before 2022 says a limit and a gap; which costs more decides.
        whole_message = rule == "Occupancy"
        wanted = {at for at in wanted if not demoted(inside, at, outcome)}
        if outcome in OUTCOMES and not (ids <= wanted if whole_message else ids == wanted):
            fail(f"launches {sorted(ids)[:8]}, by the messages {sorted(wanted)[:8]}")
        counts["messages of outcomes"] += sum(len(found) for found in messages.values())
        estimates = {one.at: [m[4] for m in messages[one.at] if m[4] is not None] for one in about}
    else:
        counts["findings of counters"] += 1
        test = CONDITIONS.get(outcome)
        if outcome.startswith("limited-by-"):
            counts["limits"] += 1
            test = lambda one: one.limit() == outcome.removeprefix("limited-by-")  # noqa: E731
            # Limits are told apart by their unit, which here is the level of memory or that of what computes.
            if not all(test(one) for one in about):
                fail(f"not all of these are {outcome}: {[one.limit() for one in about][:8]}")
            return
        if outcome == "same-counters":
            kernels = {one.function for one in about}
            if len(kernels) < 2 or len({one.time for one in about}) > len(about) / 2:
                fail("results that are not the same")
            return
        if test is None:
            fail("no condition in this lane")
            return
        wanted = {one.at for one in inside if test(one)}
        if ids != wanted:
            fail(f"launches {sorted(ids ^ wanted)[:8]} differ from the condition")
        estimates = {one.at: [ESTIMATES[outcome](one)] for one in about} if outcome in ESTIMATES else {}
    expected = 0.0
    cut = False
    for one in about:
        if estimates.get(one.at):
            stated = max(estimates[one.at]) / 100
            left = one.left(finding["relieves"])
            cut |= stated > left
            expected += min(stated, left) * one.time
    expected = expected / whole if whole else 0.0
    if finding["kind"] == "note" and finding["gain"] is not None:
        fail("a note with a gain")
    if finding["kind"] == "advice" and len({m[3] for one in about for m in one.messages if m[0] == rule}) and rule in ONE_SAYING:
        counts["gains"] += 1
        counts["gains cut by the busiest unit"] += cut
        if not same(finding["gain"] or 0.0, expected):
            fail(f"gain {finding['gain']}, recomputed {expected}")
    if finding["gain"] is not None:
        most = math.fsum(one.left(finding["relieves"]) * one.time for one in about) / whole
        if finding["gain"] > most + 1e-9:
            fail(f"gain {finding['gain']} is more than what is left, {most}")


# Rules that say one thing about a launch, so that their estimate is that of the saying.
ONE_SAYING = {
    "AchievedOccupancy", "TheoreticalOccupancy", "IssueSlotUtilization", "HighPipeUtilization", "ThreadDivergence",
    "UncoalescedGlobalAccess", "UncoalescedSharedAccess",
}  # fmt: skip


def is_of(finding, message):
    says, says_not = OUTCOMES.get(finding["outcome"], ("", None))
    text = message[3]
    return bool(re.search(says, text)) and not (says_not and re.search(says_not, text))


def demoted(inside, at, outcome):
    """Occupancy of a persistent kernel is by design."""
    return outcome.startswith("occupancy-") and next(one for one in inside if one.at == at).is_persistent()


def check_first(findings, launches, whole, counts, fail):
    """The first advice of a report that memory limits is never about what computes, and the other way round."""
    advice = next((one for one in findings if one["kind"] == "advice"), None)
    if not advice or not whole:
        return
    for side, other in (("memory", "compute"), ("compute", "memory")):
        time = math.fsum(one.time for one in launches.values() if one.side() == side)
        if time <= 0.6 * whole:
            continue
        counts[f"{side}-bound reports"] += 1
        if advice["relieves"] and (advice["relieves"] in SIDES["memory"]) == (other == "memory"):
            fail(f"limited by {side}, and the first advice is about {advice['relieves']}: {advice['title']}")


def same(ours, expected):
    if ours is None or expected is None:
        return ours is None and expected in (None, 0.0)
    return math.isclose(ours, expected, rel_tol=1e-6, abs_tol=1e-9)


class Launch:
    """A result with the conditions that docs/advice.md states."""

    def __init__(self, at, said):
        self.at, self.kind, self.function = at, said["kind"], said["function"]
        self.messages, self.regions = said["messages"], [(d, tuple(path)) for d, path in said["regions"]]
        numbers = {name: value for name, value in said["numbers"].items() if math.isfinite(value)}
        self.is_given_up = (
            numbers.get("profiler__replayer_passes", math.inf) <= 1 and TIME in said["numbers"] and TIME not in numbers
        )
        self.numbers = {} if self.is_given_up else numbers
        self.timed = TIME in self.numbers
        self.time = self.numbers.get(TIME, 0.0)

    def is_in(self, finding):
        return finding["place"] is None or (finding["domain"], tuple(finding["place"])) in self.regions

    def first(self, *names):
        return next((self.numbers[name] for name in names if name in self.numbers), None)

    def total(self, *names):
        values = [self.numbers.get(name) for name in names]
        return None if None in values else sum(values)

    # How busy it was

    def compute(self):
        """(per cent, unit): the largest fraction of a roof of what computes."""
        found = []
        active = self.first("sm__cycles_active.avg"), self.first("sm__cycles_elapsed.avg")
        active = active[0] / active[1] if None not in active and active[1] else 1.0
        active = active if 0 <= active <= 1 else 1.0
        for name, value in self.numbers.items():
            if name.endswith(ELAPSED):
                counter = name.removesuffix(ELAPSED)
                unit = "" if counter == "sm__throughput" else pipe(counter)
                if unit is not None:
                    found.append((value, unit))
            elif name.endswith(ACTIVE) and pipe(name.removesuffix(ACTIVE)) == "tensor":
                found.append((value * active, "tensor"))
            elif name.endswith(".per_cycle_elapsed") and pipe(name.removesuffix(".per_cycle_elapsed")) == "tensor":
                peak = self.numbers.get(name.removesuffix(".per_cycle_elapsed") + ".peak_sustained")
                if peak:
                    found.append((value / peak * 100, "tensor"))
        return max(found, default=None)

    def memory(self):
        """(per cent, unit): ncu's number, else that of the busiest level; the unit is the level that explains it."""
        levels = [(self.numbers[name + ELAPSED], level(name)) for name in LEVELS if name + ELAPSED in self.numbers]
        whole = self.first(MEMORY)
        if whole is None:
            return max(levels, default=None)
        parts = [(v, level(n)) for n, v in self.numbers.items() if n.endswith(ELAPSED) and level(n)]
        near = [one for one in parts + levels if one[0] <= whole * (1 + 1e-6) and whole - one[0] <= BALANCED]
        return whole, max(near, default=(None, ""))[1]

    def busiest(self):
        sides = [side[0] for side in (self.compute(), self.memory()) if side]
        return max(sides, default=None)

    def left(self, relieves):
        busiest = self.busiest()
        if busiest is None:
            return 1.0
        for side, units in ((self.compute(), None), (self.memory(), SIDES["memory"])):
            if not side or side[0] < busiest or relieves is None or (relieves in SIDES["memory"]) != (units is not None):
                continue
            # Of equally busy units any may be named.
            whole = relieves in ("compute", "memory") or side[1] == ""
            issued = side[1] == "issue" and units is None and relieves != "tensor"
            if whole or issued or side[1].startswith(relieves) or self.is_tied(side, relieves):
                return 1.0
        return min(max(1 - busiest / 100, 0.0), 1.0)

    def is_tied(self, side, relieves):
        tied = [n for n, v in self.numbers.items() if n.endswith(ELAPSED) and math.isclose(v, side[0], rel_tol=1e-9)]
        return any((pipe(n.removesuffix(ELAPSED)) or level(n) or "").startswith(relieves) for n in tied)

    def side(self):
        """Which of both is the limit."""
        limit = self.limit()
        return "memory" if limit in ("dram", "l2", "l1", "memory") else limit

    def limit(self):
        compute, memory = self.compute(), self.memory()
        if compute is None or memory is None:
            return "unknown"
        if max(compute[0], memory[0]) < BUSY:
            return "small-grid" if self.is_small() else "latency"
        if abs(compute[0] - memory[0]) <= BALANCED:
            return "balanced"
        return "compute" if compute[0] > memory[0] else memory[1] or "memory"

    # Its grid

    def filling(self):
        sms = next((v for v in map(self.numbers.get, ("launch__sm_count", "device__attribute_multiprocessor_count")) if v), math.nan)
        return self.numbers.get("launch__grid_size", math.nan), sms, self.numbers.get("launch__waves_per_multiprocessor", math.nan)

    def is_small(self):
        blocks, sms, waves = self.filling()
        return blocks < sms or waves < HALF

    def is_persistent(self):
        blocks, sms, waves = self.filling()
        each = blocks / sms
        if math.isnan(each) or math.isnan(waves) or (self.busiest() or 0) < BUSY:
            return False
        few = self.first("sm__warps_active.avg.pct_of_peak_sustained_active")
        return abs(each - round(each)) < 1e-9 and 1 <= each <= 8 and waves <= 1 + 1e-9 and few is not None and few < 50

    def is_measured(self):
        return not self.is_given_up and self.kind == "kernel"

    def idle(self):
        waves = self.filling()[2]
        return 1 - waves / math.ceil(waves) if waves > 0 else math.nan

    def is_partial(self):
        return self.is_measured() and self.limit() == "latency" and not self.is_small() and self.idle() >= 0.1

    def warps(self):
        return self.first("sm__warps_active.avg.pct_of_peak_sustained_active"), self.first("sm__maximum_warps_per_active_cycle_pct")

    def few_warps(self):
        reached, possible = self.warps()
        if reached is None or possible is None or reached >= 50 or self.limit() != "latency" or self.filling()[2] < 1:
            return None
        return "few-warps" if reached < 0.8 * possible else "few-warps-allowed"

    def local(self):
        instructions = [f"sass__inst_executed_{{}}_{op}s" for op in ("load", "store")]
        requests = [f"l1tex__t_requests_pipe_lsu_mem_{{}}_op_{op}.sum" for op in ("ld", "st")]

        def count(where):
            return next((v for names in (instructions, requests) if (v := self.total(*(n.format(where) for n in names))) is not None), None)

        local, other = count("local"), count("global")
        if local is None or other is None or local + other == 0 or local / (local + other) < 0.1:
            return None
        spilled = self.first("sass__inst_executed_register_spilling_mem_local", "sass__inst_executed_register_spilling")
        return "local-memory" if spilled is None else "register-spills" if spilled > 0 else "local-arrays"

    def excess(self):
        moved, ideal = self.first("memory_l2_theoretical_sectors_global"), self.first("memory_l2_theoretical_sectors_global_ideal")
        return (moved - ideal) / moved if moved and ideal is not None else None

    def stray_double(self):
        count = lambda stem: self.total(*(f"smsp__sass_thread_inst_executed_op_{stem}{op}_pred_on.sum.per_cycle_elapsed" for op in ("add", "mul", "fma")))  # noqa: E731
        peak = lambda stem: self.first(f"sm__sass_thread_inst_executed_op_{stem}fma_pred_on.sum.peak_sustained")  # noqa: E731
        numbers = count("d"), count("f"), peak("f"), peak("d")
        pipe_pct = self.first("sm__pipe_fp64_cycles_active" + ELAPSED, "sm__inst_executed_pipe_fp64" + ELAPSED)
        if None in numbers or pipe_pct is None or not numbers[3]:
            return False
        double, single, single_peak, double_peak = numbers
        return 0 < double <= 0.5 * single and single_peak / double_peak >= 8 and pipe_pct >= 20

    def waits(self):
        asleep = self.total(*(f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio" for why in ("sleeping", "membar")))
        latency = self.first("smsp__average_warp_latency_per_inst_issued.ratio")
        busiest = self.busiest()
        return bool(latency) and asleep is not None and busiest is not None and busiest < 10 and asleep / latency >= 0.3


CONDITIONS = {
    "small-grid": lambda one: one.is_measured() and one.limit() == "small-grid",
    "partial-last-wave": lambda one: one.is_partial() and one.filling()[2] >= 1,
    "part-of-one-wave": lambda one: one.is_partial() and one.filling()[2] < 1,
    "few-warps": lambda one: one.is_measured() and one.few_warps() == "few-warps",
    "few-warps-allowed": lambda one: one.is_measured() and one.few_warps() == "few-warps-allowed",
    "persistent-kernel": lambda one: one.is_measured() and one.is_persistent(),
    "register-spills": lambda one: one.is_measured() and one.local() == "register-spills",
    "local-arrays": lambda one: one.is_measured() and one.local() == "local-arrays",
    "local-memory": lambda one: one.is_measured() and one.local() == "local-memory",
    "double-in-float-code": lambda one: one.is_measured() and one.stray_double(),
    "excess-sectors-counted": lambda one: one.is_measured() and (one.excess() or 0) >= 0.1,
    "waits-for-others": lambda one: one.is_measured() and one.waits(),
    "short-launches": lambda one: one.is_measured() and one.timed and one.time < 10_000,
    "not-measured": lambda one: one.is_given_up,
}
ESTIMATES = {
    "partial-last-wave": lambda one: one.idle() * 100,
    "excess-sectors-counted": lambda one: one.excess() * (one.first("lts__t_sectors" + ELAPSED, "lts__throughput" + ELAPSED) or 0),
}


def pipe(counter):
    """The unit of what computes that a counter speaks of."""
    if counter.startswith("sm__ops_path_tensor_"):
        return "tensor"
    if counter in ("sm__issue_active", "sm__inst_issued", "sm__inst_executed"):
        return "issue"
    for stem, unit in (("sm__mio", "mio"), ("idc__", "idc")):
        if counter.startswith(stem):
            return unit
    for stem in ("sm__inst_executed_pipe_", "sm__pipe_"):
        if counter.startswith(stem):
            name = counter.removeprefix(stem).split("_")[0]
            return "tensor" if name == "tc" else name
    return None


def level(name):
    if name.startswith(("dram__", "fbpa__", "gpu__dram_")):
        return "dram"
    return "l2" if name.startswith(("lts__", "ltc__")) else "l1" if name.startswith("l1tex__") else ""


if __name__ == "__main__":
    sys.exit(main())
