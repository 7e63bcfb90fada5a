//! Kernels of two sides, matched by name, and the launches of each by their shape: other shapes are other work.

use crate::compare::delta::cost;
use crate::compare::row::Row;
use crate::compare::sides::{Asked, Sides, Timed};
use indexmap::IndexMap;
use rangescope_model::comparison::{KernelDelta, ShapeChange, ShapeDelta};
use rangescope_model::document::LaunchKind;
use std::collections::BTreeMap;

type Key<'d> = (LaunchKind, &'d str, &'d str);

/// Grid and block.
type Shape = (Option<[u64; 3]>, Option<[u64; 3]>);

/// The kernels of two sides, by what they cost.
pub(crate) fn all(sides: &Sides<'_>, asked: Asked<'_>) -> Vec<KernelDelta> {
    let mut matched: IndexMap<Key<'_>, Sides<'_>> = IndexMap::new();
    for (side, run, row) in sides.rows() {
        // A region that was made of several has several entries of one kernel.
        for kernel in row.kernels.iter().copied() {
            let key = (kernel.kind, kernel.kernel_name.as_str(), kernel.function.as_str());
            let sides = matched.entry(key).or_insert_with(|| Sides::of(sides.runs()));
            sides.put(side, run, Row::kernel(kernel));
        }
    }
    let mut kernels: Vec<KernelDelta> =
        matched.into_iter().map(|(key, sides)| kernel(key, &sides, asked)).collect();
    kernels.sort_by(|left, right| {
        cost(&right.time)
            .total_cmp(&cost(&left.time))
            .then_with(|| left.kernel_name.cmp(&right.kernel_name))
            .then_with(|| left.function.cmp(&right.function))
    });
    kernels
}

fn kernel(key: Key<'_>, sides: &Sides<'_>, asked: Asked<'_>) -> KernelDelta {
    let Timed { verdict, time, calls, time_per_call } = sides.timed(asked.judge);
    let shapes = shapes(sides);
    KernelDelta {
        kernel_name: key.1.to_owned(),
        function: key.2.to_owned(),
        verdict,
        shapes: match () {
            () if sides.is_one_sided() => ShapeChange::OneSide,
            () if shapes.values().any(Sides::is_one_sided) => ShapeChange::Other,
            () if shapes.values().any(|shape| has_other_calls(shape, asked)) => {
                ShapeChange::OtherCalls
            }
            () => ShapeChange::Same,
        },
        time,
        calls,
        time_per_call,
        launch_shapes: by_shape(&shapes, asked),
        metrics: sides.metrics(asked),
    }
}

fn has_other_calls(shape: &Sides<'_>, asked: Asked<'_>) -> bool {
    shape.count(asked.judge, |row| row.calls).absolute != Some(0.0)
}

/// The launches of a kernel, apart by their shape.
fn shapes<'d>(sides: &Sides<'d>) -> BTreeMap<Shape, Sides<'d>> {
    let mut shapes = BTreeMap::new();
    for (side, run, row) in sides.rows() {
        for kernel in &row.kernels {
            for launched in &kernel.launch_shapes {
                let shape: &mut Sides<'d> = shapes
                    .entry((launched.grid, launched.block))
                    .or_insert_with(|| Sides::of(sides.runs()));
                shape.put(side, run, Row::shape(launched, kernel));
            }
        }
    }
    shapes
}

/// The shapes by what they cost; one that is the only one on both sides is the kernel itself.
fn by_shape(shapes: &BTreeMap<Shape, Sides<'_>>, asked: Asked<'_>) -> Vec<ShapeDelta> {
    if shapes.len() < 2 {
        return Vec::new();
    }
    let deltas = shapes.iter().map(|(&(grid, block), sides)| {
        let Timed { verdict, time, calls, time_per_call } = sides.timed(asked.judge);
        ShapeDelta { grid, block, verdict, time, calls, time_per_call }
    });
    let mut deltas: Vec<ShapeDelta> = deltas.collect();
    // Stable: shapes of equal cost stay in their own order.
    deltas.sort_by(|left, right| cost(&right.time).total_cmp(&cost(&left.time)));
    deltas
}
