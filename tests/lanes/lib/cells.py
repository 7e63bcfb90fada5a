"""Compares `rangescope export --format ncu-csv` with what real ncu prints for the same report."""

import csv
import io
import os
import re
import subprocess
from itertools import zip_longest

TIMEOUT = 900
UNITS = ("base", "auto")
csv.field_size_limit(1 << 30)


def ncu_csv(ncu, report, units):
    """The raw page as ncu prints it, or None where this ncu cannot open the report."""
    command = [ncu, "--import", str(report), "--page", "raw", "--csv", "--print-units", units]
    done = _run(command)
    if done.returncode != 0:
        return None
    lines = done.stdout.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("=="))


def our_csv(rangescope, report, units, layout):
    command = [rangescope, "export", str(report), "--format", "ncu-csv", "--units", units]
    done = _run([*command, "--layout", layout])
    if done.returncode != 0:
        raise RuntimeError(f"`rangescope export` ended with {done.returncode}: {done.stderr[-600:]}")
    return done.stdout


def _run(command):
    # Under other locales ncu groups digits.
    env = os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="surrogateescape",
        env=env, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
    )  # fmt: skip


#: Metrics whose unit versions of ncu call differently (ours is the newest reader's), or that are in no table of units and get one
#: from a word of their name (`membar` is bytes, for its `mem`). No real report of a chip that these versions know has them.
OTHER_UNITS = re.compile(
    r"derived__.*|launch__sm_count|smsp__pcsamp_warps_issue_stalled_membar(_not_issued)?"
)


def compare(tally, where, theirs, ours):
    """Cell by cell. ncu does not escape quotes inside JSON payloads, so a row whose cells cannot
    be told apart the same way on both sides is compared as text, which must be equal anyway."""
    their_rows, our_rows = (list(csv.reader(io.StringIO(text, newline=""))) for text in (theirs, ours))
    header = their_rows[0] if their_rows else []
    for number, (row, mine) in enumerate(zip_longest(their_rows, our_rows)):
        place = f"{where} line {number + 1}"
        if row is None or mine is None or len(row) != len(mine):
            tally.counts["cells"] += 1
            tally.fail(f"{place}: ncu has {_size(row)}, rangescope {_size(mine)}")
            continue
        tally.counts["cells"] += len(row)
        for column, (cell, my_cell) in enumerate(zip(row, mine)):
            if cell != my_cell:
                name = header[column] if column < len(header) else f"column {column + 1}"
                if number > 0 and OTHER_UNITS.fullmatch(name):
                    tally.counts["cells of other units"] += 1
                    continue
                tally.columns[name] += 1
                if number > 1 and their_rows[1][column] != our_rows[1][column]:
                    tally.total += 1  # follows from the unit, which was shown
                    continue
                tally.fail(f"{place} {name}: ncu has {cell!r}, rangescope {my_cell!r}")
    if their_rows == our_rows and theirs != ours:
        tally.fail(f"{where}: cells are equal but their quoting or line ends are not")


def _size(row):
    return "no such row" if row is None else f"{len(row)} cells"
