//! The grid of a launch in blocks. Until version 2020.2 ncu stored it in threads, and no field says so.

use crate::model::Value;

/// What a launch states of its grid in metrics, beside the field.
const DIMENSIONS: [&str; 3] = ["launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"];
const SIZE: &str = "launch__grid_size";
/// The last version that stored threads.
const LAST_THREADS: (u32, u32) = (2020, 2);

/// What the dimensions of the grids of a report count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Blocks,
    Threads,
    /// No version is stated.
    Unknown,
}

impl Counted {
    pub(crate) fn by(version: Option<&str>) -> Self {
        let mut numbers = version.unwrap_or_default().split('.').map(|number| number.parse().ok());
        match numbers.next().flatten().zip(numbers.next().flatten()) {
            Some(version) if version <= LAST_THREADS => Self::Threads,
            Some(_) => Self::Blocks,
            None => Self::Unknown,
        }
    }
}

/// What the metrics of a launch say of its grid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    dimensions: [Option<u64>; 3],
    size: Option<u64>,
}

impl Stated {
    pub(crate) fn take(&mut self, name: &str, value: Option<&Value<'_>>) {
        // ncu made a float of it in some versions.
        let number = || match value? {
            Value::U64(number) => Some(*number),
            value => format!("{:.0}", value.as_f64()?).parse().ok(),
        };
        if name == SIZE {
            self.size = number();
        } else if let Some(axis) = DIMENSIONS.iter().position(|dimension| *dimension == name) {
            self.dimensions[axis] = number();
        }
    }

    /// The grid in blocks, if that is certain.
    pub(crate) fn grid(
        &self,
        stored: [u64; 3],
        block: [u64; 3],
        counted: Counted,
    ) -> Option<[u64; 3]> {
        if let [Some(x), Some(y), Some(z)] = self.dimensions {
            return Some([x, y, z]);
        }
        let Some(divided) = divided(stored, block).filter(|divided| *divided != stored) else {
            return Some(stored);
        };
        match (self.size, counted) {
            (Some(size), _) => {
                let is_size = |grid: &[u64; 3]| {
                    grid.iter().try_fold(1_u64, |size, axis| size.checked_mul(*axis)) == Some(size)
                };
                [stored, divided].into_iter().find(is_size)
            }
            (None, Counted::Blocks) => Some(stored),
            (None, Counted::Threads) => Some(divided),
            (None, Counted::Unknown) => None,
        }
    }
}

/// The grid in blocks, if what is stored are threads and blocks are whole.
fn divided(stored: [u64; 3], block: [u64; 3]) -> Option<[u64; 3]> {
    let mut grid = stored;
    for (axis, threads) in grid.iter_mut().zip(block) {
        *axis = axis.checked_div(threads).filter(|blocks| blocks * threads == *axis)?;
    }
    Some(grid)
}

#[cfg(test)]
mod tests {
    use super::{Counted, Stated};
    use crate::model::Value;

    const BLOCK: [u64; 3] = [32, 32, 1];
    const THREADS: [u64; 3] = [128, 288, 1];
    const BLOCKS: [u64; 3] = [4, 9, 1];

    fn stated(metrics: &[(&str, f64)]) -> Stated {
        let mut stated = Stated::default();
        for (name, value) in metrics {
            stated.take(name, Some(&Value::F64(*value)));
        }
        stated
    }

    #[test]
    fn metrics_say_what_the_field_counts() {
        let all = [("launch__grid_dim_x", 4.0), ("launch__grid_dim_y", 9.0)];
        let whole = stated(&[all[0], all[1], ("launch__grid_dim_z", 1.0)]);
        for counted in [Counted::Blocks, Counted::Threads, Counted::Unknown] {
            assert_eq!(whole.grid(THREADS, BLOCK, counted), Some(BLOCKS));
            let size = |size| stated(&[("launch__grid_size", size)]).grid(THREADS, BLOCK, counted);
            assert_eq!(size(36.0), Some(BLOCKS));
            assert_eq!(size(36_864.0), Some(THREADS));
            assert_eq!(size(7.0), None);
            assert_eq!(size(f64::NAN), Stated::default().grid(THREADS, BLOCK, counted));
        }
    }

    #[test]
    fn without_metrics_the_version_says_it_or_nothing_does() {
        let grid = |version, stored| Stated::default().grid(stored, BLOCK, Counted::by(version));
        assert_eq!(grid(Some("2020.2.1.0 (build 29181059)"), THREADS), Some(BLOCKS));
        assert_eq!(grid(Some("2019.5.0"), THREADS), Some(BLOCKS));
        assert_eq!(grid(Some("2020.3.0.0"), THREADS), Some(THREADS));
        assert_eq!(grid(Some("2026.1.0"), THREADS), Some(THREADS));
        for unknown in [None, Some(""), Some("2020"), Some("new")] {
            assert_eq!(grid(unknown, THREADS), None, "{unknown:?}");
            // No whole block could have made these.
            assert_eq!(grid(unknown, [7, 32, 1]), Some([7, 32, 1]));
            assert_eq!(grid(unknown, [0; 3]), Some([0; 3]));
        }
        let none = Stated::default().grid([5, 1, 1], [0; 3], Counted::Unknown);
        assert_eq!(none, Some([5, 1, 1]));
        let huge = stated(&[("launch__grid_size", 1.0)]);
        assert_eq!(huge.grid([u64::MAX; 3], [u64::MAX; 3], Counted::Unknown), Some([1; 3]));
    }
}
