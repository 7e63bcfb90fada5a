#!/usr/bin/env python3
"""Lane "exports": tables read back by DuckDB, Polars, pyarrow and Python's sqlite3, beside NVIDIA's reader.

    exports.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED. Every metric of every result in the Parquet files, as pyarrow has
them, is compared with NVIDIA's reader, value for value. The other programs and formats must then count and add up the
same in every column.
"""

import collections
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from lib import runner

FORMATS = ("parquet", "arrow", "sqlite", "csv")
REQUIRED = ("reports", "values of metrics", "tables in duckdb", "tables in polars", "tables in arrow", "tables in sqlite", "tables in csv", "instances")
# Lists of values by instruction are long: they are exported of reports up to this size.
MOST_BYTES = 4_000_000


def said_by_nvidia(report):
    from lib import nvidia

    rows = []
    for action, facts in nvidia.results(report):
        values = {name: value for name, value, _ in nvidia.metrics(action)}
        instances = sum(len(found) for _, _, found in nvidia.metrics(action))
        rows.append([facts["kind"], facts["function"], values, instances])
    return rows


def exported(program, report, kind, folder, *more):
    out = folder / kind
    command = [program, "export", report, "--format", kind, "--out", out, "--quiet", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=runner.TIMEOUT)
    return out if done.returncode == 0 else None


def same(ours, theirs):
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return ours is None
    return ours == theirs


def values_of(row):
    number, integer, text = row["value"], row["integer"], row["text"]
    return text if text is not None else integer if integer is not None else number


def by_nvidia(report, folder, counts):
    """Differences between the tables of a folder and what NVIDIA's reader says."""
    import pyarrow.parquet

    theirs = runner.nvidia_of(__file__, report)
    if not isinstance(theirs, list):
        return []
    read = lambda table: pyarrow.parquet.read_table(folder / f"{table}.parquet").to_pylist()  # noqa: E731
    found, wrong = collections.defaultdict(dict), []
    for row in read("metrics"):
        found[row["result"]][row["metric"]] = values_of(row)
    results = read("results")
    if len(results) != len(theirs):
        return [f"{len(results)} results instead of {len(theirs)}"]
    for row, (kind, function, metrics, _) in zip(results, theirs):
        if (row["kind"], row["function"]) != (kind, function):
            wrong.append(f"result {row['result']}: {row['kind']} {row['function']} instead of {kind} {function}")
        ours = found[row["result"]]
        if set(ours) != set(metrics):
            wrong.append(f"result {row['result']}: other metrics, {sorted(set(ours) ^ set(metrics))[:3]}")
            continue
        far = [name for name in metrics if not same(ours[name], metrics[name])]
        wrong += [f"result {row['result']}: {name} is {ours[name]!r} instead of {metrics[name]!r}" for name in far[:2]]
        counts["values of metrics"] += len(metrics)
    if (folder / "instances.parquet").exists():
        number = len(pyarrow.parquet.read_table(folder / "instances.parquet", columns=["instance"]))
        expected = sum(instances for *_, instances in theirs)
        if number != expected:
            wrong.append(f"{number} instances instead of {expected}")
        counts["instances"] += number
    return wrong


def summaries(outs, counts):
    """Of every table, how each program counts and adds up its columns: {program: {table: {column: (known, sum)}}}."""
    import duckdb
    import polars
    import pyarrow
    import pyarrow.parquet

    found = collections.defaultdict(dict)
    for file in sorted(outs["parquet"].glob("*.parquet")):
        table, schema = file.stem, pyarrow.parquet.read_schema(file)
        kinds = {field.name: str(field.type) for field in schema}
        ask = lambda source: summary_by_sql(duckdb.sql, source, kinds)  # noqa: E731
        found["duckdb"][table] = ask(f"read_parquet('{file}')")
        csv = outs["csv"] / f"{table}.csv"
        found["csv"][table] = ask(f"read_csv('{csv}', header = true, all_varchar = true, new_line = '\\r\\n')")
        found["polars"][table] = {name: of_polars(polars.read_parquet(file)[name], kind) for name, kind in kinds.items()}
        with pyarrow.ipc.open_stream(outs["arrow"] / f"{table}.arrows") as stream:
            arrow = polars.from_arrow(stream.read_all())
        found["arrow"][table] = {name: of_polars(arrow[name], kind) for name, kind in kinds.items()}
        with sqlite3.connect(outs["sqlite"]) as database:
            found["sqlite"][table] = summary_by_sql(database.execute, table, kinds)
        for program in found:
            counts[f"tables in {program}"] += 1
    return found


