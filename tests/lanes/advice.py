#!/usr/bin/env python3
"""Lane "Advice": what findings are about and what they could gain, recomputed from NVIDIA's reader.

    advice.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. Every finding that `advice --all --unfold` gives names its
launches; from NVIDIA's reader alone come which launches those are (by the rule's messages, or by the condition on
the counters), their share of the time, and the gain: of each launch its largest estimate, but no more than its
busiest unit leaves, unless the advice takes work off that unit, and no more than the counters of what it speaks of
allow. What a message says is read here with patterns of our own, what a finding quotes with those of docs/advice.md.
Nothing here is shared with our program.
"""

import math
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

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
    "memory-bound reports", "compute-bound reports", "messages of outcomes", "findings that are quoted", "gains cut by counters",
    "rules retold for small grids", "persistent launches", "advice beside the limit", "heaviest kernels with a limit",
    "rules of single kernels", "units that kernel names", "broken measurements", "how busy limits are", "empty parts of devices",
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
        check_kernel(binary, report, results, counts, wrong)
        check_rules_of_kernels(binary, report, results, counts, wrong)
    return runner.tell("advice", counts, wrong, required)


def both(binary, report):
    words = [binary, "advice", str(report), "--all", "--unfold", "--format", "json"]
    return runner.nvidia_of(__file__, report), runner.answer(words)


WORDS = {"tensor": "tensor cores", "issue": "issue slots", "mio": "memory input/output queue", "idc": "constant cache", "": "SMs"}


def check_kernel(binary, report, results, counts, wrong):
    """Of a report of one launch `kernel` names the unit that is busiest of what computes, and how busy it is."""
    if len(results) != 1:
        return
    text = runner.answer([binary, "kernel", str(report)], parse=str)
    said = re.search(r"limited by [^:\n]*: ([^,\n]*?) busy to ([\d.]+) %", text.replace("\n", " "))
    busiest = Launch(0, results[0]).compute()
    if not said or not busiest:
        return
    counts["units that kernel names"] += 1
    digit = 10.0 ** -len(said[2].partition(".")[2])
    names = {WORDS.get(unit, f"{unit} pipe") for unit in Launch(0, results[0]).equally_busy(busiest)}
    if said[1] not in names or abs(busiest[0] - float(said[2])) > 0.51 * digit:
        wrong.append(f"{report.name}: kernel says {said[0]}, recomputed {busiest}")


def check_rules_of_kernels(binary, report, results, counts, wrong):
    """What a report without regions says under a kernel was said of that very kernel, as often and with no larger an estimate."""
    if any(one["regions"] for one in results):
        return
    document = runner.answer([binary, "report", str(report), "--format", "json"])
    for kernel in document["reports"][0]["totals"]["kernels"]:
        own = [one for one in results if kernel["kernel_name"] in (one["demangled"], one["function"]) and one["kind"] == kernel["kind"]]
        for rule in kernel.get("rules", []):
            counts["rules of single kernels"] += 1
            said = [[m for m in one["messages"] if m[0] == rule["rule"] and m[1] == rule["kind"]] for one in own]
            fail = lambda text: wrong.append(f"{report.name} {kernel['kernel_name'][:40]} {rule['rule']}: {text}")  # noqa: B023
            if not 0 < rule["results"] <= sum(1 for messages in said if messages):
                fail(f"{rule['results']} results, and it spoke of {sum(1 for messages in said if messages)} of this kernel")
            if not any(plain(m[3]) == plain(rule["message"]) for messages in said for m in messages):
                fail(f"was not said of this kernel: {rule['message'][:100]}")
            largest = max((m[4] for messages in said for m in messages if m[4] is not None), default=None)
            if rule["speedup_kind"] == "counted":
                if largest is not None:
                    fail(f"an estimate from counters beside ncu's of {largest} %")
            elif rule["max_speedup_pct"] is not None and (largest is None or rule["max_speedup_pct"] > largest * (1 + 1e-9)):
                fail(f"an estimate of {rule['max_speedup_pct']} %, the largest of this kernel is {largest}")


