//! What is known of each launcher: its names, which of its options take a value, and which variables number its ranks.
//!
//! The options are without dashes. An option that is not listed is an error before anything is started, because a value that is taken for the program would be. Each row says
//! where its options come from; docs/ranks.md says which launchers are run by the tests.

use std::ffi::OsString;
use std::path::Path;

use rangescope_recorder::format::{self, ALPS, FLUX, JSM, OPEN_MPI, PMI, SLURM, TORCHRUN};

#[derive(Debug, PartialEq, Eq)]
pub struct Launcher {
    /// As users and documents name it.
    pub name: &'static str,
    /// The file names of its programs, each perhaps with the word that has to follow it.
    pub programs: &'static [&'static str],
    /// The Python module that is the same, behind `python -m`.
    pub module: Option<&'static str>,
    /// Options that take one value.
    pub with_value: &'static [&'static str],
    /// Options that take two.
    pub with_two: &'static [&'static str],
    pub switches: &'static [&'static str],
    /// Options with which the programs are named elsewhere, and what that means.
    pub elsewhere: &'static [(&'static str, &'static str)],
    /// Options of one letter may stand together, and their value behind them without a blank.
    pub short_options_join: bool,
    /// A word that separates several programs.
    pub separator: Option<&'static str>,
    /// Another process starts the ranks for it, so that ncu around it sees nothing.
    pub starts_elsewhere: bool,
    /// It starts Python with a script unless it is given these, which every version of it knows.
    pub without_python: &'static [&'static str],
    /// A process that is the only one is given its number, too.
    pub numbers_one: bool,
    /// The variables by which its ranks know their numbers, in the order in which they are believed.
    pub variables: &'static [format::Launcher],
    /// Variables that name the job.
    pub job: &'static [&'static str],
    /// Variables that it is started with unless they are set, so that ranks are told to end and have time to write what they have.
    pub environment: &'static [(&'static str, &'static str)],
}

/// Starts the program as it is.
pub(super) const NO_PYTHON: &str = "--no_python";
/// Does not give the script an option `--local_rank`; then the rank does.
pub(super) const NO_LOCAL_RANK: &str = "--no_local_rank";
const IN_A_FILE: &str = "names the programs in a file";

/// What most launchers do.
const PLAIN: Launcher = Launcher {
    name: "",
    programs: &[],
    module: None,
    with_value: &[],
    with_two: &[],
    switches: &[],
    elsewhere: &[],
    short_options_join: false,
    separator: None,
    starts_elsewhere: false,
    without_python: &[],
    numbers_one: true,
    variables: &[],
    job: &[],
    environment: &[],
};

