//! The fixed names of diagnoses.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($variant:ident = $word:literal, $title:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Code {
            $($variant,)+
        }

        impl Code {
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }
        }
    };
}

codes! {
    CounterPermission = "counter-permission", "no permission to read the GPU's counters";
    CountersBusy = "counters-busy", "another tool holds the GPU's counters";
    NoDriver = "no-driver", "the CUDA driver cannot be loaded";
    DriverVersion = "driver-version", "the driver and ncu are not compatible";
    NoGpu = "no-gpu", "the program finds no GPU";
    UnsupportedGpu = "unsupported-gpu", "ncu cannot profile this GPU";
    ProgramNotFound = "program-not-found", "the program was not found";
    ProgramFailed = "program-failed", "the program failed";
    NcuKilled = "ncu-killed", "ncu was killed";
    NcuTooOld = "ncu-too-old", "this ncu does not have the option";
    OptionRefused = "option-refused", "ncu refuses the command line";
    ReportExists = "report-exists", "the report exists already";
    CannotWrite = "cannot-write", "a file cannot be written";
    PermissionDenied = "permission-denied", "access to a file is denied";
    DiskFull = "disk-full", "the disk is full";
    UnknownSection = "unknown-section", "ncu does not know a section";
    UnknownMetric = "unknown-metric", "ncu does not know a metric";
    NoMetrics = "no-metrics", "nothing was selected to be collected";
    UnsupportedApi = "unsupported-api", "a range holds calls that range replay cannot repeat";
    EmptyRange = "empty-range", "no CUDA call was made inside the selected ranges";
    OpenRange = "open-range", "a range had not ended when the program did";
    ReplayMemory = "replay-memory", "there is too little memory to replay";
    GivenUp = "given-up", "ncu gave up on some kernels";
    RunsDiffer = "runs-differ", "the program does not launch the same kernels every time";
    CollectiveHang = "collective-hang", "a collective waits for ranks that ncu holds back";
    RankLost = "rank-lost", "a rank began and never said how it ended";
    RankEnded = "rank-ended", "the launcher ended a rank";
    RankMissing = "rank-missing", "a rank never began";
    Silent = "silent", "nothing was printed for too long";
    TimeLimit = "time-limit", "the capture took longer than its limit";
    UnknownError = "unknown-error", "ncu met an error that it does not explain";
    NoCuda = "no-cuda", "the program did not use CUDA";
    ChildProcess = "child-process", "the kernels were launched by a child process";
    NoNvtx = "no-nvtx", "the program opened no NVTX range";
    NothingMatched = "nothing-matched", "no kernel was launched inside the selected regions";
    KernelFilter = "kernel-filter", "no kernel passed the kernel filter";
    NoRange = "no-range", "no range was marked for range replay";
    NoKernels = "no-kernels", "the program launched no kernels";
}
