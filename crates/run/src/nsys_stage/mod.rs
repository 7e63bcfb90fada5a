//! The nsys stage: records the program, or each of its ranks, exports the recording, and summarises it without any of NVIDIA's scripts.

mod ranks;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rangescope_capture::child::{ChildEvent, ChildSpec, End, Outcome, Stdin, run};
use rangescope_capture::execute::commands_text;
use rangescope_capture::files::{make_private, make_private_folder};
use rangescope_capture::nsys::{NsysInfo, export_argv, profile_argv, report_files};
use rangescope_capture::plan::{Capture, command_line};
use rangescope_config::settings;
use rangescope_model::observed::ObservedRange;
use rangescope_read::nsys::{
    Database, Grouping, Summary, TopKernels, TopRequest, Trace, top_kernels,
    write_kernels_by_region_csv, write_kernels_csv, write_ranges_csv, write_summary_json,
};
use rangescope_read::ranges::observed_in_trace;
use rangescope_report::write_atomically;
use serde::Serialize;

use crate::launch::nsys_note;
use crate::plan::assumed;
use crate::{Event, Job, RunError, RunFolder};

#[derive(Clone, Debug, Serialize)]
pub struct NsysStage {
    pub version: String,
    /// Why there is no nsys that said its version, and the newest known one is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_assumed: Option<String>,
    /// Records the program.
    #[serde(serialize_with = "rangescope_capture::plan::serialize_argv")]
    pub argv: Vec<OsString>,
    /// What would record it with one nsys around the launcher, where there is one for each rank.
    #[serde(
        serialize_with = "rangescope_capture::plan::serialize_argv",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub outside_argv: Vec<OsString>,
    /// Turns the recording into SQLite.
    #[serde(serialize_with = "rangescope_capture::plan::serialize_argv")]
    pub export_argv: Vec<OsString>,
    /// Where nsys is if the program begins with a launcher, and what the recording lacks then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Every rank is recorded by an nsys of its own; then the paths have `*` for the number of a rank.
    #[serde(skip)]
    of_ranks: Option<Capture>,
    #[serde(skip)]
    info: NsysInfo,
    /// The recording, once it is complete.
    pub report: PathBuf,
    /// The SQLite file, once it is complete.
    pub sqlite: PathBuf,
    #[serde(skip)]
    partial_report: PathBuf,
    #[serde(skip)]
    partial_sqlite: PathBuf,
}

/// Its files bear this name.
const NAME: &str = "run";

type Writer = fn(&Summary, &mut dyn Write) -> io::Result<()>;

#[derive(Debug)]
pub struct NsysOutcome {
    /// Of the program under nsys.
    pub end: End,
    pub top: TopKernels,
    pub ranges: Vec<ObservedRange>,
}

impl NsysStage {
    pub(crate) fn new(job: &Job, info: &NsysInfo) -> Result<Self, RunError> {
        let options = &job.settings.nsys;
        let folder = job.folder.nsys();
        let of_ranks = ranks::capture(job, info)?;
        let (report, partial_report, argv) = match &of_ranks {
            Some(capture) => {
                (capture.report.clone(), capture.partial_report.clone(), capture.argv.clone())
            }
            None => {
                let output = folder.join(format!("{NAME}.partial"));
                let several = || folder.join(format!("{NAME}.partial.1.nsys-rep"));
                let partial_report = report_files(options, &output).unwrap_or_else(several);
                let argv = profile_argv(options, info, &output, &job.program)?;
                (folder.join(format!("{NAME}.nsys-rep")), partial_report, argv)
            }
        };
        // Of a rank the recording is complete before it is exported.
        let exported = if of_ranks.is_some() { &report } else { &partial_report };
        let (sqlite, partial_sqlite) =
            (report.with_extension("sqlite"), report.with_extension("partial.sqlite"));
        Ok(Self {
            version: info.version.clone(),
            version_assumed: None,
            outside_argv: of_ranks.as_ref().map_or_else(Vec::new, |one| one.outside_argv.clone()),
            argv,
            export_argv: export_argv(info, exported, &partial_sqlite),
            note: nsys_note(job),
            of_ranks,
            info: info.clone(),
            sqlite,
            partial_sqlite,
            report,
            partial_report,
        })
    }

    /// The command lines for people.
    pub(crate) fn to_text(&self) -> String {
        let note = self.note.as_ref().map(|note| format!("  note: {note}\n"));
        let outside = match self.outside_argv.as_slice() {
            [] => String::new(),
            argv => format!("  with --outside: {}\n", command_line(argv)),
        };
        format!(
            "Nsight Systems {}{}: recording → {}\n  {}\n  {}\n{}{}",
            self.version,
            assumed(self.version_assumed.as_deref()),
            self.report.display(),
            command_line(&self.argv),
            command_line(&self.export_argv),
            outside,
            note.unwrap_or_default()
        )
    }