#[rustfmt::skip]
pub static LAUNCHERS: [Launcher; 8] = [
    // Open MPI 4 and 5, Intel MPI, and MPICH's Hydra, of which most options in `mpiexec.hydra -help` of 4.0 were tried.
    Launcher {
        name: "mpirun",
        programs: &[
            "mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.openmpi",
            "mpirun.mpich", "mpiexec.mpich", "mpirun.lam", "mpirun_rsh",
        ],
        with_value: &[
            "n", "np", "c", "N", "H", "host", "hosts", "hostfile", "machinefile", "machine", "f", "default-hostfile", "map-by", "bind-to", "rank-by", "ppr", "x", "wdir", "wd",
            "prefix", "npernode", "npersocket", "ppn", "perhost", "output-filename", "output", "timeout", "stdin", "rankfile", "rf", "cpu-set", "cpu-list", "cpus-per-proc",
            "cpus-per-rank", "max-restarts", "report-uri", "report-pid", "report-events", "path", "tune", "am", "personality", "launch-agent", "xterm", "preload-files", "display",
            "runtime-options", "genvlist", "envlist", "genvexcl", "launcher", "launcher-exec", "rmk", "iface", "outfile-pattern", "errfile-pattern", "hnp", "ompi-server",
            "max-vm-size", "xml-file", "debugger", "cartofile", "cf", "topolib", "membind",
            "demux", "prepend-pattern", "nameserver", "order-nodes", "localhost", "usize", "gpus-per-proc",
        ],
        with_two: &["mca", "gmca", "omca", "prtemca", "pmixmca", "gprtemca", "gpmixmca", "env", "genv"],
        switches: &[
            "oversubscribe", "nooversubscribe", "allow-run-as-root", "tag-output", "timestamp-output", "report-bindings", "display-map", "display-allocation", "display-topo",
            "display-devel-map", "q", "quiet", "v", "verbose", "use-hwthread-cpus", "nolocal", "pernode", "bynode", "byslot", "bycore", "bind-to-core", "bind-to-socket",
            "preload-binary", "enable-recovery", "disable-recovery", "merge-stderr-to-stdout", "report-child-jobs-separately", "report-state-on-timeout", "get-stack-traces",
            "do-not-resolve", "noprefix", "novm", "leave-session-attached", "set-cwd-to-session-dir", "index-argv-by-rank", "show-progress", "continuous", "genvall", "genvnone",
            "envall", "envnone", "l", "prepend-rank", "pmi-port", "enable-x", "disable-x", "print-all-exitcodes", "profile", "disable-auto-cleanup", "disable-hostname-propagation",
            "skip-launch-node",
        ],
        elsewhere: &[("app", IN_A_FILE), ("configfile", IN_A_FILE)],
        separator: Some(":"),
        variables: &[OPEN_MPI, PMI],
        job: &["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PMIX_NAMESPACE"],
        environment: &[("OMPI_MCA_odls_base_sigkill_timeout", "5"), ("PRTE_MCA_odls_base_sigkill_timeout", "5")],
        ..PLAIN
    },
    // Slurm 22 to 24.
    Launcher {
        name: "srun",
        programs: &["srun"],
        with_value: &[
            "A", "account", "acctg-freq", "bb", "bbf", "bcast-exclude", "b", "begin", "c", "cpus-per-task", "comment", "container", "cpu-freq", "d", "dependency", "deadline",
            "delay-boot", "D", "chdir", "export", "e", "error", "epilog", "gres", "gres-flags", "i", "input", "jobid", "J", "job-name", "L", "licenses", "M", "clusters", "m",
            "distribution", "mail-type", "mail-user", "mcs-label", "mpi", "n", "ntasks", "ntasks-per-node", "N", "nodes", "o", "output", "het-group", "p", "partition", "power",
            "priority", "prolog", "profile", "q", "qos", "r", "relative", "S", "core-spec", "signal", "slurmd-debug", "switches", "task-epilog", "task-prolog", "thread-spec", "T",
            "threads", "t", "time", "time-min", "W", "wait", "wckey", "cluster-constraint", "C", "constraint", "mem", "mincpus", "reservation", "tmp", "w", "nodelist", "x",
            "exclude", "mem-per-cpu", "sockets-per-node", "cores-per-socket", "threads-per-core", "B", "extra-node-info", "ntasks-per-core", "ntasks-per-socket",
            "ntasks-per-gpu", "cpus-per-gpu", "G", "gpus", "gpu-bind", "gpu-freq", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "mem-per-gpu", "mem-bind", "cpu-bind",
            "hint", "nodefile", "F", "prefer", "network", "tres-per-task", "tres-bind", "container-image", "container-mounts", "container-name", "container-workdir",
        ],
        // Values of these stand behind `=` only.
        switches: &[
            "bcast", "compress", "E", "preserve-env", "H", "hold", "I", "immediate", "k", "no-kill", "K", "kill-on-bad-exit", "l", "label", "nice", "O", "overcommit", "overlap",
            "propagate", "pty", "quit-on-interrupt", "Q", "quiet", "reboot", "s", "oversubscribe", "send-libs", "spread-job", "u", "unbuffered", "use-min-nodes", "v", "verbose",
            "X", "disable-status", "contiguous", "Z", "no-allocate", "exact", "exclusive", "resv-ports", "container-mount-home", "no-container-mount-home",
        ],
        elsewhere: &[("multi-prog", IN_A_FILE)],
        short_options_join: true,
        separator: Some(":"),
        starts_elsewhere: true,
        variables: &[SLURM],
        job: &["SLURM_JOB_ID"],
        // One interrupt reaches the ranks, in place of a word on their state.
        environment: &[("SLURM_DISABLE_STATUS", "1")],
        ..PLAIN
    },
    // PyTorch 2: the parser of `torch/distributed/run.py`.
    Launcher {
        name: "torchrun",
        programs: &["torchrun"],
        module: Some("torch.distributed.run"),
        with_value: &[
            "nnodes", "nproc-per-node", "rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf", "max-restarts", "monitor-interval", "start-method", "role", "log-dir", "r",
            "redirects", "t", "tee", "local-ranks-filter", "node-rank", "master-addr", "master-port", "local-addr", "logs-specs", "numa-binding", "event-log-handler",
            "duplicate-stdout-filters", "duplicate-stderr-filters", "signals-to-handle", "shutdown-timeout",
        ],
        switches: &["standalone", "m", "module", "no-python", "virtual-local-rank"],
        elsewhere: &[("run-path", "runs a script inside of its own process")],
        without_python: &[NO_PYTHON],
        variables: &[TORCHRUN],
        job: &["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"],
        ..PLAIN
    },
    // Accelerate 1.15: the parser of `accelerate/commands/launch.py`. It starts `torchrun`, `deepspeed` or `mpirun`, or a single process by itself.
    Launcher {
        name: "accelerate",
        programs: &["accelerate launch", "accelerate-launch"],
        module: Some("accelerate.commands.launch"),
        with_value: &[
            "config-file", "mixed-precision", "num-processes", "num-machines", "num-cpu-threads-per-process", "dynamo-backend", "dynamo-mode", "gpu-ids", "machine-rank",
            "main-process-ip", "main-process-port", "t", "tee", "log-dir", "role", "rdzv-backend", "rdzv-conf", "max-restarts", "monitor-interval", "vm", "env",
            "main-training-function", "deepspeed-config-file", "zero-stage", "offload-optimizer-device", "offload-param-device", "offload-optimizer-nvme-path",
            "offload-param-nvme-path", "gradient-accumulation-steps", "gradient-clipping", "zero3-init-flag", "zero3-save-16bit-model", "deepspeed-hostfile",
            "deepspeed-exclusion-filter", "deepspeed-inclusion-filter", "deepspeed-multinode-launcher", "deepspeed-moe-layer-cls-names", "fsdp-version", "fsdp-offload-params",
            "fsdp-min-num-params", "fsdp-sharding-strategy", "fsdp-reshard-after-forward", "fsdp-auto-wrap-policy", "fsdp-transformer-layer-cls-to-wrap",
            "fsdp-backward-prefetch", "fsdp-state-dict-type", "fsdp-forward-prefetch", "fsdp-use-orig-params", "fsdp-cpu-ram-efficient-loading", "fsdp-sync-module-states",
            "fsdp-activation-checkpointing", "fsdp-activation-checkpointing-offload", "fp8-backend", "fp8-margin", "fp8-interval", "fp8-format", "fp8-amax-history-len",
            "fp8-amax-compute-algo", "fp8-override-linear-precision", "fp8-opt-level", "fp8-enable-fsdp-float8-all-gather", "fp8-pad-inner-dim", "aws-access-key-id",
            "aws-secret-access-key", "mpirun-hostfile", "megatron-lm-tp-degree", "megatron-lm-use-custom-fsdp", "megatron-lm-no-load-optim", "megatron-lm-eod-mask-loss",
            "megatron-lm-overlap-cpu-optimizer-d2h-h2d", "megatron-lm-no-save-optim", "megatron-lm-optimizer-cpu-offload", "megatron-lm-use-precision-aware-optimizer",
            "megatron-lm-decoder-last-pipeline-num-layers", "megatron-lm-pp-degree", "megatron-lm-num-micro-batches", "megatron-lm-sequence-parallelism",
            "megatron-lm-recompute-activations", "megatron-lm-use-distributed-optimizer", "megatron-lm-gradient-clipping", "megatron-lm-recompute-granularity",
            "megatron-lm-recompute-method", "megatron-lm-recompute-num-layers", "megatron-lm-attention-backend", "megatron-lm-expert-model-parallel-size",
            "megatron-lm-context-parallel-size", "megatron-lm-attention-dropout", "megatron-lm-hidden-dropout", "megatron-lm-attention-softmax-in-fp32",
            "megatron-lm-expert-tensor-parallel-size", "megatron-lm-calculate-per-token-loss", "megatron-lm-use-rotary-position-embeddings",
            "parallelism-config-dp-replicate-size", "parallelism-config-dp-shard-size", "parallelism-config-tp-size", "parallelism-config-cp-size",
            "parallelism-config-cp-backend", "parallelism-config-cp-comm-strategy", "parallelism-config-sp-size", "parallelism-config-sp-backend",
            "parallelism-config-sp-seq-length", "parallelism-config-sp-seq-length-is-variable", "parallelism-config-sp-attn-implementation",
        ],
        switches: &[
            "q", "quiet", "cpu", "multi-gpu", "tpu", "enable-cpu-affinity", "dynamo-use-fullgraph", "dynamo-use-dynamic", "dynamo-use-regional-compilation", "use-deepspeed",
            "use-fsdp", "use-parallelism-config", "use-megatron-lm", "same-network", "m", "module", "no-python", "tpu-cluster", "no-tpu-cluster", "tpu-use-sudo",
            "downcast-bf16", "fp8-use-autocast-during-eval", "debug",
        ],
        without_python: &[NO_PYTHON],
        numbers_one: false,
        variables: &[TORCHRUN, OPEN_MPI, PMI],
        job: &["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"],
        ..PLAIN
    },
    // DeepSpeed: the parser of `deepspeed/launcher/runner.py`, and `node_rank`, `no_ssh`, `ssh_port` and `venv_script` of later versions.
    Launcher {
        name: "deepspeed",
        programs: &["deepspeed"],
        module: Some("deepspeed.launcher.runner"),
        with_value: &[
            "H", "hostfile", "i", "include", "e", "exclude", "num-nodes", "min-elastic-nodes", "max-elastic-nodes", "num-gpus", "num-accelerators", "master-port",
            "master-addr", "node-rank", "launcher", "launcher-args", "enable-each-rank-log", "ssh-port", "venv-script", "bind-core-list",
        ],
        switches: &[
            "module", "no-python", "no-local-rank", "no-ssh", "no-ssh-check", "force-multi", "save-pid", "elastic-training", "bind-cores-to-rank",
        ],
        elsewhere: &[("autotuning", "starts the program many times with other settings")],
        without_python: &[NO_PYTHON, NO_LOCAL_RANK],
        variables: &[TORCHRUN],
        job: &["SLURM_JOB_ID"],
        ..PLAIN
    },
    // IBM's Job Step Manager: the guides of Summit and job scripts that use it; its manual could not be had.
    Launcher {
        name: "jsrun",
        programs: &["jsrun"],
        with_value: &[
            "n", "nrs", "p", "np", "a", "tasks_per_rs", "c", "cpu_per_rs", "g", "gpu_per_rs", "r", "rs_per_host", "l", "latency_priority", "b", "bind", "d",
            "launch_distribution", "M", "smpiargs", "E", "env", "D", "X", "stdio_mode", "stdio_stdout", "stdio_stderr", "print_placement", "progress",
        ],
        elsewhere: &[("erf_input", IN_A_FILE), ("U", IN_A_FILE)],
        short_options_join: true,
        separator: Some(":"),
        starts_elsewhere: true,
        variables: &[JSM, OPEN_MPI],
        job: &["LSB_JOBID"],
        ..PLAIN
    },
    // flux-core: the parser of `flux/cli/base.py`, and `bank` of later versions.
    Launcher {
        name: "flux",
        programs: &["flux run"],
        with_value: &[
            "q", "queue", "t", "time-limit", "urgency", "job-name", "o", "setopt", "setattr", "add-file", "dependency", "requires", "begin-time", "env", "env-remove",
            "env-file", "rlimit", "input", "output", "error", "cwd", "flags", "signal", "taskmap", "N", "nodes", "n", "ntasks", "c", "cores-per-task", "g", "gpus-per-task",
            "cores", "tasks-per-node", "tasks-per-core", "gpus-per-node", "B", "bank",
        ],
        switches: &["u", "unbuffered", "l", "label-io", "quiet", "x", "exclusive", "v", "verbose"],
        elsewhere: &[("dry-run", "starts nothing")],
        short_options_join: true,
        starts_elsewhere: true,
        variables: &[FLUX],
        job: &["FLUX_JOB_ID"],
        ..PLAIN
    },
    // ALPS: Cray's manual S-2496.
    Launcher {
        name: "aprun",
        programs: &["aprun"],
        with_value: &[
            "n", "N", "d", "S", "j", "m", "a", "cc", "cp", "D", "L", "F", "p", "r", "R", "sl", "sn", "t", "e", "debug", "environment-override", "memory-per-pe",
        ],
        switches: &["b", "bypass-app-transfer", "B", "batch-args", "C", "reconnect", "q", "ss", "T"],
        separator: Some(":"),
        starts_elsewhere: true,
        variables: &[ALPS, PMI],
        job: &["PBS_JOBID", "SLURM_JOB_ID"],
        ..PLAIN
    },
];

