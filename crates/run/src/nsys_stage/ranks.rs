//! Recordings of ranks: each has an nsys, a recording and an export of its own, and what is wanted of the program is put together from those that came out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rangescope_capture::child::{ChildEvent, End, run};
use rangescope_capture::execute::{RankResult, RunEvent, execute};
use rangescope_capture::nsys::{NsysInfo, capture_of_ranks, export_argv, profile_argv};
use rangescope_capture::plan::{Capture, Inside};
use rangescope_model::observed::ObservedRange;
use rangescope_model::region::RegionKey;
use rangescope_read::nsys::{Database, TopKernels, TopRequest, Trace, top_kernels};
use rangescope_read::ranges::observed_in_trace;
use rangescope_report::{ExportOptions, Format, write_atomically};

use super::{NAME, NsysOutcome, NsysStage, child};
use crate::launch::Placement;
use crate::{Event, Job, RunError, load, ncu_stage};

/// What is recorded where the launcher starts the profiler.
pub(super) fn capture(job: &Job, info: &NsysInfo) -> Result<Option<Capture>, RunError> {
    let placement = Placement::of(job)?;
    let Some(launch) = &placement.inside else { return Ok(None) };
    let (folder, own) = (placement.folder(job.folder.nsys())?, Placement::own()?);
    let inside = Inside {
        launch,
        own: &own,
        ranks: &placement.ranks,
        silence_limit: job.silence_limit(),
        peers: false,
    };
    let options = &job.settings.nsys;
    let outside = folder.join(format!("{NAME}.partial"));
    let outside = profile_argv(options, info, &outside, &job.program)?;
    Ok(Some(capture_of_ranks(NAME, options, info, &folder, &inside, outside)?))
}

impl NsysStage {
    pub(super) fn record_ranks(
        &self,
        capture: &Capture,
        job: &Job,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<NsysOutcome, RunError> {
        let options = ncu_stage::execute_options(job, true);
        let mut told = |event: RunEvent<'_>| match event {
            RunEvent::Begun(..) => {}
            RunEvent::Child(_, event) => tell(Event::Nsys(event)),
            RunEvent::Ended(_, result) => tell(Event::Recorded(result)),
        };
        let recorded = execute(std::slice::from_ref(capture), &options, &mut run, &mut told)?;
        if recorded.interrupted {
            return Err(RunError::Interrupted);
        }
        let ranks: Vec<&RankResult> =
            recorded.captures.iter().flat_map(|capture| &capture.ranks).collect();
        let mut exports = Vec::new();
        for report in ranks.iter().filter_map(|rank| rank.report.as_deref()) {
            let mut quiet = |event: ChildEvent<'_>| tell(Event::Nsys(event));
            exports.push(self.export(job, report, &mut quiet)?);
        }
        if exports.is_empty() {
            return Err(RunError::NothingFromNsys { folder: job.folder.nsys() });
        }
        let is_well = recorded.captures.iter().all(|capture| !capture.ended_badly())
            && ranks.iter().all(|rank| rank.is_well());
        let end = End::Exited(i32::from(!is_well));
        together(job, &exports, end)
    }

    /// The export of the recording of a rank; one that is there is of this recording, which a new one would have replaced.
    fn export(
        &self,
        job: &Job,
        report: &Path,
        tell: &mut dyn FnMut(ChildEvent<'_>),
    ) -> Result<PathBuf, RunError> {
        let (sqlite, partial) =
            (report.with_extension("sqlite"), report.with_extension("partial.sqlite"));
        if job.resume && sqlite.is_file() {
            return Ok(sqlite);
        }
        let stem = report.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let argv = export_argv(&self.info, report, &partial);
        child(job, &argv, &format!("{stem}.export"), tell)?;
        self.complete(&partial, Some(&sqlite))?;
        Ok(sqlite)
    }
}

/// Kernels, ranges, and a report by region and rank, of all exports.
fn together(job: &Job, exports: &[PathBuf], end: End) -> Result<NsysOutcome, RunError> {
    let folder = job.folder.nsys();
    let whole = TopRequest { top: usize::MAX, ..TopRequest::default() };
    let mut lists = Vec::new();
    let mut ranges: BTreeMap<RegionKey, ObservedRange> = BTreeMap::new();
    let mut has_kernels = false;
    for export in exports {
        let database = Database::open(export)?;
        let trace = Trace::read(&database)?;
        has_kernels |= !trace.kernels().is_empty();
        lists.push(top_kernels(&database, &whole)?);
        for range in observed_in_trace(&trace)?.ranges {
            // Ranks do the same: what one of them opened the others open, too.
            let known = ranges
                .entry(range.key.clone())
                .or_insert_with(|| ObservedRange::of(range.key.clone()));
            known.count = sum(known.count, range.count);
            known.launches = sum(known.launches, range.launches);
        }
    }
    let top = usize::try_from(job.settings.nsys.top_kernels).unwrap_or(usize::MAX);
    let mut top = TopKernels::merged(lists, top);
    top.source = folder.display().to_string();
    write_atomically(&folder.join("top_kernels.json"), |out| top.write(out))?;
    if has_kernels {
        let loaded = load(exports, &|options| Ok(options), &|_, _| {})?;
        for (format, name) in [("json", "report.json"), ("markdown", "report.md")] {
            if let Some(write) = Format::find(format).and_then(|format| format.report) {
                let options = ExportOptions::default();
                write_atomically(&folder.join(name), |out| write(&loaded.document, &options, out))?;
            }
        }
    }
    Ok(NsysOutcome { end, top, ranges: ranges.into_values().collect() })
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(one.unwrap_or(0).saturating_add(other?))
}
