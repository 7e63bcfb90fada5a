//! Words of ncu's options that rangescope itself decides by, or has a default for.

use crate::settings::section::words;

words! {
    /// Which processes are profiled.
    TargetProcesses {
        /// The program and everything that it starts.
        #[default]
        All = "all",
        /// Only the program itself.
        ApplicationOnly = "application-only",
    }
}

words! {
    /// What launch counts are counted over.
    FilterMode {
        /// All launches together.
        #[default]
        Global = "global",
        /// Each device on its own.
        PerGpu = "per-gpu",
        /// Each launch shape on its own.
        PerLaunchConfig = "per-launch-config",
    }
}

words! {
    /// What happens to the caches before each pass.
    CacheControl {
        /// All are emptied.
        #[default]
        All = "all",
        /// They are left alone.
        None = "none",
    }
}

words! {
    /// What happens to the clocks of the device.
    ClockControl {
        /// They are locked to the base clock.
        #[default]
        Base = "base",
        /// They are locked to the boost clock, or to the base clock where that is not possible.
        Boost = "boost",
        /// They are locked to the boost clock.
        ForceBoost = "force-boost",
        /// They are left alone.
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
    /// What happens to the clock of the tensor cores.
    PipelineBoostState {
        /// It is kept at one value.
        #[default]
        Stable = "stable",
        /// It is left alone.
        Dynamic = "dynamic",
    }
}

words! {
    /// How several ncu, or several processes under one ncu, agree on what to do next.
    Communicator {
        /// Not at all.
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
        /// None.
        #[default]
        None = "none",
        /// One of the clients.
        Client = "client",
        /// The client that decides.
        PrimaryClient = "primary-client",
        /// The control process.
        Control = "control",
    }
}

words! {
    /// The kind of report that ncu writes.
    ReportKind {
        /// Not compressed; every version reads it.
        #[default]
        Rep = "ncu-rep",
        /// Compressed.
        Repz = "ncu-repz",
    }
}
