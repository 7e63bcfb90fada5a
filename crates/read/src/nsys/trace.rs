//! What an export says about ranges and kernels, read once into memory.

use rangescope_model::region::RegionKey;

use crate::Rename;
use crate::nsys::attribute::{Attribution, StartEndScope, attribute};
use crate::nsys::database::Database;
use crate::nsys::error::NsysError;
use crate::nsys::kernels::{Kernel, RawKernels};
use crate::nsys::names::{NameId, Names};
use crate::nsys::origin::Origin;
use crate::nsys::ranges::{Range, RawRanges};
use crate::nsys::regions::{RegionId, RegionTable};
use crate::nsys::strings::Strings;
use crate::nsys::summary::Source;

#[derive(Debug)]
pub struct Trace {
    pub(crate) source: Source,
    pub(crate) origin: Origin,
    pub(crate) names: Names,
    pub(crate) ranges: Vec<Range>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) regions: RegionTable,
    notes: Vec<String>,
}

impl Trace {
    /// Reads ranges, kernels and the calls that launched them.
    pub fn read(database: &Database) -> Result<Self, NsysError> {
        Self::read_renamed(database, &|_| None)
    }

    /// With other names for ranges; what `rename` has none for keeps its own.
    pub fn read_renamed(database: &Database, rename: Rename<'_>) -> Result<Self, NsysError> {
        let mut names = Names::default();
        let raw_ranges = RawRanges::read(database, &mut names)?;
        let raw_kernels = RawKernels::read(database)?;
        let wanted = raw_ranges.registered().chain(raw_kernels.registered());
        let strings = Strings::read(database, wanted, &mut names)?;
        let end_of_trace = raw_ranges.latest.max(raw_kernels.latest).unwrap_or(0);
        let skipped = [(raw_ranges.skipped, "ranges"), (raw_kernels.skipped, "kernels")];

        let mut regions = RegionTable::default();
        let ranges = raw_ranges.nest(&mut names, &strings, rename, &mut regions, end_of_trace);
        let kernels = raw_kernels.resolve(&mut names, &strings);
        let mut trace = Self {
            source: Source::of(database),
            origin: Origin::read(database)?,
            names,
            ranges,
            kernels,
            regions,
            notes: Vec::new(),
        };
        let mut graphs = 0;
        database.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &[], 0, |_| graphs += 1)?;
        trace.notes = trace.make_notes(graphs, &skipped);
        Ok(trace)
    }

    /// The ranges in order of time.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// The kernels in the order of their table.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    pub fn region(&self, id: RegionId) -> Option<RegionKey> {
        self.regions.describe(id, &self.names)
    }

    /// The rank that a launcher gave the program that nsys started.
    pub fn rank(&self) -> Option<u32> {
        self.origin.rank
    }

    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The regions of every kernel, from the inside, in the order of [`kernels`](Self::kernels); in no particular order between domains.
    pub fn regions_of_kernels(
        &self,
        scope: StartEndScope,
    ) -> Result<Vec<Vec<RegionId>>, NsysError> {
        let attribution = self.attribute(scope)?;
        let around = |kernel| {
            let innermost = attribution.regions(attribution.place(kernel));
            innermost.iter().flat_map(|&region| self.regions.with_ancestors(region)).collect()
        };
        Ok((0..self.kernels.len()).map(around).collect())
    }

    pub(crate) fn attribute(&self, scope: StartEndScope) -> Result<Attribution, NsysError> {
        attribute(&self.ranges, &self.kernels, scope).ok_or_else(|| NsysError::Damaged {
            path: self.source.path.clone(),
            cause: "more ranges are open at once than any program opens".to_owned(),
        })
    }

    fn make_notes(&self, graphs: u64, skipped: &[(u64, &str)]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.ranges.is_empty() {
            notes.push("the trace has no NVTX ranges".to_owned());
        }
        if self.kernels.is_empty() {
            notes.push("the trace has no kernels".to_owned());
        }
        if graphs > 0 {
            notes.push(format!(
                "{graphs} launches of CUDA graphs were traced as a whole, so their kernels are missing; nsys traces them with --cuda-graph-trace=node"
            ));
        }
        let homeless = self.kernels.iter().filter(|kernel| kernel.call.is_none()).count();
        if homeless > 0 {
            notes.push(format!(
                "{homeless} of {} kernels have no launching call in the trace and belong to no region",
                self.kernels.len()
            ));
        }
        for (count, what) in skipped.iter().filter(|(count, _)| *count > 0) {
            notes.push(format!("{count} rows of the table of {what} are incomplete and left out"));
        }
        if self.regions.too_deep > 0 {
            notes.push(format!(
                "{} ranges are nested too deep and counted as part of the range around them; the program may forget to pop ranges",
                self.regions.too_deep
            ));
        }
        notes
    }
}
