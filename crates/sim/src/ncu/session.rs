//! One run of the simulator from its command line to its exit code.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ncu_rep::write::ReportWriter;
use ncu_rep::{ResultData, ResultKind};

use super::export::Place;
use super::fault::{self, Fault};
use super::listing::{answer, help};
use super::log::Log;
use super::parse::{Parsed, parse};
use super::program::{ProgramLaunch, ProgramOutcome, ProgramRunner};
use super::record::RunRecord;
use super::recorded::RecordingRunner;
use super::refusal::Refusal;
use super::request::Request;
use super::results::{Maker, SEED_VARIABLE, described, modules, session};
use super::select::{Observed, is_complete, observe, select};
use super::settings::Settings;

/// The exit code of a refused command line, and of a failure.
const FAILURE: u8 = 1;
/// The collective that a simulated hang waits for if the program launches none.
const COLLECTIVE: &str = "ncclDevKernel_AllReduce_Sum_f32";

/// Runs the simulator with the words of ncu's command line, without the name of the program.
pub fn run(args: Vec<OsString>) -> ExitCode {
    run_with(args, &mut RecordingRunner)
}

/// Like [`run`], with another way to run programs.
pub fn run_with(args: Vec<OsString>, runner: &mut dyn ProgramRunner) -> ExitCode {
    let mut out = Log::Stdout;
    let refused = |out: &mut Log, refusal: &Refusal| {
        out.refuse(refusal);
        ExitCode::from(FAILURE)
    };
    if args.is_empty() {
        out.write(&help());
        return ExitCode::SUCCESS;
    }
    let parsed = match parse(args.clone()) {
        Ok(parsed) => parsed,
        Err(refusal) => return refused(&mut out, &refusal),
    };
    match answer(&parsed) {
        Ok(Some(text)) => {
            out.write(&text);
            return ExitCode::SUCCESS;
        }
        Ok(None) => {}
        Err(refusal) => return refused(&mut out, &refusal),
    }
    let prepared = unsupported(&parsed)
        .and_then(|()| Ok((Settings::read(&parsed)?, Log::open(&parsed)?, environment()?)));
    let (settings, mut log, environment) = match prepared {
        Ok(prepared) => prepared,
        Err(refusal) => return refused(&mut out, &refusal),
    };
    let job = Request::read(&parsed).and_then(|request| {
        let host = host_name();
        let place = settings.export.as_deref();
        let place = place.map(|name| Place::find(name, settings.overwrite, &host)).transpose()?;
        Ok(Job { args, settings, request, place, host, environment })
    });
    match job {
        Ok(job) => ExitCode::from(job.run(runner, &mut log)),
        Err(refusal) => refused(&mut log, &refusal),
    }
}

/// Refuses what only real ncu can do.
fn unsupported(parsed: &Parsed) -> Result<(), Refusal> {
    if parsed.has("import") {
        return Err(Refusal::new("The simulator does not read reports."));
    }
    if matches!(parsed.text("mode"), Some("launch" | "attach")) {
        return Err(Refusal::new("The simulator launches programs and cannot attach to them."));
    }
    Ok(())
}

struct Environment {
    fault: Option<Fault>,
    seed: u64,
}

fn environment() -> Result<Environment, Refusal> {
    let text = |name| std::env::var(name).unwrap_or_default();
    let fault = Fault::parse(&text(fault::VARIABLE)).map_err(Refusal::new)?;
    let seed = text(SEED_VARIABLE);
    let seed = match seed.as_str() {
        "" => 0,
        number => number.parse().map_err(|_| {
            Refusal::new(format!("{SEED_VARIABLE} is '{number}' and not a whole number"))
        })?,
    };
    Ok(Environment { fault, seed })
}

fn host_name() -> String {
    let name = fs_err::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}

/// A command line that was accepted.
struct Job {
    args: Vec<OsString>,
    settings: Settings,
    request: Request,
    place: Option<Place>,
    host: String,
    environment: Environment,
}

impl Job {
    fn run(mut self, runner: &mut dyn ProgramRunner, log: &mut Log) -> u8 {
        log.progress("rangescope simulator: the GPU is simulated, every number comes from a model");
        for warning in [self.settings.warning(), self.request.warning].into_iter().flatten() {
            log.warning(warning);
        }
        let mut outcome = match self.run_program(runner) {
            Ok(outcome) => outcome,
            Err(reason) => {
                log.error(&format!("Launching the target application failed: {reason}"));
                return FAILURE;
            }
        };
        if self.environment.fault == Some(Fault::NoKernels) {
            outcome.record = RunRecord::default();
        }
        for note in &outcome.record.notes {
            log.warning(note);
        }
        let mut profiled = Profiled::default();
        let place = self.place.take();
        let path = place.as_ref().map(|place| place.path().to_owned());
        let cut = self.environment.fault == Some(Fault::Truncated);
        let written = match place {
            Some(place) => place.write(cut, |out| {
                profiled = self.profile(&outcome, log, out)?;
                Ok(profiled.results > 0)
            }),
            None => self.profile(&outcome, log, &mut io::sink()).map(|done| profiled = done),
        };
        if outcome.ended {
            log.warning("The application was terminated after profiling all requested kernels.");
        }
        let code = self.program_code(&outcome, log);
        match &written {
            Ok(()) => self.conclude(&profiled, path.as_deref(), log),
            Err(error) => log.error(&format!("Failed to write the report: {error}")),
        }
        match code {
            0 if profiled.failed || written.is_err() => FAILURE,
            code => code,
        }
    }