def plain(message):
    """A message without ncu's links, by its letters and digits alone."""
    return re.sub(r"[^A-Za-z0-9.%]", "", re.sub(r"@(?:section|sass|url|source):[^@]*?:?([^:@]*)(?::https?://[^@]*)?@", r"\1", message))


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
        check_words(finding, inside, about, launches, counts, fail)
        seen.append((finding, about))
    check_order(ours["findings"], launches, whole, counts, lambda text: wrong.append(f"{report}: {text}"))
    check_heaviest(seen, launches, counts, lambda text: wrong.append(f"{report}: {text}"))
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
            wanted = {one.at for one in inside if one.at in ids and (one.is_persistent() or one.is_persistent_launch())}
        if outcome in ("occupancy-of-small-grid", "nothing-to-fuse"):
            counts["rules retold for small grids"] += outcome == "occupancy-of-small-grid"
            wanted = {one.at for one in inside if any(one.retold(m) == outcome for m in one.messages if m[0] == rule)}
            if not ids <= wanted:
                fail(f"launches {sorted(ids - wanted)[:8]} are not {outcome}")
        if outcome in ("unknown", "unknown-advice"):
            if not any(one.is_synthetic for one in about):
                fail("a message of the corpus that no row of the table knows")
            return
        if not ids <= {one.at for one in inside if any(m[0] == rule for m in one.messages)}:
            fail("launches on which the rule said nothing")
        # One message of before 2022 says a limit and a gap; which costs more decides.
        whole_message = rule == "Occupancy"
        by_id = {one.at: one for one in inside}
        told_anew = lambda at: any(by_id[at].retold(m) not in (None, outcome) for m in messages[at])  # noqa: E731
        wanted = {at for at in wanted if not told_anew(at)}
        about_warps = outcome.startswith(("occupancy-limited", "issue-slots-limited", "imbalance-", "unfused-")) or outcome == "occupancy-gap"
        if about_warps and any(told_anew(at) and len(messages[at]) == 1 for at in ids):
            fail("what ncu says is about a small grid, a persistent kernel or nothing")
        if outcome in OUTCOMES and not (ids <= wanted if whole_message else ids == wanted):
            fail(f"launches {sorted(ids)[:8]}, by the messages {sorted(wanted)[:8]}")
        counts["messages of outcomes"] += sum(len(found) for found in messages.values())
        estimates = {one.at: [m[4] for m in messages[one.at] if m[4] is not None] for one in about}
        if outcome in RETOLD:
            estimates = {}
        if outcome == "uncoalesced-global":
            # Where the rule makes no estimate, the counters do.
            counted = {one.at: one.with_excess() for one in about}
            estimates = {at: some or [100 * counted[at]] * (counted[at] is not None) for at, some in estimates.items()}
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
            left = min(one.left(finding["relieves"]), one.most(outcome))
            cut |= stated > one.left(finding["relieves"])
            counts["gains cut by counters"] += one.most(outcome) < min(stated, one.left(finding["relieves"]))
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
        most = math.fsum(min(one.left(finding["relieves"]), one.most(outcome)) * one.time for one in about) / whole
        if finding["gain"] > most + 1e-9:
            fail(f"gain {finding['gain']} is more than what is left, {most}")


# Rules that say one thing about a launch, so that their estimate is that of the saying.
ONE_SAYING = {
    "AchievedOccupancy", "TheoreticalOccupancy", "IssueSlotUtilization", "HighPipeUtilization", "ThreadDivergence",
    "UncoalescedGlobalAccess", "UncoalescedSharedAccess", "FPInstructions",
}  # fmt: skip


def is_of(finding, message):
    says, says_not = OUTCOMES.get(finding["outcome"], ("", None))
    text = message[3]
    return bool(re.search(says, text)) and not (says_not and re.search(says_not, text))


RETOLD = ("occupancy-of-small-grid", "occupancy-by-design", "nothing-to-fuse")
QUOTED = re.compile(r"“([^”]*)” \(((?:the counters|\w+)(?:, (?:the counters|\w+))*?)(?:, on ([\d,]+) of them)?\)")


