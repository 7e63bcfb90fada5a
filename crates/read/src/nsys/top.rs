//! The kernels that take the most time, as a list that a following ncu stage can take as its filter.
//!
//! The list is a small JSON file. It holds kernels by name and nothing that has to be kept in step with them, so that it may be edited by hand: only
//! `schema_version` and a `name` per kernel have to be there.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use rangescope_model::nearest::not_seen;
use rangescope_model::region::RegionKey;
use rangescope_model::select::{RegionSelector, SelectorForm};
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::Rename;
use crate::nsys::database::{Database, SQLITE_START};
use crate::nsys::error::NsysError;
use crate::nsys::names::NameId;
use crate::nsys::regions::RegionId;
use crate::nsys::summary::{Grouping, Groups, NamedRegion, RowKey, region_name};
use crate::nsys::trace::Trace;

pub const TOP_SCHEMA: u64 = 1;

#[derive(Debug, Default)]
pub struct TopRequest {
    /// With `by_region`, of each region.
    pub top: usize,
    /// Lists the kernels that matter in each region instead of those that matter overall.
    pub by_region: bool,
    /// Only kernels launched in these regions or inside of them; all kernels if there are none.
    pub selectors: Vec<RegionSelector>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopKernels {
    pub schema_version: u64,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub top: u64,
    #[serde(default)]
    pub by_region: bool,
    /// The regions that were asked for, as they were written.
    #[serde(default)]
    pub selectors: Vec<String>,
    /// The time of all kernels that were looked at; shares are of this.
    #[serde(default)]
    pub total_ns: u64,
    /// The kernels, longest in total first.
    pub kernels: Vec<TopKernel>,
    /// With `by_region`, the kernels of each region.
    #[serde(default)]
    pub regions: Vec<RegionTop>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopKernel {
    /// The demangled name with templates and arguments.
    pub name: String,
    /// The name of the function alone.
    #[serde(default)]
    pub base_name: String,
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub total_ns: u64,
    /// Its part of the time of all kernels that were looked at, from 0 to 1.
    #[serde(default)]
    pub share: f64,
    /// The innermost regions that it was launched in, where it ran longest first.
    #[serde(default)]
    pub regions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionTop {
    /// The region by its name for people.
    pub region: String,
    pub domain: String,
    /// The names from the outermost region to this one.
    pub path: Vec<String>,
    pub total_ns: u64,
    /// Its kernels by their demangled names, longest in total first.
    pub kernels: Vec<String>,
}

pub fn top_kernels(database: &Database, request: &TopRequest) -> Result<TopKernels, NsysError> {
    top_kernels_renamed(database, request, &|_| None)
}

/// With other names for ranges; what `rename` has none for keeps its own.
pub fn top_kernels_renamed(
    database: &Database,
    request: &TopRequest,
    rename: Rename<'_>,
) -> Result<TopKernels, NsysError> {
    for selector in &request.selectors {
        if matches!(selector.form(), SelectorForm::Ncu(_)) {
            return Err(NsysError::Selector { text: selector.text().to_owned() });
        }
    }
    let trace = Trace::read_renamed(database, rename)?;
    let groups = Groups::of(&trace, Grouping { per_device: false, ..Grouping::default() })?;
    let chosen = Chosen::new(&trace, &request.selectors);
    let mut kernels = all_kernels(&trace, &groups, &chosen);
    let total_ns = kernels.values().fold(0_u64, |sum, kernel| sum.saturating_add(kernel.total_ns));
    for kernel in kernels.values_mut() {
        kernel.share = share(kernel.total_ns, total_ns);
    }
    kernels.sort_by(|_, a, _, b| (b.total_ns, &a.name).cmp(&(a.total_ns, &b.name)));

    let mut regions = Vec::new();
    if request.by_region {
        let listed = by_region(&trace, &groups, &chosen, request.top);
        let wanted: FxHashSet<NameId> =
            listed.iter().flat_map(|(_, kernels)| kernels).copied().collect();
        kernels.retain(|name, _| wanted.contains(name));
        let named = |(region, names): (RegionTop, Vec<NameId>)| RegionTop {
            kernels: names.into_iter().map(|name| trace.name(name).to_owned()).collect(),
            ..region
        };
        regions = listed.into_iter().map(named).collect();
    } else {
        kernels.truncate(request.top);
    }
    Ok(TopKernels {
        schema_version: TOP_SCHEMA,
        source: database.path().display().to_string(),
        top: request.top as u64,
        by_region: request.by_region,
        selectors: request.selectors.iter().map(|selector| selector.text().to_owned()).collect(),
        total_ns,
        kernels: kernels.into_values().collect(),
        regions,
        notes: trace.notes().iter().cloned().chain(chosen.not_seen(&request.selectors)).collect(),
    })
}

struct Chosen<'a> {
    trace: &'a Trace,
    /// Nothing if all are.
    regions: Option<FxHashSet<RegionId>>,
}

impl<'a> Chosen<'a> {
    fn new(trace: &'a Trace, selectors: &[RegionSelector]) -> Self {
        let is_named = |&id: &RegionId| {
            trace.region(id).is_some_and(|region| {
                let path: Vec<&str> = region.path.iter().map(String::as_str).collect();
                selectors.iter().any(|selector| selector.names(&region.domain, &path))
            })
        };
        let regions =
            (!selectors.is_empty()).then(|| trace.regions.ids().filter(is_named).collect());
        Self { trace, regions }
    }

    /// A sentence for each selector that names no region.
    fn not_seen(&self, selectors: &[RegionSelector]) -> Vec<String> {
        let ids = || self.trace.regions.ids();
        let keys: Vec<RegionKey> = ids().filter_map(|id| self.trace.region(id)).collect();
        let names = |selector: &RegionSelector, key: &RegionKey| {
            let path: Vec<&str> = key.path.iter().map(String::as_str).collect();
            selector.names(&key.domain, &path)
        };
        let own_names = || keys.iter().filter_map(|key| Some(key.path.last()?.as_str()));
        let unseen =
            selectors.iter().filter(|selector| !keys.iter().any(|key| names(selector, key)));
        unseen.map(|selector| not_seen("region", selector.text(), own_names())).collect()
    }

    fn is_region(&self, region: RegionId) -> bool {
        self.regions.as_ref().is_none_or(|regions| regions.contains(&region))
    }

    fn is_place(&self, innermost: &[RegionId]) -> bool {
        self.regions.is_none() || !self.regions_around(innermost).is_empty()
    }

    /// The chosen ones among these regions and those around them.
    fn regions_around(&self, innermost: &[RegionId]) -> IndexSet<RegionId, FxBuildHasher> {
        let around = innermost.iter().flat_map(|&id| self.trace.regions.with_ancestors(id));
        around.filter(|&id| self.is_region(id)).collect()
    }
}

fn all_kernels(
    trace: &Trace,
    groups: &Groups,
    chosen: &Chosen<'_>,
) -> IndexMap<NameId, TopKernel, FxBuildHasher> {
    let mut kernels: IndexMap<NameId, TopKernel, FxBuildHasher> = IndexMap::default();
    for (key, members) in groups.by_kernel(|place| chosen.is_place(place)) {
        let (calls, time) = groups.sum(&members);
        let mut places: IndexMap<RegionId, u64, FxBuildHasher> = IndexMap::default();
        for (regions, time) in groups.places(&members) {
            for &region in regions {
                let sum = places.entry(region).or_default();
                *sum = sum.saturating_add(time);
            }
        }
        let named = |(region, time)| Some((time, region_name(trace, RowKey::Path(region))?.name));
        let mut regions: Vec<(u64, String)> = places.into_iter().filter_map(named).collect();
        regions.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
        let regions: IndexSet<String> = regions.into_iter().map(|(_, name)| name).collect();
        let kernel = kernels.entry(key.name).or_insert_with(|| TopKernel {
            name: trace.name(key.name).to_owned(),
            base_name: trace.name(key.base_name).to_owned(),
            calls: 0,
            total_ns: 0,
            share: 0.0,
            regions: Vec::new(),
        });
        kernel.calls += calls;
        kernel.total_ns = kernel.total_ns.saturating_add(time.total_ns);
        kernel.regions.extend(regions);
    }
    kernels
}

/// The regions with their kernels, by domain and path.
fn by_region(
    trace: &Trace,
    groups: &Groups,
    chosen: &Chosen<'_>,
    top: usize,
) -> Vec<(RegionTop, Vec<NameId>)> {
    type Times = IndexMap<NameId, u64, FxBuildHasher>;
    let mut regions: IndexMap<RegionId, Times, FxBuildHasher> = IndexMap::default();
    for (key, members) in groups.by_kernel(|_| true) {
        for (innermost, time) in groups.places(&members) {
            for region in chosen.regions_around(innermost) {
                let sum = regions.entry(region).or_default().entry(key.name).or_default();
                *sum = sum.saturating_add(time);
            }
        }
    }
    let listed = |(region, mut times): (RegionId, Times)| {
        let total_ns = times.values().fold(0_u64, |sum, &time| sum.saturating_add(time));
        times.sort_by(|a, a_time, b, b_time| {
            b_time.cmp(a_time).then_with(|| trace.name(*a).cmp(trace.name(*b)))
        });
        let NamedRegion { key, name } = region_name(trace, RowKey::Path(region))?;
        let row = RegionTop {
            region: name,
            domain: key.domain,
            path: key.path,
            total_ns,
            kernels: Vec::new(),
        };
        Some((key.kind, row, times.into_keys().take(top).collect()))
    };
    let mut listed: Vec<(_, RegionTop, Vec<NameId>)> =
        regions.into_iter().filter_map(listed).collect();
    listed.sort_by(|a, b| (&a.1.domain, a.0, &a.1.path).cmp(&(&b.1.domain, b.0, &b.1.path)));
    listed.into_iter().map(|(_, row, kernels)| (row, kernels)).collect()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl TopKernels {
    /// One list of those of several traces, which have to be whole, of the longest kernels in all of them.
    pub fn merged(lists: impl IntoIterator<Item = Self>, top: usize) -> Self {
        let mut kernels: IndexMap<String, TopKernel> = IndexMap::new();
        let mut merged = Self { schema_version: TOP_SCHEMA, top: top as u64, ..Self::default() };
        for list in lists {
            merged.total_ns = merged.total_ns.saturating_add(list.total_ns);
            for note in list.notes {
                if !merged.notes.contains(&note) {
                    merged.notes.push(note);
                }
            }
            for kernel in list.kernels {
                match kernels.get_mut(&kernel.name) {
                    Some(known) => {
                        known.calls += kernel.calls;
                        known.total_ns = known.total_ns.saturating_add(kernel.total_ns);
                        for region in kernel.regions {
                            if !known.regions.contains(&region) {
                                known.regions.push(region);
                            }
                        }
                    }
                    None => drop(kernels.insert(kernel.name.clone(), kernel)),
                }
            }
        }
        merged.kernels = kernels.into_values().collect();
        for kernel in &mut merged.kernels {
            kernel.share = share(kernel.total_ns, merged.total_ns);
        }
        merged.kernels.sort_by(|a, b| (b.total_ns, &a.name).cmp(&(a.total_ns, &b.name)));
        merged.kernels.truncate(top);
        merged
    }

    pub fn demangled_names(&self) -> Vec<&str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str()).collect()
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// Reads a list that [`write`](Self::write) or a person wrote.
    pub fn read(path: &Path) -> Result<Self, NsysError> {
        /// The part that every version of the format has.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u64,
        }
        let unreadable = |cause| NsysError::Read { path: path.to_owned(), cause };
        let other = |cause: String| NsysError::NotAList { path: path.to_owned(), cause };
        let bytes = ncu_rep::file::read(path, ncu_rep::limits::SMALL_FILE).map_err(unreadable)?;
        if bytes.starts_with(SQLITE_START) {
            return Err(other("it is an export of nsys".to_owned()));
        }
        let version: Version =
            serde_json::from_slice(&bytes).map_err(|error| other(error.to_string()))?;
        if version.schema_version != TOP_SCHEMA {
            return Err(NsysError::ListVersion {
                path: path.to_owned(),
                found: version.schema_version,
                known: TOP_SCHEMA,
            });
        }
        let list: Self =
            serde_json::from_slice(&bytes).map_err(|error| other(error.to_string()))?;
        match list.kernels.iter().position(|kernel| kernel.name.is_empty()) {
            Some(index) => Err(other(format!("kernel {} has no name", index + 1))),
            None => Ok(list),
        }
    }
}
