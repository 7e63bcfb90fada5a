//! Prints what an export of nsys says as JSON: `trace FILE.sqlite`.
//!
//! Ranges and kernels one by one, the summary, and the summary grouped as the reports of `nsys stats` are. It is how the comparison with nsys looks at our
//! code.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use rangescope_read::nsys::{
    Database, GlobalThread, Grouping, Kernel, NsysError, Range, RegionId, StartEndScope, Summary,
    Trace,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [path] = arguments.as_slice() else {
        let _ = writeln!(std::io::stderr(), "usage: trace FILE.sqlite");
        return ExitCode::from(2);
    };
    match run(Path::new(path)) {
        Ok(answer) => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let written = serde_json::to_writer(&mut out, &answer).map_err(Into::into);
            let written = written.and_then(|()| out.flush());
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "{error}\nhint: {hint}");
            ExitCode::from(5)
        }
    }
}

fn run(path: &Path) -> Result<Value, NsysError> {
    let database = Database::open(path)?;
    let trace = Trace::read(&database)?;
    let as_nsys = Grouping {
        by_name: true,
        per_thread: true,
        per_device: false,
        start_end: StartEndScope::Thread,
    };
    let ranges: Vec<Value> = trace.ranges().iter().map(|range| show_range(&trace, range)).collect();
    let regions = trace.regions_of_kernels(StartEndScope::Process)?;
    let kernels: Vec<Value> = trace
        .kernels()
        .iter()
        .zip(&regions)
        .map(|(kernel, regions)| show_kernel(&trace, kernel, regions))
        .collect();
    Ok(json!({
        "rank": trace.rank(),
        "ranges": ranges,
        "kernels": kernels,
        "summary": Summary::of(&trace, Grouping::default())?,
        "as_nsys": Summary::of(&trace, as_nsys)?,
    }))
}

fn show_range(trace: &Trace, range: &Range) -> Value {
    let path = trace.region(range.region).map(|region| json!(region.path));
    json!({
        "row": range.row,
        "name": trace.name(range.name),
        "is_registered": range.is_registered,
        "domain": trace.name(range.domain),
        "kind": range.kind,
        "pid": range.thread.pid(),
        "tid": range.thread.tid(),
        "end_tid": range.end_thread.map(GlobalThread::tid),
        "start": range.start,
        "end": range.end,
        "parent": range.parent.map(|parent| trace.ranges()[parent].row),
        "path": path,
    })
}

fn show_kernel(trace: &Trace, kernel: &Kernel, regions: &[RegionId]) -> Value {
    let show = |&id: &RegionId| {
        let region = trace.region(id);
        region.map(|region| json!([region.domain, region.kind, region.path]))
    };
    json!({
        "row": kernel.row,
        "name": trace.name(kernel.name),
        "device": kernel.device,
        "regions": regions.iter().map(show).collect::<Vec<_>>(),
    })
}
