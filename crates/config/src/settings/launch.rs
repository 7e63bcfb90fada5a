//! Launchers: programs such as `mpirun`, whose ranks are profiled one by one.

use super::kind::Kind;
use super::section::section;
use crate::settings::section::words;

words! {
    /// What the program begins with.
    LauncherName {
        /// Whichever is recognised.
        #[default]
        Auto = "auto",
        /// None is looked for: one ncu, around all that the program starts.
        None = "none",
        Mpirun = "mpirun",
        Srun = "srun",
        Torchrun = "torchrun",
        Accelerate = "accelerate",
        Deepspeed = "deepspeed",
        Jsrun = "jsrun",
        Flux = "flux",
        Aprun = "aprun",
    }
}

words! {
    /// What is done about the kernels of collectives, which end only when all ranks take part.
    Collectives {
        #[default]
        Exclude = "exclude",
        /// Only what one pass can measure, so that nothing is repeated.
        SinglePass = "single-pass",
        /// The ncu of all ranks launch them together.
        Lockstep = "lockstep",
        Keep = "keep",
    }
}

section! {
    /// How the ranks of a launcher are captured.
    Launch "pipeline.launcher." {
        name: LauncherName, Kind::Choice(LauncherName::WORDS), "The launcher that the program begins with";
        outside: bool, Kind::Bool, "One ncu around the launcher, in place of one inside of every rank";
        ranks: Vec<String>, Kind::Names, "Ranks to profile: `all`, `1-per-node`, or numbers and ranges; the others run without a profiler";
    }
}
