"""Child process of the benchmark: NVIDIA's reader opens a report and reads every metric's value.

Prints {"seconds": ..., "values": ...}; the time includes loading the report, not Python's start.
"""

import json
import sys
import time

import ncu_report

start = time.perf_counter()
values = 0
context = ncu_report.load_report(sys.argv[1])
for index in range(context.num_ranges()):
    group = context.range_by_idx(index)
    for position in range(group.num_actions()):
        action = group.action_by_idx(position)
        for name in action.metric_names():
            action.metric_by_name(name).value()
            values += 1
print(json.dumps({"seconds": time.perf_counter() - start, "values": values}))
