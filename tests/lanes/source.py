#!/usr/bin/env python3
"""Lane "Source": lines, instructions and their roll-ups beside NVIDIA's reader, on every report of the corpus.

    source.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. For every program counter at which anything was
counted, and every instruction of every function whose place is known: the file and line of NVIDIA's
reader, its PTX, and its disassembly beside that of nvdisasm. For every line, kernel and region: what
was counted, added up here, and what is at no known instruction. The example `places` beside the program
says which function an address is in; nothing else is shared with our program.
"""

import collections
import json
import os
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

from lib import runner

REQUIRED = (
    "reports", "addresses", "addresses with a line", "addresses in called functions", "addresses at no known instruction",
    "program counters", "with a line", "without a line", "counts", "lines", "regions", "counts of regions",
    "estimated times", "shares", "lines with unused bytes", "of these with a time", "reports of several intervals", "stalls", "texts", "lines of PTX", "disassembled", "launches at unknown instructions",
)  # fmt: skip
#: What tells the child of a lane where the example is.
PLACES = "RANGESCOPE_PLACES"
LINEINFO = "-lineinfo"
SMALLEST_ADDRESS = 1 << 20
STALLED = "smsp__pcsamp_warps_issue_stalled_"
TIME = "gpu__time_duration.sum"
INTERVAL = "smsp__pcsamp_interval_cycles"
#: Sectors of global memory that are moved and not used, and what tells how long L2 is busy with one.
EXCESS = "derived__memory_l2_theoretical_sectors_global_excessive"
L2 = ("lts__t_sectors.sum", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed")
SECTOR = 32
#: What is no count: codes, and quotients of counts.
NO_COUNTS = ("memory_type", "memory_access_type", "memory_access_size_type", "derived__avg_", "derived__derivative_")
NWAY = "derived__memory_l1_conflicts_shared_nway"


def use_places_of(binary):
    """The example that says where functions were loaded stands beside the program."""
    os.environ[PLACES] = str(Path(binary).parent / "examples/places")


def main():
    binary, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports",), REQUIRED)
    use_places_of(binary)
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

    said = subprocess.run([os.environ[PLACES], report], capture_output=True, encoding="utf-8", check=False)
    places = {place["result"]: place for place in map(json.loads, said.stdout.splitlines())}
    found = []
    for number, (action, facts) in enumerate(nvidia.results(report)):
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
            if min(address for address, _ in pairs) >= SMALLEST_ADDRESS:
                counts[name] = pairs
                addresses |= {address for address, _ in pairs}
        own = places.get(number, {"unknown": "not said"})
        # Ids of other metrics are sizes and numbers.
        spots = {spot[0]: spot[1:] for spot in own.get("at", ()) if spot[0] >= SMALLEST_ADDRESS}
        lines, differ = collections.Counter(), []
        at = {}
        for address in sorted(addresses | set(spots)):
            info = action.source_info(address)
            line = [info.file_name(), info.line()] if info else None
            function, offset, *ours = spots.get(address, (None, None))
            ours = ours if ours and ours[0] is not None else None
            if line != ours and "at" in own:
                differ.append(f"{address:#x} is {function}+{offset}: {ours} instead of {line}")
            if line and "at" not in own:
                differ.append(f"{address:#x} has the line {line}, and {own['unknown']}")
            lines["addresses"] += 1
            lines["addresses with a line"] += line is not None
            lines["addresses at no known instruction"] += function is None
            mangled = action.name(action.NameBase_MANGLED)
            lines["addresses in called functions"] += function not in (None, mangled) and address in addresses
            if address in addresses:
                spot = None if function is None else (function != mangled, offset)
                at[address] = (line, action.ptx_by_pc(address), action.sass_by_pc(address), spot)
        regions = []
        for domain, ranges in (nvidia.nvtx(action) or {}).items():
            path = [entry["name"] for entry in ranges["push_pop"]]
            regions += [(domain, "push_pop", path[: depth + 1]) for depth in range(len(path))]
            regions += [(domain, "start_end", [entry["name"]]) for entry in ranges["start_end"]]
        time, interval = action.metric_by_name(TIME), action.metric_by_name(INTERVAL)
        l2 = [action.metric_by_name(name) for name in L2]
        found.append({
            "name": action.name(action.NameBase_DEMANGLED) or action.name(action.NameBase_FUNCTION),
            "counts": counts, "at": list(at.items()), "regions": regions,
            "interval": interval.value() if interval is not None and interval.has_value() else None,
            "time": time.value() if time is not None and time.has_value() else None,
            "l2": [metric.value() for metric in l2] if all(metric is not None and metric.has_value() for metric in l2) else None,
            "files": dict(action.source_files()) if addresses else {},
            "compared": lines, "differ": differ,
        })  # fmt: skip
    return found


def compare(theirs, ours, counts, wrong):
    files = ours["files"]

    def place(at):
        return None if at is None else (files[at["file"]]["path"], at["line"])

    if scale(theirs):
        counts["reports of several intervals"] += 1
    # Our instructions by kernel, whether they are in called functions, and offset. A kernel may be in several modules.
    instructions, unknown = collections.defaultdict(list), collections.defaultdict(Counter)
    for kernel in ours["kernels"]:
        for one in kernel["instructions"]:
            instructions[kernel["kernel_name"], one["function"] is not None, one["offset"]].append(one)
        for part in kernel["unknown"]:
            counted(part["counts"], unknown[kernel["kernel_name"]])

    by_instruction, by_line = collections.defaultdict(Counter), collections.defaultdict(Counter)
    by_region = collections.defaultdict(lambda: collections.defaultdict(Counter))
    times, expected_unknown, totals, seen = Counter(), collections.defaultdict(Counter), Counter(), set()
    unused, unused_time = Counter(), Counter()
    for launch in theirs:
        counts.update(launch["compared"])
        for text in launch["differ"][:5]:
            wrong(f"{launch['name'][:40]}: {text}")
        at = dict((address, rest) for address, rest in launch["at"])
        counts["launches at unknown instructions"] += any(rest[3] is None for rest in at.values())
        samples = Counter()
        for name, pairs in launch["counts"].items():
            if is_reason(name):
                for address, value in pairs:
                    samples[address] += value
        total = sum(samples.values())
        regions = {(domain, kind, tuple(path)) for domain, kind, path in launch["regions"]}
        for name, pairs in launch["counts"].items():
            for address, value in pairs:
                line, _, _, spot = at[address]
                line = line and tuple(line)
                totals[name] += value
                if spot is None:
                    expected_unknown[launch["name"]][name] += value
                    continue
                by_instruction[launch["name"], *spot][name] += value
                if line:
                    by_line[line][name] += value
                    for region in regions:
                        by_region[region][line][name] += value
        for address, value in launch["counts"].get(EXCESS, ()):
            line = at[address][0]
            if line and value:
                unused[tuple(line)] += value * SECTOR
                if launch["l2"] and launch["time"] and launch["l2"][0]:
                    sectors, busy = launch["l2"]
                    unused_time[tuple(line)] += value / sectors * busy / 100 * launch["time"] / 1e6
        for address, number in samples.items():
            line = at[address][0]
            if line and launch["time"] and total:
                times[tuple(line)] += launch["time"] * number / total / 1e6
        for address, (line, ptx, sass, spot) in at.items():
            if spot is None or (launch["name"], *spot, str(line)) in seen:
                continue
            seen.add((launch["name"], *spot, str(line)))
            counts["program counters"] += 1
            counts["with a line" if line else "without a line"] += 1
            where = f"{launch['name'][:40]}+{spot}"
            known = instructions.get((launch["name"], *spot))
            if known is None:
                wrong(f"{where} is no instruction of ours")
                continue
            line = line and tuple(line)
            if line not in [place(one["line"]) for one in known]:
                wrong(f"{where}: {[place(one['line']) for one in known]} instead of {line}")
            if ptx:
                counts["lines of PTX"] += 1
                if ptx.strip() not in [(one["ptx"] or "").strip() for one in known]:
                    wrong(f"{where}: PTX {known[0]['ptx']!r} instead of {ptx!r}")
            if sass and known[0]["sass"]:
                counts["disassembled"] += 1
                if opcode(sass) not in [opcode(one["sass"]) for one in known]:
                    wrong(f"{where}: {known[0]['sass']!r} instead of {sass!r}")

    # Advice to build with line information is right only where NVIDIA's reader has no line of the kernel either.
    lined = {launch["name"] for launch in theirs if any(rest[0] for _, rest in launch["at"])}
    for kernel in ours["kernels"]:
        if kernel["no_lines"] and kernel["kernel_name"] in lined and len([k for k in ours["kernels"] if k["kernel_name"] == kernel["kernel_name"]]) == 1:
            wrong(f"{kernel['kernel_name'][:40]}: {kernel['no_lines']}, and NVIDIA's reader has lines")
        if LINEINFO in (kernel["no_lines"] or "") and any(launch["compared"]["addresses with a line"] for launch in theirs if launch["name"] == kernel["kernel_name"]):
            wrong(f"{kernel['kernel_name'][:40]}: {kernel['no_lines']}, and NVIDIA's reader has lines of its module")
    same_counts("everything", totals, [ours["totals"]], counts, wrong)
    for name in {*unknown, *expected_unknown}:
        for counter in {*unknown[name], *expected_unknown[name]}:
            if unknown[name][counter] != expected_unknown[name][counter]:
                wrong(f"{name[:40]} at no known instruction: {counter} is {unknown[name][counter]} instead of {expected_unknown[name][counter]}")
    for key, expected in by_instruction.items():
        same_counts(f"{key[0]}+{key[1]}", expected, [one["counts"] for one in instructions.get(key, [])], counts, wrong)
    lines = {(file["path"], line["line"]): line for file in files for line in file["lines"]}
    all_samples = sum(value for name, value in totals.items() if is_reason(name))
    for line, expected in by_line.items():
        counts["lines"] += 1
        known = lines.get(line)
        if known or any(expected.values()):
            same_counts(str(line), expected, [known["counts"]] if known else [], counts, wrong)
        if known and known["counts"]["share"] is not None:
            counts["shares"] += 1
            share = sum(value for name, value in expected.items() if is_reason(name)) / all_samples
            if abs(known["counts"]["share"] - share) > 1e-12:
                wrong(f"{line}: a share of {known['counts']['share']} instead of {share}")
        if known and known["counts"].get("excess_bytes", 0) != unused[line]:
            wrong(f"{line}: {known['counts'].get('excess_bytes')} unused bytes instead of {unused[line]}")
        counts["lines with unused bytes"] += unused[line] > 0
        if known and (ms := known["counts"].get("excess_ms")) is not None:
            # At most what L2 or L1 is busy for: not less than L2, and not more than the kernels took.
            counts["of these with a time"] += 1
            whole = sum(launch["time"] or 0 for launch in theirs) / 1e6
            if not unused_time[line] * (1 - 1e-9) <= ms <= whole:
                wrong(f"{line}: unused bytes cost {ms} ms, not between {unused_time[line]} and {whole}")
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
        counted(row, found)
    for name, value in expected.items():
        counts["stalls" if name.startswith(STALLED) else "counts"] += 1
        if found[name] != value:
            wrong(f"{what}: {name} is {found[name]} instead of {value}")


def scale(launches):
    """Counts samples as if all had been taken at the shortest interval at which any was. Whether there are several."""
    sampled = [one for one in launches if any(value for name, pairs in one["counts"].items() if is_sampled(name) for _, value in pairs)]
    intervals = {one["interval"] for one in sampled}
    if not all(intervals) or len(intervals) < 2:
        return False
    for one in sampled:
        factor = int(one["interval"] // min(intervals))
        for name in filter(is_sampled, one["counts"]):
            one["counts"][name] = [(address, value * factor) for address, value in one["counts"][name]]
    return True


def is_sampled(name):
    return name.startswith(STALLED) or name == "smsp__pcsamp_sample_count"


def counted(row, into):
    """Counters and stalls of a row under their own names."""
    into.update(row.get("metrics", {}))
    into.update({STALLED + reason: value for reason, value in row.get("stalls", {}).items()})


def is_reason(name):
    return name.startswith(STALLED) and not name.endswith("_not_issued")


def opcode(text):
    """The opcode, behind a predicate such as @!P0."""
    words = text.replace(",", " ").split()
    return next((word for word in words if not word.startswith("@")), "").rstrip(";")


if __name__ == "__main__":
    sys.exit(main())
