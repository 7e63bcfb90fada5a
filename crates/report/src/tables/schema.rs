//! The tables and their columns.

use super::Kind::{Flag, Integer, Number, Text, Whole};
use super::{Column, Kind, Table};

const fn column(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, about }
}

const SOURCE: Column = column("source", Text, "file that it is from");
const RESULT: Column =
    column("result", Integer, "number of the result in its file, as `rangescope dump` counts");
const SCOPE: Column = column("scope", Text, "`aggregate`, `process:…` or `device:…`");
const BASIS: Column =
    column("basis", Text, "`kernel` or `range`: what kind of results it is made from");
const DOMAIN: Column = column("domain", Text, "NVTX domain");
const RANGE_KIND: Column = column("range_kind", Text, "`push_pop` or `start_end`");
const PATH: Column = column(
    "path",
    Text,
    "names of the open ranges from the outermost on, as a JSON list; empty outside of all ranges",
);
const PROCESS_ID: Column = column("process_id", Integer, "process id");
const HOST: Column = column("host", Text, "host");
const METRIC: Column = column("metric", Text, "ncu's name");
const VALUE: Column = column("value", Number, "the value if it is a number, in base units");
const INTEGER: Column = column("integer", Integer, "the same with all digits if it is a counter");
const TEXT: Column = column("text", Text, "the value if it is a text");
const UNIT: Column = column("unit", Text, "base unit; empty if there is none or it is not known");
const CALLS: &str = "launches";

pub static RESULTS: Table = Table {
    name: "results",
    about: "one row for each result: a kernel launch, graph or whole range",
    on_demand: false,
    columns: &[
        SOURCE,
        RESULT,
        column("kind", Text, "`kernel`, `range`, `cmdlist` or `graph`"),
        column("function", Text, "function name without arguments"),
        column("demangled", Text, "demangled name"),
        column("mangled", Text, "mangled name"),
        column("grid_x", Integer, "blocks"),
        column("grid_y", Integer, "blocks"),
        column("grid_z", Integer, "blocks"),
        column("block_x", Integer, "threads"),
        column("block_y", Integer, "threads"),
        column("block_z", Integer, "threads"),
        column("host", Text, "host of the process"),
        PROCESS_ID,
        column("rank", Integer, "rank of the process, where a launcher told it"),
        column("thread", Integer, "thread id"),
        column("device", Integer, "index of the device as the process saw it"),
        column("context", Integer, "CUDA context"),
        column("stream", Integer, "CUDA stream"),
        column("duration_ns", Number, "GPU time in nanoseconds"),
        column("simulated", Flag, "true where it is no measurement"),
    ],
};

pub static RANGES: Table = Table {
    name: "ranges",
    about: "the ranges that were open when a result was launched: the innermost push/pop range of each domain with those around it, and each start/end range",
    on_demand: false,
    columns: &[SOURCE, RESULT, DOMAIN, RANGE_KIND, PATH],
};

pub static METRICS: Table = Table {
    name: "metrics",
    about: "one row for each metric of each result",
    on_demand: false,
    columns: &[SOURCE, RESULT, METRIC, VALUE, INTEGER, TEXT, UNIT],
};

pub static INSTANCES: Table = Table {
    name: "instances",
    about: "the values of metrics by instruction, address, sample or opcode",
    on_demand: true,
    columns: &[
        SOURCE,
        RESULT,
        METRIC,
        column("instance", Integer, "its place in the list"),
        column("correlation", Integer, "what it is about, if that is a number: an address, a time"),
        column("correlation_text", Text, "what it is about, if that is a text: an opcode"),
        VALUE,
        INTEGER,
        TEXT,
    ],
};

pub static RULES: Table = Table {
    name: "rules",
    about: "what ncu's rules said about a result",
    on_demand: false,
    columns: &[
        SOURCE,
        RESULT,
        column("rule", Text, "identifier"),
        column("name", Text, "name for people"),
        column("section", Text, "section that it belongs to"),
        column("kind", Text, "`ok`, `optimization`, `warning`, `error`, `none` or `unknown`"),
        column("title", Text, "title of the message"),
        column("message", Text, "the message, with ncu's markup"),
        column("speedup_kind", Text, "`local`, `global` or `unknown`"),
        column("speedup_pct", Number, "estimated speed-up in per cent"),
    ],
};

pub static PROCESSES: Table = Table {
    name: "ranks",
    about: "the processes that results came from, with their ranks",
    on_demand: false,
    columns: &[
        SOURCE,
        HOST,
        PROCESS_ID,
        column("name", Text, "name of the executable"),
        column("rank", Integer, "rank, where a launcher told it"),
    ],
};

pub static SCOPES: Table = Table {
    name: "scopes",
    about: "what is reported apart: everything, each process, each device. A scope that holds the same results as another one names it, and has no rows of its own in the tables below",
    on_demand: false,
    columns: &[
        SCOPE,
        BASIS,
        column("kind", Text, "`aggregate`, `process` or `device`"),
        PROCESS_ID,
        column("process", Text, "name of the executable"),
        HOST,
        column("rank", Integer, "rank of the process, where a launcher told it"),
        column("device", Integer, "index of the device as the process saw it"),
        column("same_as", Text, "the scope whose rows are those of this one, too"),
        column("total_ms", Number, "GPU time of its results in milliseconds"),
        column("results", Integer, "results"),
    ],
};

