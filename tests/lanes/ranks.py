#!/usr/bin/env python3
"""Lane "ranks": programs under real launchers, each rank with an ncu of its own on the simulated device.

    ranks.py RANGESCOPE MPICH [--only CASE]

MPICH is its mpiexec. Open MPI's mpirun, and Slurm's daemons (slurmctld, slurmd, munged), have to be in PATH; RANGESCOPE_NSYS names an nsys. A cluster of this machine, and of
two that root can make of it, is set up on loopback in a temporary folder and torn down at the end. torchrun, accelerate and deepspeed are not here:
a stand-in sets the variables that they document and starts what it is given, with `--no_python`.
"""

import argparse
import contextlib
import csv
import functools
import itertools
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lib.cases import CASES, Mismatch, case, check, until_it_succeeds
from lib.slurm import Slurm

TIMEOUT = 180
RANK_VARIABLES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "GROUP_RANK")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# FAULT names faults and the ranks that have them, `slow:3 killed:5`; the program does what it says and otherwise runs the model.
# The parent of the program is ncu, and its parent the rank. What an MPI starts by means of Slurm has two numbers; that of Slurm is of the machine.
PROGRAM = """#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-$RANK}}}
for fault in $FAULT; do
    [ "${fault#*:}" = "$rank" ] || continue
    case "${fault%:*}" in
        fail) echo "rank $rank is out of cheese" >&2; exit 7 ;;
        killed) kill -9 $(ps -o ppid= -p $PPID); sleep 5 ;;
        ncu-killed) echo "rank $rank was here"; kill -9 $PPID; sleep 5 ;;
        program-killed) echo "rank $rank was here"; kill -9 $$ ;;
        late) RANGESCOPE dummy-model --scenario nested --device sim; sleep 600 ;;
        slow) exec RANGESCOPE dummy-model --scenario nested --device sim --batch 16 ;;
        tells) printf 'token=hunter2hunter2 \\033[31mred\\n' >&2; exit 7 ;;
    esac
done
exec RANGESCOPE dummy-model --scenario nested --device sim
"""

# What torchrun, and those that imitate it, promise to whatever they start: these variables, one process for each local rank.
# deepspeed puts an option behind the script unless it is told not to, which would end up in the middle of what rangescope starts.
STAND_IN = """#!/bin/sh
[ "$1" != launch ] || shift
while [ "${1#-}" != "$1" ]; do
    case $1 in
        --nproc_per_node=* | --num_gpus=* | --num_processes=*) size=${1#*=} ;;
        --no-python | --no_python) bare=1 ;;
        --no_local_rank) silent=1 ;;
    esac
    shift
done
[ "${0##*/}" != deepspeed ] || [ -n "$silent" ] || exit 9
[ -n "$bare" ] || set -- python3 -u "$@"
rank=0
while [ $rank -lt $size ]; do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=$size GROUP_RANK=0 TORCHELASTIC_RUN_ID=stand-in "$@" &
    rank=$((rank + 1))
done
wait
"""


