//! Talking to people: stderr for talk, progress and errors; stdout is left to data.

mod run;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rangescope_analyze::View;
use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_model::document::{Note, NoteLevel, RegionDocument};
use rangescope_model::text::visible;
use rangescope_read::Input;
use rangescope_report::recorded::Shown;
use rangescope_report::{ExportOptions, Format};
use rangescope_run::{Adjust, load};
use serde::Serialize;

pub(crate) use run::RunView;

use crate::args::GlobalArgs;
use crate::failure::Failure;

/// Work that takes longer than this shows a progress bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Notes on flags that selected nothing.
const SELECTION: [&str; 7] = [
    "launch-not-seen",
    "metric-not-found",
    "nothing-matched",
    "nothing-selected",
    "region-not-seen",
    "scope-not-seen",
    "section-not-found",
];

/// How to talk.
pub(crate) struct Ui {
    quiet: bool,
    verbose: bool,
}

impl Ui {
    pub(crate) fn new(args: &GlobalArgs) -> Self {
        Self { quiet: args.quiet, verbose: args.verbose > 0 }
    }

    /// Prints data that may hold colours; they are left out unless stdout is a terminal that wants them.
    pub(crate) fn print_styled(
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        print_to(AutoStream::auto(io::stdout()), write)
    }

    /// Prints data as it is.
    pub(crate) fn print(
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        print_to(io::stdout(), write)
    }

    /// Prints a value as JSON.
    pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
        Self::print(|out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            writeln!(out)
        })
    }

    /// Prints a document in a format; only coloured ones may be changed on the way.
    pub(crate) fn print_format(
        format: &Format,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if format.coloured { Self::print_styled(write) } else { Self::print(write) }
    }

    /// Options that suit the terminal.
    pub(crate) fn export_options() -> ExportOptions {
        let defaults = ExportOptions::default();
        ExportOptions { width: Self::width().unwrap_or(defaults.width), ..defaults }
    }

    /// How a recording is listed on the terminal.
    pub(crate) fn listing(view: View) -> Shown {
        let defaults = Shown::default();
        Shown { view, columns: Self::width().unwrap_or(defaults.columns) }
    }

    /// The width to lay text out for.
    pub(crate) fn width() -> Option<usize> {
        let (_, columns) = console::Term::stdout().size_checked()?;
        Some(usize::from(columns)).filter(|columns| *columns > 0)
    }

    /// Says something that is no error; it may have several lines.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            for line in text.split('\n') {
                stderr_line(line);
            }
        }
    }

    /// Says something that only the curious want to know.
    pub(crate) fn detail(&self, text: impl FnOnce() -> String) {
        if self.verbose && !self.quiet {
            stderr_line(&text());
        }
    }

    /// Warns.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            labelled(AnsiColor::Yellow.on_default().bold(), "warning", text);
        }
    }

    /// The document of one report, run folder or `report.json`.
    pub(crate) fn document(
        &self,
        path: &Path,
        adjust: Adjust<'_>,
    ) -> Result<RegionDocument, Failure> {
        let progress = self.progress("reading");
        let paths = [path.to_owned()];
        let loaded = load(&paths, adjust, &|done, total| progress.update(done, total))?;
        if adjust(AnalysisOptions::default())? != AnalysisOptions::default() {
            self.selection_notes(&loaded.document.notes);
        }
        Ok(loaded.document)
    }

    /// Warns of what was asked for and is not there, where nothing else shows it.
    pub(crate) fn selection_notes(&self, notes: &[Note]) {
        for note in notes.iter().filter(|note| SELECTION.contains(&note.code.as_str())) {
            self.warn(&note.message);
        }
    }

    /// Says what is known to be wrong with a file.
    pub(crate) fn input_notes(&self, input: &Input) {
        for note in input.source.notes() {
            let text = format!("{}: {}", input.file_name(), note.message);
            match note.level {
                NoteLevel::Warning => self.warn(&text),
                NoteLevel::Info => self.detail(|| text),
            }
        }
    }

    /// Prints a failure and gives its exit code.
    pub(crate) fn fail(failure: &Failure) -> ExitCode {
        labelled(AnsiColor::Red.on_default().bold(), "error", &failure.to_string());
        if let Some(hint) = failure.hint() {
            labelled(AnsiColor::Cyan.on_default().bold(), "hint", &hint);
        }
        ExitCode::from(failure.exit_code().number())
    }

    /// A progress bar that appears when work takes long and stderr is a terminal.
    pub(crate) fn progress(&self, what: &'static str) -> Progress {
        let shown = !self.quiet && !self.verbose && io::stderr().is_terminal();
        Progress { what, shown, started: Instant::now(), bar: Mutex::new(None) }
    }
}

/// A progress bar in waiting.
pub(crate) struct Progress {
    what: &'static str,
    shown: bool,
    started: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl Progress {
    pub(crate) fn update(&self, done: u64, total: u64) {
        if !self.shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut slot) = self.bar.lock() else { return };
        let bar = slot.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta}")
                .unwrap_or(ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr())
                .with_style(style);
            bar.set_message(self.what);
            bar
        });
        bar.set_position(done);
        if done >= total {
            bar.finish_and_clear();
        }
    }
}

/// A panic is a bug of ours: say so in one place, with what helps to mend it, and use the code for it.
pub(crate) fn install_bug_notice() {
    std::panic::set_hook(Box::new(|info| {
        stderr_line(&format!("error: rangescope has a bug: {info}"));
        stderr_line("hint: please report it with the command line and, if you can, the input file");
        #[expect(
            clippy::exit,
            reason = "the documented exit code for bugs, from whichever thread"
        )]
        std::process::exit(i32::from(rangescope_run::exit::ExitCode::Bug.number()));
    }));
}

fn print_to(
    stdout: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    match write(&mut out).and_then(|()| out.flush()) {
        // The reader has seen enough, which is not our failure: what remains to be done, and the exit code, do not depend on it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Failure::Output),
    }
}

fn labelled(style: Style, label: &str, text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Nothing can be done about a stderr that is gone.
    let _ = writeln!(stderr, "{style}{label}{style:#}: {}", visible(text));
}

fn stderr_line(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", visible(text));
}
