//! A run as it goes: the program's output passes through, ncu's own lines become one line of progress.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rangescope_capture::child::{ChildEvent, Limit, Stream};
use rangescope_capture::execute::{CaptureResult, CaptureStatus, RankResult, RankState, RunEvent};
use rangescope_capture::ncu::progress::{ProgressEvent, ProgressReader};
use rangescope_model::number::count;
use rangescope_model::text::visible;
use rangescope_run::Event;

use super::Ui;

/// Shows a run.
pub(crate) struct RunView<'u> {
    ui: &'u Ui,
    bar: Option<ProgressBar>,
    stdout: ProgressReader,
    stderr: ProgressReader,
    elapsed: Duration,
}

impl<'u> RunView<'u> {
    pub(crate) fn new(ui: &'u Ui) -> Self {
        let shown = !ui.quiet && io::stderr().is_terminal();
        let bar = shown.then(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}")
                .unwrap_or(ProgressStyle::default_spinner());
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
        });
        Self {
            ui,
            bar,
            stdout: ProgressReader::default(),
            stderr: ProgressReader::default(),
            elapsed: Duration::ZERO,
        }
    }

    /// Shows what happened.
    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Ncu(RunEvent::Begun(_, capture)) => {
                self.restart();
                let regions = match capture.regions.as_slice() {
                    [] => String::new(),
                    regions => format!(" ({})", regions.join(", ")),
                };
                self.say(&format!("capture {}{regions}", capture.name));
            }
            Event::Ncu(RunEvent::Child(_, event)) => self.child(*event),
            Event::Ncu(RunEvent::Ended(_, result)) => {
                self.rest();
                self.ended(result, "capture");
            }
            Event::Recorded(result) => {
                self.rest();
                self.ended(result, "recording");
            }
            Event::Recording(note) => {
                self.restart();
                self.say("recording with nsys");
                if let Some(note) = note {
                    self.say(&format!("note: {note}"));
                }
            }
            Event::Nsys(event) => self.child(*event),
            Event::Reporting => self.ui.detail(|| "making the reports".to_owned()),
        }
    }

    fn ended(&self, result: &CaptureResult, what: &str) {
        self.say(&ended(result, what, &self.stdout));
        for rank in result.ranks.iter().filter(|rank| !rank.is_well()) {
            self.say(&ended_rank(rank));
        }
    }

    fn restart(&mut self) {
        self.rest();
        self.stdout = ProgressReader::default();
        self.stderr = ProgressReader::default();
    }

    /// Takes the progress line away.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn child(&mut self, event: ChildEvent<'_>) {
        match event {
            ChildEvent::Output(stream, bytes) => {
                let reader = match stream {
                    Stream::Stdout => &mut self.stdout,
                    Stream::Stderr => &mut self.stderr,
                };
                let events = reader.feed(bytes);
                self.pass(stream, events);
                self.tick();
            }
            ChildEvent::Tick(elapsed) => {
                self.elapsed = elapsed;
                self.tick();
            }
            ChildEvent::Interrupted => self.say("interrupted: waiting for the program to end"),
            ChildEvent::TimedOut(Limit::Silence) => self.say("silent for too long: ending it"),
            ChildEvent::TimedOut(Limit::Time) => self.say("took too long: ending it"),
            ChildEvent::Started(process) => {
                self.ui.detail(|| format!("started process {process}"));
            }
        }
    }

    /// What was held back because it could have become a line of ncu's.
    fn rest(&mut self) {
        let events = self.stdout.finish();
        self.pass(Stream::Stdout, events);
        let events = self.stderr.finish();
        self.pass(Stream::Stderr, events);
    }

    /// The program's own output goes where it would go without us, unchanged.
    fn pass(&self, stream: Stream, events: Vec<ProgressEvent>) {
        for event in events {
            let ProgressEvent::Program(bytes) = event else { continue };
            let write = || match stream {
                Stream::Stdout => write_all(&mut io::stdout().lock(), &bytes),
                Stream::Stderr => write_all(&mut io::stderr().lock(), &bytes),
            };
            match &self.bar {
                Some(bar) => bar.suspend(write),
                None => write(),
            }
        }
    }

    fn tick(&self) {
        let Some(bar) = &self.bar else { return };
        let state = self.stdout.state();
        let current = state
            .current
            .as_ref()
            .map(|current| format!(", {} {} %", visible(&current.name), current.percent));
        bar.set_message(format!(
            "{:.0?}: {} profiled in {} passes{}",
            Duration::from_secs(self.elapsed.as_secs()),
            state.profiled,
            state.passes,
            current.unwrap_or_default()
        ));
        bar.tick();
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.ui.say(text)),
            None => self.ui.say(text),
        }
    }
}

/// Where the output goes may be closed; that is no reason to end a run.
fn write_all(out: &mut dyn Write, bytes: &[u8]) {
    let _ = out.write_all(bytes);
    let _ = out.flush();
}

fn ended(result: &CaptureResult, what: &str, reader: &ProgressReader) -> String {
    let state = reader.state();
    let how = match result.status {
        // Only ncu tells.
        CaptureStatus::Complete if state.passes == 0 => "complete".to_owned(),
        CaptureStatus::Complete => {
            format!("{} profiled in {} passes", state.profiled, state.passes)
        }
        CaptureStatus::Reused => "complete already".to_owned(),
        CaptureStatus::NothingProfiled => "nothing was profiled".to_owned(),
        CaptureStatus::Failed => "failed".to_owned(),
        CaptureStatus::Unreadable => "the report cannot be read".to_owned(),
        CaptureStatus::Interrupted => "interrupted".to_owned(),
        CaptureStatus::TimedOut => "ended because it was silent or took too long".to_owned(),
        CaptureStatus::NotRun => "not begun".to_owned(),
    };
    let profiled = result.ranks.iter().filter(|rank| rank.report.is_some()).count();
    let of_ranks = match result.ranks.len() {
        0 => String::new(),
        ranks => format!(", reports of {profiled} of {}", count(ranks as u64, "rank", "ranks")),
    };
    let took = result.outcome.as_ref().map(|outcome| format!(", {:.1?}", outcome.duration));
    format!("{what} {}: {how}{of_ranks}{}", result.name, took.unwrap_or_default())
}

/// What one rank did, if that is not all that was asked of it.
fn ended_rank(rank: &RankResult) -> String {
    let host = rank.record.as_ref().map(|record| format!(" on {}", visible(&record.host)));
    let end = rank.end().map(|end| format!(", {end}")).unwrap_or_default();
    let how = match rank.state() {
        _ if rank.interrupted().is_some() => "ended by the launcher".to_owned(),
        RankState::Profiled | RankState::Unprofiled => "ended".to_owned(),
        RankState::NothingProfiled => "nothing was profiled".to_owned(),
        RankState::Failed => "failed".to_owned(),
        RankState::TimedOut => "ended because it was silent for too long".to_owned(),
        RankState::Lost => "killed".to_owned(),
        RankState::Missing => "never began".to_owned(),
    };
    let last = rank.last_line.as_ref().map(|line| format!("; last line: {}", visible(line)));
    format!(
        "  rank {}{}: {how}{end}{}",
        rank.rank,
        host.unwrap_or_default(),
        last.unwrap_or_default()
    )
}
