//! A table of recorded logs: what each means. Every code and every rule for selectors has at least one.
//!
//! A log begins with lines `# key: value` about the capture and what is expected, then `---`, then what was printed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rangescope_capture::child::{End, Limit};
use rangescope_capture::diagnose::{
    Code, Diagnosis, Facts, FailedRule, diagnose, given_up, rank_ended, rank_lost, rank_missing,
};
use rangescope_capture::{AppliedFilter, FilterKind};
use rangescope_config::Version;
use rangescope_config::settings::TargetProcesses;
use rangescope_model::ReplayMode;
use rangescope_model::observed::ObservedRange;
use rangescope_model::region::{RangeKind, RegionKey};
use rangescope_model::select::RegionSelector;
use rangescope_model::words::Word;

/// A log with what is said about it.
struct Case {
    name: String,
    heads: Vec<(String, String)>,
    log: String,
}

impl Case {
    fn read(path: &Path) -> Self {
        let text = fs_err::read_to_string(path).unwrap();
        let (head, log) = text.split_once("---\n").expect("a line `---`");
        let heads = head.lines().map(|line| {
            let (key, value) = line.strip_prefix("# ").unwrap().split_once(':').unwrap();
            (key.to_owned(), value.trim().to_owned())
        });
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Self { name, heads: heads.collect(), log: log.to_owned() }
    }

    fn all(&self, key: &str) -> Vec<String> {
        self.heads
            .iter()
            .filter(|(known, _)| known == key)
            .map(|(_, value)| value.clone())
            .collect()
    }

    fn one(&self, key: &str) -> Option<String> {
        self.all(key).into_iter().next()
    }

    fn diagnose(&self) -> Vec<Diagnosis> {
        let exit = self.one("exit").unwrap();
        let end = match exit.strip_prefix("signal ") {
            Some(signal) => End::Signalled(signal.parse().unwrap()),
            None => End::Exited(exit.parse().unwrap()),
        };
        let selectors = RegionSelector::parse(&self.all("region")).unwrap();
        let ranges: Vec<ObservedRange> = self.all("range").iter().map(|text| range(text)).collect();
        let known = !ranges.is_empty() || self.one("ranges").is_some();
        let kernel_filters: Vec<AppliedFilter> = self
            .all("kernel")
            .iter()
            .map(|text| AppliedFilter {
                kind: FilterKind::Kernel,
                pattern: text.clone(),
                reason: None,
            })
            .collect();
        diagnose(&Facts {
            end,
            timed_out: self.one("timed-out").map(|limit| match limit.as_str() {
                "time" => Limit::Time,
                _ => Limit::Silence,
            }),
            log: &self.log,
            has_report: self.one("report").is_some(),
            replay_mode: self
                .one("mode")
                .map_or(ReplayMode::Kernel, |mode| ReplayMode::from_word(&mode).unwrap()),
            target_processes: self.one("target").map_or(TargetProcesses::All, |target| {
                TargetProcesses::from_word(&target).unwrap()
            }),
            selectors: &selectors,
            ranges: known.then_some(ranges.as_slice()),
            main_process: self.one("main").map(|process| process.parse().unwrap()),
            kernel_filters: &kernel_filters,
            ncu: self.one("ncu").map(|version| version.parse::<Version>().unwrap()),
        })
    }
}

/// `push|start DOMAIN | path/of/names | launches [| process [| thread]]`
fn range(text: &str) -> ObservedRange {
    let parts: Vec<&str> = text.split(" | ").collect();
    let [head, path, launches, place @ ..] = parts.as_slice() else { panic!("{text}") };
    let (kind, domain) = head.split_once(' ').unwrap();
    let range = if kind == "start" {
        region(domain, RangeKind::StartEnd, vec![(*path).to_owned()])
    } else {
        region(domain, RangeKind::PushPop, path.split('/').map(str::to_owned).collect())
    };
    ObservedRange {
        process: place.first().map(|process| process.parse().unwrap()),
        thread: Some(place.get(1).map_or(17, |thread| thread.parse().unwrap())),
        count: Some(3),
        launches: launches.parse().ok(),
        ..range
    }
}

fn region(domain: &str, kind: RangeKind, path: Vec<String>) -> ObservedRange {
    ObservedRange::of(RegionKey { domain: domain.to_owned(), kind, path })
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut paths: Vec<PathBuf> =
        fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Case::read(path)).collect()
}