    pub(crate) fn is_done(&self) -> bool {
        self.report.is_file() && self.sqlite.is_file()
    }

    /// Records, exports and summarises; what is done already is not done again.
    pub(crate) fn run(
        &self,
        job: &Job,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<NsysOutcome, RunError> {
        let folder = job.folder.nsys();
        make_private_folder(&folder)
            .map_err(|cause| RunError::Write { path: folder.clone(), cause })?;
        if let Some(capture) = &self.of_ranks {
            return self.record_ranks(capture, job, tell);
        }
        let tell = &mut |event: ChildEvent<'_>| tell(Event::Nsys(event));
        let mut end = End::Exited(0);
        if !(job.resume && self.is_done()) {
            let commands = [("run", &*self.argv), ("export", &*self.export_argv)];
            let text = commands_text(commands.into_iter(), &job.secrets);
            RunFolder::write(&folder.join("cmd.txt"), &text)?;
            for stale in [&self.partial_report, &self.partial_sqlite, &self.report, &self.sqlite] {
                RunFolder::remove(stale)?;
            }
            end = child(job, &self.argv, "run", tell)?.end;
            self.complete(&self.partial_report, None)?;
            child(job, &self.export_argv, "export", tell)?;
            self.complete(&self.partial_sqlite, Some(&self.sqlite))?;
            self.complete(&self.partial_report, Some(&self.report))?;
        }
        self.summarise(job, end)
    }

    /// nsys ends with success also when it has written nothing: only the file tells.
    fn complete(&self, partial: &Path, place: Option<&Path>) -> Result<(), RunError> {
        if !partial.is_file() {
            let folder = self.report.parent().unwrap_or(Path::new(""));
            return Err(RunError::NothingFromNsys { folder: folder.to_owned() });
        }
        // Both hold the program's environment.
        make_private(partial);
        match place {
            Some(place) => fs_err::rename(partial, place)
                .map_err(|cause| RunError::Write { path: place.to_owned(), cause }),
            None => Ok(()),
        }
    }

    fn summarise(&self, job: &Job, end: End) -> Result<NsysOutcome, RunError> {
        let database = Database::open(&self.sqlite)?;
        let trace = Trace::read(&database)?;
        let summary = Summary::of(&trace, Grouping::default())?;
        let folder = job.folder.nsys();
        let writers: [(&str, Writer); 4] = [
            ("kernels.csv", write_kernels_csv),
            ("ranges.csv", write_ranges_csv),
            ("kernels_by_region.csv", write_kernels_by_region_csv),
            ("summary.json", write_summary_json),
        ];
        for (name, write) in writers {
            write_atomically(&folder.join(name), |out| write(&summary, out))?;
        }
        let count = usize::try_from(job.settings.nsys.top_kernels).unwrap_or(usize::MAX);
        let request = TopRequest { top: count, ..TopRequest::default() };
        let top = top_kernels(&database, &request)?;
        write_atomically(&folder.join("top_kernels.json"), |out| top.write(out))?;
        Ok(NsysOutcome { end, top, ranges: observed_in_trace(&trace)?.ranges })
    }
}

/// Runs nsys with its logs beside what it leaves.
fn child(
    job: &Job,
    argv: &[OsString],
    name: &str,
    tell: &mut dyn FnMut(ChildEvent<'_>),
) -> Result<Outcome, RunError> {
    let seconds =
        |limit: Option<f64>| limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
    let log = |stream| Some(job.folder.nsys().join(format!("{name}.{stream}.log")));
    let spec = ChildSpec {
        folder: job.working_folder(),
        environment: job.environment(),
        stdin: match job.settings.workload.stdin {
            settings::Stdin::Inherit => Stdin::Own,
            settings::Stdin::Closed => Stdin::Null,
        },
        stdout_log: log("stdout"),
        stderr_log: log("stderr"),
        silence_limit: seconds(job.settings.run.silence_limit_s),
        time_limit: seconds(job.settings.workload.timeout_s),
        argv: argv.to_vec(),
        ..ChildSpec::default()
    };
    let outcome = run(&spec, tell).map_err(rangescope_capture::execute::ExecuteError::from)?;
    if outcome.interrupted.is_some() { Err(RunError::Interrupted) } else { Ok(outcome) }
}
