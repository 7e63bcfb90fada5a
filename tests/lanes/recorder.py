#!/usr/bin/env python3
"""Lane "recorder": real NVTX programs recorded, compared with what they wrote down themselves.

    recorder.py REGIONS [--only CASE]

REGIONS is `cargo build -p rangescope-run --example regions`. Environment:
RANGESCOPE_NVTX_HEADERS (folders with nvtx3 headers, separated by colons), RANGESCOPE_NVTX_PYTHONS
(Pythons with the `nvtx` package, likewise), RANGESCOPE_NVTX_RUST (the built Rust emitter), and
mpirun in PATH. The emitters are in tests/emitters; C and C++ are compiled here.
"""

import argparse
import collections
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib.cases import CASES, Mismatch, case, check

EMITTERS = Path(__file__).resolve().parent.parent / "emitters"
README = EMITTERS.parent.parent / "README.md"
TIMEOUT = 120


class Lane:
    def __init__(self, regions, work):
        self.regions, self.work = regions, work
        self.library = subprocess.run([regions, "--unpack"], check=True, capture_output=True, text=True).stdout.strip()
        self.counts = collections.Counter()
        self.number = 0

    def fresh(self):
        """A new folder for recordings, and the environment that makes a program write into it."""
        self.number += 1
        folder = self.work / f"recording-{self.number}"
        folder.mkdir()
        return folder, self.environment(folder)

    def environment(self, folder):
        truth = self.work / f"truth-{folder.name}"
        truth.mkdir(exist_ok=True)
        return {**os.environ, "NVTX_INJECTION64_PATH": self.library, "RANGESCOPE_RECORDING": str(folder),
                "TRUTH": str(truth / "events"), "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip

    def run(self, command, env, code=0, **options):
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT, **options)
        check(done.returncode == code, f"{command} ended with {done.returncode}: {done.stderr[-500:]}")
        return done

    def read(self, folder):
        done = subprocess.run([self.regions, str(folder), "--events"], capture_output=True, text=True, timeout=TIMEOUT)
        check(done.returncode == 0, f"not readable: {done.stderr}")
        document = json.loads(done.stdout)
        document["codes"] = [note["code"] for note in document["regions"]["notes"]]
        self.counts["processes"] += len(document["events"])
        return document

    def truth(self, folder):
        """Events by process id, as the emitters wrote them down."""
        found = {}
        for path in sorted((self.work / f"truth-{folder.name}").iterdir()):
            events = [json.loads(line) for line in path.read_text().splitlines()]
            found[int(path.name.rsplit(".", 1)[1])] = events
        return found

    def compare(self, folder, processes=None):
        """Records the same as the emitters say, event by event on every thread."""
        document, truth = self.read(folder), self.truth(folder)
        recorded = collections.defaultdict(list)
        for process in document["events"]:
            recorded[process["pid"]] += process["events"]
        check(set(recorded) == set(truth), f"recorded {set(recorded)}, but there were {set(truth)}")
        if processes is not None:
            check(len(truth) == processes, f"{len(truth)} processes instead of {processes}")
        for pid, expected in truth.items():
            for thread in {event["tid"] for event in expected}:
                ours = [event for event in recorded[pid] if event["tid"] == thread]
                theirs = [event for event in expected if event["tid"] == thread]
                check(len(ours) == len(theirs), f"{len(ours)} events instead of {len(theirs)} on thread {thread}")
                for position, (a, b) in enumerate(zip(ours, theirs)):
                    same_event(a, b, f"event {position} of thread {thread}")
                    self.counts["events"] += 1
        times = [[event["time"] for event in process["events"]] for process in document["events"]]
        check(all(list_ == sorted(list_) for list_ in times), "events are not in order of time")
        return document, truth


def name_of(expected):
    text = bytes.fromhex(expected["name"]).decode()
    if text.startswith("@"):  # a long name: @16384x
        text = text[-1] * int(text[1:-1])
    return text


