"""Exports of nsys with launches, kernels and copies that no GPU made, and plain searches in them."""

import collections
import sqlite3

KERNELS = ["cudaLaunchKernel", "gemm", "void reduce<int, 4>(T1 *)", 'odd "name", with commas', "flash_fwd_kernel", "größe"]
SHAPE = dict(registersPerThread=32, gridX=1, gridY=1, gridZ=1, blockX=32, blockY=1, blockZ=1, staticSharedMemory=0,
             dynamicSharedMemory=0, localMemoryPerThread=0, localMemoryTotal=0, gridId=1)  # fmt: skip


def tell_apart(db):
    """Gives ranges that are open at the same time on one thread different names."""
    open_until = collections.defaultdict(list)
    query = """SELECT events.rowid, start, end, globalTid, eventType, domainId, coalesce(text, value, '') FROM NVTX_EVENTS AS events
        LEFT JOIN StringIds ON textId = id WHERE eventType IN (59, 60) ORDER BY start"""
    for row, start, end, *label, name in list(db.execute(query)):
        ends = open_until[(*label, name)]
        number = next((n for n, until in enumerate(ends) if until < start), len(ends))
        ends[number : number + 1] = [end]
        db.execute("UPDATE NVTX_EVENTS SET textId = NULL, text = ? WHERE rowid = ?", (f"{name}#{number}", row))


def add_kernels(rng, db):
    """Adds launches, kernels and copies to a real export: seeded, in and around its ranges."""
    strings = {name: 10**9 + number for number, name in enumerate(KERNELS)}
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(id, name) for name, id in strings.items()])
    query = "SELECT start, end, globalTid FROM NVTX_EVENTS WHERE eventType IN (59, 60)"
    ranges = list(db.execute(query))
    threads = sorted({thread for _, _, thread in ranges})
    last = max(end for _, end, _ in ranges)
    used = collections.Counter()
    for _ in range(1500):
        start, end, thread = rng.choice(ranges)
        if rng.random() < 0.2:
            thread = rng.choice(threads)
        kind = rng.random()
        if kind < 0.1:  # exactly the range
            call = (start, end)
        elif kind < 0.7:  # inside
            call = sorted((rng.randint(start, end), rng.randint(start, end)))
        elif kind < 0.9:  # over its end, or far away
            call = sorted((rng.randint(start, end), rng.randint(0, last + 1000)))
        else:
            call = (last + 10, last + 20)
        process = thread & ~0xFFFFFF
        used[process] += 1
        number = used[process]  # correlation numbers repeat between processes
        insert(db, "RUNTIME", start=call[0], end=call[1], eventClass=0, globalTid=thread, correlationId=number,
               nameId=strings["cudaLaunchKernel"], returnValue=0)  # fmt: skip
        begin = call[1] + rng.randint(0, 10**6)
        gpu = dict(deviceId=rng.randrange(2), contextId=1, streamId=7, correlationId=number, globalPid=process)
        if rng.random() < 0.15:
            table, more = rng.choice([("MEMCPY", {"bytes": 64, "copyKind": 1}), ("MEMSET", {"bytes": 64, "value": 0})])
            insert(db, table, start=begin, end=begin + rng.randint(1, 9999), **gpu, **more)
            continue
        for _ in range(rng.choice([1, 1, 1, 3])):  # a graph launches several
            if rng.random() < 0.02:
                gpu["correlationId"] = number + 10**6  # its launch was not traced
            name = rng.choice(KERNELS[1:])
            insert(db, "KERNEL", start=begin, end=begin + rng.randint(1, 9999), **gpu, **SHAPE,
                   demangledName=strings[name], shortName=strings[name], mangledName=strings[name])  # fmt: skip


def insert(db, table, **values):
    names = ", ".join(values)
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} ({names}) VALUES ({marks})", list(values.values()))


def launches(export):
    """Kernel row -> (pid, tid, start, end) of its launch."""
    db = sqlite3.connect(export)
    calls = {}
    for start, end, thread, number in db.execute("SELECT start, end, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        calls[thread & ~0xFFFFFF, number] = (thread >> 24 & 0xFFFFFF, thread & 0xFFFFFF, start, end)
    query = "SELECT rowid, globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL"
    found = {row: calls.get((process, number)) for row, process, number in db.execute(query)}
    db.close()
    return found
