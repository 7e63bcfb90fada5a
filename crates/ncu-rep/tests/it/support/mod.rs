//! Reports for tests, made by the crate's own writer, and the way to the shared corpus.

use std::path::PathBuf;

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    DEFAULT_DOMAIN, Metric, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Value,
};

/// A report of `count` small kernels in the range `A`.
pub(crate) fn small_report(count: u64) -> Vec<u8> {
    write(&(0..count).map(kernel).collect::<Vec<_>>())
}

pub(crate) fn write(results: &[ResultData<'_>]) -> Vec<u8> {
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    for data in results {
        writer.result(data).unwrap();
    }
    writer.finish().unwrap()
}

pub(crate) fn kernel(number: u64) -> ResultData<'static> {
    let range = NvtxRange { name: "A".into(), ..NvtxRange::default() };
    let domain =
        NvtxDomain { name: DEFAULT_DOMAIN.into(), push_pop: vec![range], start_end: Vec::new() };
    ResultData {
        process: Process { pid: Some(7), host: "localhost".into(), executable: "/bin/prog".into() },
        thread: 7,
        api_call: number,
        function: format!("kernel_{number}").into(),
        demangled: format!("kernel_{number}(float *)").into(),
        mangled: format!("_Z8kernel_{number}Pf").into(),
        grid: Some([number + 1, 1, 1]),
        block: Some([128, 1, 1]),
        nvtx: Some(NvtxState { domains: vec![domain], ..NvtxState::default() }),
        metrics: vec![Metric {
            name: "gpu__time_duration.sum".into(),
            value: Some(Value::F64(1000.0 + number as f64)),
            instances: Vec::new(),
        }],
        ..ResultData::default()
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests want files that are written in place")]
pub(crate) fn fs_write(path: &std::path::Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

/// A report on disk that is cut to `length` bytes once it is open.
pub(crate) fn cut_while_open(bytes: &[u8], length: u64) -> ncu_rep::Report {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ncu-rep");
    fs_write(&path, bytes);
    let report = ncu_rep::Report::open(&path).unwrap();
    assert!(report.damage().is_empty());
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
    report
}

/// The shared corpus, or nothing with a visible word where it is absent. On CI it must be there.
pub(crate) fn shared(what: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let shared =
        PathBuf::from(std::env::var("RANGESCOPE_SHARED").unwrap_or_else(|_| beside.to_owned()));
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var("CI").is_err(), "../shared is needed on CI for {what}");
    eprintln!("SKIPPED: {what}, because ../shared is absent");
    None
}

/// Where the blocks of a report begin, and its end. It goes by the lengths alone, and not by what the reader makes of them.
pub(crate) fn block_starts(bytes: &[u8]) -> Vec<usize> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut starts = vec![8 + word(4)];
    while let Some(&at) = starts.last().filter(|&&at| at < bytes.len()) {
        let end = at + 4 + word(at);
        starts.push(end + payload_size(&bytes[at + 4..end]));
    }
    starts
}

/// The number in field 5 of a block header.
fn payload_size(mut header: &[u8]) -> usize {
    fn varint(bytes: &mut &[u8]) -> usize {
        let length = bytes.iter().position(|byte| *byte < 0x80).unwrap() + 1;
        let (number, rest) = bytes.split_at(length);
        *bytes = rest;
        number.iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f))
    }
    let mut size = 0;
    while !header.is_empty() {
        let tag = varint(&mut header);
        let number = varint(&mut header);
        match tag & 7 {
            2 => header = &header[number..],
            _ if tag >> 3 == 5 => size = number,
            _ => {}
        }
    }
    size
}
