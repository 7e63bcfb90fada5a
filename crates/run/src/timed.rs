//! Recordings and exports of Nsight Systems: they have ranges, kernels and times, and no results of ncu. Traces of kernels are reported as results that have only times; both are handed over to other programs.

use std::path::PathBuf;
use std::sync::Arc;

use rangescope_model::timeline::Timeline;
use rangescope_read::Input;
use rangescope_read::timeline::{Timed as Kind, TimedResults, read};
use rangescope_report::ExportOptions;
use rangescope_report::tables::Table;
use rangescope_report::tables::schema::{
    KERNELS, PROCESSES, REGION_METRICS, REGIONS, SCOPES, SPANS,
};

use crate::analysis::Progress;
use crate::load::load_results;
use crate::{Loaded, RunError, of_inputs};

/// A recording or an export of Nsight Systems, with what it has as results.
pub(crate) struct Timed {
    kind: Kind,
    timeline: Arc<Timeline>,
    pub(crate) input: Input,
}

impl Timed {
    pub(crate) fn is_of_kernels(&self) -> bool {
        self.timeline.has_kernels()
    }
}

/// Reads what paths name, if each of them is a recording or an export of Nsight Systems.
pub(crate) fn inputs(paths: &[PathBuf]) -> Result<Option<Vec<Timed>>, RunError> {
    let mut all = Vec::new();
    for path in paths {
        // Results of ncu beside it would be measured by other means.
        let Some((kind, timeline)) = read(path)? else { return Ok(None) };
        let timeline = Arc::new(timeline);
        let source = Box::new(TimedResults::new(kind, Arc::clone(&timeline)));
        all.push(Timed { kind, timeline, input: Input { path: path.clone(), source } });
    }
    Ok(Some(all))
}

/// What an export is made from.
#[derive(Debug)]
pub struct Exported {
    pub loaded: Loaded,
    /// Ranges and kernels with their times, by file; none for results of ncu.
    pub timelines: Vec<(String, Arc<Timeline>)>,
    kinds: Vec<Kind>,
}

/// Reads what paths name: results of ncu, or else recordings and exports of Nsight Systems.
pub fn load_for_export(paths: &[PathBuf], progress: Progress<'_>) -> Result<Exported, RunError> {
    let adjust = &|options| Ok(options);
    let refused = match load_results(paths, adjust, progress) {
        Ok(loaded) => return Ok(Exported { loaded, timelines: Vec::new(), kinds: Vec::new() }),
        Err(error @ RunError::OfAnotherVerb { .. }) => error,
        Err(error) => return Err(error),
    };
    let (mut all, mut timelines, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for Timed { kind, timeline, input } in inputs(paths)?.ok_or(refused)? {
        timelines.push((input.file_name(), timeline));
        kinds.push(kind);
        all.push(input);
    }
    Ok(Exported { loaded: of_inputs(all, adjust, progress)?, timelines, kinds })
}

impl Exported {
    /// What it is.
    pub fn what(&self) -> &'static str {
        match self.kinds.first() {
            None if self.loaded.inputs.is_empty() => "what was added up before",
            None => "a report of ncu",
            Some(Kind::Nsys) => "an export of Nsight Systems",
            Some(Kind::Recording) => "a recording",
        }
    }

    /// Whether it has anything for a table.
    pub fn has(&self, table: &Table) -> bool {
        let is = |one: &Table| one.name == table.name;
        match self.kinds.as_slice() {
            [] if self.loaded.inputs.is_empty() => {
                is(&SCOPES) || is(&REGIONS) || is(&REGION_METRICS) || is(&KERNELS)
            }
            [] => !is(&SPANS),
            _ if is(&KERNELS) => self.of_the_gpu(),
            _ => is(&PROCESSES) || is(&SCOPES) || is(&REGIONS) || is(&SPANS),
        }
    }

    /// What formats are told of it.
    pub fn options(&self, options: ExportOptions) -> ExportOptions {
        ExportOptions { ranges_are_timed: !self.of_the_gpu(), ..options }
    }

    /// Whether times are those of the GPU, and not those between the beginnings and ends of ranges.
    fn of_the_gpu(&self) -> bool {
        self.timelines.is_empty() || self.timelines.iter().any(|(_, one)| one.has_kernels())
    }
}
