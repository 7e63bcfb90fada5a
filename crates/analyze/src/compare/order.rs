//! In which order the runs were made, as far as that is known.

use rangescope_model::comparison::RunOrder;

/// Where each run stands, those of the base first.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) kind: RunOrder,
    pub(crate) places: Vec<f64>,
}

impl Order {
    /// By what is known of each run: turns that were recorded, else time stamps. Of an order that is not known the worst is taken: the base first, each side as
    /// it was given.
    pub(crate) fn of(turns: [&[Option<u64>]; 2], stamps: [&[Option<&str>]; 2]) -> Self {
        let runs: usize = stamps.iter().map(|side| side.len()).sum();
        let all = |side: &[Option<u64>]| side.iter().copied().collect::<Option<Vec<u64>>>();
        let times = |side: &[Option<&str>]| {
            side.iter().map(|stamp| seconds((*stamp)?)).collect::<Option<Vec<u64>>>()
        };
        let known = |[base, new]: [Option<Vec<u64>>; 2]| {
            let (base, new) = (base?, new?);
            // Where runs of both sides have one time, it does not say which was first.
            let is_told = !base.is_empty() && !base.iter().any(|time| new.contains(time));
            (is_told && base.len() + new.len() == runs).then_some([base, new])
        };
        match known(turns.map(all)).or_else(|| known(stamps.map(times))) {
            Some(known) => Self::by(&known),
            None => {
                Self { kind: RunOrder::Unknown, places: (0..runs).map(|at| at as f64).collect() }
            }
        }
    }

    fn by([base, new]: &[Vec<u64>; 2]) -> Self {
        let is_before = |left: &[u64], right: &[u64]| left.iter().max() < right.iter().min();
        let kind = match () {
            () if is_before(base, new) => RunOrder::BaseFirst,
            () if is_before(new, base) => RunOrder::NewFirst,
            () => RunOrder::Mixed,
        };
        let place = |time: &u64| {
            let all = || base.iter().chain(new);
            let before = all().filter(|other| *other < time).count() as f64;
            let beside = all().filter(|other| *other == time).count() as f64;
            before + (beside - 1.0) / 2.0
        };
        Self { kind, places: base.iter().chain(new).map(place).collect() }
    }

    /// How far the middle of the new side is behind that of the base.
    pub(crate) fn apart(&self, base: usize) -> f64 {
        let mean = |places: &[f64]| places.iter().sum::<f64>() / (places.len() as f64).max(1.0);
        let (base, new) = self.places.split_at(base.min(self.places.len()));
        mean(new) - mean(base)
    }
}

/// Seconds since some day long ago of a time such as `2026-01-31T23:59:59Z`, good for comparing; nothing of another form.
fn seconds(stamp: &str) -> Option<u64> {
    let time = stamp.strip_suffix('Z')?;
    let (day, time) = time.split_once('T')?;
    let numbers = |text: &str, mark: char| -> Option<[u64; 3]> {
        let numbers: Vec<u64> = text.split(mark).map(str::parse).collect::<Result<_, _>>().ok()?;
        numbers.try_into().ok()
    };
    let [year, month, day] = numbers(day, '-')?;
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let days = year.checked_mul(400)?.checked_add(month * 32)?.checked_add(day)?;
    days.checked_mul(86_400)?.checked_add(hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::{Order, seconds};
    use rangescope_model::comparison::RunOrder::{self, BaseFirst, Mixed, NewFirst, Unknown};

    #[test]
    fn orders() {
        let of = |base: &[u64], new: &[u64]| -> (RunOrder, Vec<f64>) {
            let turns = [base, new].map(|side| side.iter().copied().map(Some).collect::<Vec<_>>());
            let none = [vec![None; base.len()], vec![None; new.len()]];
            let order = Order::of([&turns[0], &turns[1]], [&none[0], &none[1]]);
            (order.kind, order.places)
        };
        assert_eq!(of(&[1, 2], &[3, 9]), (BaseFirst, vec![0.0, 1.0, 2.0, 3.0]));
        assert_eq!(of(&[4, 5], &[3, 2]), (NewFirst, vec![2.0, 3.0, 1.0, 0.0]));
        assert_eq!(of(&[1, 4], &[2, 3]), (Mixed, vec![0.0, 3.0, 1.0, 2.0]));
        assert_eq!(of(&[1, 1], &[2, 3]), (BaseFirst, vec![0.5, 0.5, 2.0, 3.0]));
        assert_eq!(of(&[1, 2], &[2, 3]), (Unknown, vec![0.0, 1.0, 2.0, 3.0]));
    }

    #[test]
    fn time_stamps() {
        let later = seconds("2026-01-31T23:59:59Z");
        assert!(
            seconds("2025-12-31T23:59:59Z") < later && later < seconds("2026-02-01T00:00:00.5Z")
        );
        for unclear in ["", "yesterday", "2026-01-31T23:59:59+02:00", "2026-01-31 23:59:59Z"] {
            assert_eq!(seconds(unclear), None, "{unclear}");
        }
    }
}
