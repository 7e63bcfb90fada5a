#!/usr/bin/env python3
"""Lane "Writer": what our writer wrote, opened by NVIDIA's reader and by real ncu; and our CSV
export against the CSV of real ncu: every cell of those reports, and the units of the corpus.

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
# Metrics whose units may differ from those of ncu 2024.1, and why.
UNIT_DIFFERENCES = {
    r"derived__sms?p?__sass_thread_inst_executed_op_\w+_pred_on_x[24]":
        "not in ncu's table: `thread` or `inst`, whichever word of the name it meets first, "
        "which depends on the report",
}  # fmt: skip
NEWER_CHIP = "the chip is newer than this ncu, which prints next to no units; ours are the newer reader's"
LAYOUTS = {"RANGESCOPE_NCU": "2024.1", "RANGESCOPE_NCU_OLD": "2022.3"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    samples = [f for f in sorted(folder.iterdir()) if f.name.endswith(runner.ENDINGS)]
    jobs = [(f, expectation(f, binary)) for f in samples]
    failed = runner.conclude("writer, NVIDIA's reader", runner.check(jobs), ("files", "results"))

    for variable, layout in LAYOUTS.items():
        ncu = os.environ.get(variable)
        if not ncu:
            print(f"SKIPPED: CSV of ncu {layout} because {variable} is not set")
            continue
        # Old ncu passes over command lists and graphs.
        known = [f for f in samples if layout != "2022.3" or f.stem != "kinds"]
        failed |= export(binary, ncu, layout, known)
    shared, ncu = os.environ.get("RANGESCOPE_SHARED"), os.environ.get("RANGESCOPE_NCU")
    if shared and ncu:
        failed |= units(binary, ncu, runner.corpus(shared))
    else:
        print("SKIPPED: units of the corpus because RANGESCOPE_SHARED or RANGESCOPE_NCU is not set")
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


def units(binary, ncu, reports):
    """The unit rows of the corpus: equal, or different for a reason that is stated above."""
    tally, reasons = Tally(), Counter()

    def one(report):
        theirs = cells.ncu_csv(ncu, report, "base")
        return report, theirs and (head(theirs), head(cells.our_csv(binary, report, "base", "2024.1")))

    for report, pages in runner.parallel(one, reports):
        if not pages:
            tally.counts["files ncu cannot open"] += 1
            continue
        (names, theirs), (our_names, ours) = pages
        tally.counts["files"] += 1
        tally.check("columns", report.name, names, our_names)
        newer = sum(map(bool, theirs)) < sum(map(bool, ours)) / 2
        for name, their, our in zip(names, theirs, ours):
            tally.counts["unit cells"] += 1
            if their == our:
                continue
            known = (why for names, why in UNIT_DIFFERENCES.items() if re.fullmatch(names, name))
            reason = NEWER_CHIP if newer and not their else next(known, None)
            if reason:
                reasons[reason] += 1
            else:
                tally.fail(f"{report.name}: unit of {name}: ncu has {their!r}, rangescope {our!r}")
    for reason, count in reasons.items():
        print(f"  {count:,} unit cells differ: {reason}")
    return runner.conclude("corpus, units of ncu 2024.1", tally, ("files", "unit cells"))


def head(page):
    """Names and units: the first two rows."""
    rows = csv.reader(io.StringIO(page, newline=""))
    return next(rows, []), next(rows, [])


if __name__ == "__main__":
    sys.exit(main())
