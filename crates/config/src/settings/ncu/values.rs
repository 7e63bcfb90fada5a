//! Words of ncu's options that rangescope itself decides by, or has a default for.

use crate::settings::section::words;

words! {
    TargetProcesses {
        #[default]
        All = "all",
        ApplicationOnly = "application-only",
    }
}

words! {
    /// What launch counts are counted over.
    FilterMode {
        #[default]
        Global = "global",
        PerGpu = "per-gpu",
        /// Each launch shape on its own.
        PerLaunchConfig = "per-launch-config",
    }
}

words! {
    /// Before each pass.
    CacheControl {
        #[default]
        All = "all",
        None = "none",
    }
}

words! {
    ClockControl {
        #[default]
        Base = "base",
        /// The base clock where the boost clock is not possible.
        Boost = "boost",
        ForceBoost = "force-boost",
        None = "none",
    }
}

words! {
    /// What a CUDA graph becomes.
    GraphProfiling {
        /// Each of its kernels is a result.
        #[default]
        Node = "node",
        /// It is one result.
        Graph = "graph",
    }
}

words! {
    /// The clock of the tensor cores.
    PipelineBoostState {
        #[default]
        Stable = "stable",
        Dynamic = "dynamic",
    }
}

words! {
    /// How several ncu, or several processes under one ncu, agree on what to do next.
    Communicator {
        #[default]
        None = "none",
        /// Over the network: one ncu per rank.
        Tcp = "tcp",
        /// Through shared memory: one ncu around the launcher.
        Shmem = "shmem",
    }
}

words! {
    /// The part that this ncu has in profiling under the multi-process service.
    Mps {
        #[default]
        None = "none",
        Client = "client",
        PrimaryClient = "primary-client",
        Control = "control",
    }
}

words! {
    ReportKind {
        /// Not compressed; every version reads it.
        #[default]
        Rep = "ncu-rep",
        Repz = "ncu-repz",
    }
}
