//! Settings of the run as a whole: the device, the run folder, regions, report, watchdog, simulation.

use super::kind::{COUNT, Kind};
use super::section::section;

section! {
    Run "" {
        device: String, Kind::Text, "The device that the program is to use";
        dir as "run.dir": String, Kind::Text, "The run folder";
        strict as "pipeline.strict": bool, Kind::Bool, "Exit with code 6 when nothing was profiled";
        silence_limit_s as "pipeline.watchdog.silence_limit_s": Option<f64>, Kind::Seconds, "End a capture that has been silent for so long";
        record_env as "pipeline.artifacts.record_env": Vec<String>, Kind::Names, "Environment variables that env.json may record";
        redact as "pipeline.artifacts.redact": Vec<String>, Kind::Patterns, "Regular expressions for what is masked besides what looks secret";
    }
}

section! {
    /// How names of regions are folded, and what is known of regions before the run.
    Regions "pipeline.regions." {
        normalise: Vec<String>, Kind::Patterns, "Fold names that differ only in numbers: `layers`, `pytorch`, `REGEX=>REPLACEMENT`";
        labels: Vec<String>, Kind::Labels, "Regions that the program is known to have";
        from_run: Option<String>, Kind::Text, "A recording, a list of `rangescope regions`, an nsys export or an earlier run: its regions are taken as known";
    }
}

section! {
    Report "pipeline." {
        aggregate: bool, Kind::Bool, "Also report the aggregate over all processes and devices";
        formats as "report.formats": Vec<String>, Kind::Names, "The formats to write, as `rangescope report --help` lists them";
        top_kernels as "report.top_kernels": u64, Kind::Int { min: 0, max: COUNT }, "Kernels to list for each region";
        scopes as "report.scopes": Vec<String>, Kind::Names, "Scopes to report; empty is all";
    }
}

section! {
    Simulate "pipeline.simulate." {
        enable: bool, Kind::Bool, "Simulate the GPU instead of measuring one";
        seed: u64, Kind::Int { min: 0, max: i64::MAX }, "The seed of the simulation";
    }
}
