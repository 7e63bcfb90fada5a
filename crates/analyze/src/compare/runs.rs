//! The documents of a side, taken apart into scopes and regions that can be matched with those of the other side.

use crate::aggregate::Normaliser;
use crate::compare::row::Row;
use indexmap::IndexMap;
use rangescope_model::comparison::RunInfo;
use rangescope_model::document::{Basis, RegionDocument, ScopeKind, ScopeReport};
use rangescope_model::region::RegionKey;

pub(crate) type ScopeKey = (String, Basis);

/// The regions of one scope in one run.
#[derive(Debug)]
pub(crate) struct ScopeRows<'d> {
    pub(crate) report: &'d ScopeReport,
    pub(crate) regions: IndexMap<RegionKey, RegionRow<'d>>,
}

/// A region in one run.
#[derive(Debug)]
pub(crate) struct RegionRow<'d> {
    pub(crate) row: Row<'d>,
    /// The names that a rule changed.
    pub(crate) renamed_from: Vec<&'d str>,
}

/// The scopes of one run.
pub(crate) type RunScopes<'d> = IndexMap<ScopeKey, ScopeRows<'d>>;

/// The scopes of the wanted kind in a document.
pub(crate) fn scopes<'d>(
    document: &'d RegionDocument,
    kind: ScopeKind,
    renames: &Normaliser,
) -> RunScopes<'d> {
    let reports = document.reports.iter().filter(|report| report.scope.kind == kind);
    let mut counted: [usize; 2] = [0, 0];
    let mut found = RunScopes::new();
    for report in reports {
        let ordinal = &mut counted[usize::from(report.basis == Basis::Range)];
        let key = (scope_key(report, *ordinal), report.basis);
        *ordinal += 1;
        found.entry(key).or_insert_with(|| ScopeRows { report, regions: rows(report, renames) });
    }
    found
}

/// Process ids differ from run to run: ranks are the same, and so is usually the order of processes.
fn scope_key(report: &ScopeReport, ordinal: usize) -> String {
    match (report.scope.kind, report.scope.rank) {
        (ScopeKind::Process, Some(rank)) => format!("rank:{rank}"),
        (ScopeKind::Process, None) => format!("process:{ordinal}"),
        _ => report.scope.id.clone(),
    }
}

fn rows<'d>(report: &'d ScopeReport, renames: &Normaliser) -> IndexMap<RegionKey, RegionRow<'d>> {
    let mut rows: IndexMap<RegionKey, RegionRow<'d>> = IndexMap::new();
    for region in &report.regions {
        let path: Vec<String> =
            region.path.iter().map(|name| renames.fold(name).0.into_owned()).collect();
        let renamed_from = (path != region.path).then_some(region.name.as_str());
        let key = RegionKey { domain: region.domain.clone(), kind: region.kind, path };
        let row = Row::region(region);
        match rows.get_mut(&key) {
            Some(known) => {
                known.row.add(row);
                known.renamed_from.extend(renamed_from);
            }
            None => {
                let renamed_from = renamed_from.into_iter().collect();
                rows.insert(key, RegionRow { row, renamed_from });
            }
        }
    }
    rows
}

/// All durations of the runs of a side, and sums of them, in nanoseconds.
pub(crate) fn durations_ns<'d>(runs: &'d [RunScopes<'_>]) -> impl Iterator<Item = f64> + use<'d> {
    let reports = runs.iter().flat_map(|run| run.values()).map(|scope| scope.report);
    let times = reports.flat_map(|report| {
        let regions =
            report.regions.iter().map(|region| (region.set.total_ms, &region.set.kernels));
        let totals = [(report.totals.total_ms, &report.totals.kernels)];
        regions.chain(totals).flat_map(|(total, kernels)| {
            let kernels = kernels.iter().flat_map(|kernel| {
                let shapes = kernel.launch_shapes.iter().map(|shape| shape.total_ms);
                shapes.chain([kernel.total_ms])
            });
            kernels.chain([total])
        })
    });
    times.flatten().map(|ms| ms * 1e6)
}

/// What is known about the runs of a side; one without a name is called as its files are.
pub(crate) fn infos(documents: &[RegionDocument], names: &[String]) -> Vec<RunInfo> {
    let names = names.iter().map(Some).chain(std::iter::repeat(None));
    documents.iter().zip(names).map(|(document, name)| info(document, name)).collect()
}

fn info(document: &RegionDocument, name: Option<&String>) -> RunInfo {
    let devices = document.devices.iter().map(|device| match &device.name {
        Some(name) => name.clone(),
        None => format!("device {}", device.id),
    });
    let files: Vec<String> = document.sources.iter().map(|source| source.file.clone()).collect();
    let by_files = || match files.as_slice() {
        [] => "a run".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    RunInfo {
        name: name.cloned().unwrap_or_else(by_files),
        files,
        captured_at: document.generated_at.clone(),
        config_fingerprint: document.config_fingerprint.clone(),
        simulated: document.simulated,
        devices: devices.collect(),
        profilers: distinct(document.sources.iter().filter_map(|source| source.profiler.clone())),
    }
}

/// Each text once, in order of first appearance.
pub(crate) fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.collect::<indexmap::IndexSet<String>>().into_iter().collect()
}
