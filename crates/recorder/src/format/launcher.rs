//! The environment variables by which launchers number processes: one table for the recorder and everything that reads ranks.

/// The variables that one launcher sets; what it does not tell is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// Number of the process among all.
    pub rank: &'static str,
    /// Number of the process among those on its host.
    pub local_rank: Option<&'static str>,
    pub size: Option<&'static str>,
    /// Number of its host among all.
    pub node: Option<&'static str>,
}

/// Open MPI's `mpirun`.
pub const OPEN_MPI: Launcher = Launcher {
    rank: "OMPI_COMM_WORLD_RANK",
    local_rank: Some("OMPI_COMM_WORLD_LOCAL_RANK"),
    size: Some("OMPI_COMM_WORLD_SIZE"),
    node: None,
};

/// MPICH, Intel MPI, and others that start processes with Hydra.
pub const PMI: Launcher = Launcher {
    rank: "PMI_RANK",
    local_rank: Some("MPI_LOCALRANKID"),
    size: Some("PMI_SIZE"),
    node: None,
};

/// IBM's `jsrun`.
pub const JSM: Launcher = Launcher {
    rank: "JSM_NAMESPACE_RANK",
    local_rank: Some("JSM_NAMESPACE_LOCAL_RANK"),
    size: Some("JSM_NAMESPACE_SIZE"),
    node: None,
};

/// `flux run`.
pub const FLUX: Launcher = Launcher {
    rank: "FLUX_TASK_RANK",
    local_rank: Some("FLUX_TASK_LOCAL_ID"),
    size: Some("FLUX_JOB_SIZE"),
    node: None,
};

/// Cray's `aprun`, which tells its processes nothing else.
pub const ALPS: Launcher =
    Launcher { rank: "ALPS_APP_PE", local_rank: None, size: None, node: None };

/// `srun`.
pub const SLURM: Launcher = Launcher {
    rank: "SLURM_PROCID",
    local_rank: Some("SLURM_LOCALID"),
    size: Some("SLURM_NTASKS"),
    node: Some("SLURM_NODEID"),
};

/// PyTorch's `torchrun`, and those that are built on it or imitate it.
pub const TORCHRUN: Launcher = Launcher {
    rank: "RANK",
    local_rank: Some("LOCAL_RANK"),
    size: Some("WORLD_SIZE"),
    node: Some("GROUP_RANK"),
};

/// The known launchers, in the order in which they are believed if several have set their variables: processes that `mpirun` starts inside a Slurm job inherit
/// Slurm's, and anybody may set `RANK`.
pub const LAUNCHERS: [Launcher; 7] = [OPEN_MPI, PMI, JSM, FLUX, ALPS, SLURM, TORCHRUN];

/// Lists the variables of [`LAUNCHERS`] but for those of nodes, and counts them.
const fn variables<const ROOM: usize>() -> ([&'static str; ROOM], usize) {
    let mut names = [""; ROOM];
    let (mut at, mut count) = (0, 0);
    while at < LAUNCHERS.len() {
        let of = LAUNCHERS[at];
        let all = [Some(of.rank), of.local_rank, of.size];
        let mut which = 0;
        while which < all.len() {
            if let Some(name) = all[which] {
                if count < ROOM {
                    names[count] = name;
                }
                count += 1;
            }
            which += 1;
        }
        at += 1;
    }
    (names, count)
}

/// The names of all variables of [`LAUNCHERS`] by which processes are numbered.
pub const RANK_VARIABLES: [&str; variables::<0>().1] = variables().0;

/// The variable by which launchers give each rank its devices.
pub const DEVICES_VARIABLE: &str = "CUDA_VISIBLE_DEVICES";

/// The rank, local rank or size that `which` picks from a launcher's variables; `number` gives the value of a variable that holds a number.
///
/// `torchrun` starts processes of its own below the other launchers, which then know only its node: where the size of its world is set, it is believed first.
pub fn number_of(
    which: impl Fn(&Launcher) -> Option<&'static str>,
    number: impl Fn(&str) -> Option<u32>,
) -> Option<u32> {
    let inner = TORCHRUN.size.and_then(&number).and_then(|_| number(which(&TORCHRUN)?));
    inner.or_else(|| LAUNCHERS.iter().find_map(|launcher| number(which(launcher)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, u32)]) -> [Option<u32>; 3] {
        let number = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| *value)
        };
        [
            number_of(|of| Some(of.rank), number),
            number_of(|of| of.local_rank, number),
            number_of(|of| of.size, number),
        ]
    }

    #[test]
    fn every_launcher_is_believed_and_the_innermost_first() {
        assert_eq!(rank(&[]), [None; 3]);
        for launcher in LAUNCHERS {
            let told = [(Some(launcher.rank), 5), (launcher.local_rank, 1), (launcher.size, 8)];
            let all = told.map(|(name, value)| (name.unwrap_or_default(), value));
            let expected = told.map(|(name, value)| name.map(|_| value));
            assert_eq!(rank(&all), expected);
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
