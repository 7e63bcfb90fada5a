#!/usr/bin/env python3
"""Lane "Writer": what our writer wrote, opened by NVIDIA's reader and by real ncu; and our CSV
export against the CSV of real ncu, on those reports and on the corpus.

    writer.py RANGESCOPE SAMPLES

SAMPLES holds reports and, beside each, NAME.jsonl: the expected content in the format of the
dump (without it: what `rangescope dump` says).

Environment: RANGESCOPE_NCU (2024.1), RANGESCOPE_NCU_OLD (2022.3), RANGESCOPE_SHARED; what is not
set is left out, visibly.
"""

import os
import sys
from pathlib import Path

from lib import cells, runner
from lib.compare import Tally

COLUMNS = 20  # the worst ones are listed
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


if __name__ == "__main__":
    sys.exit(main())