class Lane:
    def __init__(self, rangescope, mpich, work, slurm):
        self.rangescope, self.mpich, self.work, self.slurm = rangescope, mpich, work, slurm
        self.numbers = itertools.count(1)
        self.program = self.script("program", PROGRAM.replace("RANGESCOPE", rangescope))
        self.torchrun, *_ = [self.script(name, STAND_IN) for name in ("torchrun", "accelerate", "deepspeed")]

    def script(self, name, text):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if name not in RANK_VARIABLES}
        return {**kept, **AS_ROOT, **self.slurm.environment, "XDG_STATE_HOME": str(self.work / "state"), **more}

    def fresh(self):
        return self.work / f"run-{next(self.numbers)}"

    def begin(self, launcher, flags=(), program=None, within=(), **more):
        """Begins to profile, `within` what precedes rangescope; gives the run folder and the process."""
        folder = self.fresh()
        command = [*within, self.rangescope, "profile", "--simulate", "--out", str(folder), *flags, "--", *launcher, *(program or [self.program])]
        running = subprocess.Popen(command, env=self.environment(**more), cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return folder, running

    def end(self, running, code):
        """Waits for the end; gives what was said."""
        try:
            said = running.communicate(timeout=TIMEOUT)[1]
        finally:
            running.kill()
        check(running.returncode == code, f"{running.args} ended with {running.returncode}, not {code}: {said[-2000:]}")
        return said

    def profile(self, launcher, flags=(), code=0, **more):
        """Profiles; gives the run folder and what was said."""
        folder, running = self.begin(launcher, flags, **more)
        return folder, self.end(running, code)

    def profile_all(self, launchers, code, meanwhile=contextlib.nullcontext, **more):
        """Profiles with all launchers at once, and ends within what happens meanwhile in their folders; gives each folder and what was said."""
        runs = [self.begin(launcher, **more) for launcher in launchers]
        folders = [folder for folder, _ in runs]
        try:
            with meanwhile(folders):
                return list(zip(folders, [self.end(running, code) for _, running in runs]))
        finally:
            for _, running in runs:
                running.kill()

    def document(self, folder):
        """The report, which is made anew from the files of the folder."""
        command = [self.rangescope, "report", str(folder), "--format", "json"]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=TIMEOUT)
        check(done.returncode == 0, f"no report of {folder}: {done.stderr}")
        return json.loads(done.stdout)

    def batch(self, *arguments):
        return self.slurm.batch(*arguments, cwd=self.work, seconds=TIMEOUT, environment=self.environment())

    def totals(self, folder):
        """The GPU time of every rank in the report."""
        reports = self.document(folder)["reports"]
        whole = lambda report: reports[report["same_as"]] if "same_as" in report else report
        return {report["scope"]["rank"]: whole(report)["totals"]["total_ms"]
                for report in reports if report["scope"]["kind"] == "process"}  # fmt: skip

    def ranks(self, folder):
        return sorted(self.totals(folder))

    def records(self, folder):
        files = sorted((folder / "ncu").glob("*.rank-*.json"))
        return [json.loads(file.read_text()) for file in files]


MPIRUN = ["mpirun", "--oversubscribe", "-n"]
WAITING = set()


def left_out_unless(condition, reason):
    def decorate(function):
        @functools.wraps(function)
        def run(*arguments):
            return function(*arguments) if condition else print(f"  left out: {reason}")

        return run

    return decorate


def waiting(function):
    """Marks a case in which next to nothing happens for most of the time; all of these run at once."""
    WAITING.add(function.__name__)
    return function


@case
def every_launcher_gives_every_rank_a_report(lane):
    host = socket.gethostname()
    launchers = {
        "mpirun": [*MPIRUN, "4"],
        "mpirun of MPICH": [lane.mpich, "-n", "4"],
        "srun": ["srun", "-n4", "--overcommit"],
        "torchrun": [lane.torchrun, "--nproc_per_node=4", "--no-python"],
    }
    for title, launcher in launchers.items():
        name = title.split()[0]
        folder, said = lane.profile(launcher)
        check(lane.ranks(folder) == [0, 1, 2, 3], f"{name}: {lane.ranks(folder)}")
        check("reports of 4 of 4 ranks" in said, said)
        records = lane.records(folder)
        check([record["rank"] for record in records] == [0, 1, 2, 3], f"{name}: {records}")
        for record in records:
            known = (record["size"], record["local_rank"], record["host"], record["launcher"], record["ended"]["exit_code"])
            check(known == (4, record["rank"], host, name, 0), f"{name}: {known}")
            check(record["job_id"] or title == "mpirun of MPICH", f"{name}: no job")
            check(record["node"] == (None if name == "mpirun" else 0), f"{name}: {record['node']}")
        check(len(set(lane.totals(folder).values())) == 1, "equal ranks have equal times")


@case
def a_slow_rank_is_found(lane):
    for launcher in ([*MPIRUN, "4"], ["srun", "-n", "4", "-O"]):
        folder, _ = lane.profile(launcher, FAULT="slow:2")
        totals = lane.totals(folder)
        slowest = max(totals, key=totals.get)
        others = [total for rank, total in totals.items() if rank != slowest]
        check(slowest == 2 and totals[2] > 2 * max(others), f"{totals}")


