//! Where the boxes and flows of the memory chart stand, whatever draws them: columns from the kernel to the memories, heights in pixels.

use rangescope_analyze::insight::details::model::{MemoryChart, MemoryLink, Place};

/// Height of one flow with its label.
const FLOW: f64 = 30.0;
/// Room between rows.
const GAP: f64 = 14.0;
/// The least height of a box: a name, a hit rate and how busy it is.
const BOX: f64 = 52.0;
/// The last column; the first is 0.
pub(crate) const LAST_COLUMN: f64 = 4.0;

/// Rows from top to bottom, by the instructions that ask; shared memory has none of L1's.
const ASKING: [Place; 5] =
    [Place::Global, Place::Local, Place::Texture, Place::Surface, Place::Shared];
/// Behind L2, from top to bottom.
const MEMORIES: [Place; 4] =
    [Place::DeviceMemory, Place::SystemMemory, Place::PeerMemory, Place::L2Fabric];

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedBox {
    pub(crate) place: Place,
    pub(crate) column: u8,
    pub(crate) y: f64,
    pub(crate) height: f64,
}

/// A flow from box to box, both by position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedFlow<'c> {
    pub(crate) link: &'c MemoryLink,
    pub(crate) left: usize,
    pub(crate) right: usize,
    pub(crate) y: f64,
    pub(crate) is_rightward: bool,
}

#[derive(Debug)]
pub(crate) struct Layout<'c> {
    pub(crate) height: f64,
    pub(crate) boxes: Vec<PlacedBox>,
    pub(crate) flows: Vec<PlacedFlow<'c>>,
    /// Links that have no room in the picture.
    pub(crate) elsewhere: Vec<&'c MemoryLink>,
}

impl<'c> Layout<'c> {
    /// Of the links that are to be seen.
    pub(crate) fn of(chart: &MemoryChart, links: &[&'c MemoryLink]) -> Self {
        let boxes = boxes(chart, links);
        let bottom = |one: &PlacedBox| one.y + one.height;
        let height = boxes.iter().map(bottom).fold(0.0, f64::max);
        let mut layout = Self { height, boxes, flows: Vec::new(), elsewhere: Vec::new() };
        let mut drawn: Vec<(Place, Place)> = Vec::new();
        for link in links {
            let pair =
                if link.from < link.to { (link.from, link.to) } else { (link.to, link.from) };
            if !drawn.contains(&pair) {
                drawn.push(pair);
                layout.place(pair, links);
            }
        }
        layout
    }

    /// The flows between two boxes, one line each, in the height that both have.
    fn place(&mut self, pair: (Place, Place), links: &[&'c MemoryLink]) {
        let is_same = |link: &&&MemoryLink| is_between(link, pair.0, pair.1);
        let flows: Vec<&MemoryLink> = links.iter().filter(is_same).copied().collect();
        let find = |place: Place| {
            let mut boxes = self.boxes.iter().enumerate();
            boxes.find(|(_, one)| one.place == place)
        };
        let ends = find(pair.0).zip(find(pair.1));
        let Some(((left, from), (right, to))) =
            ends.filter(|((_, from), (_, to))| from.column < to.column)
        else {
            self.elsewhere.extend(flows);
            return;
        };
        let (top, bottom) = (from.y.max(to.y), (from.y + from.height).min(to.y + to.height));
        let step = FLOW.min((bottom - top) / flows.len().max(1) as f64);
        let first = f64::midpoint(top, bottom) - step * (flows.len() as f64 - 1.0) / 2.0 + 5.0;
        self.flows.extend(flows.into_iter().zip(0_u8..).map(|(link, at)| PlacedFlow {
            link,
            left,
            right,
            y: first + step * f64::from(at),
            is_rightward: link.from == pair.0,
        }));
    }
}

fn is_between(link: &MemoryLink, one: Place, other: Place) -> bool {
    (link.from, link.to) == (one, other) || (link.from, link.to) == (other, one)
}

/// The rows that are asked for anything, with the height that their flows need on either side.
fn rows(links: &[&MemoryLink]) -> Vec<(Place, f64)> {
    let flows = |left: Place, right: Place| {
        links.iter().filter(|link| is_between(link, left, right)).count()
    };
    let rows = ASKING.into_iter().filter_map(|place| {
        let store = if place == Place::Shared { Place::SharedMemory } else { Place::L1 };
        let beyond = if place == Place::Shared { flows(store, Place::L2) } else { 0 };
        let most = flows(Place::Kernel, place).max(flows(place, store)).max(beyond);
        (most > 0).then_some((place, (most as f64 * FLOW).max(BOX)))
    });
    rows.collect()
}

fn boxes(chart: &MemoryChart, links: &[&MemoryLink]) -> Vec<PlacedBox> {
    let mut boxes = Vec::new();
    let mut push = |place, column, y, height| boxes.push(PlacedBox { place, column, y, height });
    let mut y = 0.0;
    let (mut l1_bottom, mut shared) = (0.0, None);
    for (place, height) in rows(links) {
        push(place, 1, y, height);
        if place == Place::Shared {
            shared = Some((y, height));
        } else {
            l1_bottom = y + height;
        }
        y += height + GAP;
    }
    let height = (y - GAP).max(BOX);
    push(Place::Kernel, 0, 0.0, height);
    if l1_bottom > 0.0 {
        push(Place::L1, 2, 0.0, l1_bottom);
    }
    if let Some((y, height)) = shared {
        push(Place::SharedMemory, 2, y, height);
    }
    push(Place::L2, 3, 0.0, height);
    let is_used = |place: &Place| {
        chart.units.iter().any(|unit| unit.place == *place)
            && (matches!(place, Place::DeviceMemory | Place::SystemMemory)
                || links.iter().any(|link| link.from == *place || link.to == *place))
    };
    let memories: Vec<Place> = MEMORIES.into_iter().filter(is_used).collect();
    let each = (height + GAP) / memories.len().max(1) as f64;
    for (place, at) in memories.into_iter().zip(0_u8..) {
        push(place, 4, each * f64::from(at), (each - GAP).max(20.0));
    }
    boxes
}
