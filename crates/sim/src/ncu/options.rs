//! The options of ncu 2024.1 as a table: their names, their values and their help.
//!
//! Parser and help are made from the table. Options that the simulator has no use for are here, too, because it must accept and refuse the same command lines as
//! real ncu.

/// The value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Text,
    /// `on`, `off` or a synonym.
    Switch,
    Number,
    Word(&'static [&'static str]),
}

#[derive(Debug)]
pub(super) struct OptionSpec {
    pub(super) name: &'static str,
    pub(super) short: Option<char>,
    pub(super) takes: Takes,
    /// It may be given several times.
    pub(super) repeats: bool,
    /// The default, for the help.
    pub(super) usual: &'static str,
    pub(super) help: &'static str,
}

/// A heading of the help, and the options below it.
pub(super) type Group = (&'static str, &'static [OptionSpec]);

const fn flag(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { name, short: None, takes: Takes::Nothing, repeats: false, usual: "", help }
}

const fn text(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { takes: Takes::Text, ..flag(name, help) }
}

const fn list(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { repeats: true, ..text(name, help) }
}

const fn switch(name: &'static str, usual: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { takes: Takes::Switch, usual, ..flag(name, help) }
}

const fn number(name: &'static str, usual: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { takes: Takes::Number, usual, ..flag(name, help) }
}

const fn word(
    name: &'static str,
    usual: &'static str,
    words: &'static [&'static str],
    help: &'static str,
) -> OptionSpec {
    OptionSpec { takes: Takes::Word(words), usual, ..flag(name, help) }
}

const fn short(letter: char, mut option: OptionSpec) -> OptionSpec {
    option.short = Some(letter);
    option
}

const BASES: &[&str] = &["function", "demangled", "mangled"];