@case
def a_rank_that_fails_is_named_and_costs_the_others_nothing(lane):
    for launcher in ([*MPIRUN, "4"], ["srun", "-n", "4", "-O"], [lane.torchrun, "--nproc_per_node=4", "--no-python"]):
        folder, said = lane.profile(launcher, code=3, FAULT="fail:2")
        check(lane.ranks(folder) == [0, 1, 3], f"{lane.ranks(folder)}")
        check("rank 2 on" in said and "exit code 7; last line: rank 2 is out of cheese" in said, said)


@case
@waiting
def a_rank_that_is_killed_is_named_and_costs_the_others_nothing(lane):
    for launcher in ([*MPIRUN, "4"], ["srun", "-n", "4", "-O", "--kill-on-bad-exit=0"]):
        folder, said = lane.profile(launcher, code=4, FAULT="killed:2")
        check(lane.ranks(folder) == [0, 1, 3], f"{launcher}: {lane.ranks(folder)}: {said}")
        check("rank 2 on" in said and ": killed" in said, said)
        check("rank-lost" in (folder / "ncu/diagnosis.json").read_text(), "no diagnosis")


# One of eight is slow and one is killed: how, the exit code of the run, and what is said of it.
SLOW, KILLED = 3, 5
KILLS = {
    "ncu-killed": (4, "signal 9", "ncu-killed", "signal 9"),
    # ncu gives the signal of its program as an exit code.
    "program-killed": (3, "exit code 9", "program-failed", "perhaps by signal 9"),
}


def check_eight(lane, folder, said, kill):
    """Of eight ranks, the slow one is found, the killed one is named, and nothing else is lost."""
    _, ended, code, explained = KILLS[kill]
    check("reports of 7 of 8 ranks" in said, said)
    check(f"rank {KILLED} on {socket.gethostname()}: failed, {ended}; last line: rank {KILLED} was here" in said, said)
    check(said.count("\n  rank ") == 1, f"others are named too: {said}")
    diagnoses = json.loads((folder / "ncu/diagnosis.json").read_text())
    found = [(entry["capture"], diagnosis["code"]) for entry in diagnoses for diagnosis in entry["diagnoses"]]
    check(found == [(f"kernel, rank {KILLED}", code)], f"{found}")
    check(explained in diagnoses[0]["diagnoses"][0]["explanation"], f"{diagnoses}")

    # Every rank wrote down who it is and how it ended.
    records = lane.records(folder)
    check([record["rank"] for record in records] == list(range(8)), f"{records}")
    for record in records:
        well = record["ended"]["exit_code"] == 0 and record["ended"]["report"] is not None
        check(well == (record["rank"] != KILLED) and record["size"] == 8, f"{record}")

    # The reports of the others are complete: the same kernels as often, and the same times but for the slow one.
    document = lane.document(folder)
    totals = lane.totals(folder)
    others = [rank for rank in range(8) if rank != KILLED]
    check(sorted(totals) == others, f"{totals}")
    check(max(totals, key=totals.get) == SLOW, f"{totals}")
    normal = {total for rank, total in totals.items() if rank != SLOW}
    check(len(normal) == 1 and totals[SLOW] > 2 * max(normal), f"{totals}")
    reports = document["reports"]
    whole = lambda report: reports[report["same_as"]] if "same_as" in report else report
    launches = {whole(report)["totals"]["kernel_count"] for report in reports if report["scope"]["kind"] == "process"}
    check(len(launches) == 1, f"{launches}")
    aggregate = next(report for report in reports if report["scope"]["kind"] == "aggregate")["totals"]
    check(aggregate["kernel_count"] == 7 * launches.pop(), f"{aggregate}")
    check(abs(aggregate["total_ms"] - sum(totals.values())) < 1e-9 * aggregate["total_ms"], f"{aggregate}, {totals}")
    check(any(f"rank {KILLED}" in note["message"] for note in document["notes"]), f"{document['notes']}")
    check_imbalance(document, totals)


