#!/usr/bin/env python3
"""Lane "engines": partial results written by tasks of Spark, Dask and Ray, and merged by Spark.

    engines.py RANGESCOPE

Reads the corpus below $RANGESCOPE_SHARED; needs pyspark with Java, dask with distributed, and ray. All of them listen on
loopback only.

1. The Python of docs/scale.md, as it stands there, with two tasks for every report: each runs the program in a process of
   the engine, and the document of the folder is that of the reports. Dask does it in processes of its own, and again in a
   local cluster.
2. Sets of reports, merged as in the lane "partials", by rangescope and by Spark.
"""

import contextlib
import os
import re
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

from partials import Failed, Lane, equal, run

SCALE = Path(__file__).parents[2] / "docs" / "scale.md"
SETTINGS = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    # Ray listens on loopback only where it takes itself for unable to have other machines.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # Otherwise Ray writes a secret into the home folder.
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}


@contextlib.contextmanager
def spark_local():
    from pyspark.sql import SparkSession

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    spark = SparkSession.builder.master("local[2]").config(map=quiet).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()


@contextlib.contextmanager
def dask_processes():
    import dask

    with dask.config.set(scheduler="processes", num_workers=2):
        yield dask


@contextlib.contextmanager
def dask_cluster():
    import dask
    from distributed import Client, LocalCluster

    listens = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set(temporary_directory=folder),
        LocalCluster(n_workers=2, threads_per_worker=1, **listens) as cluster,
        Client(cluster),
    ):
        yield dask


@contextlib.contextmanager
def ray_local():
    import ray

    # Its processes may write for a moment after they were told to end.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="warning", _temp_dir=folder)
        try:
            yield ray
        finally:
            ray.shutdown()


# By the name that stands beside a line of the documentation; its lower case is what the line calls the engine.
ENGINES = [("Spark", spark_local), ("Dask", dask_processes), ("Dask", dask_cluster), ("Ray", ray_local)]


def snippet():
    """The Python of the documentation: what all engines have in common, and a line for each."""
    blocks = re.findall(r"^```python\n(.*?)^```$", SCALE.read_text(), re.M | re.S)
    if len(blocks) != 1:
        raise Failed(f"{len(blocks)} blocks of Python in {SCALE}")
    common, calls = blocks[0].rsplit("\n\n", 1)
    lines = {name: call for call, name in re.findall(r"^(.*\S) +# (\w+)$", calls, re.M)}
    if lines.keys() != {name for name, _ in ENGINES} or len(lines) != len(calls.splitlines()):
        raise Failed(f"these are not the engines of the lane: {calls}")
    return common, lines


def by_spark(sql, files, out):
    with spark_local() as spark:
        spark.read.parquet(str(files)).createOrReplaceTempView("partials")
        spark.sql(sql).coalesce(1).write.mode("overwrite").parquet(f"{out}.folder")
    shutil.copy(next(Path(f"{out}.folder").glob("*.parquet")), out)


class Engines(Lane):
    def tasks(self):
        """The Python of the documentation in each engine, with every report twice."""
        callers = self.announced()
        common, lines = snippet()
        chosen = sorted((report for report in self.reports if self.reads(report)), key=lambda report: report.name)
        twice = [str(report) for report in chosen for _ in range(2)]
        expected = self.document(*chosen)
        self.counts["reports"] = len(chosen)
        for name, engine in ENGINES:
            what, out = engine.__name__.replace("_", " "), self.work / engine.__name__
            callers.write_text("")
            names = {"__name__": "__main__", "reports": twice, "out": str(out)}
            with engine() as names[name.lower()]:
                try:
                    exec(f"{common}\n{lines[name]}", names)
                except Exception as error:
                    raise Failed(f"{what}: {str(error)[-400:]}") from error
            ran, files = callers.read_text().split(), list(out.glob("*"))
            if len(ran) != len(twice) or str(os.getpid()) in ran:
                raise Failed(f"{what}: {len(ran)} runs for {len(twice)} tasks, by {sorted(set(ran))}")
            if len(files) != len(chosen):
                raise Failed(f"{what}: {len(files)} files of {len(chosen)} reports")
            self.compare(self.document(out), expected, equal, what)
            self.counts[f"tasks of {what}"] = len(ran)
            self.counts[f"processes of {what}"] = len(set(ran))

    def announced(self):
        """Puts the program into PATH such that a file gets the process that runs it, once for every run."""
        folder, callers = self.work / "bin", self.work / "callers"
        folder.mkdir()
        program = folder / "rangescope"
        program.write_text(f'#!/bin/sh\necho $PPID >>"{callers}"\nexec "{self.program}" "$@" --quiet\n')
        program.chmod(0o755)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        return callers


if __name__ == "__main__":
    os.environ.update(SETTINGS)
    sys.exit(run(Engines, {"spark": by_spark}, [Engines.tasks, Lane.sets]))
