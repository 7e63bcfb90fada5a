#!/usr/bin/env python3
"""Lane "Writer": what our writer wrote, opened by NVIDIA's reader and by real ncu; and our CSV
export against the CSV of real ncu: every cell of those reports and of the corpus.

    writer.py RANGESCOPE SAMPLES

SAMPLES holds reports and, beside each, NAME.jsonl: the expected content in the format of the
dump (without it: what `rangescope dump` says).

Environment: RANGESCOPE_NCU (2024.1), RANGESCOPE_NCU_OLD (2022.3), RANGESCOPE_SHARED; what is not
set is left out, visibly.
"""

import csv
import io
import os
import re
import sys
from collections import Counter
from pathlib import Path

from lib import cells, runner
from lib.compare import Tally

COLUMNS = 20  # the worst ones are listed
# Metrics whose units may differ from those of ncu, and why.
UNIT_DIFFERENCES = {
    r"derived__sms?p?__sass_thread_inst_executed_op_\w+_pred_on_x[24]":
        "not in ncu's table: `thread` or `inst`, whichever word of the name it meets first, "
        "which depends on the report",
}  # fmt: skip
UNDECLARED = "ncu names the thread of ranges in a domain that was not declared; ours has no such ranges"
GRID_IN_THREADS = "reports of ncu until 2020.2 hold the grid in threads, and ncu prints that; ours is in blocks"
NEWER_CHIP = "the chip is newer than this ncu, which prints next to no units; ours are the newer reader's"
LAYOUTS = {"RANGESCOPE_NCU": "2024.1", "RANGESCOPE_NCU_OLD": "2022.3"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    samples = [f for f in sorted(folder.iterdir()) if f.name.endswith(runner.ENDINGS)]
    jobs = [(f, expectation(f, binary)) for f in samples]
    failed = runner.conclude("writer, NVIDIA's reader", runner.check(jobs), ("files", "results"))

    shared = os.environ.get("RANGESCOPE_SHARED")
    if not shared:
        print("SKIPPED: CSV of the corpus because RANGESCOPE_SHARED is not set")
    for variable, layout in LAYOUTS.items():
        ncu = os.environ.get(variable)
        if not ncu:
            print(f"SKIPPED: CSV of ncu {layout} because {variable} is not set")
            continue
        # Old ncu passes over command lists and graphs.
        known = [f for f in samples if layout != "2022.3" or f.stem != "kinds"]
        failed |= export(binary, ncu, layout, known)
        if shared:
            failed |= real(binary, ncu, layout, runner.corpus(shared))
    return failed


def expectation(sample, binary):
    lines = sample.with_suffix(".jsonl")
    return ["--expected", str(lines)] if lines.exists() else ["--rangescope", binary]


def export(binary, ncu, layout, reports):
    tally = Tally()

    def one(report):
        mine = Tally()
        for units in cells.UNITS:
            where = f"{report.name} ({units})"
            theirs = cells.ncu_csv(ncu, report, units)
            if theirs is None:
                return report, None
            try:
                cells.compare(mine, where, theirs, cells.our_csv(binary, report, units, layout))
            except RuntimeError as error:
                mine.fail(f"{where}: {error}")
        return report, mine

    for report, mine in runner.parallel(one, reports):
        if mine is None:
            tally.fail(f"{report.name}: ncu {layout} cannot open it")
            continue
        tally.counts["files"] += 1
        tally.add(mine.counts, mine.total, mine.details)
        tally.columns.update(mine.columns)
    return runner.conclude(f"samples, CSV of ncu {layout}", tally, ("files", "cells"))


def real(binary, ncu, layout, reports):
    """Every cell of the corpus: equal, or different for a reason that is stated above."""
    tally, reasons = Tally(), Counter()
    pages = [(report, units) for report in reports for units in cells.UNITS]

    def one(page):
        report, units = page
        theirs = cells.ncu_csv(ncu, report, units)
        return report, units, theirs and differences(theirs, cells.our_csv(binary, report, units, layout))

    for report, units, found in runner.parallel(one, pages):
        if not found:
            tally.counts["pages ncu cannot open"] += 1
            continue
        tally.counts["pages"] += 1
        tally.counts["cells"] += found[0]
        reasons.update(found[1])
        for text in found[2]:
            tally.fail(f"{report.name} ({units}): {text}")
    for reason, count in reasons.items():
        print(f"  {count:,} cells differ: {reason}")
    return runner.conclude(f"corpus, CSV of ncu {layout}", tally, ("pages", "cells"))


def differences(theirs, ours):
    """How many cells were compared, how many differ for which reason, and the others as texts."""
    theirs, ours = (list(csv.reader(io.StringIO(page, newline=""))) for page in (theirs, ours))
    if [len(row) for row in theirs] != [len(row) for row in ours]:
        return 0, {}, ["the rows are not as many or not as long"]
    names, (their_units, our_units) = theirs[0], (theirs[1], ours[1])
    newer = sum(map(bool, their_units)) < sum(map(bool, our_units)) / 2
    reasons, wrong = Counter(), []
    for number, (row, mine) in enumerate(zip(theirs, ours)):
        for name, their, our, their_unit, our_unit in zip(names, row, mine, their_units, our_units):
            if their == our:
                continue
            reason = newer and not their_unit and our_unit and NEWER_CHIP
            if not reason and their_unit != our_unit:
                reason = next((why for known, why in UNIT_DIFFERENCES.items() if re.fullmatch(known, name)), None)
            if not reason and name == "Grid Size" and in_threads(their, our, mine[names.index("Block Size")]):
                reason = GRID_IN_THREADS
            if not reason and not our and name.startswith("thread Domain:") and their.strip().isdigit():
                reason = UNDECLARED
            if reason:
                reasons[reason] += 1
            else:
                wrong.append(f"line {number + 1} {name}: ncu has {their!r}, rangescope {our!r} ({their_unit!r}, {our_unit!r})")
    return sum(map(len, theirs)), reasons, wrong


def in_threads(theirs, ours, block):
    """Whether ncu's grid is ours times the block."""
    theirs, ours, block = ([int(n) for n in re.findall(r"\d+", cell)] for cell in (theirs, ours, block))
    return len(theirs) == len(ours) == len(block) == 3 and theirs == [n * size for n, size in zip(ours, block)]


if __name__ == "__main__":
    sys.exit(main())
