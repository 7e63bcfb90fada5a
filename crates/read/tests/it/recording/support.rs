//! Recordings written to a folder, and read as lines.

use std::path::PathBuf;

use rangescope_read::recording::Recording;
use rangescope_testing::recording::File;

/// A folder with these files, named as the recorder does.
pub(crate) fn folder(files: &[(&str, &File)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, file) in files {
        fs_err::write(folder.path().join(name), &file.bytes).unwrap();
    }
    let path = folder.path().to_owned();
    (folder, path)
}

/// The recording of one file.
pub(crate) fn recording(file: &File) -> Recording {
    let (_keep, path) = folder(&[("1-0.nvtx", file)]);
    Recording::open(&path).unwrap()
}

/// What the sweep says at every event: `time action name: open ranges`.
pub(crate) fn swept(recording: &Recording) -> Vec<String> {
    let mut lines = Vec::new();
    for process in &recording.processes {
        process.sweep(|event, state| {
            let open: Vec<String> = state
                .open_ranges(event.thread)
                .iter()
                .map(|open| {
                    let ids: Vec<String> =
                        open.start_end.iter().map(|(id, name)| format!("{name}#{id}")).collect();
                    format!("{}[{}][{}]", open.domain, open.push_pop.join("/"), ids.join(","))
                })
                .collect();
            let action = format!("{:?}", event.action).to_lowercase();
            lines.push(format!("{} {action} {}: {}", event.time_ns, event.name, open.join(" ")));
        });
    }
    lines
}
