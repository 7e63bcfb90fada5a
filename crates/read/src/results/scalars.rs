//! The scalar values of the result at hand, each metric once, the last entry winning.

use ncu_rep::Value;
use rangescope_model::document::Scalar;
use rangescope_model::launch::{DeviceId, MetricId, PciAddress};

use super::numbering::{DeviceMetrics, NO_METRIC};

/// Scratch space that is filled anew for every result.
pub(super) struct Scalars {
    pub(super) numbers: Vec<(MetricId, f64)>,
    /// Those of `numbers` that are rounded or could be.
    pub(super) large: Vec<(MetricId, u64)>,
    texts: Vec<(MetricId, String)>,
    /// For each metric the result that set it last and the position in `numbers` or, with the top bit, in `texts`.
    positions: Vec<(u32, u32)>,
    result: u32,
}

const TEXT: u32 = 1 << 31;

fn position(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(TEXT - 1)
}

impl Scalars {
    pub(super) fn new(metrics: usize) -> Self {
        Self {
            numbers: Vec::new(),
            large: Vec::new(),
            texts: Vec::new(),
            positions: vec![(0, 0); metrics],
            result: 0,
        }
    }

    pub(super) fn begin(&mut self) {
        self.numbers.clear();
        self.large.clear();
        self.texts.clear();
        self.result += 1;
    }

    /// A number that is not large.
    #[inline]
    pub(super) fn number(&mut self, metric: MetricId, number: f64) {
        match self.positions.get_mut(metric.0 as usize) {
            // Nearly every entry is a number of a metric that the result has not had before.
            Some(known) if known.0 != self.result => {
                *known = (self.result, position(self.numbers.len()));
                self.numbers.push((metric, number));
            }
            Some(_) => self.set(metric, Some(Value::F64(number))),
            None => {}
        }
    }

    pub(super) fn set(&mut self, metric: MetricId, value: Option<Value<'_>>) {
        let Some(known) = self.positions.get_mut(metric.0 as usize) else { return };
        if !self.large.is_empty() && known.0 == self.result {
            self.large.retain(|(large, _)| *large != metric);
        }
        if let Some(Value::U64(counter)) = value
            && counter >= Scalar::LARGEST_EXACT
        {
            self.large.push((metric, counter));
        }
        if known.0 != self.result
            && let Some(number) = value.as_ref().and_then(Value::as_f64)
        {
            *known = (self.result, position(self.numbers.len()));
            self.numbers.push((metric, number));
            return;
        }
        if known.0 == self.result {
            // An earlier entry of the same metric does not count any more; as NaN it is left out of every sum.
            match known.1 & TEXT {
                0 => self.numbers[known.1 as usize].1 = f64::NAN,
                _ => self.texts[(known.1 & !TEXT) as usize].0 = NO_METRIC,
            }
        }
        match value {
            Some(Value::Text(text)) => {
                *known = (self.result, position(self.texts.len()) | TEXT);
                self.texts.push((metric, text.into_owned()));
            }
            Some(value) => {
                let number = value.as_f64().unwrap_or(f64::NAN);
                if known.0 == self.result && known.1 & TEXT == 0 {
                    self.numbers[known.1 as usize].1 = number;
                } else {
                    *known = (self.result, position(self.numbers.len()));
                    self.numbers.push((metric, number));
                }
            }
            None => {}
        }
    }

    /// A number that is an index, such as that of a device.
    fn index(&self, metric: Option<MetricId>) -> Option<u32> {
        let &(result, position) = self.positions.get(metric?.0 as usize)?;
        let number = self.numbers.get(position as usize).filter(|_| result == self.result)?.1;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range, as tested"
        )]
        (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
    }

    /// The device that the result says it ran on.
    pub(super) fn device(&self, metrics: &DeviceMetrics) -> Option<DeviceId> {
        let index = self.index(metrics.index)?;
        let [domain, bus, device] = metrics.pci.map(|metric| self.index(metric));
        let pci = match (domain, bus, device) {
            // No GPU is there: it is what integrated and hidden devices state.
            (Some(0), Some(0), Some(0)) => None,
            (Some(domain), Some(bus), Some(device)) => Some(PciAddress { domain, bus, device }),
            _ => None,
        };
        Some(DeviceId { index, pci })
    }

    pub(super) fn texts(&self) -> Vec<(MetricId, &str)> {
        let set = self.texts.iter().filter(|(metric, _)| *metric != NO_METRIC);
        set.map(|(metric, text)| (*metric, text.as_str())).collect()
    }
}
