//! The rank that a launcher gave this process.

use rangescope_recorder::format::number_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rank {
    /// Among all.
    pub(crate) number: u32,
    /// Among those on this host.
    pub(crate) local: u32,
}

impl Rank {
    pub(crate) fn from_launcher() -> Option<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| get(name)?.trim().parse().ok();
        let rank = number_of(|launcher| Some(launcher.rank), number)?;
        let local = number_of(|launcher| launcher.local_rank, number).unwrap_or(rank);
        Some(Self { number: rank, local })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, &str)]) -> Option<(u32, u32)> {
        let get = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        Rank::from_variables(get).map(|rank| (rank.number, rank.local))
    }

    #[test]
    fn launchers_are_known() {
        assert_eq!(rank(&[]), None);
        assert_eq!(rank(&[("RANK", "x")]), None);
        assert_eq!(rank(&[("RANK", "5"), ("LOCAL_RANK", "1")]), Some((5, 1)));
        assert_eq!(rank(&[("SLURM_PROCID", "3")]), Some((3, 3)));
        let both = [("RANK", "0"), ("OMPI_COMM_WORLD_RANK", "2")];
        assert_eq!(rank(&both), Some((2, 2)));
    }
}
