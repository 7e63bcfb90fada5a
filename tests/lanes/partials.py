#!/usr/bin/env python3
"""Lane "partials": rows of reports, merged by rangescope, DuckDB and Polars, and written by a Slurm array.

    partials.py RANGESCOPE

Reads the corpus below $RANGESCOPE_SHARED; Slurm's daemons have to be in PATH. Larger engines are a lane of their own.

1. Every report alone: the document of its partial is that of the report, byte for byte.
2. Sets of reports, with and without a selection: partials in any order, given twice, in folders, merged in two parts by
   rangescope, and merged by each engine of a heap in which some files are there twice. The documents of rangescope's own
   merges are equal; those of engines too, but for the last digit of numbers that are no sums of whole numbers.
3. What the engine counts and adds in the rows is what it counts and adds in the tables of `export`, which another lane
   compares with NVIDIA's reader.
4. The script of docs/scale.md as a Slurm array, as it stands there, with two tasks for every report.
5. Files that are none, and files that do not go together.
"""

import collections
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lib import runner

TOLERANCE = 4e-15
SETS = 10
# Documents of sets are compared whole; larger reports are compared alone.
MOST_BYTES = 2_000_000
SELECTIONS = [(), ("--metrics", "dram__bytes.sum,sm__throughput*"), ("--kernel", "regex:.*a.*"), ("--scope", "aggregate"), ("--region", "*")]
SAID_OF_FILES = {"same-input-twice", "same-partial-twice"}
SCALE = Path(__file__).parents[2] / "docs" / "scale.md"
ARRAYED = 16
# Stored as 0 where there is nothing to divide, which is no value.
EMPTY_IF_ZERO = "smsp__sass_average_branch_targets_threads_uniform.pct"


class Failed(Exception):
    pass


