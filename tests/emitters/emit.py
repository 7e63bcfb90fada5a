"""The Python emitter: the `nvtx` package, alone, forked and spawned.

    emit.py tour | fork | spawn | pool | threads
"""

import json
import multiprocessing
import os
import sys
import threading
import time
from inspect import signature

import nvtx
from nvtx.colors import color_to_hex

DEFAULT = "<default domain>"
# Versions before 0.2.9 know no payloads.
PAYLOAD = {"payload": 42} if "payload" in signature(nvtx.annotate.__init__).parameters else {}


def tell(before, action, domain, name="", id=0, attributes=None):
    after = time.monotonic_ns()
    line = {
        "before": before,
        "after": after,
        "tid": threading.get_native_id(),
        "action": action,
        "domain": domain,
        "id": id,
        "attributes": attributes,
        "name": name.encode().hex(),
    }
    with open(f"{os.environ['TRUTH']}.{os.getpid()}", "a") as file:
        file.write(json.dumps(line) + "\n")


def call(function, action, domain, name="", attributes=None):
    before = time.monotonic_ns()
    result = function()
    tell(before, action, domain, name, number_of(result) if action == "start" else 0, attributes)
    return result


def number_of(range_id):
    """The number of a range, where the package shows it; before 0.2.12 it does not."""
    first = range_id[0] if isinstance(range_id, tuple) else range_id
    return first if isinstance(first, int) else None


def work(label):
    call(lambda: nvtx.push_range(f"work {label}", domain="jobs"), "push", "jobs", f"work {label}")
    call(lambda: nvtx.mark("tick", domain="jobs"), "mark", "jobs", "tick")
    call(lambda: nvtx.pop_range(domain="jobs"), "pop", "jobs")
    return label


def tour():
    before = time.monotonic_ns()
    annotation = nvtx.annotate("train", color="blue", domain="model", category="loop", **PAYLOAD)
    annotation.__enter__()
    expected = {"color": color_to_hex("blue"), "category_name": "loop"}
    if PAYLOAD:
        expected["payload"] = ["i64", 42]
    tell(before, "push", "model", "train", 0, expected)
    work("inner")
    id = call(lambda: nvtx.start_range("async ü", color="red"), "start", DEFAULT, "async ü",
              {"color": color_to_hex("red")})
    before = time.monotonic_ns()
    annotation.__exit__(None, None, None)
    tell(before, "pop", "model")
    before = time.monotonic_ns()
    nvtx.end_range(id)
    tell(before, "end", DEFAULT, "", number_of(id))


def processes(method):
    context = multiprocessing.get_context(method)
    tour()
    children = [context.Process(target=work, args=(f"child {n}",)) for n in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        if child.exitcode != 0:
            sys.exit(f"a child ended with {child.exitcode}")
    work("parent")


def pool():
    work("before")
    with multiprocessing.get_context("fork").Pool(2) as workers:
        workers.map(work, [f"task {n}" for n in range(8)])
    work("after")


def threads():
    runners = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()


if __name__ == "__main__":
    mode = sys.argv[1]
    if mode in ("fork", "spawn", "forkserver"):
        processes(mode)
    else:
        {"tour": tour, "pool": pool, "threads": threads}[mode]()
