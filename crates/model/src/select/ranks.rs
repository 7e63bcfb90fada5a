//! Which ranks are profiled, or looked at afterwards.

use super::error::SelectError;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Some of the ranks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RankSelection {
    #[default]
    All,
    OnePerNode,
    These(Vec<RangeInclusive<u32>>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no ranks")]
pub struct RanksError {
    text: String,
}

impl RanksError {
    pub fn hint(&self) -> &'static str {
        "give `all`, `1-per-node`, or numbers and ranges such as `0,7` and `0-3,12`"
    }
}

const ALL: &str = "all";
const ONE_PER_NODE: &str = "1-per-node";

impl RankSelection {
    /// Reads `all`, `1-per-node`, or numbers and ranges.
    pub fn parse<'t>(parts: impl IntoIterator<Item = &'t str>) -> Result<Self, RanksError> {
        let parts: Vec<&str> =
            parts.into_iter().flat_map(|part| part.split(',')).map(str::trim).collect();
        let wrong = || RanksError { text: parts.join(",") };
        let range = |part: &&str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        match parts.as_slice() {
            [ALL] => Ok(Self::All),
            [ONE_PER_NODE] => Ok(Self::OnePerNode),
            [] => Err(wrong()),
            parts => {
                let ranges: Option<Vec<RangeInclusive<u32>>> = parts.iter().map(range).collect();
                ranges.map(Self::These).ok_or_else(wrong)
            }
        }
    }

    /// Exactly these, which are in order.
    pub fn of(ranks: &[u32]) -> Self {
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        for rank in ranks {
            match ranges.last_mut() {
                Some(last) if last.end().checked_add(1) == Some(*rank) => {
                    *last = *last.start()..=*rank;
                }
                _ => ranges.push(*rank..=*rank),
            }
        }
        Self::These(ranges)
    }

    /// Those of some ranks, given with their hosts, that are selected. A number or range that fits none of them is an error.
    pub fn among(&self, known: &[(u32, &str)]) -> Result<BTreeSet<u32>, SelectError> {
        let all: BTreeSet<u32> = known.iter().map(|(rank, _)| *rank).collect();
        match self {
            Self::All => Ok(all),
            _ if all.is_empty() => Err(SelectError::NoRanks { wanted: self.to_string() }),
            Self::OnePerNode => {
                let mut first: BTreeMap<&str, u32> = BTreeMap::new();
                for &(rank, host) in known {
                    let lowest = first.entry(host).or_insert(rank);
                    *lowest = rank.min(*lowest);
                }
                Ok(first.into_values().collect())
            }
            Self::These(ranges) => {
                let is_absent = |range: &&RangeInclusive<u32>| {
                    all.range(range.start()..=range.end()).next().is_none()
                };
                if let Some(range) = ranges.iter().find(is_absent) {
                    let known: Vec<u32> = all.into_iter().collect();
                    return Err(SelectError::Rank {
                        wanted: Self::These(vec![range.clone()]).to_string(),
                        known: Self::of(&known).to_string(),
                    });
                }
                Ok(all.into_iter().filter(|rank| self.has(*rank, None)).collect())
            }
        }
    }

    /// A selection with the ranks of both in it; all of them where one of the two is not said in numbers.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::These(ours), Self::These(theirs)) => {
                Self::These([&ours[..], &theirs[..]].concat())
            }
            _ => Self::All,
        }
    }

    /// Whether a rank is among them. One that does not know its place on its host is the only one there if it is the first of all.
    pub fn has(&self, rank: u32, local_rank: Option<u32>) -> bool {
        match self {
            Self::All => true,
            Self::OnePerNode => local_rank.unwrap_or(rank) == 0,
            Self::These(ranges) => ranges.iter().any(|range| range.contains(&rank)),
        }
    }
}

impl FromStr for RankSelection {
    type Err = RanksError;

    fn from_str(text: &str) -> Result<Self, RanksError> {
        Self::parse([text])
    }
}

impl std::fmt::Display for RankSelection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str(ALL),
            Self::OnePerNode => f.write_str(ONE_PER_NODE),
            Self::These(ranges) => {
                let text = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
                    (first, last) if first == last => first.to_string(),
                    (first, last) => format!("{first}-{last}"),
                };
                f.write_str(&ranges.iter().map(text).collect::<Vec<_>>().join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RankSelection;

    #[test]
    fn selections_are_read_and_written() {
        for (text, of_eight) in [
            ("all", vec![0, 1, 2, 3, 4, 5, 6, 7]),
            ("1-per-node", vec![0, 4]),
            ("0,7", vec![0, 7]),
            ("1-2,6", vec![1, 2, 6]),
        ] {
            let selection = RankSelection::parse([text]).unwrap();
            assert_eq!(selection.to_string(), text);
            let taken: Vec<u32> =
                (0..8).filter(|rank| selection.has(*rank, Some(rank % 4))).collect();
            assert_eq!(taken, of_eight, "{text}");
        }
        assert_eq!(RankSelection::of(&[0, 1, 2, 5, 7, 8]).to_string(), "0-2,5,7-8");
        assert_eq!(RankSelection::parse(["0", "7"]), RankSelection::parse(["0,7"]));
        for text in ["", "x", "3-1", "-1", "0,", "all,3", "1-per-host", "99999999999"] {
            assert!(RankSelection::parse([text]).is_err(), "{text}");
        }
        assert!(RankSelection::OnePerNode.has(0, None) && !RankSelection::OnePerNode.has(3, None));
    }

    #[test]
    fn what_is_selected_must_be_there() {
        let known = [(4, "b"), (0, "a"), (5, "b"), (1, "a")];
        let among = |text: &str| {
            let found = text.parse::<RankSelection>().unwrap().among(&known);
            found
                .map(|found| found.into_iter().collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        assert_eq!(among("all"), Ok(vec![0, 1, 4, 5]));
        assert_eq!(among("1-per-node"), Ok(vec![0, 4]));
        assert_eq!(among("1-4"), Ok(vec![1, 4]));
        assert_eq!(among("5,0,5"), Ok(vec![0, 5]));
        assert_eq!(among("0,2-3"), Err("there is no rank 2-3".to_owned()));
        let none = RankSelection::of(&[0]).among(&[]).map_err(|error| error.to_string());
        assert_eq!(none, Err("ranks 0 cannot be selected: no rank is known".to_owned()));
    }
}
