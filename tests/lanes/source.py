#!/usr/bin/env python3
"""Lane "Source": lines, instructions and their roll-ups beside NVIDIA's reader, on every report of the corpus.

    source.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. For every program counter at which anything was
counted: the file and line of NVIDIA's reader, its PTX, and its disassembly beside that of nvdisasm.
For every line, kernel and region: what was counted, added up here. Nothing is shared with our program.
"""

import collections
import sys
import sysconfig
from collections import Counter
from pathlib import Path

from lib import runner

REQUIRED = (
    "reports", "program counters", "with a line", "without a line", "counts", "lines", "regions",
    "counts of regions", "estimated times", "stalls", "texts", "lines of PTX", "disassembled",
)  # fmt: skip
STALLED = "smsp__pcsamp_warps_issue_stalled_"
TIME = "gpu__time_duration.sum"
#: What is no count: codes, and quotients of counts.
NO_COUNTS = ("memory_type", "memory_access_type", "memory_access_size_type", "derived__avg_", "derived__derivative_")
NWAY = "derived__memory_l1_conflicts_shared_nway"


def main():
    binary, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports",), REQUIRED)
    counts, wrong = Counter(), []
    for found, problems in runner.parallel(lambda report: check(binary, report), reports):
        counts.update(found)
        wrong += problems
    return runner.tell("source", counts, wrong, required)


def check(binary, report):
    """What was compared of a report, and what differs."""
    counts, wrong = Counter(), []
    theirs, ours = both(binary, report)
    for answer in (theirs, ours):
        if isinstance(answer, str):
            wrong.append(f"{report.name}: {answer}")
    if ours is None and isinstance(theirs, list) and theirs:
        wrong.append(f"{report.name}: not readable")
    if isinstance(theirs, list) and isinstance(ours, dict) and any(launch["counts"] for launch in theirs):
        counts["reports"] += 1
        compare(theirs, ours, counts, lambda text: wrong.append(f"{report.name}: {text}"))
    return counts, wrong


def both(binary, report):
    disassembler = Path(sysconfig.get_path("purelib")) / "nvidia/cu13/bin/nvdisasm"
    return (
        runner.nvidia_of(__file__, report),
        runner.answer([binary, "source", str(report), "--format", "json", "--top", "1000000", "--nvdisasm", str(disassembler)], unreadable=5),
    )


def is_count(name):
    return not name.startswith(NO_COUNTS) and name != NWAY


def said_by_nvidia(report):
    """One entry per kernel result: its counts by address, and what stands at the addresses."""
    from lib import nvidia

    found = []
    for action, facts in nvidia.results(report):
        if facts["kind"] != "kernel":
            continue
        counts, addresses = {}, set()
        for name in action.metric_names():
            metric = action.metric_by_name(name)
            if not is_count(name) or name.startswith(("pmsampling:", "profiler__")) or "." in name:
                continue
            if metric.num_instances() == 0 or not metric.has_correlation_ids():
                continue
            ids = metric.correlation_ids()
            if ids.kind(0) != ids.ValueKind_UINT64 or metric.kind(0) != metric.ValueKind_UINT64:
                continue
            pairs = [(ids.as_uint64(i), metric.as_uint64(i)) for i in range(metric.num_instances())]
            if min(address for address, _ in pairs) >= 1 << 20:
                counts[name] = pairs
                addresses |= {address for address, _ in pairs}
        whole = counts.get("inst_executed") or counts.get("thread_inst_executed")
        start = min(address for address, _ in whole) if whole else None
        at = {}
        for address in addresses:
            info = action.source_info(address)
            at[address] = (
                [info.file_name(), info.line()] if info else None,
                action.ptx_by_pc(address),
                action.sass_by_pc(address),
            )
        regions = []
        for domain, ranges in (nvidia.nvtx(action) or {}).items():
            path = [entry["name"] for entry in ranges["push_pop"]]
            regions += [(domain, "push_pop", path[: depth + 1]) for depth in range(len(path))]
            regions += [(domain, "start_end", [entry["name"]]) for entry in ranges["start_end"]]
        time = action.metric_by_name(TIME)
        found.append({
            "name": action.name(action.NameBase_DEMANGLED) or action.name(action.NameBase_FUNCTION),
            "start": start, "counts": counts, "at": list(at.items()), "regions": regions,
            "time": time.value() if time is not None and time.has_value() else None,
            "files": dict(action.source_files()) if addresses else {},
        })  # fmt: skip
    return found


