//! Properties of the CSV reader and writer: nothing panics, nothing takes long, and what is written is read back.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::{DEFAULT_DOMAIN, Metric, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Value};

/// Pieces that tables are made of, so that random texts get past the header.
const PIECES: [&str; 24] = [
    "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n",
    "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\"\n",
    "ID,Kernel Name,x\n",
    "\"ID\",\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\"\n",
    "\"\",\"\",\"\",\"usecond\"\n",
    "\"0\",\"1\",\"k\",\"1.5\"\n",
    "\"0\",",
    "\"0\",\"1  \"\"d:n:none:none:none:none:none:none\"\" \",\"k\"\n",
    " \"\"d:n:Json:{\"a\":1}:RGB:0xff:ASCII:n\"\" ",
    ":none:none:ASCII:",
    "\",\"",
    "\"\"",
    "\"",
    ",",
    "\n",
    "\r\n",
    "1.234.567",
    "88.512",
    "1,234.5",
    "==PROF== x\n",
    "\u{202f}",
    "é",
    "n/a",
    "label (a__b)",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
        let _ = looks_like_csv(&bytes);
    }

    #[test]
    fn any_pieces_are_read_without_a_panic(pieces in vec(prop::sample::select(&PIECES[..]), 0..60)) {
        let text = pieces.concat();
        if let Ok(report) = read(text.as_bytes()) {
            prop_assert!(report.notes.len() <= 201);
        }
    }

    #[test]
    fn what_is_written_is_read_back(results in vec(result(), 0..6), layout in prop::bool::ANY) {
        let layout = if layout { Layout::V2022_3 } else { Layout::V2024_1 };
        let mut page = Vec::new();
        let options = RawOptions { units: Units::Base, layout, fp: false };
        write_raw(results.len(), |number| results.get(number), options, &mut page).unwrap();
        let report = read(&page).unwrap();
        prop_assert_eq!(report.results.len(), results.len());
        for (found, expected) in report.results.iter().zip(&results) {
            prop_assert_eq!(&found.demangled, &expected.demangled);
            prop_assert_eq!(&found.process, &expected.process);
            prop_assert_eq!((found.context, found.stream), (expected.context, expected.stream));
            if layout == Layout::V2024_1 {
                prop_assert_eq!((found.grid, found.block), (expected.grid, expected.block));
            }
            prop_assert_eq!(ranges(found), ranges(expected));
            for metric in &expected.metrics {
                let value = metric.value.as_ref().and_then(Value::as_f64);
                let read = found.metric(&metric.name).and_then(|metric| metric.value.as_ref()?.as_f64());
                let (value, read) = (value.unwrap(), read.unwrap());
                prop_assert!((value - read).abs() <= 0.0051, "{} {value} {read}", metric.name);
            }
        }
    }
}

/// Domain and name of every range; ncu's page has neither empty domains nor ranges' lists apart.
fn ranges(result: &ResultData<'_>) -> Vec<(String, String, Option<u64>)> {
    let domains = result.nvtx.iter().flat_map(|nvtx| &nvtx.domains);
    let ranges = domains.flat_map(|domain| {
        domain
            .push_pop
            .iter()
            .chain(&domain.start_end)
            .map(|range| (domain.name.to_string(), range.name.to_string(), range.id))
    });
    ranges.collect()
}

/// Names without what ncu leaves unescaped; those are tested by example.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9_ :<>,.()é-]{0,20}[a-z]"
}

fn result() -> impl Strategy<Value = ResultData<'static>> {
    let metric = ("[a-z]{1,4}__[a-z]{1,4}\\.sum", -1e9..1e12_f64, any::<bool>());
    let range = (name(), any::<bool>(), 0..100_u64);
    (name(), vec(metric, 0..5), vec(range, 0..4), 0..3_u32, any::<[[u16; 3]; 2]>()).prop_map(
        |(kernel, metrics, ranges, stream, shape)| {
            let [grid, block] = shape.map(|shape| shape.map(u64::from));
            let mut domain = NvtxDomain { name: DEFAULT_DOMAIN.into(), ..NvtxDomain::default() };
            for (name, is_push_pop, id) in ranges {
                let range = NvtxRange { name: name.into(), ..NvtxRange::default() };
                if is_push_pop {
                    domain.push_pop.push(range);
                } else {
                    domain.start_end.push(NvtxRange { id: Some(id), ..range });
                }
            }
            let mut result = ResultData {
                process: Process { pid: Some(10), host: "host".into(), executable: "app".into() },
                demangled: kernel.into(),
                grid: Some(grid),
                block: Some(block),
                context: Some(1),
                stream: Some(stream),
                nvtx: Some(NvtxState { domains: vec![domain], ..NvtxState::default() }),
                ..ResultData::default()
            };
            for (name, value, is_integer) in metrics {
                let value = if is_integer { value.trunc() } else { value };
                if result.metric(&name).is_none() {
                    result.metrics.push(Metric {
                        name: name.into(),
                        value: Some(Value::F64(value)),
                        instances: Vec::new(),
                    });
                }
            }
            result
        },
    )
}

/// Inputs that would take minutes or all memory if anything were quadratic.
#[test]
fn large_broken_inputs_are_read_in_linear_time() {
    let many = 100_000;
    let wide = format!(
        "\"ID\",\"Kernel Name\",{}\"x\"\n{}",
        "\"c\",".repeat(many),
        "\"0\",\"k\",\"1\"\n".repeat(many)
    );
    assert_eq!(read(wide.as_bytes()).unwrap().results.len(), many);
    let details = "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let sections: Vec<_> = (0..many)
        .map(|number| format!("\"0\",\"k\",\"s{number}\",\"m{number}\",\"u{number}\",\"1\"\n"))
        .collect();
    let sections = sections.concat();
    assert_eq!(read(format!("{details}{sections}").as_bytes()).unwrap().results.len(), 1);
    for line in
        ["\"0\",\"k\n", "\"0\",\"\n", "x\n", "\"\n", "0,\"\n", "\"ID\",\"Kernel Name\",\"y\"\n"]
    {
        for header in ["\"ID\",\"Kernel Name\",\"x\"\n", "ID,Kernel Name,x\n"] {
            let _ = read(format!("{header}{}", line.repeat(many)).as_bytes());
        }
    }
    let nvtx = format!("\"ID\",\"{}\",\"Kernel Name\"\n\"0\",\"1 ", columns::PUSH_POP);
    for piece in [
        " \"\"d:n:none:none:none:none:none:none\"\" ",
        ":none:none:ASCII:",
        "\"\" 1",
        " \"\"",
        "\",\"",
    ] {
        let _ = read(format!("{nvtx}{}\",\"k\"\n", piece.repeat(many)).as_bytes());
        let _ = read(format!("{nvtx} \"\"d:n{}\"\" \",\"k\"\n", piece.repeat(many)).as_bytes());
    }
    let long = format!("ID,Kernel Name,{}\n{}", "m".repeat(1 << 20), "0,k,1\n".repeat(many));
    assert!(read(long.as_bytes()).unwrap().results.iter().all(|result| result.metrics.is_empty()));
}
