"""Finds the reports of the corpus and runs comparisons in child processes, a few at a time."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .compare import Tally

CHECK = Path(__file__).with_name("check.py")
ENDINGS = (".ncu-rep", ".nsight-cuprof-report", ".ncu-repz")
TIMEOUT = 900


def corpus(shared, folders=("reports", "synthetic")):
    """Every report of the corpus, real ones first."""
    folders = [Path(shared) / "corpus" / folder for folder in folders]
    return [f for folder in folders for f in sorted(folder.iterdir()) if f.name.endswith(ENDINGS)]


def asked(usage, said_by_nvidia, required, required_of_corpus):
    """What a lane is asked for: its program, the reports, and what must have been compared.

    NVIDIA's reader may end its process, so that a lane asks it in a child of its own, which ends here.
    """
    if sys.argv[1:2] == ["--nvidia"]:
        print(json.dumps(said_by_nvidia(sys.argv[2])))
        sys.exit(0)
    if len(sys.argv) < 2:
        sys.exit(usage)
    program, reports = os.path.abspath(sys.argv[1]), [Path(p) for p in sys.argv[2:]]
    if reports:
        return program, reports, required
    shared = os.environ.get("RANGESCOPE_SHARED") or sys.exit("RANGESCOPE_SHARED is not set")
    return program, corpus(shared), required_of_corpus


def answer(command, unreadable=None, parse=json.loads):
    """What a program says as JSON, or a text that says how it failed; nothing where it ends with the code for unreadable files."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=TIMEOUT)
    if done.returncode == unreadable:
        return None
    if done.returncode != 0:
        return f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr.strip()[-400:]}"
    return parse(done.stdout)


def nvidia_of(lane, report):
    """What the lane's child has from NVIDIA's reader."""
    return answer([sys.executable, lane, "--nvidia", str(report)])


def parallel(function, items):
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from pool.map(function, items)


def check(jobs):
    """Runs check.py once for every (report, its options) in `jobs`; adds up what they say."""
    tally = Tally()
    for report, answer in parallel(_child, jobs):
        if isinstance(answer, str):
            tally.fail(f"{report.name}: {answer}")
        else:
            tally.counts["files"] += 1
            tally.add(**answer)
    return tally


def _child(job):
    report, options = job
    command = [sys.executable, str(CHECK), str(report), *options]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return report, f"no answer after {TIMEOUT} s"
    if done.returncode != 0:
        # NVIDIA's reader may end the process: a negative code is the signal.
        return report, f"comparison ended with {done.returncode}: {done.stderr.strip()[-600:]}"
    return report, json.loads(done.stdout.splitlines()[-1])


def conclude(title, tally, required):
    """Prints counts and mismatches; the exit code: 1 on a mismatch or when nothing was compared."""
    for kind, count in tally.counts.items():
        print(f"  {kind:<24}{count:>12,}")
    print(f"{title}: {tally.total:,} mismatches")
    for line in tally.details:
        print(f"  {line}")
    missing = [kind for kind in required if tally.counts[kind] == 0]
    if missing:
        print(f"{title}: nothing was compared of: {', '.join(missing)}")
    return 1 if tally.total or missing else 0


def tell(lane, counts, wrong, required):
    """Prints what was compared and what differs; the exit code of the lane."""
    for kind, count in sorted(counts.items()):
        print(f"  {kind:<80}{count:>8,}")
    print(f"{lane}: {len(wrong)} mismatches")
    for line in wrong[:40]:
        print(f"  {line}")
    missing = [kind for kind in required if counts[kind] == 0]
    if missing:
        print(f"{lane}: nothing was compared of: {', '.join(missing)}")
    return 1 if wrong or missing else 0