def compare(theirs, ours, counts, wrong):
    files = ours["files"]

    def place(at):
        return None if at is None else (files[at["file"]]["path"], at["line"])

    # Our instructions by kernel and offset. A kernel may be in several modules.
    instructions, outside = collections.defaultdict(list), Counter()
    for kernel in ours["kernels"]:
        outside[kernel["kernel_name"]] += kernel["samples_outside"]
        for one in kernel["instructions"]:
            instructions[kernel["kernel_name"], one["offset"]].append(one)

    by_instruction, by_line = collections.defaultdict(Counter), collections.defaultdict(Counter)
    by_region = collections.defaultdict(lambda: collections.defaultdict(Counter))
    times, expected_outside, either, seen = Counter(), Counter(), Counter(), set()
    for launch in theirs:
        at = dict((address, rest) for address, rest in launch["at"])
        # Samples may be in functions that the kernel calls; where there is a line, or anything else was counted, is the kernel.
        inside = {address for name, pairs in launch["counts"].items() if "pcsamp" not in name for address, _ in pairs}
        largest = max(inside | {address for address in at if at[address][0]}, default=0) - (launch["start"] or 0)
        samples = Counter()
        for name, pairs in launch["counts"].items():
            if name.startswith(STALLED) and not name.endswith("_not_issued"):
                for address, value in pairs:
                    samples[address] += value
        total = sum(samples.values())
        regions = {(domain, kind, tuple(path)) for domain, kind, path in launch["regions"]}
        for name, pairs in launch["counts"].items():
            for address, value in pairs:
                offset = address - launch["start"]
                line = at[address][0]
                line = line and tuple(line)
                # What is directly behind may be the branch to itself that ends a kernel, or another function: only the code tells.
                if offset == largest + 16:
                    if name.startswith(STALLED) and not name.endswith("_not_issued"):
                        either[launch["name"]] += value
                    continue
                if not 0 <= offset <= largest:
                    if name.startswith(STALLED) and not name.endswith("_not_issued"):
                        expected_outside[launch["name"]] += value
                    if line:
                        wrong(f"a line outside of {launch['name']}: {line}")
                    continue
                by_instruction[launch["name"], offset][name] += value
                if line:
                    by_line[line][name] += value
                    for region in regions:
                        by_region[region][line][name] += value
        for address, number in samples.items():
            line = at[address][0]
            if line and launch["time"] and total:
                times[tuple(line)] += launch["time"] * number / total / 1e6
        for address, (line, ptx, sass) in at.items():
            offset = address - launch["start"]
            key = (launch["name"], offset, str(line))
            if key in seen or not 0 <= offset <= largest:
                continue
            seen.add(key)
            counts["program counters"] += 1
            counts["with a line" if line else "without a line"] += 1
            known = instructions.get((launch["name"], offset))
            if known is None:
                wrong(f"{launch['name']} has no instruction at {offset}")
                continue
            line = line and tuple(line)
            if line not in [place(one["line"]) for one in known]:
                wrong(f"{launch['name'][:40]}+{offset}: {[place(one['line']) for one in known]} instead of {line}")
            if ptx:
                counts["lines of PTX"] += 1
                if ptx.strip() not in [(one["ptx"] or "").strip() for one in known]:
                    wrong(f"{launch['name'][:40]}+{offset}: PTX {known[0]['ptx']!r} instead of {ptx!r}")
            if sass and known[0]["sass"]:
                counts["disassembled"] += 1
                if opcode(sass) not in [opcode(one["sass"]) for one in known]:
                    wrong(f"{launch['name'][:40]}+{offset}: {known[0]['sass']!r} instead of {sass!r}")

    for key, expected in by_instruction.items():
        same_counts(f"{key[0]}+{key[1]}", expected, [one["counts"] for one in instructions.get(key, [])], counts, wrong)
    for name in {*outside, *expected_outside}:
        if outside[name] - expected_outside[name] not in (0, either[name]):
            wrong(f"samples outside of {name[:40]}: {outside[name]} instead of {expected_outside[name]}")
    lines = {(file["path"], line["line"]): line for file in files for line in file["lines"]}
    for line, expected in by_line.items():
        counts["lines"] += 1
        known = lines.get(line)
        if known or any(expected.values()):
            same_counts(str(line), expected, [known["counts"]] if known else [], counts, wrong)
        if known and line in times:
            counts["estimated times"] += 1
            if abs(known["counts"]["time_ms"] - times[line]) > 1e-9 * times[line]:
                wrong(f"{line}: {known['counts']['time_ms']} ms instead of {times[line]}")
    regions = {(region["domain"], region["kind"], tuple(region["path"])): region for region in ours["regions"]}
    for key, expected in by_region.items():
        counts["regions"] += 1
        known = {place(line): line["counts"] for line in regions[key]["lines"]}
        for line, values in expected.items():
            if any(values.values()):
                before = counts["counts"]
                same_counts(f"{key} {line}", values, [known[line]] if line in known else [], counts, wrong)
                counts["counts of regions"] += counts["counts"] - before
    texts = {path: text for launch in theirs for path, text in launch["files"].items()}
    for file in files:
        text = texts.get(file["path"])
        if text:
            split = text.splitlines()
            for line in file["lines"]:
                counts["texts"] += 1
                if file["text"] != "report" or line["text"] != split[line["line"] - 1]:
                    wrong(f"{file['path']}:{line['line']}: {line['text']!r}")


def same_counts(what, expected, ours, counts, wrong):
    """Counters and stalls of one set beside those of ours, which may be in several rows."""
    found = Counter()
    for row in ours:
        found.update(row.get("metrics", {}))
        found.update({STALLED + reason: value for reason, value in row.get("stalls", {}).items()})
    for name, value in expected.items():
        counts["stalls" if name.startswith(STALLED) else "counts"] += 1
        if found[name] != value:
            wrong(f"{what}: {name} is {found[name]} instead of {value}")


def opcode(text):
    """The opcode, behind a predicate such as @!P0."""
    words = text.replace(",", " ").split()
    return next((word for word in words if not word.startswith("@")), "").rstrip(";")


if __name__ == "__main__":
    sys.exit(main())