def summary_by_sql(ask, source, kinds):
    result = {}
    for name, kind in kinds.items():
        column = f'"{name}"'
        length = f"SUM(LENGTH({column}))" if kind == "string" else f"SUM(CAST({column} AS DOUBLE))"
        if kind == "bool":
            length = f"SUM(CASE WHEN CAST({column} AS VARCHAR) IN ('true', '1') THEN 1 ELSE 0 END)"
        # An empty text is not to be told from nothing in CSV.
        known = f"SUM(CASE WHEN CAST({column} AS VARCHAR) <> '' THEN 1 ELSE 0 END)"
        [(count, total)] = ask(f"SELECT {known}, {length} FROM {source}").fetchall()
        result[name] = (float(count or 0), float(total or 0))
    return result


def of_polars(column, kind):
    import polars

    if kind == "string":
        text = column.cast(polars.String)
        return float((text.str.len_chars() > 0).sum() or 0), float(text.str.len_chars().sum() or 0)
    return float(column.is_not_null().sum()), float(column.cast(polars.Float64).sum() or 0)


def differences(found):
    first = found["duckdb"]
    for program, tables in found.items():
        for table, columns in tables.items():
            for column, (known, total) in columns.items():
                expected = first[table][column]
                # Texts that a spreadsheet would run have a character more in CSV.
                slack = known if program == "csv" else 0
                if known != expected[0] or abs(total - expected[1]) > slack + 1e-9 * abs(expected[1]):
                    yield f"{table}.{column} in {program}: {known:.0f} and {total!r} instead of {expected}"


def timed(program, export, folder, counts, wrong):
    """An export of Nsight Systems: its ranges and kernels are those that sqlite3 counts in it."""
    import pyarrow.parquet

    outs = {kind: exported(program, export, kind, folder) for kind in FORMATS}
    if None in outs.values():
        wrong.append(f"{export.name}: not exported")
        return
    with sqlite3.connect(f"file:{export}?immutable=1", uri=True) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        one = lambda table, sql: database.execute(sql).fetchone() if table in tables else (0, 0)  # noqa: E731
        kernels = one("CUPTI_ACTIVITY_KIND_KERNEL", 'SELECT COUNT(*), COALESCE(SUM("end" - start), 0) FROM CUPTI_ACTIVITY_KIND_KERNEL')
        ranges = one("NVTX_EVENTS", "SELECT COUNT(*), 0 FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71)")
    spans = pyarrow.parquet.read_table(outs["parquet"] / "spans.parquet").to_pylist()
    found = [span for span in spans if span["kind"] == "kernel"]
    ours = (len(found), sum(span["end_ns"] - span["start_ns"] for span in found))
    if ours != tuple(kernels):
        wrong.append(f"{export.name}: kernels {ours} instead of {kernels}")
    if len(spans) - len(found) != ranges[0]:
        wrong.append(f"{export.name}: {len(spans) - len(found)} ranges instead of {ranges[0]}")
    counts["kernels and ranges of nsys"] += len(spans)
    wrong += [f"{export.name}: {line}" for line in list(differences(summaries(outs, counts)))[:4]]


def main():
    program, reports, required = runner.asked(__doc__, said_by_nvidia, ("reports", "values of metrics"), REQUIRED)
    counts, wrong = collections.Counter(), []
    for report in reports:
        with tempfile.TemporaryDirectory(prefix="rangescope-exports-") as folder:
            small = Path(report).stat().st_size <= MOST_BYTES
            names = "results,ranges,metrics,rules,ranks,regions,region_metrics,kernels" + (",instances" if small else "")
            outs = {kind: exported(program, report, kind, Path(folder), "--tables", names) for kind in FORMATS}
            if None in outs.values():
                counts["unreadable"] += 1
                continue
            counts["reports"] += 1
            lines = by_nvidia(report, outs["parquet"], counts)
            lines += differences(summaries(outs, counts))
            wrong += [f"{Path(report).name}: {line}" for line in lines[:4]]
    shared = os.environ.get("RANGESCOPE_SHARED")
    for export in sorted(Path(shared, "corpus/nsys").glob("*.sqlite")) if shared else []:
        with tempfile.TemporaryDirectory(prefix="rangescope-exports-") as folder:
            timed(program, export, Path(folder), counts, wrong)
    return runner.tell("exports", counts, wrong, required)


if __name__ == "__main__":
    sys.exit(main())
