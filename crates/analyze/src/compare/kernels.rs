//! Kernels of two sides, matched by name; their launch shapes say whether the work is the same.
//!
//! A document has one entry per kernel with all its launch shapes, so times cannot be told apart by shape: a kernel that was launched in other shapes is
//! still compared, and says so.

use crate::compare::delta::{Judge, cost, verdict};
use crate::compare::regions::Sides;
use crate::compare::row::Row;
use indexmap::IndexMap;
use rangescope_model::comparison::{KernelDelta, ShapeChange};
use rangescope_model::document::{KernelSummary, LaunchShape};
use std::collections::BTreeMap;

/// What makes a kernel the same kernel in other runs.
type Key<'d> = (&'d str, &'d str, &'d str);

type Shape = (Option<[u64; 3]>, Option<[u64; 3]>);

/// The kernels of two sides, by what they cost.
pub(crate) fn all(sides: &Sides<'_>, names: &[String], judge: Judge) -> Vec<KernelDelta> {
    let mut matched: IndexMap<Key<'_>, Sides<'_>> = IndexMap::new();
    for (row, is_base) in
        sides.base.iter().map(|row| (row, true)).chain(sides.new.iter().map(|row| (row, false)))
    {
        for (key, row) in of_run(row) {
            let sides = matched.entry(key).or_default();
            if is_base { sides.base.push(row) } else { sides.new.push(row) }
        }
    }
    let mut kernels: Vec<KernelDelta> =
        matched.into_iter().map(|(key, sides)| kernel(key, &sides, names, judge)).collect();
    kernels.sort_by(|left, right| {
        cost(&right.time)
            .total_cmp(&cost(&left.time))
            .then_with(|| left.kernel_name.cmp(&right.kernel_name))
            .then_with(|| left.function.cmp(&right.function))
    });
    kernels
}

/// The kernels of one run, each once: a region that was made of several has several entries of one kernel.
fn of_run<'d>(row: &Row<'d>) -> IndexMap<Key<'d>, Row<'d>> {
    let mut kernels: IndexMap<Key<'d>, Row<'d>> = IndexMap::new();
    for kernel in row.kernels.iter().copied() {
        let key = (kernel.kind.as_str(), kernel.kernel_name.as_str(), kernel.function.as_str());
        let row = Row::kernel(kernel);
        match kernels.get_mut(&key) {
            Some(known) => known.add(row),
            None => {
                kernels.insert(key, row);
            }
        }
    }
    kernels
}

fn kernel(key: Key<'_>, sides: &Sides<'_>, names: &[String], judge: Judge) -> KernelDelta {
    let time = sides.delta(judge, |row| row.time);
    let (base, new) = (shapes(&sides.base), shapes(&sides.new));
    let only = |these: &BTreeMap<Shape, u64>, others: &BTreeMap<Shape, u64>| -> Vec<String> {
        these.keys().filter(|shape| !others.contains_key(*shape)).map(shape_name).collect()
    };
    let (shapes_gone, shapes_new) = if sides.base.is_empty() || sides.new.is_empty() {
        (Vec::new(), Vec::new())
    } else {
        (only(&base, &new), only(&new, &base))
    };
    // Calls of several runs add up; per run they are compared only where both sides have equally many.
    let same_calls = sides.base.len() != sides.new.len() || base == new;
    KernelDelta {
        kernel_name: key.1.to_owned(),
        function: key.2.to_owned(),
        verdict: verdict(&time),
        shapes: match () {
            () if sides.base.is_empty() || sides.new.is_empty() => ShapeChange::OneSide,
            () if !shapes_gone.is_empty() || !shapes_new.is_empty() => ShapeChange::Other,
            () if same_calls => ShapeChange::Same,
            () => ShapeChange::OtherCalls,
        },
        shapes_gone,
        shapes_new,
        time,
        calls: sides.delta(judge, |row| row.calls as f64),
        metrics: sides.metrics(names, judge),
    }
}

/// The launch shapes of a kernel over the runs of a side, with their launches.
fn shapes(rows: &[Row<'_>]) -> BTreeMap<Shape, u64> {
    let mut shapes = BTreeMap::new();
    let launched = rows
        .iter()
        .flat_map(|row| &row.kernels)
        .flat_map(|kernel: &&KernelSummary| &kernel.launch_shapes);
    for LaunchShape { grid, block, calls, .. } in launched {
        *shapes.entry((*grid, *block)).or_default() += calls;
    }
    shapes
}

fn shape_name(shape: &Shape) -> String {
    let sizes = |sizes: Option<[u64; 3]>| {
        sizes.map_or_else(|| "?".to_owned(), |[x, y, z]| format!("{x}x{y}x{z}"))
    };
    format!("{} × {}", sizes(shape.0), sizes(shape.1))
}
