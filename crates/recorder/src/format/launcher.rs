//! The environment variables by which launchers number processes: one table for the recorder and everything that reads ranks.

/// The variables that one launcher sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// Number of the process among all.
    pub rank: &'static str,
    /// Number of the process among those on its host.
    pub local_rank: &'static str,
    pub size: &'static str,
}

/// PyTorch's `torchrun`.
pub const TORCHRUN: Launcher =
    Launcher { rank: "RANK", local_rank: "LOCAL_RANK", size: "WORLD_SIZE" };

/// The known launchers, in the order in which they are believed if several have set their variables: processes that `mpirun` starts inside a Slurm job inherit
/// Slurm's, and anybody may set `RANK`.
#[rustfmt::skip]
pub const LAUNCHERS: [Launcher; 4] = [
    // Open MPI's `mpirun`.
    Launcher { rank: "OMPI_COMM_WORLD_RANK", local_rank: "OMPI_COMM_WORLD_LOCAL_RANK", size: "OMPI_COMM_WORLD_SIZE" },
    // MPICH, Intel MPI, and others that start processes with Hydra.
    Launcher { rank: "PMI_RANK", local_rank: "MPI_LOCALRANKID", size: "PMI_SIZE" },
    // `srun`.
    Launcher { rank: "SLURM_PROCID", local_rank: "SLURM_LOCALID", size: "SLURM_NTASKS" },
    TORCHRUN,
];

/// The names of all variables of [`LAUNCHERS`].
pub const RANK_VARIABLES: [&str; 3 * LAUNCHERS.len()] = {
    let mut names = [""; 3 * LAUNCHERS.len()];
    let mut at = 0;
    while at < LAUNCHERS.len() {
        names[3 * at] = LAUNCHERS[at].rank;
        names[3 * at + 1] = LAUNCHERS[at].local_rank;
        names[3 * at + 2] = LAUNCHERS[at].size;
        at += 1;
    }
    names
};

/// The variable by which launchers give each rank its devices.
pub const DEVICES_VARIABLE: &str = "CUDA_VISIBLE_DEVICES";

/// The rank, local rank or size that `which` picks from a launcher's variables; `number` gives the value of a variable that holds a number.
///
/// `torchrun` starts processes of its own below the other launchers, which then know only its node: where the size of its world is set, it is believed first.
pub fn number_of(
    which: impl Fn(&Launcher) -> &'static str,
    number: impl Fn(&str) -> Option<u32>,
) -> Option<u32> {
    let inner = number(TORCHRUN.size).and_then(|_| number(which(&TORCHRUN)));
    inner.or_else(|| LAUNCHERS.iter().find_map(|launcher| number(which(launcher))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, u32)]) -> [Option<u32>; 3] {
        let number = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| *value)
        };
        [
            number_of(|of| of.rank, number),
            number_of(|of| of.local_rank, number),
            number_of(|of| of.size, number),
        ]
    }

    #[test]
    fn every_launcher_is_believed_and_the_innermost_first() {
        assert_eq!(rank(&[]), [None; 3]);
        for launcher in LAUNCHERS {
            let all = [(launcher.rank, 5), (launcher.local_rank, 1), (launcher.size, 8)];
            assert_eq!(rank(&all), [Some(5), Some(1), Some(8)]);
        }
        let in_a_job = [("SLURM_PROCID", 0), ("SLURM_NTASKS", 1), ("PMI_RANK", 3), ("RANK", 9)];
        assert_eq!(rank(&in_a_job), [Some(3), None, Some(1)]);
        let torchrun_in_a_job = [("SLURM_PROCID", 1), ("RANK", 9), ("WORLD_SIZE", 16)];
        assert_eq!(rank(&torchrun_in_a_job), [Some(9), None, Some(16)]);
        // A size alone says that somebody's world is meant, not whose rank this is.
        assert_eq!(rank(&[("SLURM_PROCID", 1), ("WORLD_SIZE", 16)])[0], Some(1));
    }

    #[test]
    fn no_variable_is_listed_twice() {
        for (at, name) in RANK_VARIABLES.iter().enumerate() {
            assert!(!name.is_empty() && !RANK_VARIABLES[..at].contains(name), "{name}");
        }
    }
}
