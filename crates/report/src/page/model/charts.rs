//! The charts of regions and kernels: memory, warp states, pipes, occupancy, and what only single results hold.
//!
//! Every number and every place in the memory chart is that of `rangescope kernel` and `rangescope plot`; what repeats (links, layouts, reasons) is stored once.
//! What is kept is bounded, the heaviest first.

use rangescope_analyze::insight::details::model::{
    Extremes, MemoryLink, NotCollected, Occupancy, Reading, WarpState,
};
use rangescope_analyze::insight::details::{self, Metrics};
use rangescope_analyze::insight::kernel::{LongestLaunch, not_in_results};
use rangescope_model::document::{KernelSummary, Region, RegionDocument, ScopeReport};
use rangescope_model::number::weight;
use rangescope_model::region::RegionRef;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::launches::PageLaunch;
use super::number::Number;
use super::pool::{Pool, Texts};
use crate::kernel::{LEAST, busy_links, suffix};
use crate::plot::MemoryLayout;

/// What the charts of single kernels are made from, for a page.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCharts {
    /// The same results with the metrics of charts for each kernel, of the heaviest kernels where there are many.
    pub document: RegionDocument,
    /// The longest launches of the heaviest kernels.
    pub launches: Vec<LongestLaunch>,
}

/// Different charts of regions, and of kernels in regions, that a page keeps; each takes about a kilobyte.
const MOST_OF_REGIONS: usize = 500;
const MOST_OF_KERNELS: usize = 800;
/// All charts of a page.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Charts {
    links: Pool<Link>,
    /// Name, meaning, and 1 for a stall.
    states: Pool<(u32, u32, u8)>,
    layouts: Pool<Layout>,
    /// What was not collected, each with its sections.
    missing: Pool<Vec<Missing>>,
    all: Pool<Chart>,
    /// Whether there are charts by kernel beyond the key metrics.
    by_kernel: bool,
    /// Single launches; null where nobody looked for them.
    launches: Option<Vec<PageLaunch>>,
    /// What no launch holds, where they were looked at.
    not_in_launches: Vec<Missing>,
    #[serde(skip)]
    of_regions: usize,
    #[serde(skip)]
    of_kernels: usize,
    /// Kernels below this time have no charts.
    #[serde(skip)]
    least_ms: f64,
}

type Missing = (u32, Vec<u32>);

/// What flows from where to where, with what stands behind its amount and the metrics that state it.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Link {
    from: u32,
    to: u32,
    flow: u32,
    counted: u32,
    suffix: u32,
    metrics: Vec<u32>,
}

/// The places of the memory chart.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Layout {
    height: Number,
    /// Name, column, top and height.
    boxes: Vec<(u32, u8, Number, Number)>,
    /// Link, its boxes from left to right, height, and 1 where it flows to the right.
    flows: Vec<(u32, usize, usize, Number, u8)>,
    /// Links that have no place.
    elsewhere: Vec<u32>,
}

/// A number as it is, or with 1 if it is exact and the results that have it if not all do.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Value {
    Absent(()),
    Plain(Number),
    Marked(Number, u8, Option<u64>),
}

impl Value {
    fn of(reading: Option<&Reading>) -> Self {
        match reading {
            None => Self::Absent(()),
            Some(Reading { value, exact: true, covered: None, .. }) => {
                Self::Plain(Number::new(*value))
            }
            Some(Reading { value, exact, covered, .. }) => {
                Self::Marked(Number::new(*value), u8::from(*exact), *covered)
            }
        }
    }
}

/// Number, share, cycles, samples.
type State = (u32, Number, Value, Value);

