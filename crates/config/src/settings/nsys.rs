//! Nsight Systems: whether it runs, and the table of its options.

use super::kind::{COUNT, Kind};
use super::section::section;
use crate::settings::section::words;

words! {
    /// What nsys' recording is bound to.
    CaptureRange {
        #[default]
        None = "none",
        Nvtx = "nvtx",
        /// Calls of cudaProfilerStart and cudaProfilerStop.
        CudaProfilerApi = "cudaProfilerApi",
    }
}

words! {
    /// The processes whose CPU events are recorded.
    CpuEvents {
        #[default]
        None = "none",
        ProcessTree = "process-tree",
        SystemWide = "system-wide",
    }
}

section! {
    #[derive(Default)]
    Nsys "pipeline.nsys." {
        enable: bool, Kind::Bool, "Run Nsight Systems first";
        gating_nvtx: bool, Kind::Bool, "Record only inside the range `nvtx_capture`, where there is one";
        executable: String, Kind::Text, "The nsys to run";
        trace: Vec<String>, Kind::Names, "What to trace" => option("trace").short('t');
        sample: CpuEvents, Kind::Choice(CpuEvents::WORDS), "CPU sampling" => option("sample").short('s');
        cpuctxsw: CpuEvents, Kind::Choice(CpuEvents::WORDS), "Context switches of the CPU" => option("cpuctxsw");
        force_overwrite: bool, Kind::Bool, "Replace an existing report" => option("force-overwrite").short('f');
        capture_range: CaptureRange, Kind::Choice(CaptureRange::WORDS), "What starts and ends the recording" => option("capture-range").short('c');
        nvtx_capture: Option<String>, Kind::Text, "The range that starts the recording" => option("nvtx-capture").short('p');
        capture_range_end: Option<String>, Kind::Text, "What happens when the range ends" => option("capture-range-end");
        nvtx_domain_include: Vec<String>, Kind::Names, "Domains to record" => option("nvtx-domain-include");
        nvtx_domain_exclude: Vec<String>, Kind::Names, "Domains not to record" => option("nvtx-domain-exclude");
        top_kernels: u64, Kind::Int { min: 1, max: COUNT }, "How many kernels the list for a following ncu stage has";
        extra_args: Vec<String>, Kind::Texts, "Further options, passed as they are";
    }
}
