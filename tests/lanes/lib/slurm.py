"""A Slurm of this machine, and of others that it makes, with real daemons on loopback.

A machine that is made is a slurmd in namespaces of its own: it has its own host name, its own process ids, which count from 1
as those of its neighbour do, and its own contents of one folder. All share the network and the other folders.
"""

import contextlib
import os
import pwd
import re
import signal
import socket
import subprocess
import time

from .cases import Mismatch

# Ranks are given cores that are not there: the machine is small, and nothing is measured. A job is given cores alone: by default
# it would be given all the memory, and no other job could run beside it.
CORES = max(8, os.cpu_count())
# The first process of a machine, and with it what the machine is. It waits for slurmd, and so for whatever loses its parent.
MACHINE = """
hostname "$0" || exit
mount -t tmpfs "$0" "$1" || exit
shift
"$@" &
wait
"""


class Slurm:
    """A cluster with its own keys, ports and folders. The machines that it makes are the partition `made`, which nobody gets unasked."""

    def __init__(self, work, machines=()):
        self.work, self.daemons, self.machines = work / "slurm", [], dict.fromkeys(machines)
        self.is_up = False
        # Every machine that is made has its own contents here.
        self.private = work / "private"
        self.environment = {"SLURM_CONF": str(self.work / "slurm.conf")}

    def __enter__(self):
        for folder in ("state", "spool", "log", "munge"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
        self.private.mkdir()
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        key, sock = self.work / "munge/key", self.work / "munge/socket"
        key.write_bytes(os.urandom(128))
        for path in (key, self.work / "munge"):
            path.chmod(0o400 if path == key else 0o755)
        self.daemon("munged", ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={sock}",
                               f"--pid-file={self.work}/munge/pid", f"--log-file={self.work}/munge/log",
                               f"--seed-file={self.work}/munge/seed", "--num-threads=2"])  # fmt: skip
        self.wait(lambda: sock.exists(), "munged")
        host, user = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name
        first, *ports = free_ports(2 + len(self.machines))
        nodes = "".join(f"NodeName={name} NodeAddr=127.0.0.1 Port={port} CPUs={CORES}\n" for name, port in zip((host, *self.machines), ports))
        if self.machines:
            nodes += f"PartitionName=made Nodes={','.join(self.machines)} OverSubscribe=FORCE:4\n"
        (self.work / "slurm.conf").write_text(f"""ClusterName=lane
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={sock}
CredType=cred/munge
SlurmctldPort={first}
StateSaveLocation={self.work}/state
SlurmdSpoolDir={self.work}/spool/%n
SlurmctldPidFile={self.work}/slurmctld.pid
SlurmdPidFile={self.work}/slurmd.%n.pid
SlurmctldLogFile={self.work}/log/slurmctld
SlurmdLogFile={self.work}/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
MinJobAge=3600
{nodes}PartitionName=all Nodes={host} Default=YES OverSubscribe=FORCE:4
""")
        self.daemon("slurmctld", ["slurmctld", "-D", "-f", self.environment["SLURM_CONF"]])
        self.daemon("slurmd", self.slurmd(host))
        for name in self.machines:
            self.boot(name)
        self.wait(self.is_idle, "a machine")
        self.is_up = True

    def slurmd(self, node):
        return ["slurmd", "-D", "-f", self.environment["SLURM_CONF"], "-N", node]

    def boot(self, name):
        unshare = ["unshare", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
        self.machines[name] = self.daemon(name, [*unshare, "sh", "-c", MACHINE, name, str(self.private), *self.slurmd(name)])

    @contextlib.contextmanager
    def without(self, name):
        """Ends all processes of a machine at once, and tells Slurm, which would notice some minutes later. Unlike with a pulled plug, its connections are closed."""
        update = ["scontrol", "update", f"nodename={name}"]
        machine = self.machines[name]
        self.daemons.remove(machine)
        machine.kill()
        machine.wait()
        try:
            self.ask(*update, "state=down", "reason=lost")
            yield
        finally:
            self.boot(name)
            self.ask(*update, "state=resume")
            self.wait(self.is_idle, name)

    def is_idle(self):
        return set(self.ask("sinfo", "-h", "-o", "%T").split()) == {"idle"}

    def daemon(self, name, command):
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        environment = {**os.environ, **self.environment, "PATH": path}
        with (self.work / "log" / f"{name}.out").open("w") as log:
            self.daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        return self.daemons[-1]

    def ask(self, *command):
        done = subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=30)
        return done.stdout

    def wait(self, ready, what, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                logs = [f"{log.name}: {log.read_text()[-1500:]}" for log in sorted((self.work / "log").iterdir())]
                raise Mismatch(f"{what} does not come\n" + "\n".join(logs))
            time.sleep(0.2)

    def batch(self, *arguments, cwd, seconds, environment=os.environ):
        """Runs a batch job to the end of its tasks, and gives their highest exit code. `sbatch --wait` does so too, and notices it later."""
        environment = {**environment, **self.environment}
        begun = subprocess.run(["sbatch", "--parsable", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)
        if begun.returncode:
            raise Mismatch(f"sbatch ended with {begun.returncode}: {begun.stderr}")
        job = begun.stdout.strip().split(";")[0]
        tasks = []

        def ended():
            tasks[:] = self.ask("scontrol", "-o", "show", "job", job).splitlines()
            return tasks and not any(re.search(r"JobState=(PENDING|CONFIGURING|RUNNING|COMPLETING)", task) for task in tasks)

        self.wait(ended, f"the end of job {job}", seconds)
        return max(int(re.search(r" ExitCode=(\d+)", task)[1]) for task in tasks)

    def cancel(self):
        """Ends what still runs: what slurmd has started outlives it."""
        self.ask("scancel", f"--user={os.getuid()}")
        with contextlib.suppress(Mismatch):
            self.wait(lambda: not self.ask("squeue", "-h"), "the end of all jobs", 20)

    def __exit__(self, *_):
        try:
            if self.is_up and self.ask("squeue", "-h"):
                self.cancel()
        finally:
            for daemon in reversed(self.daemons):
                # A machine ends, with all that it runs, by nothing less.
                daemon.send_signal(signal.SIGKILL if daemon in self.machines.values() else signal.SIGTERM)
            for daemon in self.daemons:
                try:
                    daemon.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    daemon.kill()


def free_ports(number):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
