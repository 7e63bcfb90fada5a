"""What NVIDIA's own reader (`ncu_report`) says about a report, in plain Python values.

`ncu_report` is native code that can end the process on damaged input: import this module only in
a process that may die (see check.py).
"""

import ncu_report
from ncu_report import IAction, IMetric

KINDS = ("kernel", "range", "cmdlist", "graph")

INTEGER_PAYLOADS = (1, 2, 4, 5)
FLOAT_PAYLOADS = (3, 6)


def results(path):
    """Yields one (action, facts) pair per result, in file order."""
    context = ncu_report.load_report(str(path))
    for index in range(context.num_ranges()):
        group = context.range_by_idx(index)
        for position in range(group.num_actions()):
            action = group.action_by_idx(position)
            yield action, {
                "kind": KINDS[action.workload_type()],
                "function": action.name(IAction.NameBase_FUNCTION),
                "demangled": action.name(IAction.NameBase_DEMANGLED),
                "mangled": action.name(IAction.NameBase_MANGLED),
            }


def metrics(action):
    """Yields (name, value or None, instances) with instances = [[correlation id or None, value]]."""
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        # `value()` invents a zero where there are only instances; `has_value()` is right for the
        # scalar (though not for instances, hence `kind(i)` there).
        value = metric.value() if metric.has_value() else None
        yield name, value, _instances(metric)


def _instances(metric):
    count = metric.num_instances()
    if count == 0:
        return []
    ids = metric.correlation_ids() if metric.has_correlation_ids() else None
    value, key = _getter(metric), _getter(ids)
    return [[key(i), value(i)] for i in range(count)]


def _getter(metric):
    """`IMetric.value` without its per-call overhead: there are millions of instances."""
    if metric is None:
        return lambda _: None
    kind = metric.kind
    by_kind = {
        IMetric.ValueKind_STRING: metric.as_string,
        IMetric.ValueKind_FLOAT: metric.as_double,
        IMetric.ValueKind_DOUBLE: metric.as_double,
        IMetric.ValueKind_UINT32: metric.as_uint64,
        IMetric.ValueKind_UINT64: metric.as_uint64,
    }
    nothing = lambda _: None  # noqa: E731
    return lambda i: by_kind.get(kind(i), nothing)(i)


def nvtx(action):
    """None, or domain name -> {"push_pop": [range], "start_end": [range]}."""
    state = action.nvtx_state()
    if state is None:
        return None
    domains = {}
    for domain_id in state.domains():
        domain = state.domain_by_id(domain_id)
        entry = domains.setdefault(domain.name(), {"push_pop": [], "start_end": []})
        entry["push_pop"] += _ranges(domain.push_pop_range)
        entry["start_end"] += _ranges(domain.start_end_range)
    return domains


def _ranges(get):
    found = []
    while (item := get(len(found))) is not None:
        entry = {"name": item.name()}
        if item.has_attributes():
            kind = item.payload_type()
            if kind in INTEGER_PAYLOADS:
                payload = item.payload_as_uint64()
            elif kind in FLOAT_PAYLOADS:
                payload = item.payload_as_double()
            else:
                payload = item.payload_as_string()
            entry |= {
                "category": item.category(),
                "color": item.color(),
                "payload": (kind, payload) if kind else None,
                "message": item.message(),
            }
        found.append(entry)
    return found


def rule_items(action):
    """One entry per body item of every rule: the API's own flat view."""
    items = []
    for rule in action.rule_results():
        item = {
            "rule": rule.rule_identifier(),
            "name": rule.name(),
            "section": rule.section_identifier(),
            "message": None,
            "speedup": None,
            "focus_metrics": [
                (m["name"], m["value"], int(m["severity"]), m["info"]) for m in rule.focus_metrics()
            ],
            # The API calls its data row-major; it gives a list for every column.
            "tables": [
                (t["title"], t["description"], list(zip(t["headers"], t["data"], strict=True)))
                for t in rule.result_tables()
            ],
        }
        if rule.has_rule_message():
            message = rule.rule_message()
            item["message"] = (message["message"], int(message["type"]), message["title"])
        if rule.has_speedup_estimation():
            speedup = rule.speedup_estimation()
            item["speedup"] = (int(speedup["type"]), speedup["speedup"])
        items.append(item)
    return items
