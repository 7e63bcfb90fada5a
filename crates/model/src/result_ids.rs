//! Which results something is about, in little room: runs of numbers, as `--launch` and `dump` count results.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of results by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultIds {
    /// First and last of each run; ascending and apart once they are settled.
    runs: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no list of results such as `0-5,9`")]
pub struct ResultIdsError {
    text: String,
}

impl ResultIds {
    /// Adds a result, which is usually the last so far.
    pub fn insert(&mut self, id: u32) {
        match self.runs.last_mut() {
            Some((first, last)) if (*first..=*last).contains(&id) => {}
            Some((_, last)) if last.checked_add(1) == Some(id) => *last = id,
            _ => self.runs.push((id, id)),
        }
    }

    /// Takes over other results. The runs may be out of order until [`settled`](Self::settled).
    pub fn merge(&mut self, other: &Self) {
        self.runs.extend(&other.runs);
    }

    /// The same in order.
    #[must_use]
    pub fn settled(mut self) -> Self {
        self.runs.sort_unstable();
        let mut runs: Vec<(u32, u32)> = Vec::with_capacity(self.runs.len());
        for (first, last) in self.runs {
            match runs.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => runs.push((first, last)),
            }
        }
        Self { runs }
    }

    /// The numbers of a settled set.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.runs.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// How many there are in a settled set.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|(first, last)| u64::from(last - first) + 1).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many results two settled sets have in common.
    pub fn common(&self, other: &Self) -> u64 {
        let (mut ours, mut theirs) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let mut common = 0;
        while let (Some(&&left), Some(&&right)) = (ours.peek(), theirs.peek()) {
            let (first, last) = (left.0.max(right.0), left.1.min(right.1));
            if first <= last {
                common += u64::from(last - first) + 1;
            }
            if left.1 <= right.1 {
                ours.next();
            } else {
                theirs.next();
            }
        }
        common
    }
}

impl FromIterator<u32> for ResultIds {
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set.settled()
    }
}

/// `0-5,9`.
impl fmt::Display for ResultIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.runs.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for ResultIds {
    type Err = ResultIdsError;

    fn from_str(text: &str) -> Result<Self, ResultIdsError> {
        let wrong = || ResultIdsError { text: text.chars().take(60).collect() };
        let run = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some((first, last))
        };
        let parts = text.split(',').filter(|part| !part.is_empty());
        let runs: Option<Vec<(u32, u32)>> = parts.map(run).collect();
        runs.map(|runs| Self { runs }.settled()).ok_or_else(wrong)
    }
}

impl Serialize for ResultIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ResultIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::ResultIds;
    use std::collections::BTreeSet;

    fn set(ids: &[u32]) -> ResultIds {
        ids.iter().copied().collect()
    }

    #[test]
    fn runs_are_written_and_read() {
        let ids = set(&[9, 0, 1, 2, 2, 4, u32::MAX]);
        assert_eq!(ids.to_string(), "0-2,4,9,4294967295");
        assert_eq!(ids.to_string().parse(), Ok(ids));
        assert_eq!("".parse(), Ok(ResultIds::default()));
        for wrong in ["x", "3-1", "1-", "-1", "1;2", "4294967296"] {
            assert!(wrong.parse::<ResultIds>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn sets_are_as_those_of_the_standard_library() {
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for _ in 0..200 {
            let lists: Vec<Vec<u32>> =
                (0..2).map(|_| (0..random(30)).map(|_| random(40)).collect()).collect();
            let (left, right) = (set(&lists[0]), set(&lists[1]));
            let exact: Vec<BTreeSet<u32>> =
                lists.iter().map(|list| list.iter().copied().collect()).collect();
            assert!(left.iter().eq(exact[0].iter().copied()));
            assert_eq!(left.len(), exact[0].len() as u64);
            assert_eq!(left.common(&right), exact[0].intersection(&exact[1]).count() as u64);
            let mut both = left;
            both.merge(&right);
            assert!(both.settled().iter().eq((&exact[0] | &exact[1]).into_iter()));
        }
    }
}