def check_imbalance(document, totals):
    """The document itself says which rank is slow, with the numbers of the ranks' own scopes."""
    said = document["ranks"]
    check((said["members"], said["count"]) == ("ranks", len(totals)), f"{said['members']}, {said['count']}")
    row = said["rows"][0]
    check((row["what"], row["verdict"]) == ("total", "one_member"), f"{row}")
    others = [total for rank, total in totals.items() if rank != SLOW]
    times = totals[SLOW] / (sum(others) / len(others))
    check([member["rank"] for member in row["slow"]["named"]] == [SLOW], f"{row}")
    check(abs(row["slow"]["times"] - times) < 1e-9 * times and f"{times:.2f} ×" in row["sentence"], f"{row}")
    check(row["slow"]["cause"] == "more_work", f"{row}")
    extremes = [row["time"][end]["value"] for end in ("min", "max")]
    check(extremes == [min(totals.values()), max(totals.values())], f"{row['time']}, {totals}")


@case
def of_eight_ranks_the_slow_one_is_found_and_the_killed_one_named(lane):
    launchers = ([*MPIRUN, "8"], [lane.mpich, "-n", "8"], ["srun", "-n", "8", "-O"])
    for kill, (code, *_) in KILLS.items():
        for folder, said in lane.profile_all(launchers, code, FAULT=f"slow:{SLOW} {kill}:{KILLED}"):
            check_eight(lane, folder, said, kill)


@case
def of_eight_ranks_in_an_array_the_same_is_found(lane):
    folder = lane.fresh()
    folder.mkdir()
    kills = " ".join(KILLS)
    script = lane.script("eight.sh", f"""#!/bin/sh
set -- {kills}
shift $SLURM_ARRAY_TASK_ID
export FAULT="slow:{SLOW} $1:{KILLED}"
{lane.rangescope} profile --simulate --out {folder}/$1 -- srun -n 8 -O {lane.program}
""")
    ended = lane.batch(f"--array=0-{len(KILLS) - 1}", "-n", "8", "-O", f"--output={folder}/%a.log", script)
    logs = [log.read_text() for log in sorted(folder.glob("*.log"))]
    check(ended == max(code for code, *_ in KILLS.values()), f"a task ended with {ended}: {logs}")
    for number, kill in enumerate(KILLS):
        check_eight(lane, folder / kill, logs[number], kill)
        check(all(record["job_id"].endswith(f"_{number}") for record in lane.records(folder / kill)), f"{kill}")


@case
def what_a_rank_says_of_itself_is_masked_and_cannot_act(lane):
    folder, said = lane.profile([*MPIRUN, "2"], code=3, FAULT="tells:1")
    line = next(line for line in said.splitlines() if line.startswith("  rank 1 on"))
    check("hunter2" not in line and "\x1b" not in line and "red" in line, repr(line))
    check("hunter2" not in (folder / "ncu/diagnosis.json").read_text() + (folder / "report.json").read_text(), "a secret was kept")


@case
def a_rank_knows_the_devices_that_it_was_given(lane):
    gpu = "GPU-5d5b4e5c-0000-0000-0000-00000000000"
    folder, _ = lane.profile([*MPIRUN, "2", "-x", "CUDA_VISIBLE_DEVICES"], CUDA_VISIBLE_DEVICES=f"{gpu}1,{gpu}2")
    for record in lane.records(folder):
        known = [(device["uuid"], device["known_by"].split(",")[0]) for device in record["devices"]]
        check(known == [(f"{gpu}{number}", "CUDA_VISIBLE_DEVICES") for number in (1, 2)], f"{record}")


MACHINES = ("node1", "node2")
HOSTS = ["node1", "node1", "node2", "node2"]  # of ranks 0-3
ALLOCATION = ["salloc", "--quiet", "--partition=made", "-N", "2", "-n", "4", "--ntasks-per-node=2"]


