//! A launch shape as users write it: six numbers, or two for grids and blocks of one dimension.

use std::fmt;
use std::str::FromStr;

const WANTED: &str = "write the grid and the block, for example 128,1,1x256,1,1 or 128x256";

/// A grid and a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeSelector {
    pub grid: [u64; 3],
    pub block: [u64; 3],
}

impl ShapeSelector {
    pub fn selects(self, grid: Option<[u64; 3]>, block: Option<[u64; 3]>) -> bool {
        grid == Some(self.grid) && block == Some(self.block)
    }
}

/// Whatever separates the numbers: `128,1,1x256,1,1`, `128x1x1 256x1x1`, or `grid 128x1x1, block 256x1x1` as reports print it.
impl FromStr for ShapeSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = text.split(|letter: char| !letter.is_ascii_digit());
        let numbers: Result<Vec<u64>, _> =
            words.filter(|word| !word.is_empty()).map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[x, y, z, ref block @ ..]) if block.len() == 3 => {
                let block = block.try_into().map_err(|_| WANTED.to_owned())?;
                Ok(Self { grid: [x, y, z], block })
            }
            Ok(&[grid, block]) => Ok(Self { grid: [grid, 1, 1], block: [block, 1, 1] }),
            _ => Err(WANTED.to_owned()),
        }
    }
}

/// `128,1,1x256,1,1`.
impl fmt::Display for ShapeSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [grid, block] = [self.grid, self.block].map(|[x, y, z]| format!("{x},{y},{z}"));
        write!(f, "{grid}x{block}")
    }
}

#[cfg(test)]
mod tests {
    use super::ShapeSelector;

    #[test]
    fn is_read_as_reports_print_it() {
        let shape = |text: &str| text.parse::<ShapeSelector>();
        let wanted = ShapeSelector { grid: [64, 8, 1], block: [128, 1, 1] };
        for text in ["64,8,1x128,1,1", "grid 64x8x1, block 128x1x1", "(64, 8, 1) (128, 1, 1)"] {
            assert_eq!(shape(text), Ok(wanted), "{text}");
        }
        assert_eq!(shape(&wanted.to_string()), Ok(wanted));
        assert_eq!(shape("96x256").map(|shape| shape.grid), Ok([96, 1, 1]));
        for wrong in ["", "64", "1,2,3", "99999999999999999999x1", "x"] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
    }
}