#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Chart {
    memory: Option<Memory>,
    /// Cycles between two instructions, and the states.
    states: Option<(Value, Vec<State>)>,
    /// Name, busy cycles and instructions in per cent of what is possible.
    pipes: Vec<(u32, Value, Value)>,
    occupancy: Option<PageOccupancy>,
    missing: u32,
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct Memory {
    layout: u32,
    /// Amount, rate and per cent of the peak, in the order of the layout.
    links: Vec<(Value, Value, Value)>,
    /// Hit rate and how busy it is.
    boxes: Vec<(Value, Value)>,
    /// Links that were measured to carry nothing.
    idle: usize,
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct PageOccupancy {
    achieved: Value,
    possible: Option<(Number, Number)>,
    waves: Option<(Number, Number)>,
    /// Resource, and the fewest and most blocks that it allows.
    limits: Vec<(u32, Number, Number)>,
    limited_by: Vec<u32>,
}

impl Charts {
    /// Kernels have the charts that `given` suffices for, else those that the document itself does.
    pub(crate) fn new(
        texts: &mut Texts,
        document: &RegionDocument,
        given: Option<&KernelCharts>,
    ) -> Self {
        let launches = given.map(|given| &given.launches);
        let has = |holds: fn(&LongestLaunch) -> bool| launches.into_iter().flatten().any(holds);
        let lacking = launches.map(|_| {
            not_in_results(
                has(|launch| !launch.opcodes.is_empty()),
                has(|launch| !launch.sampled.series.is_empty()),
            )
        });
        Self {
            by_kernel: given.is_some(),
            not_in_launches: missing(texts, &lacking.unwrap_or_default()),
            launches: launches
                .map(|all| all.iter().map(|one| PageLaunch::of(texts, one)).collect()),
            of_regions: MOST_OF_REGIONS,
            of_kernels: MOST_OF_KERNELS,
            least_ms: least_ms(given.map_or(document, |given| &given.document)),
            ..Self::default()
        }
    }

    /// The number of a region's charts, −1 where there is no room for them.
    pub(crate) fn of_region(&mut self, texts: &mut Texts, metrics: &Metrics) -> i64 {
        if self.of_regions == 0 {
            return -1;
        }
        let (id, new) = self.add(texts, metrics);
        self.of_regions -= usize::from(new);
        id
    }

    /// Likewise of a kernel in a region.
    pub(crate) fn of_kernel(&mut self, texts: &mut Texts, kernel: &KernelSummary) -> i64 {
        if self.of_kernels == 0 || weight(kernel.total_ms) < self.least_ms {
            return -1;
        }
        let (id, new) = self.add(texts, &kernel.metrics);
        self.of_kernels -= usize::from(new);
        id
    }

    fn add(&mut self, texts: &mut Texts, metrics: &Metrics) -> (i64, bool) {
        let found = details::details(metrics);
        let memory = found.memory.as_ref().map(|chart| {
            let (links, idle) = busy_links(chart);
            let layout = MemoryLayout::of(chart, &links);
            let shown =
                layout.flows.iter().map(|flow| flow.link).chain(layout.elsewhere.iter().copied());
            let unit = |place| chart.units.iter().find(|unit| unit.place == place);
            Memory {
                links: shown
                    .map(|link| {
                        let [amount, rate, peak] = [&link.amount, &link.rate, &link.peak_pct]
                            .map(|reading| Value::of(reading.as_ref()));
                        (amount, rate, peak)
                    })
                    .collect(),
                boxes: layout
                    .boxes
                    .iter()
                    .map(|one| unit(one.place))
                    .map(|unit| {
                        let hit = unit.and_then(|unit| unit.hit_rate.as_ref());
                        (Value::of(hit), Value::of(unit.and_then(|unit| unit.busy.as_ref())))
                    })
                    .collect(),
                layout: self.layout(texts, &layout),
                idle,
            }
        });
        let states = found.stalls.as_ref().map(|stalls| {
            let is_worth = |state: &&WarpState| state.share.is_some_and(|share| share >= LEAST);
            let states = stalls.states.iter().filter(is_worth).map(|state| {
                let number =
                    (texts.add(&state.name), texts.add(&state.meaning), u8::from(state.is_stall));
                (
                    self.states.add(number).0,
                    Number::new(state.share.unwrap_or(f64::NAN)),
                    Value::of(state.cycles.as_ref()),
                    Value::of(state.samples.as_ref()),
                )
            });
            let states = states.collect();
            (Value::of(stalls.cycles_per_instruction.as_ref()), states)
        });
        let pipes = found.pipes.iter().filter(|pipe| pipe.busiest() >= 100.0 * LEAST);
        let chart = Chart {
            memory,
            states,
            pipes: pipes
                .map(|pipe| {
                    let cells = (
                        Value::of(pipe.cycles_pct.as_ref()),
                        Value::of(pipe.instructions_pct.as_ref()),
                    );
                    (texts.add(&pipe.name), cells.0, cells.1)
                })
                .collect(),
            occupancy: found.occupancy.as_ref().map(|found| occupancy(texts, found)),
            missing: self.missing.add(missing(texts, &found.not_collected)).0,
        };
        let (id, new) = self.all.add(chart);
        (i64::from(id), new)
    }

    fn layout(&mut self, texts: &mut Texts, layout: &MemoryLayout<'_>) -> u32 {
        let mut link = |link: &MemoryLink| {
            let metrics = link.amount.iter().chain(&link.rate).take(1);
            let link = Link {
                from: texts.add(link.from.name()),
                to: texts.add(link.to.name()),
                flow: texts.add(link.flow.name()),
                counted: texts.add(link.counted.name()),
                suffix: texts.add(&suffix(link)),
                metrics: metrics
                    .flat_map(|reading| &reading.metrics)
                    .map(|name| texts.add(name))
                    .collect(),
            };
            self.links.add(link).0
        };
        let flows = layout.flows.iter().map(|flow| {
            let y = Number::new(flow.y.round());
            (link(flow.link), flow.left, flow.right, y, u8::from(flow.is_rightward))
        });
        let flows = flows.collect();
        let elsewhere = layout.elsewhere.iter().map(|one| link(one)).collect();
        let boxes = layout.boxes.iter().map(|one| {
            let (y, height) = (Number::new(one.y.round()), Number::new(one.height.round()));
            (texts.add(one.place.name()), one.column, y, height)
        });
        let boxes = boxes.collect();
        let height = Number::new(layout.height.round());
        self.layouts.add(Layout { height, boxes, flows, elsewhere }).0
    }
}

fn missing(texts: &mut Texts, all: &[NotCollected]) -> Vec<Missing> {
    let one = |one: &NotCollected| {
        (texts.add(&one.what), one.sections.iter().map(|section| texts.add(section)).collect())
    };
    all.iter().map(one).collect()
}

fn occupancy(texts: &mut Texts, found: &Occupancy) -> PageOccupancy {
    let pair = |found: Extremes| (Number::new(found.least), Number::new(found.most));
    let limits = found.block_limits.iter().map(|limit| {
        let (least, most) = pair(limit.blocks);
        (texts.add(&limit.resource), least, most)
    });
    PageOccupancy {
        limits: limits.collect(),
        achieved: Value::of(found.achieved.as_ref()),
        possible: found.possible.map(pair),
        waves: found.waves.map(pair),
        limited_by: found.limited_by.iter().map(|resource| texts.add(resource)).collect(),
    }
}

/// The time of the lightest kernel in a region for which there is room.
fn least_ms(document: &RegionDocument) -> f64 {
    let sets = document.reports.iter().flat_map(|report| {
        let regions = report.regions.iter().chain(&report.families);
        let totals = [&report.totals.kernels, &report.unlabeled.kernels];
        totals.into_iter().chain(regions.map(|region| &region.set.kernels))
    });
    let mut seen = FxHashSet::default();
    let mut weights: Vec<f64> = Vec::new();
    for kernel in sets.flatten() {
        let ms = weight(kernel.total_ms);
        // A kernel of the same launches in several regions around each other has the same charts.
        if seen.insert((kernel.kernel_name.as_str(), kernel.calls, ms.to_bits())) {
            weights.push(ms);
        }
    }
    weights.sort_by(|left, right| right.total_cmp(left));
    weights.get(MOST_OF_KERNELS - 1).copied().unwrap_or(0.0)
}

/// A report with the metrics of charts for each kernel; empty where the scope has none.
#[derive(Debug)]
pub(crate) struct Detailed<'d> {
    pub(crate) totals: &'d [KernelSummary],
    pub(crate) unlabeled: &'d [KernelSummary],
    /// By what they are, families apart from regions.
    regions: FxHashMap<(RegionRef<'d>, bool), &'d [KernelSummary]>,
}

impl<'d> Detailed<'d> {
    /// The same scope as that of a report.
    pub(crate) fn of(given: &'d KernelCharts, of: &ScopeReport) -> Self {
        let mut reports = given.document.reports.iter();
        let report = reports.find(|one| one.scope.id == of.scope.id && one.basis == of.basis);
        let regions = report.into_iter().flat_map(|one| one.regions.iter().chain(&one.families));
        let regions = regions.map(|one| ((one.key(), one.family.is_some()), &*one.set.kernels));
        Self {
            totals: report.map_or(&[], |report| &report.totals.kernels),
            unlabeled: report.map_or(&[], |report| &report.unlabeled.kernels),
            regions: regions.collect(),
        }
    }

    pub(crate) fn kernels(&self, region: &Region) -> &'d [KernelSummary] {
        self.regions.get(&(region.key(), region.family.is_some())).copied().unwrap_or_default()
    }
}
