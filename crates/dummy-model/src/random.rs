//! Random numbers that are the same everywhere: SplitMix64.

#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of [-1, 1).
    pub(crate) fn uniform(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // 24 bits, so that the conversion is exact.
        (mixed >> 40) as f32 / f32::from_bits(0x4b00_0000) - 1.0
    }

    /// Numbers of [-scale, scale).
    pub(crate) fn vector(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.uniform() * scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_the_interval_evenly() {
        let mut random = Random::new(1);
        let numbers = random.vector(10_000, 2.0);
        let mean = numbers.iter().sum::<f32>() / 10_000.0;
        assert!(numbers.iter().all(|x| (-2.0..2.0).contains(x)));
        assert!(mean.abs() < 0.05, "{mean}");
        assert_eq!(numbers[..8], Random::new(1).vector(8, 2.0));
    }
}
