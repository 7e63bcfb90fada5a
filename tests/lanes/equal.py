#!/usr/bin/env python3
"""Lane "Equal": `rangescope dump` against NVIDIA's reader on every report of the corpus.

    equal.py RANGESCOPE [REPORT...]

Without reports: the corpus below $RANGESCOPE_SHARED.
"""

import os
import sys
from pathlib import Path

from lib import runner

REQUIRED = ("files", "results", "names", "workload kinds", "scalar values")
REQUIRED_OF_CORPUS = (
    *REQUIRED, "instances", "metrics without scalar", "launch sizes", "grid sizes", "NVTX stacks",
    "NVTX ranges", "NVTX attributes", "rule messages", "message types",
    "rule speed-ups", "rule tables", "rule table columns", "focus metrics",
)  # fmt: skip


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    reports = [Path(p) for p in sys.argv[2:]]
    required = REQUIRED
    if not reports:
        shared = os.environ.get("RANGESCOPE_SHARED") or sys.exit("RANGESCOPE_SHARED is not set")
        reports = runner.corpus(shared)
        required = REQUIRED_OF_CORPUS
    tally = runner.check([(report, ["--rangescope", binary]) for report in reports])
    return runner.conclude("equal", tally, required)


if __name__ == "__main__":
    sys.exit(main())
