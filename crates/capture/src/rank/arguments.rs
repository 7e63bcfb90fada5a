//! The words of the verb that a launcher starts: made by the plan, read by the rank. Both are here, so that they agree.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::RankError;
use crate::launch::{RANK_VERB, RankSelection};

/// What a rank is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RankArguments {
    /// Where its files go.
    pub(crate) folder: PathBuf,
    /// The name of the capture.
    pub(crate) capture: String,
    pub(crate) extension: String,
    /// The launcher by its name in the table.
    pub(crate) launcher: String,
    pub(crate) ranks: RankSelection,
    pub(crate) silence_limit: Option<Duration>,
    /// ncu is told how many ranks there are.
    pub(crate) peers: bool,
    /// ncu or nsys with its options, and the program.
    pub(crate) words: Vec<OsString>,
    /// Which of the words is the report.
    pub(crate) report_at: usize,
    /// Which of the words is the program.
    pub(crate) program_at: usize,
    /// Before which of the words of the program its option `--local_rank` goes, if it is given one.
    pub(crate) local_rank_at: Option<usize>,
}

impl RankArguments {
    pub(crate) fn to_words(&self, own: &OsString) -> Vec<OsString> {
        let mut words = vec![own.clone(), RANK_VERB.into()];
        let mut give = |option: &str, value: OsString| words.extend([option.into(), value]);
        give("--into", self.folder.clone().into());
        give("--capture", (&self.capture).into());
        give("--extension", (&self.extension).into());
        give("--launcher", (&self.launcher).into());
        give("--ranks", self.ranks.to_string().into());
        if let Some(limit) = self.silence_limit {
            give("--silence-limit-s", limit.as_secs_f64().to_string().into());
        }
        give("--report-at", self.report_at.to_string().into());
        give("--program-at", self.program_at.to_string().into());
        if let Some(at) = self.local_rank_at {
            give("--local-rank-at", at.to_string().into());
        }
        words.extend(self.peers.then(|| "--peers".into()));
        words.push("--".into());
        words.extend(self.words.iter().cloned());
        words
    }

    /// Reads the words after the verb.
    pub(super) fn parse(words: &[OsString]) -> Result<Self, RankError> {
        let end = words.iter().position(|word| word == "--");
        let end = end.ok_or(RankError::Arguments("there is no `--`"))?;
        let (options, rest) = (words.get(..end).unwrap_or_default(), words.get(end + 1..));
        let value = |name: &str| {
            let at = options.iter().position(|word| word == name)?;
            options.get(at + 1)
        };
        let text = |name: &str, missing: &'static str| {
            value(name).and_then(|word| word.to_str()).ok_or(RankError::Arguments(missing))
        };
        let number = |name: &str, missing: &'static str| {
            text(name, missing)?.parse().map_err(|_| RankError::Arguments(missing))
        };
        let into = value("--into").ok_or(RankError::Arguments("`--into` lacks a folder"))?;
        let limit = value("--silence-limit-s").and_then(|word| word.to_str()?.parse().ok());
        let ranks = text("--ranks", "`--ranks` is missing")?;
        let arguments = Self {
            folder: into.into(),
            capture: text("--capture", "`--capture` lacks a name")?.to_owned(),
            extension: text("--extension", "`--extension` is missing")?.to_owned(),
            launcher: text("--launcher", "`--launcher` is missing")?.to_owned(),
            ranks: RankSelection::parse([ranks])
                .map_err(|_| RankError::Arguments("`--ranks` names no ranks"))?,
            silence_limit: limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok()),
            peers: options.iter().any(|word| word == "--peers"),
            report_at: number("--report-at", "`--report-at` lacks a number")?,
            program_at: number("--program-at", "`--program-at` lacks a number")?,
            local_rank_at: value("--local-rank-at")
                .map(|_| number("--local-rank-at", "`--local-rank-at` lacks a number"))
                .transpose()?,
            words: rest.unwrap_or_default().to_vec(),
        };
        if arguments.program().is_empty() || arguments.report_at >= arguments.program_at {
            return Err(RankError::Arguments("there is no program"));
        }
        if arguments.capture.contains('/') || arguments.extension.contains('/') {
            return Err(RankError::Arguments("a name is a path"));
        }
        Ok(arguments)
    }

    /// The program as it is in the words.
    pub(super) fn program(&self) -> Vec<OsString> {
        self.words.get(self.program_at..).unwrap_or_default().to_vec()
    }

    /// Tells the program its number on its host, where the launcher would have.
    pub(super) fn tell_local_rank(&mut self, local_rank: Option<u32>) {
        let at = self.local_rank_at.map(|at| self.program_at.saturating_add(at));
        if let Some((at, local_rank)) = at.filter(|at| *at <= self.words.len()).zip(local_rank) {
            self.words.insert(at, format!("--local_rank={local_rank}").into());
        }
    }
}
