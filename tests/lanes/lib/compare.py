"""Compares results as rangescope dumps them with results as NVIDIA's reader gives them."""

import math
import os
import struct
from collections import Counter

from . import nvidia

DETAILS = 20
WIDTH = 200
JSON, REGISTERED_JSON = 7, 8  # types of payload
# Message types are numbered differently in the API and in the file.
FILE_TYPES = {0: 0, 1: 1, 2: 4, 3: 2, 4: 3}
SPEEDUPS = {"unknown": 0, "local": 1, "global": 2}
SEVERITIES = {"default": 0, "low": 1, "high": 2}


class Tally:
    """Counts what was compared and keeps the first mismatches."""

    def __init__(self):
        self.counts = Counter()
        self.total = 0
        self.details = []
        self.columns = Counter()  # of a table: how many cells of each differ

    def check(self, kind, where, expected, got, equal=None):
        self.counts[kind] += 1
        if not (expected == got if equal is None else equal):
            theirs, ours = shorten(expected, got)
            self.fail(f"{where}: {kind}: NVIDIA has {theirs}, rangescope {ours}")

    def fail(self, text):
        self.total += 1
        if len(self.details) < DETAILS:
            self.details.append(text)

    def add(self, counts, total, details):
        self.counts.update(counts)
        self.total += total
        self.details += details[: DETAILS - len(self.details)]


def shorten(*values):
    """Both as text, without a long common beginning and a long end."""
    texts = [repr(value) for value in values]
    same_start = max(len(os.path.commonprefix(texts)) - 20, 0)
    if max(map(len, texts)) > WIDTH and same_start:
        texts = ["..." + text[same_start:] for text in texts]
    return [text if len(text) <= WIDTH else text[:WIDTH] + "..." for text in texts]


def same(expected, got):
    """Bit for bit; the dump spells numbers that are not finite as text."""
    if isinstance(expected, float):
        if math.isfinite(expected):
            return isinstance(got, float) and bits(expected) == bits(got)
        return got == ("NaN" if math.isnan(expected) else "Infinity" if expected > 0 else "-Infinity")
    return type(expected) is type(got) and expected == got


def bits(number):
    return struct.pack("<d", number)


def results(tally, name, path, dumped, need_instances):
    """Compares every result of `path` with `dumped`, an iterator of parsed dump lines."""
    dumped = iter(dumped)
    ids = []
    for number, (action, facts) in enumerate(nvidia.results(path)):
        got = next(dumped, None)
        if got is None:
            tally.fail(f"{name}: result {number} is missing from the dump")
            return
        where = f"{name} #{number}"
        ids.append(got.get("id"))
        tally.counts["results"] += 1
        for key, expected in facts.items():
            kind = "workload kinds" if key == "kind" else "names"
            tally.check(kind, f"{where} {key}", expected, got.get(key))
        _metrics(tally, where, action, got, need_instances)
        _nvtx(tally, where, nvidia.nvtx(action), got.get("nvtx"))
        _rules(tally, where, nvidia.rule_items(action), got.get("rules") or [])
    extra = sum(1 for _ in dumped)
    if extra:
        tally.fail(f"{name}: the dump has {extra} results more than NVIDIA's reader")
    if need_instances and not ids:
        tally.fail(f"{name}: NVIDIA's reader found no result in it")
    if len(set(ids)) != len(ids):
        tally.fail(f"{name}: result ids are not unique")


def _metrics(tally, where, action, got, need_instances):
    scalars = got.get("metrics") or {}
    instances = got.get("instances")
    if instances is None and need_instances:
        tally.fail(f"{where}: no instances in the dump")
    names = set(scalars) | set(instances or ())
    expected = {}
    for name, value, series in nvidia.metrics(action):
        tally.check("metric names", f"{where} {name}", True, name in names)
        names.discard(name)
        expected[name] = value
        text = scalars.get(name)
        if value is None:
            tally.check("metrics without scalar", f"{where} {name}", None, text)
        else:
            tally.check("scalar values", f"{where} {name}", value, text, same(value, text))
        if instances is not None:
            _series(tally, f"{where} {name}", series, instances.get(name) or [])
    for name in sorted(names):
        tally.fail(f"{where}: metric {name} is unknown to NVIDIA's reader")
    for axis, prefix in (("grid", "launch__grid_dim_"), ("block", "launch__block_dim_")):
        sizes = [expected.get(prefix + letter) for letter in "xyz"]
        if None not in sizes:
            tally.check("launch sizes", f"{where} {axis}", [int(s) for s in sizes], got.get(axis))
    size = expected.get("launch__grid_size")
    if size is not None:
        tally.check("grid sizes", where, int(size), math.prod(got.get("grid") or [0]))


def _series(tally, where, expected, got):
    if len(expected) != len(got):
        tally.fail(f"{where}: NVIDIA has {len(expected)} instances, rangescope {len(got)}")
        return
    tally.counts["instances"] += len(expected)
    for position, (theirs, ours) in enumerate(zip(expected, got)):
        if not (same(theirs[0], ours[0]) and same(theirs[1], ours[1])):
            tally.fail(f"{where}[{position}]: NVIDIA has {theirs}, rangescope {ours}")


