"""Child process of a comparison: one report, NVIDIA's reader on one side, a dump on the other.

    check.py REPORT --rangescope BINARY      compares with `BINARY dump REPORT --instances`
    check.py REPORT --expected FILE.jsonl    compares with lines in the format of the dump

Prints one JSON object: {"counts": {...}, "total": mismatches, "details": [...]}.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lib import compare  # noqa: E402


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("report", type=Path)
    arguments.add_argument("--rangescope")
    arguments.add_argument("--expected")
    options = arguments.parse_args()
    tally = compare.Tally()
    name = options.report.name

    if options.expected:
        with open(options.expected, encoding="utf-8") as lines:
            compare.results(tally, name, options.report, map(json.loads, lines), False)
    else:
        command = [options.rangescope, "dump", str(options.report), "--instances"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as dump:
            compare.results(tally, name, options.report, map(json.loads, dump.stdout), True)
        if dump.returncode != 0:
            tally.fail(f"{name}: `rangescope dump` ended with {dump.returncode}")

    print(json.dumps({"counts": tally.counts, "total": tally.total, "details": tally.details}))


if __name__ == "__main__":
    main()
