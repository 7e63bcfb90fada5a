//! The command line, as typed. What it means is decided by the commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use rangescope_analyze::SortKey;
use rangescope_analyze::aggregate::PRESETS;
use rangescope_config::Version;
use rangescope_model::select::ranks::RankSelection;
use rangescope_model::words::Word;
use rangescope_report::formats::stacks;
use rangescope_report::tables::schema::TABLES;
use rangescope_report::tables::{TABLE_FORMATS, Table, TableFormat};
use rangescope_report::{FORMATS, Format};
use rangescope_run::exit::ExitCode;
use rangescope_run::partial::Engine;

use crate::commands::source::SourceArgs;
use crate::flags::{Offered, OverrideFlags};
use crate::selection::{NameArgs, ResultArgs, SelectionArgs, TreeArgs, ViewArgs};
use crate::size::bytes;

/// Nsight Compute by NVTX range.
///
/// Reads Nsight Compute reports with no NVIDIA software, attributes every kernel to the NVTX ranges that were open when it was launched, and rolls the counters up the tree of regions with the right arithmetic.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100, after_help = after_help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

fn after_help() -> String {
    let codes = ExitCode::ALL.map(|(code, meaning)| format!("{} {meaning}", code.number()));
    format!(
        "Exit codes: {}.\nData goes to stdout, everything else to stderr. NO_COLOR switches colours off.",
        codes.join(", ")
    )
}

#[derive(Clone, Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Say nothing but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more about what is done.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Profile a program by NVTX region and report it.
    Profile(ProfileArgs),
    /// Print what `profile` would run, and run nothing.
    Plan(PlanArgs),
    /// Run a program and list the NVTX regions that it opens; needs no GPU and no NVIDIA software.
    Regions(RegionsArgs),
    /// Run the whole pipeline on a small model: discovery, plan, capture by kernel and by range, report.
    Demo(DemoArgs),
    /// Look at this machine: can it profile, and if not, what to do.
    Doctor(DoctorArgs),
    /// Report GPU time and counters by NVTX region.
    Report(ReportArgs),
    /// One kernel in detail: durations, limit, occupancy, memory chart, stalls, pipes, samples over time, every section and rule.
    Kernel(KernelArgs),
    /// Draw a report as SVG or PNG: roofline, icicle, kernels, histogram, or the memory chart, stalls, pipes and samples over time of a kernel or region.
    Plot(PlotArgs),
    /// Say what limits each region and what would be worth doing about it.
    Advice(AdviceArgs),
    /// Show the hottest source lines and instructions, by region and kernel.
    Source(SourceArgs),
    /// Compare two runs, and say whether something became slower.
    Compare(CompareArgs),
    /// List the kernels that take most of the time in an SQLite export of Nsight Systems.
    TopKernels(TopKernelsArgs),
    /// Print every result of a report as one line of JSON.
    Dump(DumpArgs),
    /// Convert a report to another format.
    Export(ExportArgs),
    /// Ask the tables of reports in SQL, as SQLite knows it.
    Sql(SqlArgs),
    /// Write what reports add up to as Parquet files that any engine can merge; `report` takes them.
    Partial(PartialArgs),
    /// Merge such files into one.
    Merge(MergeArgs),
    /// Explain how metrics are aggregated.
    #[command(subcommand)]
    Metrics(MetricsCommand),
    /// Show what a configuration composes to, and what can be chosen.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the JSON Schema of what rangescope writes.
    Schema {
        /// Of which document.
        #[arg(value_enum, default_value_t = SchemaOf::Report)]
        of: SchemaOf,
    },
    /// Write the sample report (simulated) to a file.
    Sample(SampleArgs),
    /// Run the small residual network that demonstrations and tests profile.
    DummyModel(rangescope_dummy_model::Args),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write a man page for every command into a folder.
    Man {
        /// The folder, for example ~/.local/share/man/man1.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaOf {
    /// report.json, and `report --format json`.
    Report,
    /// `compare --format json`.
    Compare,
    /// `regions --format json`.
    Regions,
    /// `source --format json`.
    Source,
    /// `kernel --format json`.
    Kernel,
    /// `advice --format json`.
    Advice,
}

