//! Axes in powers of ten.

/// Powers of ten that an axis spans at most; values beyond are drawn at its end.
const MOST_DECADES: f64 = 14.0;

/// An axis on which equal distances are equal factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogAxis {
    low: f64,
    high: f64,
    /// Positions of the lowest and the highest value.
    from: f64,
    to: f64,
}

impl LogAxis {
    /// An axis on which all the values are seen, with some room around them.
    pub(crate) fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            low = low.min(value.log10());
            high = high.max(value.log10());
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = ((high - low) * 0.08).max(0.3);
        let high = high + room;
        Self { low: (low - room).max(high - MOST_DECADES), high, from, to }
    }

    /// The position of a value; values beyond the ends are put at the ends.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let part = (value.log10() - self.low) / (self.high - self.low);
        self.from + (self.to - self.from) * part.clamp(0.0, 1.0)
    }

    pub(crate) fn lowest(&self) -> f64 {
        10_f64.powf(self.low)
    }

    pub(crate) fn highest(&self) -> f64 {
        10_f64.powf(self.high)
    }

    /// Values to be marked: powers of ten, and 2 and 5 between them where these are few.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let decades = self.high - self.low;
        let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks = Vec::new();
        let mut decade = self.low.floor();
        while decade <= self.high {
            for step in steps {
                let at = decade + step.log10();
                if at >= self.low && at <= self.high {
                    // Dividing by a power of ten is exact where multiplying by its inverse is not.
                    let power = 10_f64.powf(decade.abs());
                    ticks.push(if decade < 0.0 { step / power } else { step * power });
                }
            }
            decade += 1.0;
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::LogAxis;

    #[test]
    fn values_are_seen() {
        let axis = LogAxis::over([0.1, 1000.0].into_iter(), 0.0, 100.0);
        assert!(axis.position(0.1) > 0.0 && axis.position(1000.0) < 100.0);
        assert_eq!(axis.ticks(), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert!((axis.position(1e300) - 100.0).abs() < 1e-9);
        let near = LogAxis::over(std::iter::once(3.0), 0.0, 100.0);
        assert_eq!(near.ticks(), [2.0, 5.0]);
    }
}
