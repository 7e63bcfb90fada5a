"""A Slurm of one machine, with real daemons on loopback."""

import os
import pwd
import re
import socket
import subprocess
import time

from .cases import Mismatch


class Slurm:
    """A cluster of one machine, with its own keys, ports and folders."""

    def __init__(self, work):
        self.work, self.daemons = work / "slurm", []
        self.environment = {"SLURM_CONF": str(self.work / "slurm.conf")}

    def __enter__(self):
        for folder in ("state", "spool", "log", "munge"):
            (self.work / folder).mkdir(parents=True, exist_ok=True)
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
        self.daemon(["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={sock}",
                     f"--pid-file={self.work}/munge/pid", f"--log-file={self.work}/munge/log",
                     f"--seed-file={self.work}/munge/seed", "--num-threads=2"])  # fmt: skip
        self.wait(lambda: sock.exists(), "munged")
        host, user = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name
        ports = [free_port(), free_port()]
        cores = os.cpu_count()
        # Ranks are given cores that are not there: the machine is small, and nothing is measured.
        (self.work / "slurm.conf").write_text(f"""ClusterName=lane
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={sock}
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={self.work}/state
SlurmdSpoolDir={self.work}/spool
SlurmctldPidFile={self.work}/slurmctld.pid
SlurmdPidFile={self.work}/slurmd.pid
SlurmctldLogFile={self.work}/log/slurmctld
SlurmdLogFile={self.work}/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0
SelectType=select/cons_tres
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={max(8, cores)} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES OverSubscribe=FORCE:4 State=UP
""")
        self.daemon(["slurmctld", "-D", "-f", str(self.work / "slurm.conf")])
        self.daemon(["slurmd", "-D", "-f", str(self.work / "slurm.conf"), "-N", host])
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "the node")

    def daemon(self, command):
        log = (self.work / "log" / command[0]).with_suffix(".out").open("w")
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        environment = {**os.environ, **self.environment, "PATH": path}
        self.daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

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

    def batch(self, *arguments, cwd, seconds):
        """Runs a batch job to the end of its tasks, and gives their highest exit code. `sbatch --wait` does so too, and notices it later."""
        environment = {**os.environ, **self.environment}
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

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
