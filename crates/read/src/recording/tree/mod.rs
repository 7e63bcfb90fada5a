//! From events to the tree of regions: one walk per process, then a report per process and one over all of them.

mod report;
mod table;
mod tally;

use rangescope_model::document::{Note, NoteLevel, Scope, ScopeKind, Tool};

use crate::recording::process::Process;
use crate::recording::read::Recording;
use rangescope_model::number::count;
use rangescope_model::recorded::{
    RecordedProcess, RecordedRegions, RecordedThread, RegionTree, SCHEMA_VERSION,
};
use table::Table;
use tally::Tally;

pub fn regions(recording: &Recording) -> RecordedRegions {
    let mut table = Table::default();
    let tallies: Vec<Tally> =
        recording.processes.iter().map(|process| tally::process(process, &mut table)).collect();
    let scopes = scopes(&recording.processes);
    // One process is all there is, which need not be counted twice.
    let all = if tallies.len() == 1 { None } else { Some(Tally::sum(&tallies)) };
    let mut remarks = all.as_ref().or(tallies.first()).map(remarks).unwrap_or_default();
    let mut reports: Vec<RegionTree> = scopes
        .iter()
        .zip(tallies)
        .map(|(scope, tally)| report::tree(scope.clone(), &table, tally))
        .collect();
    reports.push(match (all, reports.last()) {
        (None, Some(only)) => RegionTree { scope: aggregate(), ..only.clone() },
        (all, _) => report::tree(aggregate(), &table, all.unwrap_or_default()),
    });
    let mut notes = recording.notes.clone();
    notes.append(&mut remarks);
    RecordedRegions {
        schema_version: SCHEMA_VERSION.to_owned(),
        tool: Tool { name: "rangescope".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        notes,
        processes: recording.processes.iter().zip(&scopes).map(recorded_process).collect(),
        reports,
    }
}

/// The scope of every process. Ids are told apart where programs replaced themselves and kept their process id.
fn scopes(processes: &[Process]) -> Vec<Scope> {
    let several_hosts = processes.iter().any(|process| process.host != processes[0].host);
    let mut scopes: Vec<Scope> = Vec::new();
    for process in processes {
        let host = if several_hosts { format!("@{}", process.host) } else { String::new() };
        let plain = format!("process:{}{host}", process.pid);
        let mut id = plain.clone();
        let mut count = 1;
        while scopes.iter().any(|scope| scope.id == id) {
            count += 1;
            id = format!("{plain}#{count}");
        }
        scopes.push(Scope {
            id,
            kind: ScopeKind::Process,
            process_id: Some(process.pid),
            process_name: Some(process.name().to_owned()),
            host: Some(process.host.clone()),
            rank: process.rank(),
            device: None,
        });
    }
    scopes
}

fn aggregate() -> Scope {
    Scope {
        id: "aggregate".to_owned(),
        kind: ScopeKind::Aggregate,
        process_id: None,
        process_name: None,
        host: None,
        rank: None,
        device: None,
    }
}

fn recorded_process((process, scope): (&Process, &Scope)) -> RecordedProcess {
    let thread = |thread: &crate::recording::process::Thread| RecordedThread {
        thread_id: thread.tid,
        name: thread.name.clone(),
    };
    let end = tally::end_of(process);
    RecordedProcess {
        scope: scope.id.clone(),
        process_id: process.pid,
        parent_id: process.parent,
        forked: process.forked,
        host: process.host.clone(),
        command: process.command.clone(),
        rank: process.rank(),
        local_rank: process.local_rank(),
        world_size: process.world_size(),
        began_unix_ms: report::milliseconds(process.began.realtime_ns.into()),
        duration_ms: report::milliseconds(end.saturating_sub(process.began.monotonic_ns).into()),
        ended_in_order: process.ended_ns.is_some(),
        threads: process.threads.iter().map(thread).collect(),
        events: process.event_count() as u64,
        events_lost: process.lost,
        extended_payloads: process.extended_payloads,
        storage_error: process.stopped.map(|stop| stop.to_string()),
    }
}

fn remarks(all: &Tally) -> Vec<Note> {
    let note = |code: &str, message: String| Note {
        level: NoteLevel::Warning,
        code: code.to_owned(),
        message,
    };
    let never_closed: u64 = all.regions.values().map(|region| region.never_closed).sum();
    let mut notes = Vec::new();
    if never_closed > 0 {
        let ranges = count(never_closed, "range was", "ranges were");
        let message = format!("{ranges} never closed; such a range lasts until its process ends");
        notes.push(note("ranges-never-closed", message));
    }
    if all.pops_without_push > 0 || all.ends_without_start > 0 {
        let pops = count(all.pops_without_push, "pop", "pops");
        let ends = count(all.ends_without_start, "end", "ends");
        let message = format!("ignored: {pops} without a push and {ends} without a start");
        notes.push(note("ends-without-begin", message));
    }
    if all.too_deep > 0 {
        let ranges = count(all.too_deep, "range was", "ranges were");
        let message = format!("{ranges} nested too deeply and count to the region above");
        notes.push(note("ranges-too-deep", message));
    }
    if !all.pairs_complete {
        notes.push(note(
            "too-many-overlaps",
            "so many regions were open together that not all pairs are listed".to_owned(),
        ));
    }
    notes
}