pub static REGIONS: Table = Table {
    name: "regions",
    about: "one row for each region in each scope that has results of its own; what is outside of all ranges has an empty path",
    on_demand: false,
    columns: &[
        SCOPE,
        BASIS,
        DOMAIN,
        RANGE_KIND,
        PATH,
        column("region", Text, "name for people"),
        column("depth", Integer, "regions around it"),
        column(
            "total_ms",
            Number,
            "GPU time with everything below, in milliseconds; of a recording the time from the beginnings to the ends of its ranges",
        ),
        column(
            "exclusive_ms",
            Number,
            "GPU time of results whose innermost region it is, in milliseconds",
        ),
        column("share", Number, "part of the scope's time, 0 to 1"),
        column("results", Integer, "results with everything below"),
        column("exclusive_results", Integer, "results whose innermost region it is"),
        column("timed_results", Integer, "results that have a duration"),
    ],
};

pub static REGION_METRICS: Table = Table {
    name: "region_metrics",
    about: "the metrics of regions, with how each was made",
    on_demand: false,
    columns: &[
        SCOPE,
        BASIS,
        DOMAIN,
        RANGE_KIND,
        PATH,
        column(
            "exclusive",
            Flag,
            "of the results whose innermost region it is; otherwise with everything below",
        ),
        METRIC,
        VALUE,
        INTEGER,
        TEXT,
        UNIT,
        column("method", Text, "how it was made, as in report.json"),
        column("exact", Flag, "whether a measurement of the whole region would give just this"),
        column("covered", Integer, "results with a usable value"),
        column("of", Integer, "results asked"),
        column("min", Number, "smallest value of one result, where results differ"),
        column("max", Number, "largest value of one result, likewise"),
        column(
            "mean",
            Number,
            "of the largest of several counters, the mean of the results' own values by time",
        ),
        column("busiest", Text, "of the largest of several counters, which one it is"),
        column("reason", Text, "why there is no value, or why it is not exact"),
    ],
};

pub static KERNELS: Table = Table {
    name: "kernels",
    about: "the kernels of regions, with everything below: rows of nested regions must not be added",
    on_demand: false,
    columns: &[
        SCOPE,
        BASIS,
        DOMAIN,
        RANGE_KIND,
        PATH,
        column("kernel", Text, "name in the chosen base"),
        column("function", Text, "function name without arguments"),
        column("kind", Text, "`kernel`, `range`, `cmdlist` or `graph`"),
        column("calls", Integer, CALLS),
        column("total_ms", Number, "GPU time in milliseconds"),
        column("mean_ms", Number, "mean of a launch in milliseconds"),
        column("min_ms", Number, "shortest launch in milliseconds"),
        column("max_ms", Number, "longest launch in milliseconds"),
        column("share", Number, "part of the region's time, 0 to 1"),
        column("device", Integer, "index of the device, if all ran on one"),
    ],
};

pub static SPANS: Table = Table {
    name: "spans",
    about: "ranges and kernels with their times, of recordings and exports of Nsight Systems",
    on_demand: false,
    columns: &[
        SOURCE,
        PROCESS_ID,
        column("rank", Integer, "rank, where a launcher told it"),
        column("track", Text, "thread and domain, or device"),
        column("kind", Text, "`range` or `kernel`"),
        column("name", Text, "name of the range, or demangled name of the kernel"),
        column(
            "start_ns",
            Integer,
            "beginning in nanoseconds: since 1970 in a recording, of the trace in an export of Nsight Systems",
        ),
        column("end_ns", Integer, "end, likewise"),
        DOMAIN,
        RANGE_KIND,
        PATH,
        column("device", Integer, "index of the device, of a kernel"),
    ],
};

/// Rows that are merged by adding and by taking extremes; see docs/scale.md. No part of `rangescope export`.
pub static PARTIALS: Table = Table {
    name: "partials",
    about: "what reports add up to, in rows that any engine can merge",
    on_demand: true,
    columns: &[
        column("input", Text, "identity of what was read; empty after a merge"),
        column("item", Text, "what the row is about, see below"),
        column("rank", Integer, "rank of the process, where a launcher told it"),
        column("host", Text, "host of the process"),
        PROCESS_ID,
        column("process", Text, "name of the executable"),
        column("device", Integer, "index of the device as the process saw it"),
        column("pci", Text, "PCI address of the device"),
        column("kind", Text, "`kernel`, `range`, `cmdlist` or `graph`"),
        column("function", Text, "function name without arguments"),
        column("demangled", Text, "demangled name"),
        column("mangled", Text, "mangled name"),
        column("grid", Text, "blocks, as `x,y,z`"),
        column("block", Text, "threads, as `x,y,z`"),
        column(
            "ranges",
            Text,
            "open ranges as JSON: a list of [domain, which of its name, push/pop ranges, start/end ranges with their order]",
        ),
        column("name", Text, "metric, section, rule or whatever else the item is about"),
        column("by", Text, "what else tells rows of the item apart, such as the weight of a mean"),
        column("count", Integer, "SUM"),
        column("part", Integer, "SUM: how many of the count are special"),
        column("total", Whole, "SUM: a sum of whole numbers, with all digits"),
        column("high", Number, "SUM: a sum of other numbers"),
        column("low", Number, "SUM: what rounding took from `high`"),
        column("weight_total", Whole, "SUM: the same of the weights"),
        column("weight_high", Number, "SUM"),
        column("weight_low", Number, "SUM"),
        column("min", Number, "MIN"),
        column("max", Number, "MAX"),
        column("first", Text, "MIN, in order of bytes"),
        column("last", Text, "MAX, in order of bytes"),
    ],
};

/// All of them: those of results, then those of the report.
pub static TABLES: &[&Table] = &[
    &RESULTS,
    &RANGES,
    &METRICS,
    &INSTANCES,
    &RULES,
    &PROCESSES,
    &SCOPES,
    &REGIONS,
    &REGION_METRICS,
    &KERNELS,
    &SPANS,
];
