#!/usr/bin/env python3
"""Lane "faults": rangescope is disturbed at random points, and nothing may be lost or left half done.

    faults.py RANGESCOPE [--cases N] [--seed N] [--only CASE]

Each case runs `report`, `profile` (on the simulated device) or `regions` under one fault: a signal, a full disk, a limit of
file size, memory or descriptors, closed descriptors, an input that is cut, zeroed or cut while it is read. Whatever happens:

- it ends in time, with a documented exit code that is not that of a bug, or by the signal that was sent;
- an exit code other than 0 comes with a message;
- a file that has its final name is complete: equal to that of an undisturbed run where that is possible, well-formed otherwise;
- no process is left running;
- the same command, or `profile --resume`, then succeeds and leaves no temporary files.

The seed and the number of a case say everything about it but the timing of signals: `--seed S --only N` repeats it.
"""

import argparse
import collections
import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib import runner

TIMEOUT = 60
# Variables of a case: its number, and how long the program goes on after its work, in seconds.
MARK, LINGER = "RANGESCOPE_FAULT_CASE", "RANGESCOPE_FAULT_LINGER"
# The table of the help, without that of a bug.
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7, 8, 130}
# What a run writes about itself differs from run to run, as do process ids and times.
OWN = re.compile(r"(env\.json|\.capture\.json|\.log|cmd\.txt|inputs\.yaml|config\.yaml)$")
TEMPORARY = re.compile(r"^\.(rangescope-|simulated-)|\.partial\.ncu-rep$")
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


class Verb:
    """One way to use rangescope: its command line in a folder, how to go on after a fault, and what it leaves."""

    def __init__(self, name, binary, sample):
        self.name, self.binary, self.sample = name, binary, sample
        self.seconds, self.least_memory, self.reference = 0.0, 0, {}

    def command(self, folder, source):
        program = ["sh", "-c", f'"$0" dummy-model && sleep "${{{LINGER}:-0}}"', self.binary]
        return {
            "report": [self.binary, "report", str(source), "--out", f"{folder}/out"],
            "profile": [self.binary, "profile", "--simulate", "--out", f"{folder}/out", "--", *program],
            "regions": [self.binary, "regions", "--format", "json", "--out", f"{folder}/regions.json", "--", *program],
        }[self.name]

    def again(self, folder):
        """What succeeds after the fault."""
        begun = [folder / "out" / name for name in ("config.yaml", "inputs.yaml")]
        if self.name == "profile" and all(file.exists() for file in begun):
            return [self.binary, "profile", "--resume", f"{folder}/out"]
        if self.name == "profile":
            shutil.rmtree(folder / "out", ignore_errors=True)
        return self.command(folder, self.sample)

    def measure(self, folder):
        started = time.monotonic()
        done = subprocess.run(self.command(folder, self.sample), capture_output=True, timeout=TIMEOUT)
        self.seconds = time.monotonic() - started
        if done.returncode != 0:
            sys.exit(f"faults: `{self.name}` fails undisturbed: {done.stderr.decode()}")
        self.reference = {name: file.read_bytes() for name, file in finished(folder) if self.name == "report"}