def same_event(ours, theirs, where):
    for key in ("action", "domain"):
        check(ours[key] == theirs[key], f"{where}: {key} {ours[key]!r} instead of {theirs[key]!r}")
    check(ours["name"] == name_of(theirs), f"{where}: name {ours['name']!r} instead of {name_of(theirs)!r}")
    if theirs["action"] in ("start", "end") and theirs["id"] is not None:
        check(ours["id"] == theirs["id"], f"{where}: id {ours['id']} instead of {theirs['id']}")
    for key, value in (theirs["attributes"] or {}).items():
        found = (ours["attributes"] or {}).get(key)
        check(found == value, f"{where}: {key} {found!r} instead of {value!r}")
    inside = theirs["before"] <= ours["time"] <= theirs["after"]
    check(inside, f"{where}: at {ours['time']}, not in {theirs['before']}..{theirs['after']}")


def aggregate(document):
    return document["regions"]["reports"][-1]


def region(document, *path, domain="<default domain>"):
    found = [r for r in aggregate(document)["regions"] if r["path"] == list(path) and r["domain"] == domain]
    check(len(found) == 1, f"{len(found)} regions {path}")
    return found[0]


def open_together(document, first, second):
    tree = aggregate(document)
    names = [r["path"][-1] for r in tree["regions"]]
    return sorted([first, second]) in [sorted([names[a], names[b]]) for a, b in tree["open_together"]]


# --- emitters -----------------------------------------------------------------------------------


def headers():
    return [Path(entry) for entry in os.environ["RANGESCOPE_NVTX_HEADERS"].split(":")]


def pythons():
    return os.environ["RANGESCOPE_NVTX_PYTHONS"].split(":")


def compiled(lane, source, compiler, include):
    program = lane.work / f"{source.replace('.', '-')}-{headers().index(include)}"
    if not program.exists():
        standard = ["-std=c++17"] if source.endswith("pp") else []
        subprocess.run([compiler, *standard, "-O2", f"-I{include}", "-o", program, EMITTERS / source, "-lpthread", "-ldl"], check=True)
    return str(program)


def emit_c(lane):
    return compiled(lane, "emit.c", "cc", headers()[0])


def trouble(lane, *arguments, **options):
    """Runs the program that makes trouble; gives its folder, its end, and how many events it sent."""
    folder, env = lane.fresh()
    program = compiled(lane, "trouble.c", "cc", headers()[0])
    env |= options.pop("variables", {})
    done = lane.run([program, *map(str, arguments)], env, **options)
    last = done.stdout.splitlines()[-1:]
    return folder, done, int(last[0].removeprefix("survived ")) if last and last[0].startswith("survived ") else None


@case
def c(lane):
    for include in headers():
        folder, env = lane.fresh()
        lane.run([compiled(lane, "emit.c", "cc", include), "tour"], env)
        document, _ = lane.compare(folder, processes=1)
        process = document["regions"]["processes"][0]
        check(process["threads"][0]["name"] == "main thread", f"threads {process['threads']}")
        check(process["ended_in_order"] and process["events_lost"] == 0, f"process {process}")
        check(process["command"][1:] == ["tour"], f"command {process['command']}")
        tree = aggregate(document)
        check((tree["pops_without_push"], tree["ends_without_start"]) == (1, 1), "unmatched ends are not counted")
        check(region(document, "A", "A::A1")["name"] == "A::A1", "display name")
        check(region(document, "A", "A::A1")["parent"] is not None, "parent")
        check(region(document, "never popped")["never_closed"] == 1, "a range that stays open")
        check(region(document, "never ended")["never_closed"] == 1, "a range that stays open")
        check(open_together(document, "first", "second"), "overlapping start/end ranges")
        check(open_together(document, "registered", "registriert ß"), "overlapping domains")
        check(not open_together(document, "first", "A"), "ranges that were never open together")


@case
def extended_payloads(lane):
    folder, env = lane.fresh()
    lane.run([emit_c(lane), "extended"], env)
    document, _ = lane.compare(folder, processes=1)
    check(document["regions"]["processes"][0]["extended_payloads"] == 6, "extended payloads")


