//! The values that options of ncu take, as words. The first of each list is rangescope's default, which is the same with every ncu.

use super::words::words;

words! {
    /// How ncu collects what does not fit into one pass.
    ReplayMode {
        /// Each kernel is run several times.
        Kernel = "kernel",
        /// The program is run several times.
        Application = "application",
        /// Each range is run several times, and is one result.
        Range = "range",
        /// The program is run several times; each range is one result.
        AppRange = "app-range",
    }
}

impl ReplayMode {
    /// Whether results are ranges and not kernels.
    pub fn is_range(self) -> bool {
        matches!(self, Self::Range | Self::AppRange)
    }
}

words! {
    /// Which processes are profiled.
    TargetProcesses {
        /// The program and everything that it starts.
        All = "all",
        /// Only the program itself.
        ApplicationOnly = "application-only",
    }
}

words! {
    /// Which of a kernel's names filters look at.
    KernelNameBase {
        /// The demangled name with arguments.
        Demangled = "demangled",
        /// The function name without arguments.
        Function = "function",
        /// The mangled name.
        Mangled = "mangled",
    }
}

words! {
    /// What launch counts are counted over.
    FilterMode {
        /// All launches together.
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
        All = "all",
        /// They are left alone.
        None = "none",
    }
}

words! {
    /// What happens to the clocks of the device.
    ClockControl {
        /// They are locked to the base clock.
        Base = "base",
        /// They are left alone.
        None = "none",
        /// They are locked to the boost clock, or to the base clock where that is not possible.
        Boost = "boost",
        /// They are locked to the boost clock.
        ForceBoost = "force-boost",
    }
}

words! {
    /// What range replay does beyond, or leaves out.
    RangeReplayOption {
        /// Waits for the device after more calls than it has to.
        EnableGreedySync = "enable-greedy-sync",
        /// Does not restore memory of the host between passes.
        DisableHostRestore = "disable-host-restore",
        /// Does not save memory of the host.
        DisableHostSave = "disable-host-save",
        /// Does not look for kernels that depend on each other.
        DisableDependentKernelDetection = "disable-dependent-kernel-detection",
    }
}

words! {
    /// What a CUDA graph becomes.
    GraphProfiling {
        /// Each of its kernels is a result.
        Node = "node",
        /// It is one result.
        Graph = "graph",
    }
}

words! {
    /// Whose push/pop ranges count for a launch.
    PushPopScope {
        /// Those of the launching thread.
        Thread = "thread",
        /// Those of all threads of the process.
        Process = "process",
    }
}

words! {
    /// How strictly the kernels of several runs have to agree.
    AppReplayMode {
        /// All kernels, in the same order.
        Strict = "strict",
        /// All kernels that pass the filters, in any order.
        Balanced = "balanced",
        /// What does not agree is left out.
        Relaxed = "relaxed",
    }
}

words! {
    /// By what the kernels of several runs are found again.
    AppReplayMatch {
        /// Their name.
        Name = "name",
        /// Name and launch shape.
        Grid = "grid",
        /// Name, launch shape, context and stream.
        All = "all",
    }
}

words! {
    /// Where the data of finished runs waits for the others.
    AppReplayBuffer {
        /// In a temporary file.
        File = "file",
        /// In memory.
        Memory = "memory",
    }
}

words! {
    /// What happens to the clock of the tensor cores.
    PipelineBoostState {
        /// It is kept at one value.
        Stable = "stable",
        /// It is left alone.
        Dynamic = "dynamic",
    }
}

words! {
    /// How several ncu, or several processes under one ncu, agree on what to do next.
    Communicator {
        /// Not at all.
        None = "none",
        /// Over the network: one ncu per rank.
        Tcp = "tcp",
        /// Through shared memory: one ncu around the launcher.
        Shmem = "shmem",
    }
}

words! {
    /// Which call stacks are collected.
    CallStackType {
        /// Those of the machine.
        Native = "native",
        /// Those of the Python interpreter.
        Python = "python",
    }
}

words! {
    /// The part that this ncu has in profiling under the multi-process service.
    Mps {
        /// None.
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
    ReportFormat {
        /// Not compressed; every version reads it.
        Rep = "ncu-rep",
        /// Compressed.
        Repz = "ncu-repz",
    }
}
