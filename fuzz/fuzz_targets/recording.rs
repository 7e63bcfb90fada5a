#![no_main]
//! Any bytes as the recording of a process.

use libfuzzer_sys::fuzz_target;
use rangescope_fuzz::as_file;
use rangescope_read::recording::{Recording, regions};
use rangescope_report::recorded;

fuzz_target!(|bytes: &[u8]| {
    let Ok(recording) = Recording::open(&as_file("1-0.nvtx", bytes)) else { return };
    for process in &recording.processes {
        process.sweep(|event, state| drop(state.open(event.thread)));
        let _ = (process.name(), process.rank(), process.world_size());
    }
    let _ = recorded::terminal(&regions(&recording), &recorded::Shown::default());
});