@case
def cpp(lane):
    for include in headers():
        folder, env = lane.fresh()
        lane.run([compiled(lane, "emit.cpp", "c++", include)], env)
        lane.compare(folder, processes=1)


@case
def rust(lane):
    folder, env = lane.fresh()
    lane.run([os.environ["RANGESCOPE_NVTX_RUST"]], env)
    document, _ = lane.compare(folder, processes=1)
    check(document["regions"]["processes"][0]["threads"][0]["name"] == "rust main", "thread name")


@case
def python(lane):
    for program in pythons():
        for mode, processes in (("tour", 1), ("threads", 1), ("fork", 4), ("spawn", 4), ("pool", None)):
            folder, env = lane.fresh()
            lane.run([program, EMITTERS / "emit.py", mode], env)
            document, _ = lane.compare(folder, processes)
            tree = aggregate(document)
            check((tree["pops_without_push"], tree["ends_without_start"]) == (0, 0), "unmatched ends")
            check(all(r["never_closed"] == 0 for r in tree["regions"]), "ranges that stay open")
            if mode == "fork":
                forked = [p["forked"] for p in document["regions"]["processes"]]
                check(sorted(forked) == [False, True, True, True], f"forked {forked}")


# --- the README ----------------------------------------------------------------------------------

# PyTorch is too large for a test: of its block, only what it asks of NVTX is run.
STAND_IN_FOR_TORCH = """
import types, nvtx
relu = randn = lambda *_, **__: None
cuda = types.SimpleNamespace(nvtx=types.SimpleNamespace(
    range=nvtx.annotate, range_push=nvtx.push_range, range_pop=nvtx.pop_range))
"""