def case_of_machines(function):
    """A case for every launcher that can start ranks on several machines; all of them ask Slurm to."""

    @left_out_unless(os.geteuid() == 0, "only root can make machines")
    @functools.wraps(function)
    def run(lane):
        # What is not in the folder of the run is on one machine only.
        alone = dict.fromkeys(("TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(lane.slurm.private))
        several = {"within": ALLOCATION, "OMPI_MCA_oob_tcp_if_include": "lo", **alone}
        function(lane, (["srun"], ["mpirun", "-n", "4"], [lane.mpich, "-n", "4"]), several)

    return case(run)


def check_hosts(lane, folder, profiled):
    """Every rank said where it is, and every result is that of a rank on its host."""
    records = [(record["rank"], record["host"], record["local_rank"], record["profiled"]) for record in lane.records(folder)]
    check(records == [(rank, HOSTS[rank], rank % 2, rank in profiled) for rank in range(4)], f"{records}")
    reports = lane.document(folder)["reports"]
    of_ranks = [report for report in reports if report["scope"]["kind"] == "process"]
    scopes = sorted((report["scope"]["rank"], report["scope"]["host"]) for report in of_ranks)
    check(scopes == [(rank, HOSTS[rank]) for rank in profiled], f"{scopes}")
    whole = lambda report: reports[report["same_as"]] if "same_as" in report else report
    launches = [whole(report)["totals"]["kernel_count"] for report in of_ranks]
    aggregate = next(report for report in reports if report["scope"]["kind"] == "aggregate")["totals"]["kernel_count"]
    check(min(launches) == max(launches) > 0 and aggregate == sum(launches), f"{launches}, {aggregate}")


def slow_by(lane, folder):
    row = lane.document(folder)["ranks"]["rows"][0]
    return row["verdict"], row["sentence"].split(":")[0], [member["rank"] for member in row.get("slow", {}).get("named", [])]


@case_of_machines
def on_several_machines_the_slow_rank_or_host_is_found(lane, launchers, several):
    for launcher in launchers:
        folder, said = lane.profile(launcher, FAULT="slow:2", **several)
        check("reports of 4 of 4 ranks" in said, said)
        check_hosts(lane, folder, [0, 1, 2, 3])
        check(slow_by(lane, folder) == ("one_member", "slow on rank 2 (node2)", [2]), f"{launcher}: {slow_by(lane, folder)}")
    for host, ranks in (("node1", [0, 1]), ("node2", [2, 3])):
        folder, _ = lane.profile(launchers[0], FAULT=" ".join(f"slow:{rank}" for rank in ranks), **several)
        check_hosts(lane, folder, [0, 1, 2, 3])
        check(slow_by(lane, folder) == ("one_host", f"slow on host {host} (2 ranks)", ranks), f"{slow_by(lane, folder)}")


@case_of_machines
def one_rank_of_every_machine_is_profiled(lane, launchers, several):
    for launcher in launchers:
        folder, said = lane.profile(launcher, ["--ranks", "1-per-node"], **several)
        check("reports of 2 of 4 ranks" in said, said)
        check_hosts(lane, folder, [0, 2])
        check(all(record["ended"]["exit_code"] == 0 for record in lane.records(folder)), f"{lane.records(folder)}")


@case_of_machines
def a_rank_that_is_killed_on_another_machine_is_named(lane, launchers, several):
    # All at once, because what is left of the rank holds on to its output for some seconds.
    for folder, said in lane.profile_all(launchers, 4, FAULT="ncu-killed:2", **several):
        check("rank 2 on node2: failed, signal 9; last line: rank 2 was here" in said and said.count("\n  rank ") == 1, said)
        check(lane.ranks(folder) == [0, 1, 3], f"{lane.ranks(folder)}")


@case_of_machines
@waiting
def the_ranks_of_a_machine_that_is_lost_are_named(lane, launchers, several):
    def ended(folder):
        return [bool(record["ended"]) for record in lane.records(folder)]

    @contextlib.contextmanager
    def loss(folders):
        for folder in folders:
            check(until(lambda: ended(folder) == [True, True, False, False]), f"{folder}: {ended(folder)}")
        with lane.slurm.without("node2"):
            yield

    # All at once, because a rank that is lost on another machine is waited for: it could still write.
    for folder, said in lane.profile_all(launchers, 4, loss, FAULT="late:2 late:3", **several):
        check(all(f"\n  rank {rank} on node2: killed" in said for rank in (2, 3)) and said.count("\n  rank ") == 2, said)
        check(lane.ranks(folder) == [0, 1], f"{lane.ranks(folder)}")
        check("on host node2" in (folder / "ncu/diagnosis.json").read_text(), "no diagnosis")


NSYS = os.environ.get("RANGESCOPE_NSYS")
needs_nsys = left_out_unless(NSYS, "RANGESCOPE_NSYS is not set")


def record(lane, launcher, *flags, **more):
    """Profiles with a real nsys and without ncu, and again where that nsys fails."""

    def recorded():
        try:
            return lane.profile(launcher, ["pipeline.nsys.enable=true", "pipeline.ncu.enable=false", f"pipeline.nsys.executable={NSYS}", *flags], **more)
        except Mismatch as error:
            raise RuntimeError(error) from error

    return until_it_succeeds(recorded)


@case
@needs_nsys
def an_nsys_around_a_launcher_has_the_ranks_of_its_machine(lane):
    for launcher in ([*MPIRUN, "3"], ["srun", "-n3", "-O"]):
        folder, said = record(lane, launcher, "--outside")
        check(f"note: one nsys is around {launcher[0]}: its recording has the ranks of this machine" in said, said)
        rows = list(csv.DictReader((folder / "nsys/ranges.csv").open()))
        check([row["processes"] for row in rows if row["range"] == "A"] == ["3"], f"{launcher}: {rows}")


@case_of_machines
@needs_nsys
def an_nsys_in_every_rank_has_the_ranks_of_all_machines(lane, launchers, several):
    folder, said = record(lane, launchers[0], **several)
    check("reports of 4 of 4 ranks" in said, said)
    for rank in range(4):
        stem = f"{folder}/nsys/run.rank-{rank:05}"
        said_of_it = json.loads(Path(f"{stem}.json").read_text())
        check((said_of_it["rank"], said_of_it["host"]) == (rank, HOSTS[rank]), f"{said_of_it}")
        with contextlib.closing(sqlite3.connect(f"{stem}.sqlite")) as export:
            ranges = export.execute("SELECT COUNT(*) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE COALESCE(text, value) = 'A'")
            check(ranges.fetchone() == (1,), f"rank {rank} has not recorded its range")


@case
@waiting
def a_rank_that_hangs_is_ended_and_named(lane):
    folder, said = lane.profile(["srun", "-n", "4", "-O"], ["pipeline.watchdog.silence_limit_s=10"], code=4, FAULT="late:2")
    check(lane.ranks(folder) == [0, 1, 3], f"{lane.ranks(folder)}")
    check("rank 2 on" in said and "silent for too long" in said, said)


@case
def some_ranks_are_profiled_and_the_others_run(lane):
    for spec, expected in (("0,3", [0, 3]), ("1-per-node", [0]), ("1-2", [1, 2])):
        folder, _ = lane.profile(["srun", "-n4", "-O"], ["--ranks", spec])
        check(lane.ranks(folder) == expected, f"{spec}: {lane.ranks(folder)}")
        records = lane.records(folder)
        check(all(record["ended"]["exit_code"] == 0 for record in records) and len(records) == 4, f"{records}")
        check([record["rank"] for record in records if record["profiled"]] == expected, f"{records}")


@case
def the_tasks_of_an_array_have_runs_of_their_own(lane):
    folder = lane.fresh()
    folder.mkdir()
    script = lane.script("array.sh", f"""#!/bin/sh
{lane.rangescope} profile --simulate --out {folder}/$SLURM_ARRAY_TASK_ID -- srun -n 2 -O {lane.program}
""")
    ended = lane.batch("--array=0-2", "-n", "2", "-O", f"--output={folder}/%a.log", script)
    logs = [log.read_text()[-800:] for log in sorted(folder.glob("*.log"))]
    check(ended == 0, f"a task ended with {ended}: {logs}")
    jobs = set()
    for task in range(3):
        check(lane.ranks(folder / str(task)) == [0, 1], f"task {task}: {logs}")
        jobs |= {record["job_id"] for record in lane.records(folder / str(task))}
    check(len(jobs) == 3 and all(job.endswith(f"_{job[-1]}") for job in jobs), f"{jobs}")


@case
@waiting
def an_interrupt_reaches_all_ranks(lane):
    for launcher in ([*MPIRUN, "3"], ["srun", "-n", "3", "-O"]):
        mark = f"{os.getpid()}{next(lane.numbers)}"
        _, running = lane.begin(launcher, program=["sleep", mark])
        started = until(lambda: len(sleeping(mark)) == 3)
        running.send_signal(signal.SIGINT)
        said = lane.end(running, 130)
        check(started, f"{launcher} did not start: {said}")
        check(until(lambda: not sleeping(mark)), f"{launcher}: left over: {sleeping(mark)}")


def until(condition, seconds=60):
    """Waits for the condition; whether it came."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def sleeping(mark):
    """Processes that sleep so long and have not ended."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0") if process.name.isdigit() else []
            if words[1:] == [mark.encode(), b""] and words[0].endswith(b"sleep"):
                found.append(process.name)
    return found


@case
def scripts_of_launchers_in_python_are_started_by_their_python(lane):
    script = lane.work / "train.py"
    script.write_text(f"""import os, sys
rank = os.environ['LOCAL_RANK']
expected = [f'--local_rank={{rank}}'] * (os.environ['LANE'] == 'deepspeed') + ['--steps', '3']
assert rank in '01' and sys.argv[1:] == expected, sys.argv
os.execv({lane.rangescope!r}, ['rangescope', 'dummy-model', '--scenario', 'nested', '--device', 'sim'])
""")
    path = f"{os.path.dirname(sys.executable)}:{lane.work}:{os.environ['PATH']}"
    for launcher in (["torchrun", "--nproc_per_node=2"], ["accelerate", "launch", "--num_processes=2"], ["deepspeed", "--num_gpus=2"]):
        folder, _ = lane.profile(launcher, program=[str(script), "--steps", "3"], PATH=path, LANE=launcher[0])
        check(lane.ranks(folder) == [0, 1], f"{launcher}: {lane.ranks(folder)}")


def run(lane, name):
    """Runs a case; whether it went well."""
    begun = time.monotonic()
    try:
        CASES[name](lane)
    except (Mismatch, subprocess.TimeoutExpired, AssertionError) as error:
        print(f"FAILED  {name}: {error}")
        return False
    print(f"ok      {name} ({time.monotonic() - begun:.1f} s)")
    return True


def run_all(lane, names):
    waiting = [name for name in names if name in WAITING]
    with ThreadPoolExecutor(len(WAITING)) as at_once:
        went_well = list(at_once.map(functools.partial(run, lane), waiting))
    return went_well + [run(lane, name) for name in names if name not in WAITING]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("rangescope")
    arguments.add_argument("mpich")
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    # Daemons would outlive a lane that ends where it stands.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Sockets have short names, and Slurm's users need to get at them.
    with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        begun = time.monotonic()
        with Slurm(work, MACHINES if os.geteuid() == 0 else ()) as slurm:
            print(f"Slurm {slurm.ask('srun', '--version').strip()}: up in {time.monotonic() - begun:.1f} s")
            lane = Lane(os.path.abspath(given.rangescope), os.path.abspath(given.mpich), work, slurm)
            went_well = run_all(lane, [name for name in CASES if given.only in name])
            print(f"{len(went_well)} cases in {time.monotonic() - begun:.1f} s")
    sys.exit(0 if went_well and all(went_well) else 1)


if __name__ == "__main__":
    main()