#[test]
fn each_log_is_understood() {
    for case in cases() {
        let found = case.diagnose();
        let codes: Vec<&str> = found.iter().map(|diagnosis| diagnosis.code.as_str()).collect();
        assert_eq!(codes.join(", "), case.one("codes").unwrap(), "{}: {found:#?}", case.name);
        let said: Vec<&str> = found
            .iter()
            .flat_map(|diagnosis| [diagnosis.explanation.as_str(), diagnosis.fix.as_str()])
            .collect();
        let said = said.join(" ");
        for fragment in case.all("fragment") {
            assert!(said.contains(&fragment), "{}: `{fragment}` is not in: {said}", case.name);
        }
        for diagnosis in &found {
            assert!(!diagnosis.fix.is_empty() && !diagnosis.title.is_empty(), "{}", case.name);
            assert!(!diagnosis.evidence.is_empty(), "{}: {diagnosis:?}", case.name);
        }
    }
}

#[test]
fn each_selector_gets_its_finding() {
    for case in cases() {
        let found = case.diagnose();
        let findings: Vec<_> = found.iter().flat_map(|diagnosis| &diagnosis.selectors).collect();
        let rules: Vec<String> = findings
            .iter()
            .map(|finding| {
                let rule = serde_json::to_value(finding.rule).unwrap();
                let corrected = finding
                    .corrected
                    .as_ref()
                    .map(|text| format!(" => {text}"))
                    .unwrap_or_default();
                format!("{} => {}{corrected}", finding.selector, rule.as_str().unwrap())
            })
            .collect();
        assert_eq!(rules, case.all("rule"), "{}: {findings:#?}", case.name);
        for fragment in case.all("finding") {
            assert!(
                findings.iter().any(|finding| finding.explanation.contains(&fragment)),
                "{}: {findings:#?}",
                case.name
            );
        }
    }
}

#[test]
fn each_code_and_rule_has_a_log() {
    let (mut codes, mut rules) = (BTreeSet::new(), Vec::new());
    for diagnosis in cases().iter().flat_map(Case::diagnose) {
        codes.insert(diagnosis.code);
        rules.extend(diagnosis.selectors.iter().map(|finding| finding.rule));
    }
    // Only the results show the first, and only the files of ranks the others.
    let by_files = [given_up(""), rank_lost("", None), rank_ended(15, false), rank_missing()];
    codes.extend(by_files.map(|found| found.code));
    let missing: Vec<&Code> = Code::ALL.iter().filter(|code| !codes.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for rule in [
        FailedRule::Matches,
        FailedRule::KernelFilter,
        FailedRule::OtherThread,
        FailedRule::ChildProcess,
        FailedRule::NoLaunch,
        FailedRule::NoNvtx,
        FailedRule::NoCuda,
        FailedRule::Kind,
        FailedRule::Case,
        FailedRule::Domain,
        FailedRule::Wildcard,
        FailedRule::NotOpened,
        FailedRule::Unknown,
    ] {
        assert!(rules.contains(&rule), "{rule:?}");
    }
}

/// A program that opened ranges without end does not make a diagnosis without end, and it comes soon enough.
#[test]
fn many_ranges_are_no_trouble() {
    let ranges: Vec<ObservedRange> = (0..50_000)
        .map(|number| ObservedRange {
            count: Some(number % 7),
            ..region(
                &format!("d{}", number % 100),
                RangeKind::PushPop,
                vec![format!("op {number}")],
            )
        })
        .collect();
    let selectors = RegionSelector::parse(&["ncu:nothing".to_owned(), "OP?".to_owned()]).unwrap();
    let found = diagnose(&Facts {
        end: End::Exited(0),
        timed_out: None,
        log: "==PROF== Connected to process 1 (/app)\n",
        has_report: false,
        replay_mode: ReplayMode::Kernel,
        target_processes: TargetProcesses::All,
        selectors: &selectors,
        ranges: Some(&ranges),
        main_process: None,
        kernel_filters: &[],
        ncu: None,
    });
    assert_eq!((found[0].ranges.len(), found[0].more_ranges), (20, 49_980));
    assert_eq!(found[0].ranges[0].count, Some(6));
    assert!(serde_json::to_string(&found).unwrap().len() < 20_000);
}

#[test]
fn codes_are_written_as_they_are_named() {
    for code in Code::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
    }
}

#[test]
fn every_code_is_in_the_document() {
    let document = include_str!("../../../../docs/troubleshooting.md");
    for code in Code::ALL {
        assert!(document.contains(&format!("`{}`", code.as_str())), "{}", code.as_str());
    }
}