def finished(folder):
    """The files below the folder that have their final names."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not TEMPORARY.search(file.name):
            yield str(file.relative_to(folder)), file


class Fault:
    """What is done to a run: before it (`source`, `disk`), by what starts it (`starter`), or while it goes on (`during`)."""

    def __init__(self, name):
        self.name = name
        self.starter = []
        self.during = lambda process, source: None
        self.source = lambda source: None
        self.disk = None
        self.signal = None
        self.silent = False  # standard error is closed, or the process had no chance to speak
        self.changes_input = False


def signalled(rng, verb):
    fault = Fault("signal")
    fault.signal = rng.choice(SIGNALS)
    delay = rng.random() * verb.seconds * 1.2
    fault.silent = True

    def during(process, _):
        time.sleep(delay)
        process.send_signal(fault.signal)

    fault.during = during
    return fault


def full_disk(rng, _):
    fault = Fault("full disk")
    fault.disk = rng.randrange(8, 900)  # KiB
    return fault


def file_size(rng, _):
    fault = Fault("file size")
    size = rng.choice([0, rng.randrange(1, 4096), rng.randrange(4096, 300_000)])
    fault.starter = ["prlimit", f"--fsize={size}"]
    fault.silent = size == 0
    return fault


def memory(rng, verb):
    fault = Fault("memory")
    fault.starter = ["prlimit", f"--as={verb.least_memory + (rng.randrange(0, 300) << 20)}"]
    return fault


def descriptors(rng, _):
    fault = Fault("descriptors")
    # Fewer are not enough for the loader.
    fault.starter = ["prlimit", f"--nofile={rng.randrange(4, 32)}"]
    return fault


def closed(rng, _):
    fault = Fault("closed descriptors")
    which = rng.sample([0, 1, 2], rng.randrange(1, 4))
    closing = " ".join(f"{number}>&-" for number in which)
    fault.starter = ["sh", "-c", f'exec "$@" {closing}', "sh"]
    fault.silent = 2 in which
    return fault


def cut(rng, _):
    fault = Fault("cut input")
    part = rng.random()
    fault.source = lambda source: os.truncate(source, int(source.stat().st_size * part))
    fault.changes_input = True
    return fault


def zeroed(rng, _):
    fault = Fault("zeroed input")
    part = rng.random()

    def source(path):
        size = path.stat().st_size
        os.truncate(path, int(size * part))
        os.truncate(path, size)

    fault.source = source
    fault.changes_input = True
    return fault


def cut_while_read(rng, verb):
    fault = Fault("input cut while it is read")
    delay, part = rng.random() * verb.seconds, rng.random()

    def during(_, source):
        time.sleep(delay)
        os.truncate(source, int(source.stat().st_size * part))

    fault.during = during
    fault.changes_input = True
    return fault


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("rangescope", type=Path)
    arguments.add_argument("--cases", type=int, default=540)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", type=int)
    options = arguments.parse_args()
    binary = str(options.rangescope.resolve())
    adopt_orphans()

    with tempfile.TemporaryDirectory(prefix="rangescope-faults-") as root:
        root = Path(root)
        # The key of the user and whatever else is kept between runs.
        os.environ["XDG_STATE_HOME"] = str(root / "state")
        sample = root / "sample.ncu-rep"
        subprocess.run([binary, "sample", str(sample)], check=True, capture_output=True)
        verbs = [Verb(name, binary, sample) for name in ("report", "profile", "regions")]
        for verb in verbs:
            folder = root / f"reference-{verb.name}"
            folder.mkdir()
            verb.measure(folder)
            verb.least_memory = least_memory(binary)
        counts, wrong = collections.Counter(), []
        numbers = [options.only] if options.only is not None else range(options.cases)

        def case(number):
            rng = random.Random(f"{options.seed} {number}")
            verb = verbs[number % len(verbs)]
            fault = choose(rng, verb)
            folder = root / str(number)
            folder.mkdir()
            problems = run(number, verb, fault, folder)
            shutil.rmtree(folder)
            return number, f"{verb.name}, {fault.name}", problems

        for number, kind, problems in runner.parallel(case, numbers):
            counts[kind] += 1
            wrong += [f"case {number} of seed {options.seed}, {kind}: {problem}" for problem in problems]
    return runner.tell("faults", counts, wrong, [])


def least_memory(binary):
    """The address space without which the program does not even come to its first line, in bytes."""
    too_little, enough = 1 << 20, 1 << 32
    while enough - too_little > 1 << 20:
        middle = (too_little + enough) // 2
        done = subprocess.run(["prlimit", f"--as={middle}", binary, "--version"], capture_output=True)
        if done.returncode == 0:
            enough = middle
        else:
            too_little = middle
    return enough


def choose(rng, verb):
    faults = [signalled, signalled, file_size, memory, descriptors, closed]
    if os.geteuid() == 0:
        faults += [full_disk]
    if verb.name == "report":
        faults += [cut, zeroed, cut_while_read]
    return rng.choice(faults)(rng, verb)


def run(number, verb, fault, folder):
    """Runs one case; what is wrong with it."""
    problems = []
    source = folder / verb.sample.name
    shutil.copyfile(verb.sample, source)
    fault.source(source)
    work = folder / "work"
    work.mkdir()
    if fault.disk:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={fault.disk}k", "tmpfs", str(work)]
        subprocess.run(mount, check=True)
    try:
        code, message = disturbed(number, verb, fault, work, source)
        problems += judged(code, message, fault)
        problems += list(incomplete(work, verb, fault))[:1]
        left = running(number)
        if left:
            problems.append(f"still running: {left}")
        if not fault.disk:
            problems += repeated(verb, work)
    finally:
        if fault.disk:
            subprocess.run(["umount", "--lazy", str(work)], check=True)
    return problems


def disturbed(number, verb, fault, work, source):
    # What is killed without a word must not leave its program behind, if that has more to do.
    linger = 2 * TIMEOUT if fault.signal == signal.SIGKILL else 0
    environment = {**os.environ, MARK: str(number), LINGER: str(linger)}
    process = subprocess.Popen(
        [*fault.starter, *verb.command(work, source)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=work,
    )
    fault.during(process, source)
    try:
        _, message = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, ""
    return process.returncode, message.decode(errors="replace")


def judged(code, message, fault):
    if code is None:
        return [f"did not end within {TIMEOUT} s"]
    if fault.signal and code in (-fault.signal, 128 + fault.signal):
        return []  # by the signal itself, or as `regions` gives the end of its program
    if code == 127 and "error while loading shared libraries" in message:
        return []  # not even the loader had what it needs
    if code not in DOCUMENTED:
        return [f"ended with {code}: {message[-400:]}"]
    if code != 0 and not message.strip() and not fault.silent:
        return [f"ended with {code} and said nothing"]
    if "panicked" in message:
        return [f"panicked: {message[-400:]}"]
    return []


def incomplete(work, verb, fault):
    """Files under their final names that are not whole."""
    for name, file in finished(work):
        content = file.read_bytes()
        expected = verb.reference.get(name)
        if expected is not None and not fault.changes_input:
            if content != expected:
                yield f"{name} is not what an undisturbed run writes"
        elif not OWN.search(name) and not whole(file, content):
            yield f"{name} is not complete"


def whole(file, content):
    text = content.rstrip()
    match file.suffix:
        case ".json":
            try:
                json.loads(content)
            except ValueError:
                return False
        case ".html":
            return text.endswith(b"</html>")
        case ".svg":
            return text.endswith(b"</svg>")
        case ".png":
            return content.endswith(b"IEND\xae\x42\x60\x82")
        case ".ncu-rep":
            return content.startswith(b"NVR")
        case ".md" | ".csv" | ".txt":
            return content.endswith(b"\n")
    return True


def running(number):
    """Processes of the case that are alive after a moment."""
    for _ in range(40):
        left = [process for process in processes(number)]
        if not left:
            return []
        time.sleep(0.1)
    return left


def processes(number):
    mark = f"{MARK}={number}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue


def adopt_orphans():
    """Processes whose parent was killed come to this one, which waits for them, instead of staying as zombies of nobody."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def repeated(verb, work):
    """The fault is over: now it has to work."""
    # Temporary files go when they are old enough to be nobody's.
    for file in work.rglob("*"):
        if TEMPORARY.search(file.name):
            os.utime(file, (0, 0))
    command = verb.again(work)
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, cwd=work)
    if done.returncode != 0:
        yield f"`{' '.join(command[1:3])}` afterwards ends with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}"
        return
    left = [str(file.relative_to(work)) for file in work.rglob("*") if TEMPORARY.search(file.name)]
    if left:
        yield f"leftovers: {left}"
    for name, expected in verb.reference.items():
        file = work / name
        if not file.exists() or file.read_bytes() != expected:
            yield f"{name} is not right afterwards"
            return


if __name__ == "__main__":
    sys.exit(main())
