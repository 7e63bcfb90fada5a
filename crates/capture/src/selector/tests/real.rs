//! The same question to the real ncu: which results of a written report do the expressions select?

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ncu_rep::write::ReportWriter;
use ncu_rep::{Metric, Process, ResultData, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use rangescope_model::select::RegionSelector;

use super::compile_all;
use super::generate::{Domains, any_selector, any_state, nvtx_state};
use super::{selected_by_ncu, selected_by_selector};
use crate::child::quick;
use crate::selector::Repeats;
use rangescope_testing::real_ncus;

const SELECTORS: usize = 32;
const RESULTS: usize = 80;

fn result(number: usize, state: &Domains) -> ResultData<'static> {
    ResultData {
        process: Process { pid: Some(7), host: "localhost".into(), executable: "/bin/prog".into() },
        thread: 7,
        api_call: number as u64,
        function: "kernel".into(),
        demangled: "kernel(float *)".into(),
        mangled: "_Z6kernelPf".into(),
        grid: Some([1, 1, 1]),
        block: Some([1, 1, 1]),
        nvtx: Some(nvtx_state(state)),
        metrics: vec![Metric {
            name: "gpu__time_duration.sum".into(),
            value: Some(Value::F64(1000.0)),
            instances: Vec::new(),
        }],
        ..ResultData::default()
    }
}

fn write(path: &Path, states: &[Domains]) {
    let mut writer = ReportWriter::new(fs_err::File::create(path).unwrap()).unwrap();
    for (number, state) in states.iter().enumerate() {
        writer.result(&result(number, state)).unwrap();
    }
    writer.finish().unwrap();
}

/// The numbers of the results that ncu prints.
fn import(ncu: &Path, report: &Path, expressions: &[String]) -> Vec<usize> {
    let mut argv: Vec<OsString> = vec![ncu.into(), "--import".into(), report.into()];
    argv.extend(["--csv", "--page", "raw"].map(OsString::from));
    for expression in expressions {
        argv.extend([OsString::from("--nvtx-include"), expression.into()]);
    }
    let answer = quick(argv, Vec::new(), Duration::from_secs(60)).unwrap();
    assert!(answer.outcome.success(), "{expressions:?}: {answer:?}");
    // Names may hold line ends, but no name begins a line like this.
    let row = regex::Regex::new(r#"(?m)^"([0-9]+)","7","prog""#).unwrap();
    row.captures_iter(&answer.stdout).map(|found| found[1].parse().unwrap()).collect()
}

#[test]
fn the_real_ncu_selects_the_same() {
    let ncus = real_ncus("selectors against `ncu --import`");
    let mut runner = TestRunner::new(Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(20_240_101),
        ..Config::default()
    });
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("states.ncu-rep");
    let mut draw_states = || -> Vec<Domains> {
        (0..RESULTS).map(|_| any_state().new_tree(&mut runner).unwrap().current()).collect()
    };
    let states = draw_states();
    write(&report, &states);
    let texts: Vec<String> =
        (0..SELECTORS).map(|_| any_selector().new_tree(&mut runner).unwrap().current()).collect();

    // One selector at a time, then several together, because the order of expressions matters to ncu. Each question takes ncu a good part of a second, so an older one is asked
    // about several together only, at the same time.
    let ask = |(index, ncu): (usize, &PathBuf)| -> String {
        let single = texts.chunks(1).filter(|_| index == 0);
        let groups = single.chain(texts.chunks(4));
        groups.filter_map(|group| difference(ncu, &report, group, &states)).collect()
    };
    let differences: String = std::thread::scope(|scope| {
        let threads: Vec<_> = ncus
            .iter()
            .enumerate()
            .map(|ncu| {
                let ask = &ask;
                scope.spawn(move || ask(ncu))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{differences}");
}

/// The first result that ncu selects by these selectors and should not, or the other way round.
fn difference(ncu: &Path, report: &Path, group: &[String], states: &[Domains]) -> Option<String> {
    let selectors: Vec<RegionSelector> = group
        .iter()
        .filter_map(|text| RegionSelector::parse(std::slice::from_ref(text)).ok()?.pop())
        .collect();
    // Not everything that is drawn is a selector, and no expression at all selects everything.
    if selectors.is_empty() {
        return None;
    }
    let compiled = compile_all(&selectors, Repeats::Possible);
    let expressions = compiled.expressions();
    let taken = import(ncu, report, &expressions);
    states.iter().enumerate().find_map(|(number, state)| {
        let is_taken = taken.contains(&number);
        let wanted = selectors.iter().any(|selector| selected_by_selector(selector, state));
        let right = if compiled.is_exact() { wanted == is_taken } else { is_taken || !wanted };
        (!right || is_taken != selected_by_ncu(&expressions, state)).then(|| {
            format!("{}: {group:?} {compiled:?} on {state:?}: {is_taken}\n", ncu.display())
        })
    })
}