#[rustfmt::skip]
pub(super) const GROUPS: &[Group] = &[
    ("General Options", &[
        short('h', flag("help", "Print this text.")),
        short('v', flag("version", "Print the version.")),
        word("mode", "launch-and-attach", &["launch-and-attach", "launch", "attach"], "How to meet the program; only launch-and-attach is simulated:"),
        short('p', number("port", "49152", "Port of the connection; not used here.")),
        number("max-connections", "64", "Number of ports; not used here."),
        switch("config-file", "1", "Read a file of options; not read here."),
        text("config-file-path", "Where that file is."),
    ]),
    ("Launch Options", &[
        switch("check-exit-code", "1", "Hand the exit code of the program on."),
        text("injection-path-32", "Not used here."),
        text("injection-path-64", "Not used here."),
        text("preload-library", "Not used here."),
        flag("call-stack", "Not collected here."),
        flag("nvtx", "Look at NVTX ranges."),
        flag("support-32bit", "Not used here."),
        word("target-processes", "all", &["application-only", "all"], "Which processes are profiled:"),
        text("target-processes-filter", "Processes by name, separated by commas: NAME, regex:EXPRESSION, exclude:NAME, exclude-tree:NAME."),
        flag("null-stdin", "Give the program no input."),
    ]),
    ("Attach Options", &[text("hostname", "Not used here.")]),
    ("Common Profile Options", &[
        switch("kill", "0", "End the program when --launch-count is reached."),
        word("replay-mode", "kernel", &["kernel", "application", "range", "app-range"], "What is repeated for each pass; here nothing is:"),
        word("app-replay-buffer", "file", &["file", "memory"], "Not used here:"),
        word("app-replay-match", "grid", &["name", "grid", "all"], "Not used here:"),
        word("app-replay-mode", "strict", &["strict", "relaxed"], "Not used here:"),
        word("graph-profiling", "node", &["node", "graph"], "What of a graph is profiled:"),
        text("range-replay-options", "enable-greedy-sync, disable-host-restore; not used here."),
        flag("list-sets", "List the sets of sections."),
        text("set", "The set of sections to collect; basic if nothing else is asked for."),
        flag("list-sections", "List the sections."),
        list("section-folder", "A folder with section files; nothing is read from it here."),
        list("section-folder-recursive", "Likewise, with the folders in it."),
        flag("section-folder-restore", "Not used here."),
        flag("list-rules", "List the rules."),
        switch("apply-rules", "1", "Apply the rules of the sections that are collected."),
        list("rule", "A rule to apply, by its identifier."),
        switch("import-source", "0", "Put the texts of the source files that the program announces into the report."),
        text("source-folders", "Not used here."),
        flag("list-metrics", "List the metrics of the sections that are collected."),
        flag("query-metrics", "List the metrics of the simulated device."),
        word("query-metrics-mode", "base", &["base", "suffix", "all"], "Which names of metrics are listed:"),
        word("query-metrics-collection", "profiling", &["profiling", "pmsampling"], "Which metrics are listed:"),
        flag("list-chips", "List the chips."),
        text("chips", "The chips whose metrics are listed."),
        switch("profile-from-start", "1", "Profile before cudaProfilerStart was called."),
        flag("disable-profiler-start-stop", "Ignore cudaProfilerStart and cudaProfilerStop."),
        flag("quiet", "Say nothing."),
        flag("verbose", "Not used here."),
        word("cache-control", "all", &["all", "none"], "Not used here:"),
        word("clock-control", "base", &["base", "none", "reset"], "Not used here:"),
    ]),
    ("Filter Profile Options", &[
        text("devices", "The devices to profile, separated by commas."),
        word("filter-mode", "global", &["global", "per-gpu", "per-launch-config"], "What launches are counted by:"),
        text("kernel-id", "The kernels to profile as CONTEXT:STREAM:[regex:]NAME:INVOCATION; each part may be empty."),
        short('k', text("kernel-name", "The kernels to profile: NAME, or regex:EXPRESSION.")),
        word("kernel-name-base", "function", BASES, "The name that filters are for:"),
        short('c', number("launch-count", "", "How many launches to profile, of those that match.")),
        short('s', number("launch-skip", "0", "How many launches to skip, of those that match.")),
        number("launch-skip-before-match", "0", "How many launches to skip, of all."),
        list("section", "A section to collect: IDENTIFIER, or regex:EXPRESSION."),
        text("metrics", "The metrics to collect, separated by commas: NAME, regex:EXPRESSION, group:NAME, breakdown:NAME."),
        flag("disable-extra-suffixes", "Always so here: only what is asked for is collected."),
        list("nvtx-include", "Profile in these NVTX ranges."),
        list("nvtx-exclude", "Do not profile in these NVTX ranges."),
        text("range-filter", "Instances of ranges to profile as yes|no:START/STOP:NVTX, for example :[1-3]:2."),
    ]),
    ("PM Sampling Options", &[
        number("pm-sampling-interval", "0", "Not used here."),
        number("pm-sampling-buffer-size", "0", "Not used here."),
        number("pm-sampling-max-passes", "0", "Not used here."),
    ]),
    ("Warp State Sampling Options", &[
        text("warp-sampling-interval", "0 to 31, or auto; not used here."),
        number("warp-sampling-max-passes", "5", "Not used here."),
        number("warp-sampling-buffer-size", "33554432", "Not used here."),
    ]),
    ("File Options", &[
        text("log-file", "Where to write what this program says: a file, stdout or stderr."),
        short('o', text("export", "The report. Macros: %h, %i, %p, %q{VARIABLE}, %%.")),
        short('f', flag("force-overwrite", "Replace an existing report.")),
        short('i', text("import", "Not simulated; use rangescope report.")),
        flag("open-in-ui", "Not used here."),
    ]),
    ("Console Output Options", &[
        flag("csv", "Not used here."),
        word("page", "details", &["details", "raw", "source", "session"], "Not used here:"),
        text("print-source", "Not used here."),
        text("resolve-source-file", "Not used here."),
        word("print-details", "header", &["header", "body", "all"], "Not used here:"),
        word("print-metric-name", "label", &["label", "name", "label-name"], "Not used here:"),
        word("print-units", "auto", &["auto", "base"], "Not used here:"),
        flag("print-fp", "Not used here."),
        word("print-kernel-base", "demangled", BASES, "Not used here:"),
        word("print-metric-instances", "none", &["none", "values", "details"], "Not used here:"),
        word("print-nvtx-rename", "none", &["none", "kernel"], "Not used here:"),
        flag("print-rule-details", "Not used here."),
        word("print-summary", "none", &["none", "per-gpu", "per-kernel", "per-nvtx"], "Not used here:"),
    ]),
];

/// Options that are accepted but not in the help.
pub(super) const HIDDEN: &[OptionSpec] = &[flag("details-all", "")];

pub(super) fn all() -> impl Iterator<Item = &'static OptionSpec> {
    GROUPS.iter().flat_map(|(_, options)| *options).chain(HIDDEN)
}
