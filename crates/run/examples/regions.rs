//! Prints recordings as JSON: `regions FOLDER|FILE [--events]`; with `--events`, every event of every process, too. `regions --unpack` prints where the recorder is.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use rangescope_capture::recorder;
use rangescope_read::recording::{Attributes, Event, Payload, Process, Recording, regions};
use rangescope_report::recorded;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer: Result<String, Box<dyn std::error::Error>> = match arguments.as_slice() {
        ["--unpack"] => {
            recorder::unpack().map(|path| path.display().to_string()).map_err(Into::into)
        }
        [path] => Recording::open(Path::new(path))
            .map(|recording| serde_json::to_string(&regions(&recording)).unwrap_or_default())
            .map_err(Into::into),
        [path, "--text"] => Recording::open(Path::new(path))
            .map(|recording| recorded::terminal(&regions(&recording), &recorded::Shown::default()))
            .map_err(Into::into),
        [path, "--events"] => Recording::open(Path::new(path))
            .map(|recording| {
                let events: Vec<Value> = recording.processes.iter().map(process).collect();
                json!({"regions": regions(&recording), "events": events}).to_string()
            })
            .map_err(Into::into),
        _ => {
            let _ = writeln!(std::io::stderr(), "usage: regions FOLDER|FILE [--events | --text]");
            return ExitCode::from(2);
        }
    };
    match answer {
        Ok(answer) => {
            let written = writeln!(std::io::stdout(), "{answer}");
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(5)
        }
    }
}

/// The events of a process, each with the ranges that are open after it on its thread.
fn process(process: &Process) -> Value {
    let mut events = Vec::new();
    process.sweep(|event, state| {
        let open: Vec<Value> = state
            .open_ranges(event.thread)
            .iter()
            .map(|open| json!([open.domain, open.push_pop, open.start_end]))
            .collect();
        events.push(described(process, event, &open));
    });
    json!({
        "pid": process.pid,
        "variables": process.variables,
        "domains": process.domains,
        "events": events,
    })
}

fn described(process: &Process, event: &Event<'_>, open: &[Value]) -> Value {
    let thread = &process.threads[event.thread];
    json!({
        "time": event.time_ns,
        "tid": thread.tid,
        "domain": process.domains[event.domain],
        "action": format!("{:?}", event.action).to_lowercase(),
        "name": event.name,
        "id": event.id,
        "attributes": event.attributes.map(|attributes| attributes_of(process, event, attributes)),
        "open": open,
    })
}

fn attributes_of(process: &Process, event: &Event<'_>, attributes: &Attributes) -> Value {
    let payload = attributes.payload.map(|payload| match payload {
        Payload::U64(value) => json!(["u64", value]),
        Payload::I64(value) => json!(["i64", value]),
        Payload::F64(value) => json!(["f64", value]),
        Payload::U32(value) => json!(["u32", value]),
        Payload::I32(value) => json!(["i32", value]),
        Payload::F32(value) => json!(["f32", value]),
        Payload::Other(kind) => json!(["other", kind]),
    });
    json!({
        "category": attributes.category,
        "category_name": process.category_name(event.domain, attributes.category),
        "color": attributes.color.map(|(_, color)| color),
        "payload": payload,
    })
}