impl Launcher {
    pub fn named(name: &str) -> Option<&'static Self> {
        LAUNCHERS.iter().find(|launcher| launcher.name == name)
    }

    /// The one that a command line begins with.
    pub fn recognised(command: &[OsString]) -> Option<&'static Self> {
        LAUNCHERS.iter().find(|launcher| launcher.own_words(command).is_some())
    }

    /// How many words of a command line are the launcher itself: its program, perhaps with a word, or `python -u -m MODULE`.
    pub(super) fn own_words(&self, command: &[OsString]) -> Option<usize> {
        let (first, rest) = command.split_first()?;
        let name = Path::new(first).file_name()?.to_str()?;
        let is_it = |words: &str| {
            let (program, word) = words
                .split_once(' ')
                .map_or((words, None), |(program, word)| (program, Some(word)));
            let follows = |word| rest.first().is_some_and(|next| next == word);
            (program == name && word.is_none_or(follows)).then_some(1 + usize::from(word.is_some()))
        };
        self.programs
            .iter()
            .find_map(|words| is_it(words))
            .or_else(|| Some(self.module_at(command)? + 1))
    }

    /// Where the module stands that is this launcher, behind `python -m`.
    pub(super) fn module_at(&self, command: &[OsString]) -> Option<usize> {
        let module = self.module?;
        let (first, rest) = command.split_first()?;
        let name = Path::new(first).file_name()?.to_str()?;
        let at =
            rest.iter().position(|word| word == "-m").filter(|_| name.starts_with("python"))?;
        let only_switches =
            rest.get(..at)?.iter().all(|word| word.to_string_lossy().starts_with('-'));
        (only_switches && *rest.get(at + 1)? == module).then_some(at + 2)
    }

    /// A number that this launcher tells its ranks, by its own variables before all others; `variable` gives the value of one.
    pub fn number(
        &self,
        which: fn(&format::Launcher) -> Option<&'static str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<u32> {
        let number = |name: &str| variable(name)?.trim().parse().ok();
        self.variables.iter().find_map(|of| number(which(of)?))
    }
}