    fn run_program(&self, runner: &mut dyn ProgramRunner) -> Result<ProgramOutcome, String> {
        let launch = ProgramLaunch {
            argv: &self.settings.program,
            null_stdin: self.settings.null_stdin,
            watched: self.settings.kill,
        };
        runner.run(launch, &mut |root, record| {
            let observed = observe(&self.settings, record, Some(root));
            is_complete(&self.settings, &select(&self.settings, &observed))
        })
    }

    /// The program's exit code, passed on as by real ncu.
    fn program_code(&self, outcome: &ProgramOutcome, log: &mut Log) -> u8 {
        if outcome.code == 0 || outcome.ended || !self.settings.check_exit_code {
            return 0;
        }
        log.error(&format!("The application returned an error code ({}).", outcome.code));
        u8::try_from(outcome.code).unwrap_or(FAILURE)
    }

    /// Makes the results one by one and writes each at once.
    fn profile(
        &self,
        outcome: &ProgramOutcome,
        log: &mut Log,
        out: &mut dyn Write,
    ) -> io::Result<Profiled> {
        let observed = observe(&self.settings, &outcome.record, outcome.pid);
        let picked = select(&self.settings, &observed);
        let maker = Maker {
            collection: &self.request.collection,
            nvtx: self.settings.nvtx,
            seed: self.environment.seed,
        };
        let total: usize = picked.iter().map(Vec::len).sum();
        let mut writer = ReportWriter::new(out)?;
        if let Some(first) = observed.first() {
            let session =
                session(&observed, &picked, &self.args, &self.settings.program, &self.host);
            writer.session(&session, &described(first.process))?;
        }
        let mut profiled = Profiled::default();
        let mut next_module = 1;
        for (observed, picked) in observed.iter().zip(&picked) {
            warn(observed, log);
            let timeline = &observed.timeline;
            if timeline.launches.is_empty() {
                continue;
            }
            let process = observed.process;
            log.progress(&format!("Connected to process {} ({})", process.pid, process.executable));
            let modules = modules(observed, picked, next_module, self.settings.import_source);
            for source in &modules.sources {
                writer.source(source, &described(process))?;
                next_module = next_module.max(source.reference.saturating_add(1));
            }
            for picked in picked {
                if let Some(problem) = self.problem() {
                    if !profiled.failed {
                        log.error(&problem);
                    }
                    profiled.failed = true;
                    break;
                }
                let result = maker.make(observed, &modules, picked);
                self.progress(&result, profiled.results, total, log);
                writer.result(&result)?;
                profiled.results += 1;
            }
            log.progress(&format!("Disconnected from process {}", process.pid));
        }
        if self.environment.fault == Some(Fault::Hang) {
            hang(COLLECTIVE, profiled.results, log);
        }
        writer.finish()?;
        Ok(profiled)
    }

    /// The reason why nothing can be profiled.
    fn problem(&self) -> Option<String> {
        if self.environment.fault == Some(Fault::Permission) {
            return Some(
                "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. \
                 For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
                    .to_owned(),
            );
        }
        let metric = self.request.unknown_metric.as_ref()?;
        Some(format!("Failed to find metric {metric}"))
    }

    /// The line of one result, piece by piece as its passes go by.
    fn progress(&self, result: &ResultData<'_>, number: usize, total: usize, log: &mut Log) {
        let is_collective = result.function.to_ascii_lowercase().contains("nccl");
        if self.environment.fault == Some(Fault::Hang) && is_collective {
            hang(&result.function, number, log);
        }
        if self.environment.fault == Some(Fault::Crash) && number >= total / 2 && number > 0 {
            std::process::abort();
        }
        let passes = self.request.collection.passes();
        let pause = || {
            if let Some(Fault::Slow(pause)) = self.environment.fault {
                std::thread::sleep(pause);
            }
        };
        log.write(&format!("==PROF== Profiling \"{}\" - {number}: 0%", result.function));
        for pass in 0..passes {
            pause();
            if pass == passes / 2 {
                log.write("....50%");
            }
        }
        let plural = if passes == 1 { "" } else { "es" };
        log.write(&format!("....100% - {passes} pass{plural}\n"));
    }

    /// Says where the report is, or that there is none.
    fn conclude(&self, profiled: &Profiled, path: Option<&Path>, log: &mut Log) {
        if profiled.results == 0 {
            if self.settings.replay.is_application() {
                log.error("Failed to create report.");
            }
            log.warning(&format!("No {}s were profiled.", self.workload()));
        } else if let Some(path) = path {
            log.progress(&format!("Report: {}", path.display()));
        } else {
            log.warning("The simulator prints no pages; use --export to write a report.");
        }
    }

    fn workload(&self) -> &'static str {
        let kind = match &self.settings {
            settings if settings.replay.is_range() => ResultKind::Range,
            settings if settings.whole_graphs => ResultKind::Graph,
            _ => ResultKind::Kernel,
        };
        kind.as_str()
    }
}

#[derive(Default)]
struct Profiled {
    results: usize,
    failed: bool,
}

/// Warns of announcements that could not be understood, with the reason of the first.
fn warn(observed: &Observed<'_>, log: &mut Log) {
    let malformed = &observed.timeline.malformed;
    if let Some(first) = malformed.first() {
        let text = format!(
            "{} of the marks of process {} in the domain {} announce no kernel and are left out: {first}",
            malformed.len(),
            observed.process.pid,
            super::announcement::DOMAIN
        );
        log.warning(&text);
    }
}

/// Begins a line and never goes on, as ncu does when it repeats a kernel that waits for others.
fn hang(name: &str, number: usize, log: &mut Log) -> ! {
    log.write(&format!("==PROF== Profiling \"{name}\" - {number}: 0%"));
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