def differences(ours, theirs, is_same, where=""):
    """Where two documents differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key in ours:
            yield from differences(ours[key], theirs[key], is_same, f"{where}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for place, pair in enumerate(zip(ours, theirs)):
            yield from differences(*pair, is_same, f"{where}[{place}]")
    elif not is_same(ours, theirs):
        yield f"{where}: {str(ours)[:90]}, not {str(theirs)[:90]}"


def equal(ours, theirs):
    return type(ours) is type(theirs) and ours == theirs


def nearly(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float):
        return abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs))
    return equal(ours, theirs)


def by_duckdb(sql, files, out):
    import duckdb

    with duckdb.connect() as database:
        database.execute(f"CREATE VIEW partials AS FROM read_parquet('{files}/*.parquet')")
        database.execute(f"COPY ({sql}) TO '{out}' (FORMAT parquet)")


def by_polars(sql, files, out):
    import polars

    rows = polars.SQLContext(partials=polars.scan_parquet(f"{files}/*.parquet")).execute(sql)
    rows.collect().write_parquet(out, compression="snappy")


class Lane:
    def __init__(self, program, engines, reports, work):
        self.program, self.engines, self.work = program, engines, work
        self.small = [report for report in reports if report.stat().st_size < MOST_BYTES]
        self.reports, self.counts = reports, collections.Counter()
        self.sql = {name: self.run("partial", "--sql", name).stdout for name in engines}
        self.random = random.Random(13)

    def run(self, *words, fails_with=0):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=runner.TIMEOUT)
        if done.returncode != fails_with:
            raise Failed(f"rangescope {' '.join(map(str, words))[:200]} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
        return done

    def text(self, *paths, selection=()):
        said = self.run("report", "--format", "json", "--quiet", *selection, *paths).stdout
        # Partial results do not tell single results apart, so that nothing says by number which a rule spoke of.
        return re.sub(r',"launches":"[0-9,-]*"', "", said)

    def document(self, *paths, selection=()):
        document = json.loads(self.text(*paths, selection=selection))
        document["notes"] = [note for note in document["notes"] if note["code"] not in SAID_OF_FILES]
        return document

    def compare(self, ours, theirs, is_same, what):
        found = list(itertools.islice(differences(ours, theirs, is_same), 3))
        if found:
            raise Failed(f"{what}: {'; '.join(found)}")

    def alone(self):
        for report in self.reports:
            if not self.reads(report):
                continue
            folder = Path(tempfile.mkdtemp(dir=self.work))
            self.run("partial", report, "--out", folder)
            self.compare(self.document(folder), self.document(report), equal, report.name)
            if self.text(folder) != self.text(report):
                raise Failed(f"{report.name}: the same document in other words")
            written = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
            self.run("partial", report, "--out", folder)
            if {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} != written:
                raise Failed(f"{report.name}: a second run changed {folder}")
            self.counts["reports alone"] += 1
            self.counts["bytes of partials"] += sum(file.stat().st_size for file in folder.iterdir())
            self.counts["bytes of reports"] += report.stat().st_size
            shutil.rmtree(folder)

    def reads(self, report):
        code = subprocess.run([self.program, "report", "--format", "json", report], capture_output=True).returncode
        return code == 0

    def sets(self):
        readable = [report for report in self.small if self.reads(report)]
        for number in range(SETS):
            chosen = self.random.sample(readable, self.random.randint(2, 6))
            chosen.sort(key=lambda report: report.name)
            selection = SELECTIONS[number % len(SELECTIONS)]
            folder = Path(tempfile.mkdtemp(dir=self.work))
            self.run("partial", *self.random.sample(chosen, len(chosen)), "--out", folder / "partials")
            expected = self.document(*chosen, selection=selection)
            for way, paths, is_same in self.ways(folder):
                what = f"{way} of {', '.join(report.name for report in chosen)} {' '.join(selection)}"
                self.compare(self.document(*paths, selection=selection), expected, is_same, what)
                self.counts[f"sets by {way}"] += 1
            self.sums(folder / "heap", chosen)
            shutil.rmtree(folder)

    def ways(self, folder):
        files = sorted((folder / "partials").iterdir())
        shuffled = self.random.sample(files, len(files))
        yield "folder", [folder / "partials"], equal
        yield "any order", shuffled, equal
        yield "twice", [*shuffled, files[0]], equal
        cut = self.random.randint(1, len(files) - 1)
        halves = [folder / "one.parquet", folder / "other.parquet"]
        for half, part in zip(halves, (shuffled[:cut], shuffled[cut:])):
            self.run("merge", *part, "--out", half)
        yield "merge in two parts", halves, equal
        self.run("merge", *halves, "--out", folder / "all.parquet")
        yield "merge of merges", [folder / "all.parquet"], equal
        heap = folder / "heap"
        heap.mkdir()
        for place, file in enumerate([*shuffled, files[-1]]):
            shutil.copy(file, heap / f"{place}.parquet")
        for engine, merge in self.engines.items():
            out = folder / f"{engine}.parquet"
            merge(self.sql[engine], heap, out)
            yield engine, [out], nearly

    def sums(self, heap, reports):
        """What DuckDB counts and adds in the rows, beside what it counts and adds in the tables of the same reports."""
        import duckdb

        tables = heap.parent / "tables"
        self.run("export", *reports, "--format", "parquet", "--tables", "metrics", "--out", tables, "--quiet")
        rows = f"(SELECT DISTINCT * FROM read_parquet('{heap}/*.parquet'))"
        if duckdb.sql(f"FROM {rows} WHERE item = 'given_up'").fetchall():
            # What stands in results that ncu gave up is in the tables, and in no number.
            return
        ours = duckdb.sql(f"""
            SELECT name, SUM(count), SUM(total), MIN(min), MAX(max) FROM {rows}
            WHERE item = 'value' GROUP BY name
        """).fetchall()
        theirs = duckdb.sql(f"""
            SELECT metric, COUNT(value), SUM(integer), MIN(value), MAX(value), COUNT(value) = COUNT(integer)
            FROM '{tables}/metrics.parquet' WHERE isfinite(value) GROUP BY metric
        """).fetchall()
        theirs = {metric: row for metric, *row in theirs}
        for metric, count, total, least, most in ours:
            if metric == EMPTY_IF_ZERO:
                continue
            number, integers, smallest, largest, are_whole = theirs[metric]
            if (count, least, most) != (number, smallest, largest):
                raise Failed(f"{metric}: {(count, least, most)} in rows, {(number, smallest, largest)} in tables")
            if are_whole and total is not None and int(total) != int(integers):
                raise Failed(f"{metric}: {total} in rows, {integers} in tables")
            self.counts["metrics counted and added"] += 1

    def array(self):
        """The script of the documentation; every report is listed twice, so that two tasks take it at about the same time."""
        from lib.slurm import Slurm

        scripts = re.findall(r"^```sh\n(.*?)^```$", SCALE.read_text(), re.M | re.S)
        if len(scripts) != 1:
            raise Failed(f"{len(scripts)} scripts in {SCALE}")
        chosen = sorted((report for report in self.small if self.reads(report)), key=lambda report: report.name)[:ARRAYED]
        folder = self.work / "array"
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "rangescope").symlink_to(self.program)
        (folder / "array.sh").write_text(scripts[0])
        (folder / "reports.txt").write_text("".join(f"{report}\n" * 2 for report in chosen))
        path = {**os.environ, "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}"}
        with Slurm(self.work) as slurm:
            # What stands on the command line takes the place of what the script asks for.
            tasks = [f"--array=0-{2 * len(chosen) - 1}", "--output=array.%a.log", "array.sh"]
            code = slurm.batch(*tasks, cwd=folder, seconds=600, environment=path)
        said = [log.read_text() for log in sorted(folder.glob("array.*.log"))]
        if code != 0 or len(said) != 2 * len(chosen):
            raise Failed(f"of the array, {len(said)} tasks ran, one ended with {code}: {said}")
        self.counts["tasks of an array"] += len(said)
        self.counts["files of an array"] += len(list((folder / "partials").iterdir()))
        if self.counts["files of an array"] != len(chosen):
            raise Failed(f"the array left {self.counts['files of an array']} files of {len(chosen)} reports")
        self.compare(self.document(folder / "partials"), self.document(*chosen), equal, "the array")

    def refused(self):
        report, other = [one for one in self.small if self.reads(one)][:2]
        folder = self.work / "refused"
        self.run("partial", report, other, "--out", folder)
        files = sorted(folder.iterdir())
        self.run("merge", *files, "--out", self.work / "both.parquet")
        self.run("export", report, "--format", "parquet", "--tables", "metrics", "--out", self.work / "tables", "--quiet")
        whole = files[0].read_bytes()
        (self.work / "cut.parquet").write_bytes(whole[: len(whole) // 2])
        (self.work / "zeros.parquet").write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
        cases = [
            ([self.work / "cut.parquet"], 5, "no file of partial results"),
            ([self.work / "zeros.parquet"], 5, "no file of partial results"),
            ([self.work / "tables" / "metrics.parquet"], 5, "no column `item`"),
            ([files[0], report], 2, "other inputs beside it"),
            ([files[0], self.work / "both.parquet"], 2, "some are in another file too"),
        ]
        for paths, code, said in cases:
            told = self.run("report", *paths, fails_with=code).stderr
            if said not in told:
                raise Failed(f"{paths}: {told.strip()}")
            self.counts["bad inputs"] += 1
        # Bytes that are wrong anywhere are an error or change nothing that cannot be told; nothing panics.
        for place in range(0, len(whole), max(1, len(whole) // 60)):
            bad = bytearray(whole)
            bad[place] ^= 0xFF
            (self.work / "bad.parquet").write_bytes(bad)
            done = subprocess.run([self.program, "report", self.work / "bad.parquet"], capture_output=True, text=True, timeout=120)
            if done.returncode not in (0, 5) or "bug" in done.stderr.lower():
                raise Failed(f"byte {place}: {done.returncode} {done.stderr[-300:]}")
            self.counts["damaged files"] += 1


def run(lane_of, engines, steps):
    """Runs the steps of a lane with the program that the command line names; the exit code."""
    name = Path(sys.argv[0]).stem
    if len(sys.argv) != 2:
        sys.exit(f"usage: {name}.py RANGESCOPE")
    reports = runner.corpus(os.environ.get("RANGESCOPE_SHARED") or sys.exit("RANGESCOPE_SHARED is not set"))
    reports = [report for report in reports if report.name.endswith(".ncu-rep")]
    with tempfile.TemporaryDirectory(prefix=f"rangescope-{name}-") as folder:
        lane = lane_of(os.path.abspath(sys.argv[1]), engines, reports, Path(folder))
        failures = []
        for step in steps:
            try:
                step(lane)
            except Failed as failure:
                failures.append(f"{step.__name__}: {failure}")
    for what, count in lane.counts.items():
        print(f"  {what:<32}{count:>14,}")
    print(f"{name}: {len(failures)} of {len(steps)} steps failed")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(run(Lane, {"duckdb": by_duckdb, "polars": by_polars}, [Lane.alone, Lane.sets, Lane.array, Lane.refused]))