#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(crate) dirs: ConfigDirs,
    #[command(flatten)]
    pub(crate) flags: OverrideFlags,
    /// Run once for every combination of values in overrides such as `key=1,2`, each into a numbered folder.
    #[arg(short, long)]
    pub(crate) multirun: bool,
    /// Overrides as in Hydra: `key=value`, `+key=value`, `~key`, `group=option`.
    pub(crate) overrides: Vec<String>,
    /// The program to profile and its arguments.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Print what would be run, and run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text, requires = "dry_run")]
    pub(crate) format: TextOrJson,
    /// Go on with the run in this folder: only what is missing is done. Where the folder masks parts of the program, give it again after `--`.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["overrides", "multirun", "config_dirs"])]
    pub(crate) resume: Option<PathBuf>,
    /// Go on with it also if somebody else made the folder or changed it: its program is run.
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,
    /// Make so many runs, each in a folder of its own, for `compare`. Of two programs, `-- BASE --- NEW`, each is run so often, in turns.
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "multirun"], value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) runs: Option<u16>,
    /// The order of the turns follows from it; drawn unless given, and recorded in every run folder.
    #[arg(long, value_name = "SEED", requires = "runs")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(crate) format: TextOrJson,
    /// Plan for an ncu of this version, whether or not there is one here.
    #[arg(long, value_name = "VERSION")]
    pub(crate) ncu_version: Option<Version>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For people, with command lines to copy.
    Text,
    /// As data.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RegionsArgs {
    /// A recording to read instead of running a program.
    #[arg(conflicts_with = "program")]
    pub(crate) recording: Option<PathBuf>,
    /// What to print; JSON has every region, whatever is shown of the tree.
    #[arg(long, value_enum, default_value_t = RegionsFormat::Terminal)]
    pub(crate) format: RegionsFormat,
    /// Write the list here instead of printing it; for `pipeline.regions.from_run` as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep the recording in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "recording")]
    pub(crate) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// The most that is written for one process, in bytes or with K, M, G; later events are counted as lost.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = bytes, conflicts_with = "recording")]
    pub(crate) limit: u64,
    /// The program to run and its arguments.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RegionsFormat {
    /// A tree of text.
    Terminal,
    /// JSON.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The device: `sim`, or a real one such as `cuda:0`.
    #[arg(long, value_name = "DEVICE", default_value = "sim")]
    pub(crate) device: String,
    /// Where everything goes.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A path is a report of ncu, a run folder, a report.json, or a folder of `profile --runs`, which stands for all of its runs; one of two programs is both sides. A verdict needs several runs on either side, from there or by repeating --base and --new. `compare RUN --ranks 3 --with-ranks 0-2` compares ranks of one run.\nExit code 1: a gate was violated; 2: a gate matches nothing."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CompareArgs {
    /// The run to compare with; left out where all runs are given by `--base` and `--new`.
    pub(crate) base: Option<PathBuf>,
    /// The run that may have changed; left out where the other path is both sides.
    pub(crate) new: Option<PathBuf>,
    /// Compare ranks of the one run: these are the base, for example `0` or `0-3`. Each is taken as a run of its own.
    #[arg(long, value_name = "RANKS", requires = "with_ranks", conflicts_with_all = ["new", "more_base", "more_new", "scope"])]
    pub(crate) ranks: Option<RankSelection>,
    /// … with these.
    #[arg(long, value_name = "RANKS", requires = "ranks")]
    pub(crate) with_ranks: Option<RankSelection>,
    /// A run of the base, beside the path that may stand without an option; may be repeated.
    #[arg(long = "base", value_name = "PATH")]
    pub(crate) more_base: Vec<PathBuf>,
    /// A run of the new side, likewise.
    #[arg(long = "new", value_name = "PATH")]
    pub(crate) more_new: Vec<PathBuf>,
    /// Fail if this holds, for example `decode: time > 5%`, `dram_bytes > 2%`; may be repeated.
    #[arg(long, value_name = "GATE")]
    pub(crate) fail_on: Vec<String>,
    /// Gates from a file, one a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) gates: Option<PathBuf>,
    /// A gate of which nobody can say whether it holds is a failure, and so are runs that are not comparable.
    #[arg(long)]
    pub(crate) strict: bool,
    /// A gate that matches nothing is let pass; otherwise it is a mistake in the command line.
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Show regions and kernels that are the same, and members of families one by one.
    #[arg(long)]
    pub(crate) all: bool,
    /// Fold names before regions are matched: `layers`, `pytorch`, or `REGEX=>REPLACEMENT`; may be repeated.
    #[arg(long = "rename", value_name = "PRESET|RULE", value_parser = Offered(PRESETS.to_vec()), hide_possible_values = true)]
    pub(crate) renames: Vec<String>,
    /// Metrics to compare, names or globs, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// The scopes to compare.
    #[arg(long, value_enum, default_value_t = CompareScope::Aggregate)]
    pub(crate) scope: CompareScope,
    /// Differences below this many per cent are none.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub(crate) tolerance: f64,
    /// What to print; with --out it follows from the ending of the file unless given.
    #[arg(long, value_parser = format_parser(|format| format.comparison.is_some()))]
    pub(crate) format: Option<&'static Format>,
    /// Write it here instead of printing.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Also write JUnit XML here.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also add a summary to the file that GITHUB_STEP_SUMMARY names.
    #[arg(long)]
    pub(crate) github: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CompareScope {
    /// Everything.
    Aggregate,
    /// Process by process.
    Process,
    /// Device by device.
    Device,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without --kernel it is the heaviest of the scope and regions. A pattern is matched against the whole name, and against the function alone where that fits nothing."
)]
pub(crate) struct KernelArgs {
    /// A report of ncu or a run folder.
    pub(crate) path: PathBuf,
    /// Only launches in these regions; several with `;` or by repeating.
    #[arg(long = "region", value_name = "PATTERN")]
    pub(crate) regions: Vec<String>,
    /// The scope: `aggregate`, `process:PID`, `rank:N`, `device:ID`.
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = KernelFormat::Terminal)]
    pub(crate) format: KernelFormat,
    /// Write it here instead of printing it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) names: NameArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KernelFormat {
    /// Bars and tables of text.
    Terminal,
    /// Everything, the charts as tables.
    Markdown,
    /// Everything for programs, see `rangescope schema kernel`.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// What to draw.
    #[arg(value_enum)]
    pub(crate) kind: PlotKind,
    /// A report of ncu, a run folder, or a report.json.
    pub(crate) path: PathBuf,
    /// Where to write it: a name that ends in .svg or .png, of bars any other; without it the SVG is printed.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Only this region, by its name; of a roofline, its kernels.
    #[arg(long, value_name = "NAME")]
    pub(crate) region: Option<String>,
    /// The scope: `aggregate`, `process:PID`, `rank:N`, `device:ID`.
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    /// What colours blocks and bars.
    #[arg(long, value_enum, default_value_t = PlotColour::Sm)]
    pub(crate) colour: PlotColour,
    /// Width in pixels.
    #[arg(long, value_name = "PIXELS")]
    pub(crate) width: Option<u32>,
    /// Height in pixels.
    #[arg(long, value_name = "PIXELS")]
    pub(crate) height: Option<u32>,
    /// Light on dark.
    #[arg(long)]
    pub(crate) dark: bool,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PlotKind {
    /// Measured work against what the device could do.
    Roofline,
    /// The region tree: width is inclusive time, colour a metric.
    Icicle,
    /// The heaviest kernels as bars.
    Kernels,
    /// How long kernels last.
    Histogram,
    /// Traffic between the units of the memory system, of everything selected: choose with --kernel, --region, --shape or --launch.
    Memory,
    /// What warps waited for, likewise.
    Stalls,
    /// How busy the pipes of the multiprocessors were, likewise.
    Pipes,
    /// Counters over the time of the longest launch that has samples, likewise.
    PmSampling,
    /// The region tree as bars of text, on the terminal.
    Bars,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PlotColour {
    /// Throughput of the SMs.
    Sm,
    /// Throughput of device memory.
    Dram,
    /// Achieved occupancy.
    Occupancy,
}

#[derive(Debug, Args)]
pub(crate) struct AdviceArgs {
    /// A report of ncu, a run folder, or a report.json.
    pub(crate) path: PathBuf,
    /// How many findings to print.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// All findings: also advice that is worth less than 0.5 % of the run, and what ncu only remarks.
    #[arg(long)]
    pub(crate) all: bool,
    /// Give findings region by region, with regions in this order, instead of the most valuable first.
    #[arg(long, value_name = "KEY", value_parser = word::<SortKey>())]
    pub(crate) sort: Option<SortKey>,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    /// Regions to speak of, as in `report`.
    #[arg(long = "region", value_name = "PATTERN")]
    pub(crate) regions: Vec<String>,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(crate) format: TextOrJson,
}

#[derive(Debug, Args)]
pub(crate) struct TopKernelsArgs {
    /// The export: `nsys export -t sqlite FILE.nsys-rep`.
    pub(crate) file: PathBuf,
    /// How many kernels; with --by-region, how many of each region.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    /// List the kernels that matter in each region.
    #[arg(long)]
    pub(crate) by_region: bool,
    /// Only kernels launched in these regions.
    #[arg(long = "region", value_name = "PATTERN")]
    pub(crate) regions: Vec<String>,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(crate) format: TextOrJson,
    /// Write the list here as JSON, for `pipeline.ncu.from_top_kernels`.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// What to print.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(crate) format: TextOrJson,
    /// The folder that runs go to.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The ncu to look at instead of the one that is found.
    #[arg(long, value_name = "PATH")]
    pub(crate) ncu: Option<OsString>,
    /// The nsys to look at.
    #[arg(long, value_name = "PATH", default_value = "nsys")]
    pub(crate) nsys: OsString,
    /// The program that is to be profiled.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Reports (.ncu-rep, .ncu-repz, .nsight-cuprof-report), CSVs of ncu, run folders, or one report.json.
    #[arg(required_unless_present = "sample")]
    pub(crate) paths: Vec<PathBuf>,
    /// Report the built-in sample, a simulated run of a small language model.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) sample: bool,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// What to print, `terminal` unless given; with --out it follows from the ending of the file.
    #[arg(long, value_parser = format_parser(|format| format.report.is_some()))]
    pub(crate) format: Option<&'static Format>,
    /// Write it here instead of printing: one file if --format is given or the name ends like one (.html, .md, .json, .csv, .txt), else a folder with everything.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) out: Option<PathBuf>,
    /// How much of the source files that a report holds goes into the page: what is near hot lines, or all.
    #[arg(long, value_enum, value_name = "PART", default_value_t = EmbedSource::Hot)]
    pub(crate) embed_source: EmbedSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmbedSource {
    Hot,
    All,
}

/// Takes one of the words of a type.
pub(crate) fn word<W: Word + Send + Sync>() -> impl TypedValueParser<Value = W> {
    let words = W::ALL.iter().map(|(_, word)| *word);
    PossibleValuesParser::new(words).try_map(|word| W::from_word(&word).ok_or("no such word"))
}

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// The report, or a CSV of ncu.
    pub(crate) file: PathBuf,
    /// Only results that match this expression of ncu's NVTX filter language; may be repeated.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) nvtx_include: Vec<String>,
    /// Not the results that match this expression; may be repeated.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) nvtx_exclude: Vec<String>,
    /// Print the instances of metrics too.
    #[arg(long)]
    pub(crate) instances: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Reports or a run folder, recordings, or SQLite exports of Nsight Systems; ncu's CSV is of one report.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The format to write.
    #[arg(long, default_value = ExportFormat::NCU_CSV, value_parser = export_format_parser())]
    pub(crate) format: ExportFormat,
    /// A new file, or a new folder for formats with several files.
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Only these tables; several with `,` or by repeating. `instances` are written only if they are named.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', value_parser = table_parser())]
    pub(crate) tables: Vec<&'static Table>,
    /// ncu's CSV: units of the values.
    #[arg(long, value_enum, default_value_t = UnitsArg::Auto)]
    pub(crate) units: UnitsArg,
    /// ncu's CSV: the version of ncu whose columns to write.
    #[arg(long, value_enum, default_value_t = LayoutArg::V2024_1)]
    pub(crate) layout: LayoutArg,
    /// ncu's CSV: print all numbers with two decimals, as ncu's --print-fp.
    #[arg(long)]
    pub(crate) print_fp: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SqlArgs {
    /// Reports, a run folder, recordings or exports of Nsight Systems, and last the query, for example "select region, total_ms from regions".
    #[arg(required_unless_present = "tables", value_name = "PATH… QUERY")]
    pub(crate) words: Vec<OsString>,
    /// List the tables and their columns, and do nothing else.
    #[arg(long, conflicts_with = "words")]
    pub(crate) tables: bool,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Table)]
    pub(crate) format: AnswerFormat,
    /// Rows of the table that are shown.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) rows: usize,
    /// Seconds after which the query is given up.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) timeout: u64,
    /// Megabytes that the tables and the query may take.
    #[arg(long, value_name = "MB", default_value_t = 2_000)]
    pub(crate) memory: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AnswerFormat {
    Table,
    Csv,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct PartialArgs {
    /// Reports, folders of reports, run folders: a file is written for each report or run.
    #[arg(required_unless_present = "sql", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder to write to. What is there already is not made again.
    #[arg(long, required_unless_present = "sql", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print the SQL that merges such files in an engine, and do nothing else.
    #[arg(long, value_name = "ENGINE", conflicts_with_all = ["paths", "out"], value_parser = engine_parser())]
    pub(crate) sql: Option<Engine>,
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::WORDS)
        .try_map(|word| Engine::from_word(&word).ok_or("no such engine"))
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Files of `rangescope partial` or folders with them.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ExportFormat {
    NcuCsv,
    Tables(&'static TableFormat),
    Stacks(&'static Format),
}

impl ExportFormat {
    pub(crate) const NCU_CSV: &'static str = "ncu-csv";

    /// All of them with their names and what they are.
    fn all() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        let stacks = stacks::NAMES.iter().filter_map(|name| Format::find(name));
        std::iter::once((Self::NCU_CSV, "ncu's raw page as CSV", Self::NcuCsv))
            .chain(TABLE_FORMATS.iter().map(|one| (one.name, one.about, Self::Tables(one))))
            .chain(stacks.map(|one| (one.name, one.about, Self::Stacks(one))))
    }
}

fn export_format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    let names = ExportFormat::all().map(|(name, about, _)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(names).try_map(|name| {
        let found = ExportFormat::all().find(|(one, ..)| *one == name);
        found.map(|(.., format)| format).ok_or("no such format")
    })
}

fn table_parser() -> impl TypedValueParser<Value = &'static Table> {
    let names = TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.about));
    PossibleValuesParser::new(names).try_map(|name| {
        TABLES.iter().copied().find(|table| table.name == name).ok_or("no such table")
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum UnitsArg {
    /// Base units, unscaled.
    Base,
    /// Units scaled by column, as ncu does by default.
    Auto,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutArg {
    /// As ncu 2022.3 prints it.
    #[value(name = "2022.3")]
    V2022_3,
    /// As ncu 2024.1 prints it.
    #[value(name = "2024.1")]
    V2024_1,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MetricsCommand {
    /// Explain what a metric measures and how it is aggregated over the results of a region.
    Explain {
        /// Metric names.
        #[arg(required = true)]
        names: Vec<String>,
        /// Take the weights and sections from what this report holds.
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// List the metrics of a report by section or unit, with unit, rule and number of results, or the table of rules.
    List {
        /// The report; without it, the table of rules is printed.
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Where to write it.
    pub(crate) out: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the composed configuration as YAML.
    Show {
        #[command(flatten)]
        dirs: ConfigDirs,
        /// Overrides as in Hydra: `key=value`, `+key=value`, `~key`, `group=option`.
        overrides: Vec<String>,
        /// Say where each value comes from.
        #[arg(long)]
        origin: bool,
    },
    /// List the groups and their options.
    List {
        #[command(flatten)]
        dirs: ConfigDirs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ConfigDirs {
    /// A configuration tree of your own, searched before the one in the program; may be repeated.
    #[arg(long = "config-dir", value_name = "DIR")]
    pub(crate) config_dirs: Vec<PathBuf>,
}

/// Takes the name of one of the formats that are offered.
fn format_parser(
    is_offered: fn(&&Format) -> bool,
) -> impl TypedValueParser<Value = &'static Format> {
    let offered = FORMATS.iter().filter(is_offered);
    let names = offered.map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| Format::find(&name).ok_or("no such format"))
}