@case
def readme(lane):
    """The programs in the quick start are built and run as they stand there, and their ranges are found."""
    blocks = re.findall(r"^```(python|cpp|rust)\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    check(collections.Counter(language for language, _ in blocks) == {"python": 2, "cpp": 1, "rust": 1}, "blocks")
    for number, (language, text) in enumerate(blocks):
        place = lane.work / f"readme-{number}"
        place.mkdir()
        program = {"python": readme_python, "cpp": readme_cpp, "rust": readme_rust}[language](place, text)
        folder, env = lane.fresh()
        lane.run(program, env)
        paths = [r["path"] for r in aggregate(lane.read(folder))["regions"]]
        check(paths == [["decode"], ["decode", "attn"]], f"{language}: {paths}")
        lane.counts["programs of the README"] += 1


def readme_python(place, text):
    (place / "torch.py").write_text(STAND_IN_FOR_TORCH)
    (place / "program.py").write_text(text)
    return [pythons()[-1], place / "program.py"]


def readme_cpp(place, text):
    (place / "program.cpp").write_text(text)
    subprocess.run(["c++", "-std=c++17", f"-I{headers()[0]}", "-o", place / "program", place / "program.cpp", "-ldl"], check=True)
    return [place / "program"]


def readme_rust(place, text):
    """The package of the Rust emitter under another name, so that what it has built is used again."""
    (place / "src").mkdir()
    (place / "src/main.rs").write_text(text)
    for file in ("Cargo.toml", "Cargo.lock"):
        (place / file).write_text((EMITTERS / "rust" / file).read_text().replace("emit-rust", "readme-rust"))
    debug = Path(os.environ["RANGESCOPE_NVTX_RUST"]).parent
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--manifest-path", place / "Cargo.toml", "--target-dir", debug.parent], check=True)
    return [debug / "readme-rust"]


# --- threads and processes ------------------------------------------------------------------------


@case
def threads(lane):
    folder, env = lane.fresh()
    lane.run([emit_c(lane), "threads", "8", "2000"], env)
    document, _ = lane.compare(folder, processes=1)
    inner = region(document, "range 0", "inner")
    check((inner["instances"], inner["threads"]) == (8 * 400, 8), f"inner {inner}")
    check(region(document, "across threads")["never_closed"] == 0, "a range that ends on another thread")
    check(open_together(document, "async", "inner"), "async and inner")


@case
def short_threads(lane):
    """A thousand threads, one after the other, must not need a chunk each."""
    folder, env = lane.fresh()
    lane.run([emit_c(lane), "short", "1000"], env)
    document = lane.read(folder)
    check(region(document, "range 0", "inner")["threads"] == 1000, "threads")
    size = sum(path.stat().st_size for path in folder.iterdir())
    check(size <= 1 << 20, f"{size} bytes")


@case
def fork(lane):
    folder, env = lane.fresh()
    lane.run([emit_c(lane), "fork"], env)
    document, _ = lane.compare(folder, processes=4)
    parents = {p["process_id"]: p["parent_id"] for p in document["regions"]["processes"]}
    check(sum(parent in parents for parent in parents.values()) == 3, f"parents {parents}")
    # One file alone finds the names of its ancestors.
    for path in folder.iterdir():
        names = {e["name"] for p in lane.read(path)["events"] for e in p["events"]}
        check(not any("unknown" in name for name in names), f"names {names}")


@case
def exec_(lane):
    folder, env = lane.fresh()
    lane.run([emit_c(lane), "exec"], env)
    lane.compare(folder, processes=1)
    check(len(list(folder.iterdir())) == 2, "a file for each program")


@case
def mpirun(lane):
    folder, env = lane.fresh()
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    lane.run(["mpirun", "-n", "4", "--oversubscribe", emit_c(lane), "tour"], env)
    document, _ = lane.compare(folder, processes=4)
    ranks = sorted((p["rank"], p["local_rank"], p["world_size"]) for p in document["regions"]["processes"])
    check(ranks == [(n, n, 4) for n in range(4)], f"ranks {ranks}")
    check(region(document, "A")["processes"] == 4, "processes of a region")
    names = {name for p in document["events"] for name, _ in p["variables"]}
    check(all(name.startswith(("OMPI_COMM", "PMI_RANK", "CUDA_VISIBLE")) for name in names), f"variables {names}")


@case
def environment(lane):
    """Variables of launchers are recorded, and no others."""
    folder, env = lane.fresh()
    env |= {"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "8", "CUDA_VISIBLE_DEVICES": "GPU-1", "SECRET": "xyzzy-secret"}
    lane.run([emit_c(lane), "tour"], env)
    document, _ = lane.compare(folder, processes=1)
    process = document["regions"]["processes"][0]
    check((process["rank"], process["local_rank"], process["world_size"]) == (3, 1, 8), f"process {process}")
    check(["CUDA_VISIBLE_DEVICES", "GPU-1"] in document["events"][0]["variables"], "devices")
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    check(b"xyzzy" not in content and b"SECRET" not in content, "the environment is in the file")


# --- bad luck -------------------------------------------------------------------------------------


@case
def killed(lane):
    """Nothing that was committed is lost by SIGKILL."""
    for events in (1, 20_000, 60_000):
        folder, env = lane.fresh()
        counter = lane.work / "counter"
        counter.unlink(missing_ok=True)
        child = subprocess.Popen([emit_c(lane), "kill", str(counter)], env=env)
        deadline = time.monotonic() + TIMEOUT
        while not (counter.exists() and counter.stat().st_size and done_of(counter) >= events):
            check(child.poll() is None and time.monotonic() < deadline, "the program does not run")
        child.send_signal(signal.SIGKILL)
        child.wait()
        done = done_of(counter)
        document = json.loads(subprocess.run([lane.regions, str(folder)], check=True, capture_output=True, text=True).stdout)
        process = document["processes"][0]
        check(process["events"] in (done, done + 1), f"{process['events']} events of {done}")
        check(not process["ended_in_order"], "it did not end in order")
        # Every pair has a name of its own, so a lost or doubled one would show.
        regions = document["reports"][-1]["regions"]
        check(len(regions) == (process["events"] + 1) // 2, f"{len(regions)} regions")
        check(all(r["path"] == [str(2 * n)] for n, r in enumerate(regions)), "names")
        lane.counts["events after SIGKILL"] += done


def done_of(counter):
    return int.from_bytes(counter.read_bytes()[:8], "little")


def cut_short(lane, document, code, pairs):
    process = document["processes"][0]
    check(process["storage_error"] == code, f"error {process['storage_error']}")
    check(0 < process["events"] < 2 * pairs, f"{process['events']} events")
    check(process["events"] + process["events_lost"] == 2 * pairs, f"{process['events_lost']} lost")
    check("recording-cut-short" in [note["code"] for note in document["notes"]], "no note")
    lane.counts["storage errors"] += 1


@case
def size_limit(lane):
    """A limit on file sizes ends programs that exceed it; recording must not be what exceeds it."""
    for limit, recorded in ((3 << 20, True), (32 << 10, False)):
        folder, env = lane.fresh()
        limits = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: B023, E731
        done = lane.run([emit_c(lane), "fill", "100000"], env, preexec_fn=limits)
        check(done.stdout == "survived\n", f"output {done.stdout!r}")
        if recorded:
            check(done.stderr == "", f"complaint {done.stderr!r}")
            document = lane.read(folder)["regions"]
            cut_short(lane, document, "File too large (os error 27)", 100000)
        else:
            complained(lane, done, "File too large")


@case
def full_disk(lane):
    """A file system of 2 MiB, mounted for this one program only."""
    folder, env = lane.fresh()
    small = lane.work / "small"
    small.mkdir()
    env["RANGESCOPE_RECORDING"] = str(small)
    script = 'mount -t tmpfs -o size=2m none "$1" && "$2" fill 100000 && cp "$1"/*.nvtx "$3"'
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    done = lane.run([*unshare, "sh", "-c", script, "sh", small, emit_c(lane), folder], env)
    check(done.stdout == "survived\n" and done.stderr == "", f"output {done}")
    cut_short(lane, lane.read(folder)["regions"], "No space left on device (os error 28)", 100000)


def complained(lane, done, why):
    lines = done.stderr.splitlines()
    check(len(lines) == 1 and "was not recorded" in lines[0] and why in lines[0], f"complaint {done.stderr!r}")
    lane.counts["storage errors"] += 1


@case
def unwritable(lane):
    program = emit_c(lane)
    absent, file = lane.work / "absent", lane.work / "file"
    file.write_text("")
    for place, why in ((absent, "No such file"), (file, "Not a directory"), ("relative", "Invalid argument")):
        _, env = lane.fresh()
        env["RANGESCOPE_RECORDING"] = str(place)
        done = lane.run([program, "fill", "1000"], env)
        check(done.stdout == "survived\n", f"output {done.stdout!r}")
        complained(lane, done, why)
    # Permission is never missing for the superuser, so somebody else has to try.
    folder, env = lane.fresh()
    folder.chmod(0o500)
    other = {"user": "nobody"} if os.geteuid() == 0 else {}
    if other:
        lane.work.chmod(0o755)
        library = shutil.copy(lane.library, lane.work / "library.so")
        os.chmod(library, 0o755)
        env["NVTX_INJECTION64_PATH"] = library
        folder.chmod(0o555)
    done = lane.run([program, "fill", "1000"], env, **other)
    complained(lane, done, "Permission denied")
    check(not list(folder.iterdir()), "files")


@case
def not_asked_for(lane):
    """Without the folder variable, the library does nothing."""
    _, env = lane.fresh()
    del env["RANGESCOPE_RECORDING"]
    done = lane.run([emit_c(lane), "fill", "1000"], env)
    check(done.stdout == "survived\n" and done.stderr == "", f"output {done}")


@case
def closed_descriptors(lane):
    """A program that closes and reuses every descriptor is recorded, and its own file is left alone."""
    folder, env = lane.fresh()
    own = lane.work / "own-file"
    lane.run([emit_c(lane), "closefds", "100000", own], env)
    check(own.read_bytes() == b"mine", "the program's file was written to")
    document = json.loads(subprocess.run([lane.regions, str(folder)], check=True, capture_output=True, text=True).stdout)
    check(document["reports"][-1]["regions"][0]["instances"] == 100001, "instances")


@case
def signals(lane):
    """Signal handlers that use NVTX in the middle of an event lose theirs, counted, and damage nothing."""
    folder, env = lane.fresh()
    done = lane.run([emit_c(lane), "signals", "300000"], env)
    marks = int(done.stdout)
    document = json.loads(subprocess.run([lane.regions, str(folder)], check=True, capture_output=True, text=True).stdout)
    process, tree = document["processes"][0], document["reports"][-1]
    check(marks > 0 and tree["marks"] + process["events_lost"] == marks, f"{tree['marks']} marks of {marks}, lost {process['events_lost']}")
    check([r["instances"] for r in tree["regions"]] == [1, 300000], f"regions {tree['regions']}")
    check({note["code"] for note in document["notes"]} <= {"events-lost"}, f"notes {document['notes']}")
    lane.counts["marks in signal handlers"] += marks


# --- trouble ---------------------------------------------------------------------------------------


def recorded(lane, folder):
    """The list of regions alone: programs that make trouble send many events."""
    done = subprocess.run([lane.regions, str(folder)], capture_output=True, text=True, timeout=TIMEOUT)
    check(done.returncode == 0, f"not readable: {done.stderr}")
    return json.loads(done.stdout)


def complete(lane, folder, events):
    document = recorded(lane, folder)
    found = [(p["events"], p["events_lost"]) for p in document["processes"]]
    check(found == [(events, 0)], f"{found} events and lost ones instead of {events}")
    check(not document["notes"], f"notes {document['notes']}")
    lane.counts["events in trouble"] += events
    return document


@case
def first_event_in_a_handler(lane):
    """Signals that interrupt the allocator; a program that has used up the cheap thread keys; a small stack."""
    for arguments in (("storm", 300, 0), ("storm", 300, 40), ("altstack", 20)):
        folder, _, events = trouble(lane, *arguments)
        document = complete(lane, folder, events)
        check(len(document["processes"][0]["threads"]) == arguments[1] + 1, f"threads of {arguments}")


@case
def forks_in_handlers(lane):
    """Handlers fork in the middle of an event. Every child has a file, also one that goes on with that event."""
    folder, done, _ = trouble(lane, "handlers", 300_000)
    children = int(done.stdout.split()[1])
    processes = recorded(lane, folder)["processes"]
    check(children > 0 and sum(p["forked"] for p in processes) == children, f"{len(processes)} files of {children} children")
    check(all(p["events"] >= 1 for p in processes), "a child without events")


@case
def cancellation(lane):
    folder, _, events = trouble(lane, "cancel", 20)
    complete(lane, folder, events)


@case
def vfork(lane):
    """A child in the memory of its parent is recorded as the thread that made it, also when it is killed."""
    folder, _, events = trouble(lane, "vfork", 60)
    complete(lane, folder, events)


@case
def cut_while_written(lane):
    """Whoever makes a recording shorter must not end the program, whatever that does with SIGBUS."""
    for handling in ("plain", "blocked", "later", "earlier"):
        # Whoever cuts again and again does so in the middle of whatever the first cut made necessary; that takes many tries to hit.
        for length in ("0", "100", "half", *["loop"] * 50):
            folder, done, _ = trouble(lane, "cut", length, 20_000, handling)
            check(done.stderr == "", f"complaint {done.stderr!r}")
            read = subprocess.run([lane.regions, str(folder)], capture_output=True, text=True)
            if length == "loop" and read.returncode == 5:
                check("somebody emptied the file" in read.stderr, f"{read.stderr!r}")
                continue
            document = recorded(lane, folder)
            notes = [note["message"] for note in document["notes"] if note["code"] == "recording-cut-short"]
            check(len(notes) == 1 and "made the file shorter" in notes[0], f"{handling}, {length}: notes {document['notes']}")
            if length == "half":
                check(document["processes"][0]["events"] > 1000, f"{handling}: {document['processes'][0]['events']} events")
            lane.counts["recordings cut"] += 1


@case
def signals_of_the_program(lane):
    """A SIGBUS that is not the recorder's does what it does without it."""
    own = {"sent": -signal.SIGBUS, "touched": -signal.SIGBUS, "handler-sent": 0, "handler-touched": 0,
           "ignored-sent": 0, "ignored-touched": -signal.SIGBUS}  # fmt: skip
    for how, code in own.items():
        _, done, _ = trouble(lane, "own-fault", how, code=code)
        check(done.stdout == "handled\n" or not how.startswith("handler"), f"{how}: {done.stdout!r}")


@case
def removed_while_written(lane):
    folder, done, _ = trouble(lane, "remove", 20_000)
    check(not list(folder.iterdir()), "files")
    check(done.stderr.count("was removed") == 1, f"complaint {done.stderr!r}")


@case
def many_threads(lane):
    """Ten thousand threads at the same time need a few kilobytes each."""
    folder, _, events = trouble(lane, "many", 10_000)
    document = complete(lane, folder, events)
    check(len(document["processes"][0]["threads"]) == 10_000, "threads")
    size = sum(path.stat().st_size for path in folder.iterdir())
    check(size <= 48 << 20, f"{size} bytes")


@case
def limit(lane):
    """No file is larger than the limit; what came too late is counted."""
    for most in (3_000_000, 80_000):
        folder, env = lane.fresh()
        env["RANGESCOPE_RECORDING_LIMIT"] = str(most)
        done = lane.run([emit_c(lane), "fill", "100000"], env)
        check(done.stdout == "survived\n" and done.stderr == "", f"output {done}")
        cut_short(lane, recorded(lane, folder), "the limit of its size was reached", 100000)
        size = sum(path.stat().st_size for path in folder.iterdir())
        check(most // 2 < size <= most, f"{size} bytes of {most}")


@case
def many_names(lane):
    """A million different names: nothing is lost, and the list, in which they are one family, is made in time."""
    folder, _, _ = trouble(lane, "names", 1_000_000)
    text = subprocess.run([lane.regions, str(folder), "--text"], check=True, capture_output=True, timeout=TIMEOUT).stdout
    check(re.search(r"^ +name \* ×1000000 +1000000 ", text.decode(), re.MULTILINE), text.decode()[-400:])
    lane.counts["names"] += 1_000_000


@case
def not_executable(lane):
    """The library is put where it can be loaded, or the reason is told before the program runs."""
    place = lane.work / "noexec"
    place.mkdir()
    script = 'mount -t tmpfs -o noexec none "$1" && XDG_CACHE_HOME=$1/cache TMPDIR=$2 "$3" --unpack'
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    command = [*unshare, "sh", "-c", script, "sh", place]
    done = lane.run([*command, lane.work, lane.regions], os.environ)
    check(done.stdout.startswith(f"{lane.work}/rangescope-"), f"put at {done.stdout!r}")
    done = lane.run([*command, place, lane.regions], os.environ, code=5)
    check("mounted `noexec`" in done.stderr, f"complaint {done.stderr!r}")


@case
def memcheck(lane):
    """Valgrind finds no wrong use of memory in the library, whatever the program does."""
    tour, other = [emit_c(lane), "tour"], compiled(lane, "trouble.c", "cc", headers()[0])
    for program in (tour, [emit_c(lane), "fork"], [other, "cancel", "3"], [other, "storm", "3", "40"], [other, "cut", "half", "2000", "later"]):
        _, env = lane.fresh()
        lane.run(["valgrind", "--fair-sched=yes", "--quiet", "--error-exitcode=99", *program], env)
        lane.counts["programs under valgrind"] += 1


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("regions")
    arguments.add_argument("--only", choices=CASES)
    options = arguments.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rangescope-recorder-") as work:
        lane = Lane(options.regions, Path(work))
        for name, function in CASES.items():
            if options.only not in (None, name):
                continue
            try:
                function(lane)
                print(f"  {name:<20} ok")
            except (Mismatch, subprocess.SubprocessError) as problem:
                failed += 1
                print(f"  {name:<20} FAILED: {problem}")
    for kind, count in lane.counts.items():
        print(f"  {kind:<28}{count:>12,}")
    print(f"recorder: {failed} of {len(CASES)} cases failed")
    return 1 if failed or (options.only is None and lane.counts["events"] == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
