//! Things that are counted.

use super::digits::grouped;

/// A whole number with commas between thousands.
pub fn thousands(number: u64) -> String {
    grouped(&number.to_string())
}

/// `43 kernels`, `1 kernel`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// A grid or block as `8x4x1`, empty when there is none.
pub fn dimensions(dimensions: Option<[u64; 3]>) -> String {
    dimensions.map_or_else(String::new, |[x, y, z]| format!("{x}x{y}x{z}"))
}
