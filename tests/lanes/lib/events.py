"""What a tool saw of a run: for every kernel, in order, the thread and the ranges that were open.

A kernel is (name, grid, block). Ranges are texts: `A` for push/pop, `A…` for start/end, `domain@A` in a domain.
Ranges of the process are told to every thread; the order of a kernel's ranges is that of their opening.
"""

import json
import sqlite3
from collections import defaultdict

SIM = "rangescope.sim"


def full_name(domain, name, ending=""):
    return f"{name}{ending}" if domain in ("", "-", None) else f"{domain}@{name}{ending}"


def announced(message):
    kernel = json.loads(message)
    return kernel["kernel"], tuple(kernel["grid"]), tuple(kernel["block"])


def launched(line):
    name, rest = line.split(" ", 1)
    grid, block = rest.split("] [")
    numbers = lambda text: tuple(int(n) for n in text.strip("[] ").split(","))
    return name, numbers(grid), numbers(block.split("]")[0])


def from_log(lines, kind):
    """From the record of fake_cuda.cpp; `kind` is "launch" or "mark". {thread: [(kernel, ranges)]}."""
    stacks, begun, kernels = defaultdict(list), {}, defaultdict(list)
    for order, line in enumerate(lines):
        thread, what, *rest = line.split(" ", 2)
        rest = rest[0] if rest else ""
        domain, _, text = rest.partition(" ")
        if what == "push":
            stacks[thread].append((order, domain, text))
        elif what == "pop":
            at = max(i for i, (_, of, _) in enumerate(stacks[thread]) if of == domain)
            del stacks[thread][at]
        elif what == "start":
            number, _, name = text.partition(" ")
            begun[number] = (order, domain, name)
        elif what == "end":
            del begun[text]
        elif (what == "mark" and kind == "mark" and domain == SIM) or (what == "cuLaunchKernel" and kind == "launch"):
            kernel = announced(text) if kind == "mark" else launched(rest)
            ranges = [(o, full_name(d, n)) for o, d, n in stacks[thread]]
            ranges += [(o, full_name(d, n, "…")) for o, d, n in begun.values()]
            kernels[thread].append((kernel, tuple(name for _, name in sorted(ranges))))
    return dict(kernels)


def from_nsys(path):
    """From nsys' SQLite export, the same; threads by their numbers."""
    database = sqlite3.connect(path)
    texts = "COALESCE(text, (SELECT value FROM StringIds WHERE id = textId))"
    rows = list(database.execute(f"SELECT rowid, start, end, eventType, {texts}, domainId, globalTid FROM NVTX_EVENTS"))
    database.close()
    domains = {row[5]: row[4] for row in rows if row[3] == 75}
    kernels = defaultdict(list)
    for _, time, _, event, text, domain, thread in sorted(rows, key=lambda row: row[1]):
        if event != 34 or domains.get(domain) != SIM:
            continue
        ranges = []
        for row, start, end, kind, name, of, on in rows:
            if kind not in (59, 60) or not start <= time <= end or (kind == 59 and on != thread):
                continue
            ranges.append((start, row, full_name(domains.get(of), name, "…" if kind == 60 else "")))
        kernels[thread].append((announced(text), tuple(name for _, _, name in sorted(ranges))))
    return dict(kernels)