def _nvtx(tally, where, expected, got):
    tally.check("NVTX states", where, expected is None, got is None)
    if expected is None or got is None:
        return
    for domain in got:
        if domain not in expected:
            tally.fail(f"{where}: NVTX domain {domain!r} is unknown to NVIDIA's reader")
    for domain, stacks in expected.items():
        tally.counts["NVTX domains"] += 1
        for style, ranges in stacks.items():
            ours = _ranges(got.get(domain) or {}, style)
            place = f"{where} domain {domain!r} {style}"
            names = [r["name"] for r in ranges]
            our_names = [r.get("name") for r in ours]
            tally.check("NVTX stacks", place, names, our_names)
            for theirs, mine in zip(ranges, ours):
                _range(tally, f"{place} {theirs['name']!r}", theirs, mine)


def _ranges(domain, style):
    """The ranges of the dump: objects, or names with a list as long for their attributes."""
    ranges = domain.get(style) or []
    attributes = domain.get(f"{style}_attributes") or [None] * len(ranges)
    objects = [entry if isinstance(entry, dict) else {"name": entry} for entry in ranges]
    return [entry | (more or {}) for entry, more in zip(objects, attributes, strict=True)]


def _range(tally, where, expected, got):
    tally.counts["NVTX ranges"] += 1
    has = "category" in expected
    tally.check("NVTX attributes", where, has, "category" in got)
    if not has or "category" not in got:
        return
    tally.check("NVTX attributes", f"{where} category", expected["category"], got["category"])
    # The API shows the colour's value whatever its type, and 0 where there is none.
    colour = got.get("color") or 0
    colour = colour.get("value", 0) if isinstance(colour, dict) else colour
    tally.check("NVTX attributes", f"{where} color", expected["color"], colour)
    _message(tally, f"{where} message", expected, got.get("message") or {})
    _payload(tally, f"{where} payload", expected["payload"], got.get("payload") or {})


def _message(tally, where, expected, message):
    text = message.get("text")
    if text is None and message.get("handle") is not None:
        # Registered: the API looks the text up, which is how the range gets its name.
        tally.check("NVTX attributes", where, True, expected["message"] in ("", expected["name"]))
    else:
        tally.check("NVTX attributes", where, expected["message"], text or "")


def _payload(tally, where, expected, payload):
    kind, value = payload.get("type", 0), payload.get("value")
    if kind == REGISTERED_JSON:
        # The API calls it JSON and looks the text up; the dump may show the handle.
        kind = JSON
        value = expected[1] if expected and isinstance(value, int) else value
    elif isinstance(value, int):
        value &= (1 << 64) - 1  # the API shows negative integers as unsigned
    theirs = expected or (0, None)
    equal = kind == theirs[0] and same(theirs[1], value)
    tally.check("NVTX attributes", where, theirs, (kind, value), equal)


def _rules(tally, where, expected, rules):
    got = [(rule, item) for rule in rules for item in rule["items"]]
    tally.check("rule lists", where, len(expected), len(got))
    for theirs, (rule, item) in zip(expected, got):
        tally.counts["rule items"] += 1
        place = f"{where} rule {theirs['rule']}"
        ours = (rule["rule"], rule["name"], rule.get("section") or "")
        tally.check("rule names", place, (theirs["rule"], theirs["name"], theirs["section"]), ours)

        message = item.get("message")
        if message is not None:
            tally.check("message types", place, FILE_TYPES.get(message["api_type"]), message["type"])
            message = (message["text"], message["api_type"], message.get("title") or "")
        tally.check("rule messages", place, theirs["message"], message)

        speedup = item.get("speedup")
        if speedup is not None:
            speedup = (SPEEDUPS.get(speedup["type"], speedup["type"]), speedup["pct"])
        equal = None
        if speedup is not None and theirs["speedup"] is not None:
            equal = all(map(same, theirs["speedup"], speedup))
        tally.check("rule speed-ups", place, theirs["speedup"], speedup, equal)

        metrics = item.get("focus_metrics") or []
        tally.check("focus metric lists", place, len(theirs["focus_metrics"]), len(metrics))
        for metric, mine in zip(theirs["focus_metrics"], metrics):
            severity = SEVERITIES.get(mine["severity"], mine["severity"])
            mine = (mine["name"], mine["value"], severity, mine.get("info") or "")
            tally.check("focus metrics", place, metric, mine, all(map(same, metric, mine)))
        _tables(tally, place, theirs["tables"], item.get("tables") or [])


def _tables(tally, where, expected, got):
    tally.check("rule table lists", where, len(expected), len(got))
    for (title, description, columns), table in zip(expected, got):
        tally.counts["rule tables"] += 1
        place = f"{where} table {title!r}"
        tally.check("rule table heads", place, (title, description), (table["title"], table["description"]))
        mine = table["columns"]
        tally.check("rule table heads", place, [c[0] for c in columns], [c["name"] for c in mine])
        for (name, cells), column in zip(columns, mine):
            ours = column["cells"]
            equal = len(cells) == len(ours) and all(map(same, cells, ours))
            tally.check("rule table columns", f"{place} {name!r}", cells, ours, equal)