def documented():
    """By title: what a message has to say (alternatives that are all met), by the tables of docs/advice.md; and the outcomes of counters."""
    said, of_counters = defaultdict(list), {}
    for line in (Path(__file__).parents[2] / "docs" / "advice.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("| `") or len(cells) not in (3, 4):
            continue
        title = re.sub(r"^note: | \(relieves \w+\)$", "", cells[-1])
        if len(cells) == 3:
            of_counters[title] = cells[0].strip("`")
        else:
            parts = [part.split("” or “") for part in cells[1].strip("“”").split("” and “")]
            said[title].append(parts)
    return said, of_counters


SAID, OF_COUNTERS = documented()


def says(one, title, who):
    """Whether NVIDIA's reader has a message of this rule on the launch that says what the title says; or its counters do."""
    # Titles that a message is given where its words are about something else.
    if who != "the counters" and OF_COUNTERS.get(title) in RETOLD:
        return any(one.retold(m) == OF_COUNTERS[title] for m in one.messages if m[0] == who)
    if who == "the counters":
        test = CONDITIONS.get(OF_COUNTERS.get(title))
        return test is None or bool(test(one))
    texts = [m[3] or m[2] for m in one.messages if m[0] == who]
    return any(all(any(word in text for word in words) for words in parts) for parts in SAID[title] for text in texts)


def check_words(finding, inside, about, launches, counts, fail):
    """Numbers and quotations in the text."""
    text = finding["text"]
    for title, who, part in QUOTED.findall(text.partition("The same cause: ")[2]):
        counts["findings that are quoted"] += 1
        for each in who.split(", "):
            said = [one for one in about if says(one, title, each)]
            if len(said) < (int(part.replace(",", "")) if part else len(about)):
                fail(f"quotes “{title}” of {each}, said on {len(said)} of {len(about)}")
            if math.fsum(one.time for one in said) < 0.9 * math.fsum(one.time for one in about) * (1 - 1e-9):
                fail(f"quotes “{title}” of {each}, said on little of the time")
    if finding["outcome"].startswith("limited-by-"):
        for number in re.findall(r"compute(?: \([^)]*\))? ([\d.]+) %", text):
            counts["how busy limits are"] += 1
            digit = 10.0 ** -len(number.partition(".")[2])
            if not any(one.compute() and abs(one.compute()[0] - float(number)) <= 0.51 * digit for one in about):
                fail(f"says busy to {number} %, of {[one.compute() for one in about][:4]}")
    empty = re.search(r"of which ([\d.]+) % have none", text)
    if empty:
        counts["empty parts of devices"] += 1
        parts = [100 * (1 - one.filling()[0] / one.filling()[1]) for one in about]
        if not any(abs(part - float(empty[1])) <= 0.51 for part in parts):
            fail(f"says that {empty[1]} % are empty, recomputed {parts[:4]}")
    if "most of the device" in text + finding["title"]:
        fail("most of the device is empty: how much?")
    if finding["outcome"] in ("not-measured", "same-counters"):
        counts["broken measurements"] += 1
        if f"({len(about)} of {len(inside)} result" not in finding["title"]:
            fail(f"{len(about)} of {len(inside)} are broken: {finding['title']}")
    if finding["outcome"] in ("persistent-launch", "persistent-kernel"):
        counts["persistent launches"] += 1


def check_order(findings, launches, whole, counts, fail):
    """What is beside the limit, of its own launches or of the run, comes after all that is not; few broken results are not first."""
    if findings and findings[0]["outcome"] in ("not-measured", "same-counters"):
        part = len(findings[0]["launches"]) / len(launches)
        if max(part, findings[0]["share"] or 0) < 0.25:
            fail(f"first is what concerns {part:.0%} of the results")
    last = None
    for finding in findings:
        if finding["kind"] != "advice" or finding["launches"] is None:
            continue
        about = [launches[at] for at in finding["launches"] if at in launches]
        is_limit = finding["outcome"].startswith("limited-by-")
        beside = not is_limit and is_beside(finding, about, launches.values())
        counts["advice beside the limit"] += beside
        if last and not beside:
            fail(f"{last['title']} is beside the limit and stands before {finding['title']}")
        last = finding if beside else last


def is_beside(finding, about, run):
    relieves = finding["relieves"]
    if relieves is None and finding["gain"] is not None and finding["outcome"] != "pipes-idle":
        return False
    # Another level of memory than the limit is beside it.
    level_of = relieves if relieves in ("l1", "l2", "dram") else None
    wrong_level = lambda one: level_of and one.side() == "memory" and one.limit() not in ("memory", level_of)  # noqa: E731
    others = ("compute", "memory", "balanced") if relieves is None else ("compute",) if relieves in SIDES["memory"] else ("memory",)
    mostly = lambda some: math.fsum(o.time for o in some if o.side() in others) > 0.5 * math.fsum(o.time for o in some) * (1 + 1e-12)  # noqa: E731
    own = math.fsum(o.time for o in about if o.side() in others or wrong_level(o)) > 0.5 * math.fsum(o.time for o in about) * (1 + 1e-12)
    return own or (relieves is not None and mostly(list(run)))


def check_heaviest(seen, launches, counts, fail):
    """Where there are no regions, the limit of the kernel with the most time is said."""
    if any(one.regions for one in launches.values()):
        return
    times = defaultdict(list)
    for one in launches.values():
        if one.timed and one.limit() != "unknown":
            times[one.function].append(one)
    if not times or sum(one.timed for one in launches.values()) < len(launches):
        return
    heaviest = max(times.values(), key=lambda some: math.fsum(one.time for one in some))
    longest = max(heaviest, key=lambda one: one.time)
    limits = [finding for finding, about in seen if finding["outcome"].startswith("limited-by-") and any(one in about for one in heaviest)]
    counts["heaviest kernels with a limit"] += 1
    if not limits:
        fail(f"no sentence says what limits {longest.function}")


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
        active = self.active()
        for name, value in self.numbers.items():
            if name.endswith(ELAPSED):
                counter = name.removesuffix(ELAPSED)
                unit = "" if counter == "sm__throughput" else pipe(counter)
                if unit is not None:
                    found.append((value, unit))
            elif active is not None and name.endswith(ACTIVE) and pipe(name.removesuffix(ACTIVE)) == "tensor":
                found.append((value * active, "tensor"))
            elif name.endswith((".sum.per_cycle_elapsed", ".avg.per_cycle_elapsed")) and pipe(name.removesuffix(".per_cycle_elapsed")) == "tensor":
                peak = self.numbers.get(name.removesuffix(".per_cycle_elapsed") + ".peak_sustained")
                if peak:
                    found.append((value / peak * 100, "tensor"))
        return max(found, default=None)

    def equally_busy(self, busiest):
        """The units that are as busy as the busiest."""
        found = {busiest[1]}
        for name, value in self.numbers.items():
            if name.endswith(ELAPSED) and math.isclose(value, busiest[0], rel_tol=1e-9):
                found.add("" if name.startswith("sm__throughput") else pipe(name.removesuffix(ELAPSED)))
        return found - {None}

    def active(self):
        """The part of the duration in which SMs had work; None where nobody knows."""
        active, elapsed = self.first("sm__cycles_active.avg"), self.first("sm__cycles_elapsed.avg")
        clock = self.first("sm__cycles_elapsed.avg.per_second")
        if not elapsed and clock is not None and self.timed:
            elapsed = clock * self.time / 1e9
        return min(active / elapsed, 1.0) if active is not None and elapsed else None

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
            if whole or side[1].startswith(relieves) or self.is_tied(side, relieves):
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

    def runs_at_once(self):
        blocks, sms, waves = self.filling()
        return blocks <= sms or waves <= 1 + 1e-9

    def retold(self, message):
        """What a message comes to whose words are about something else here; None where it stands."""
        rule, kind, title, text, _ = message
        text = text or title
        blocks, sms, waves = self.filling()
        if kind not in ("optimization", "warning"):
            return None
        gap = rule in ("Occupancy", "AchievedOccupancy") and "difference between" in text
        # One message of before 2022 says both; which half of it counts is not judged here.
        limit = rule in ("Occupancy", "TheoreticalOccupancy") and "is limited by" in text or "theoretical warps per scheduler" in text
        limit |= rule == "IssueSlotUtilization" and "theoretical number of warps" in text
        about_grid = rule == "LaunchConfiguration" and "masked off" not in text
        if (self.is_persistent() or self.is_persistent_launch()) and (gap or limit or about_grid):
            return "occupancy-by-design"
        small = limit and self.runs_at_once() or gap and (blocks < sms or waves < 1 - 1e-9)
        if small or rule == "WorkloadImbalance" and re.search("more (SMs|SMSPs|L1)", text) and blocks < sms:
            return "occupancy-of-small-grid"
        if rule == "FPInstructions" and self.fusible("d" if "FP64" in text else "f") == 0:
            return "nothing-to-fuse"
        return None

    def fusible(self, kind):
        """The part of the arithmetic that goes away where all pairs are fused; None where it was not counted."""
        name = f"smsp__sass_thread_inst_executed_op_{kind}{{}}_pred_on.sum"
        each = [self.first(name.format(op) + ".per_cycle_elapsed", name.format(op)) for op in ("add", "mul", "fma")]
        return None if None in each or not sum(each) else min(each[:2]) / sum(each)

    def l1_busy(self):
        """While SMs have work."""
        if (active := self.first("l1tex__throughput" + ACTIVE)) is not None:
            return active
        parts = [v for n, v in self.numbers.items() if n.endswith(ELAPSED) and level(n) == "l1"]
        busy = self.first("l1tex__throughput" + ELAPSED)
        busy = max(parts, default=None) if busy is None else busy
        return None if busy is None else busy / (self.active() or 1.0)

    def with_l1(self, sectors):
        """The part of the time in which L1 is busy with so many sectors."""
        kinds = [f"l1tex__t_sectors_pipe_lsu_mem_{where}_op_{op}.sum" for where in ("global", "local") for op in ("ld", "st")]
        whole, busy = self.first("l1tex__t_sectors.sum"), self.l1_busy()
        whole = self.total(*kinds) if whole is None else whole
        if sectors is None or not whole or busy is None:
            return None
        return min(sectors / whole, 1.0) * min(busy / 100, 1.0)

    def with_l2(self, sectors):
        whole, busy = self.first("lts__t_sectors.sum"), self.first("lts__t_sectors" + ELAPSED, "lts__throughput" + ELAPSED)
        if sectors is None or not whole or busy is None:
            return None
        return min(sectors / whole, 1.0) * min(busy / 100, 1.0)

    def with_excess(self):
        """The part of the time in which caches are busy with sectors that nobody needs."""
        moved, ideal = self.first("memory_l2_theoretical_sectors_global"), self.first("memory_l2_theoretical_sectors_global_ideal")
        excess = None if moved is None or ideal is None else max(moved - ideal, 0)
        found = self.with_l2(excess), self.with_l1(excess)
        return None if found[0] is None else max(one for one in found if one is not None)

    def most(self, outcome):
        """The part of the time that what an outcome speaks of costs at most, by the counters; 1 where they say nothing."""
        found = None
        sectors = lambda where, op: self.first(f"l1tex__t_sectors_pipe_lsu_mem_{where}_op_{op}.sum")  # noqa: E731
        op = "st" if outcome.endswith("-store") or "stores" in outcome else "ld"
        word = {"ld": "read", "st": "write"}[op]
        if outcome in ("excess-sectors-l1-load", "excess-sectors-l1-store"):
            found = self.with_l1(sectors("global", op))
        elif outcome in ("local-loads-l1", "local-stores-l1"):
            found = self.with_l1(sectors("local", op))
        elif re.fullmatch(r"(excess-sectors|partial-lines)-l2-\w+|local-\w+-l2", outcome):
            found = self.with_l2(self.first(f"lts__t_sectors_srcunit_tex_op_{word}.sum", f"lts__t_sectors_op_{word}.sum"))
        elif outcome.startswith(("uncoalesced-global", "excess-sectors-counted")):
            found = self.with_excess()
        elif outcome.startswith(("bank-conflicts", "uncoalesced-shared")):
            kind = "" if outcome.startswith("uncoalesced") else f"_op_{op}"
            pct = self.first(f"l1tex__data_pipe_lsu_wavefronts_mem_shared{kind}.sum.pct_of_peak_sustained_elapsed")
            found = None if pct is None else pct / 100 / (self.active() or 1.0)
        elif outcome.startswith("unfused-"):
            found = self.fusible("d" if outcome.endswith("64") else "f")
        return 1.0 if found is None else min(max(found, 0.0), 1.0)

    def is_persistent_launch(self):
        blocks, sms, waves = self.filling()
        few = self.first("sm__warps_active.avg.pct_of_peak_sustained_active")
        if math.isnan(blocks / sms) or few is None or few >= 50 or self.busiest() is None or self.busiest() >= BUSY:
            return False
        each = blocks / sms
        return abs(waves - 1) <= 1e-9 and abs(each - round(each)) < 1e-9 and 1 <= each <= 8

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
        if reached is None or possible is None or reached >= 50 or self.limit() != "latency" or math.isnan(self.filling()[2]) or self.runs_at_once():
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
        moved = self.total(*(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st")))
        if (time := self.with_l1(moved)) is not None and time < 0.01:
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
    "persistent-launch": lambda one: one.is_measured() and one.is_persistent_launch(),
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
    "excess-sectors-counted": lambda one: (one.with_excess() or 0) * 100,
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
