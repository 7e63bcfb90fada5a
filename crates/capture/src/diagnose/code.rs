//! The fixed names of diagnoses.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$about:meta])* $variant:ident = $word:literal, $title:literal;)+) => {
        /// What a diagnosis is, as a fixed name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$about])* $variant,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The fixed name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// In a few words.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }
        }
    };
}

codes! {
    /// The user may not read counters.
    CounterPermission = "counter-permission", "no permission to read the GPU's counters";
    /// Another tool reads the counters.
    CountersBusy = "counters-busy", "another tool holds the GPU's counters";
    /// There is no driver, or a stub of one.
    NoDriver = "no-driver", "the CUDA driver cannot be loaded";
    /// The driver is too old or too new.
    DriverVersion = "driver-version", "the driver and ncu do not fit each other";
    /// There is no GPU.
    NoGpu = "no-gpu", "the program finds no GPU";
    /// ncu does not support the GPU.
    UnsupportedGpu = "unsupported-gpu", "ncu cannot profile this GPU";
    /// The program does not exist.
    ProgramNotFound = "program-not-found", "the program was not found";
    /// The program failed.
    ProgramFailed = "program-failed", "the program failed";
    /// This ncu lacks an option.
    NcuTooOld = "ncu-too-old", "this ncu does not have the option";
    /// ncu refuses an option.
    OptionRefused = "option-refused", "ncu refuses the command line";
    /// There is a report already.
    ReportExists = "report-exists", "the report exists already";
    /// A file cannot be written.
    CannotWrite = "cannot-write", "a file cannot be written";
    /// The system refuses access to a file.
    PermissionDenied = "permission-denied", "access to a file is denied";
    /// The disk is full.
    DiskFull = "disk-full", "the disk is full";
    /// A section does not exist.
    UnknownSection = "unknown-section", "ncu does not know a section";
    /// A metric does not exist.
    UnknownMetric = "unknown-metric", "ncu does not know a metric";
    /// There is nothing to collect.
    NoMetrics = "no-metrics", "nothing was asked to be collected";
    /// A call in the range cannot be replayed.
    UnsupportedApi = "unsupported-api", "a range holds calls that range replay cannot repeat";
    /// A range holds no CUDA calls.
    EmptyRange = "empty-range", "no CUDA call was made inside the selected ranges";
    /// A range never ended.
    OpenRange = "open-range", "a range had not ended when the program did";
    /// Too little memory to replay.
    ReplayMemory = "replay-memory", "there is too little memory to replay";
    /// Runs of the program differ.
    RunsDiffer = "runs-differ", "the program does not launch the same kernels every time";
    /// Collectives wait for each other.
    CollectiveHang = "collective-hang", "a collective waits for ranks that ncu holds back";
    /// Nothing happened for a long time.
    Silent = "silent", "nothing was printed for too long";
    /// The capture took too long.
    TimeLimit = "time-limit", "the capture took longer than it may";
    /// ncu met an error that it does not explain.
    UnknownError = "unknown-error", "ncu met an error that it does not explain";
    /// The program does not use CUDA.
    NoCuda = "no-cuda", "the program did not use CUDA";
    /// The program uses CUDA in a process that is not followed.
    ChildProcess = "child-process", "the kernels were launched by a child process";
    /// The program has no ranges.
    NoNvtx = "no-nvtx", "the program opened no NVTX range";
    /// No selector matched.
    NothingMatched = "nothing-matched", "no kernel was launched inside the selected regions";
    /// The kernel filter matched nothing.
    KernelFilter = "kernel-filter", "no kernel passed the kernel filter";
    /// No range was marked.
    NoRange = "no-range", "no range was marked for range replay";
    /// Nothing was launched.
    NoKernels = "no-kernels", "the program launched no kernels";
}
