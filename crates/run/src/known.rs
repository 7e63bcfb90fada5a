//! What is known of a program's regions before it is run: from labels, or from what an earlier run left.

use std::path::Path;

use rangescope_capture::diagnose::ObservedRange;
use rangescope_capture::plan::KnownRegions;
use rangescope_model::launch::OpenRanges;
use rangescope_model::recorded::RecordedRegions;
use rangescope_model::region::RegionKey;
use rangescope_read::recording::{Recording, regions};
use rangescope_read::{Input, open_ranges};

use crate::RunError;

/// The regions of an earlier run.
#[derive(Clone, Debug)]
pub struct Known {
    /// For the plan: which regions there are and which were open together.
    pub regions: KnownRegions,
    /// For a diagnosis: which ranges the program opened.
    pub ranges: Vec<ObservedRange>,
    /// The process of the program itself among those that opened them, if that is known.
    pub main_process: Option<u32>,
}

/// Reads the regions of a recording, or of an earlier run's folder or report.
pub fn known_regions(path: &Path) -> Result<Known, RunError> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return recorded_file(path).map(|recorded| of_recording(&recorded));
    }
    if is_recording(path) {
        return Ok(of_recording(&regions(&Recording::open(path)?)));
    }
    of_reports(path)
}

/// A folder with files of the recorder in it.
fn is_recording(path: &Path) -> bool {
    let is_record = |path: &Path| path.extension().is_some_and(|extension| extension == "nvtx");
    let entries = fs_err::read_dir(path).into_iter().flatten().flatten();
    is_record(path) || entries.map(|entry| entry.path()).any(|path| is_record(&path))
}

/// What `rangescope regions --format json` wrote.
fn recorded_file(path: &Path) -> Result<RecordedRegions, RunError> {
    let text = fs_err::read_to_string(path)
        .map_err(|cause| RunError::Read { path: path.to_owned(), cause })?;
    serde_json::from_str(&text).map_err(|error| RunError::Earlier {
        path: path.to_owned(),
        message: format!("not what `rangescope regions --format json` writes: {error}"),
    })
}

fn of_recording(recorded: &RecordedRegions) -> Known {
    // The last tree is over all processes.
    let Some(tree) = recorded.reports.last() else {
        return Known { regions: KnownRegions::new([]), ranges: Vec::new(), main_process: None };
    };
    let known: Vec<RegionKey> = tree.regions.iter().map(|region| region.key().to_key()).collect();
    let ranges = recorded.processes.iter().zip(&recorded.reports).flat_map(|(process, tree)| {
        tree.regions.iter().map(|region| ObservedRange {
            count: Some(region.instances),
            process: Some(process.process_id),
            ..ObservedRange::of(region.key().to_key())
        })
    });
    // Processes come in order of their beginning, and a program begins before what it starts.
    let main_process = recorded.processes.first().map(|process| process.process_id);
    let regions = if tree.open_together_complete {
        KnownRegions::seen_together(&known, tree.open_together.iter().copied())
    } else {
        KnownRegions::new(known.iter().cloned())
    };
    Known { regions, ranges: ranges.collect(), main_process }
}

fn of_reports(path: &Path) -> Result<Known, RunError> {
    let inputs = Input::open_all(&[path.to_owned()])?;
    let results = inputs
        .iter()
        .flat_map(|input| (0..input.source.len()).filter_map(|index| input.source.decode(index)));
    let states: Vec<_> = results.filter_map(|result| result.into_owned().nvtx).collect();
    let open: Vec<Vec<OpenRanges<'_>>> =
        states.iter().map(|state| open_ranges(Some(state))).collect();
    Ok(Known {
        regions: KnownRegions::from_results(open.iter().map(Vec::as_slice)),
        ranges: observed(&open),
        main_process: None,
    })
}

/// Every range once, with how many kernels were launched in it; how often it was opened a report does not tell.
fn observed(results: &[Vec<OpenRanges<'_>>]) -> Vec<ObservedRange> {
    let mut ranges = Vec::new();
    let launched = |range: ObservedRange| ObservedRange { launches: Some(1), ..range };
    for domain in results.iter().flatten() {
        let mut path = Vec::new();
        for name in &domain.push_pop {
            path.push((*name).to_owned());
            ranges.push(launched(ObservedRange::push_pop(domain.domain, path.clone())));
        }
        for (_, name) in &domain.start_end {
            ranges.push(launched(ObservedRange::start_end(domain.domain, *name)));
        }
    }
    let mut merged = ObservedRange::merged(ranges);
    for range in &mut merged {
        range.count = None;
    }
    merged
}
