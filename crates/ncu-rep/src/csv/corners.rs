//! Corners of the raw page that no real report has, as ncu prints them: numbers that are none, several processes, hosts and chips, and quotes.
//!
//! What is expected was printed by ncu itself, and where ncu is installed it is asked again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::model::{
    DEFAULT_DOMAIN, Instance, Metric, NvtxDomain, NvtxRange, NvtxState, Process, ResultData,
    ResultKind, Value,
};
use crate::write::ReportWriter;

/// The page of [`corners`] after its header, as ncu 2024.1 prints it.
const CORNERS: [&str; 6] = [
    r#""","","","","","","","","","","","","","","","","","","","Pbyte","","","","cycle","msecond","inst""#,
    r#""0","100","app","host","","","first(int)","1","7","(4, 5, 6)","(1, 2, 3)","3","0.0","0","-9223372036854775808","0.12","0","3","372","-nan","quo"ted","no data","","0.000000","0.001500","-inf""#,
    r#""1","100","app","host","1  ""<default domain>:A::A1:none:none:none:none:none:none""  ""<default domain>:x "q":none:none:none:none:none:none"" ","","same_process(int)","1","7","(4, 5, 6)","(1, 2, 3)","255","0.0","","","","","","372","-nan","","","","","2.500000","""#,
    r#""2","100","app","host","","","range","1","n/a","n/a","n/a","255","0.0","","","","","","372","","","","","","0.000000","""#,
    r#""3","200","tool.exe","host","","","no_chip","1","7","(4, 5, 6)","(1, 2, 3)","255","0.0","","","","","","","","","","","","25.500000","3.000000""#,
    r#""4","100","app","zebra","","","other_host(int)","1","7","(4, 5, 6)","(1, 2, 3)","255","0.0","","","","","","","","","","","","","""#,
];

/// Results that real reports do not have: numbers that are none, results of several processes, hosts and chips, and quotes.
fn corners() -> Vec<ResultData<'static>> {
    let metric = |name: &'static str, value: Option<Value<'static>>| Metric {
        name: name.into(),
        value,
        instances: Vec::new(),
    };
    let number = |name, value| metric(name, Some(Value::F64(value)));
    let result = |function: &'static str, pid, metrics| ResultData {
        process: Process { pid: Some(pid), host: "host".into(), executable: "/bin/app".into() },
        thread: 1,
        function: function.into(),
        mangled: function.into(),
        demangled: format!("{function}(int)").into(),
        grid: Some([1, 2, 3]),
        block: Some([4, 5, 6]),
        context: Some(1),
        stream: Some(7),
        metrics,
        ..ResultData::default()
    };
    let chip = || metric("device__attribute_implementation", Some(Value::U64(372)));
    let instances = vec![Instance { correlation: None, value: Some(Value::U64(5)) }];
    let first = vec![
        chip(),
        metric("device__attribute_device_index", Some(Value::U64(3))),
        number("gpu__time_duration.sum", 1500.0),
        number("dram__bytes.sum", f64::INFINITY),
        number("inst_executed", f64::NEG_INFINITY),
        number("gpc__cycles_elapsed.max", f64::NAN.copysign(-1.0)),
        number("a", 1e20),
        number("b", -1e20),
        number("c", 0.125),
        number("d", -0.0),
        metric("e", Some(Value::Text("quo\"ted".into()))),
        metric("f", None),
        Metric { instances, ..metric("g", None) },
        metric("group:x", Some(Value::Text("hidden".into()))),
    ];
    let ranges = |names: &[&'static str]| {
        names
            .iter()
            .map(|name| NvtxRange { name: (*name).into(), ..NvtxRange::default() })
            .collect()
    };
    let domain = NvtxDomain {
        name: DEFAULT_DOMAIN.into(),
        push_pop: ranges(&["A::A1", "x \"q\""]),
        ..NvtxDomain::default()
    };
    vec![
        // ncu sorts by host and process, whatever comes first.
        ResultData {
            process: Process {
                pid: Some(100),
                host: "zebra".into(),
                executable: "/bin/app".into(),
            },
            ..result("other_host", 100, Vec::new())
        },
        result("first", 100, first),
        ResultData {
            process: Process {
                pid: Some(200),
                host: "host".into(),
                executable: "C:\\dir\\tool.exe".into(),
            },
            demangled: "".into(),
            time: Some(1_669_045_504),
            ..result(
                "no_chip",
                200,
                vec![number("gpu__time_duration.sum", 25.5), number("inst_executed", 3.0)],
            )
        },
        ResultData {
            process: Process {
                pid: Some(100),
                host: "host".into(),
                executable: "/bin/other".into(),
            },
            nvtx: Some(NvtxState { domains: vec![domain], ..NvtxState::default() }),
            ..result(
                "same_process",
                100,
                vec![
                    chip(),
                    number("gpu__time_duration.sum", 2.5e6),
                    number("dram__bytes.sum", 7.0),
                ],
            )
        },
        ResultData {
            kind: ResultKind::Range,
            function: "range".into(),
            grid: None,
            block: None,
            stream: None,
            ..result(
                "range",
                100,
                vec![chip(), metric("gpu__time_duration.sum", Some(Value::Text("text".into())))],
            )
        },
    ]
}

fn unit_of(metric: &str, _chip: Option<u32>) -> std::borrow::Cow<'static, str> {
    let units = [
        ("gpu__time_duration.sum", "nsecond"),
        ("dram__bytes.sum", "byte"),
        ("inst_executed", "inst"),
        ("gpc__cycles_elapsed.max", "cycle"),
    ];
    units.iter().find(|(name, _)| *name == metric).map_or("", |(_, unit)| unit).into()
}

fn page(results: &[ResultData<'_>], options: RawOptions) -> String {
    let mut page = Vec::new();
    write_raw_with_units(results.len(), |number| results.get(number), &unit_of, options, &mut page)
        .unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn corners_print_as_ncu_has_printed_them() {
    let page = page(&corners(), RawOptions::default());
    assert_eq!(page.lines().skip(1).collect::<Vec<_>>(), CORNERS);
}

#[test]
fn corners_print_as_ncu_prints_them() {
    let mut writer = ReportWriter::new(tempfile::NamedTempFile::new().unwrap()).unwrap();
    for result in &corners() {
        writer.result(result).unwrap();
    }
    let mut report = writer.finish().unwrap();
    report.flush().unwrap();
    for (version, layout) in [("2022.3", Layout::V2022_3), ("2024.1", Layout::V2024_1)] {
        let Some(ncu) = ncu(version) else {
            println!("SKIPPED: corners against ncu {version}, because it is not installed");
            continue;
        };
        for (units, fp, arguments) in [
            (Units::Auto, false, &[][..]),
            (Units::Base, false, &["--print-units", "base"]),
            (Units::Auto, true, &["--print-fp"]),
            (Units::Base, true, &["--print-units", "base", "--print-fp"]),
        ] {
            let found = page(&corners(), RawOptions { units, layout, fp });
            assert_eq!(printed(&ncu, report.path(), arguments), found, "{version} {arguments:?}");
        }
    }
}

fn ncu(version: &str) -> Option<PathBuf> {
    let tools = match std::env::var_os("RANGESCOPE_TOOLS") {
        Some(tools) => PathBuf::from(tools),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/rangescope-tools"),
    };
    Some(tools.join("bin").join(format!("ncu-{version}"))).filter(|ncu| ncu.exists())
}

fn printed(ncu: &Path, report: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(ncu);
    command.args(["--csv", "--page", "raw"]).args(arguments).arg("--import").arg(report);
    let output = command.env("LC_ALL", "C").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let start = text.find("\"ID\"").unwrap();
    text[start..].to_owned()
}

#[test]
fn without_units_each_cell_is_scaled_for_itself() {
    let metric = |name: &'static str, value| Metric {
        name: name.into(),
        value: Some(value),
        instances: Vec::new(),
    };
    let durations = [1.0, 5500.0, 2.5e6, 0.5, 3e15];
    let results = durations.iter().enumerate().map(|(number, duration)| {
        let mut metrics = vec![metric("gpu__time_duration.sum", Value::F64(*duration))];
        if number > 0 {
            metrics.push(metric("device__attribute_implementation", Value::U64(372)));
        }
        ResultData { metrics, ..ResultData::default() }
    });
    let results: Vec<_> = results.collect();
    let page = page(&results, RawOptions::default());
    let last = |line| str::rsplit(line, ',').next().unwrap();
    let cells: Vec<_> = page.lines().skip(1).map(last).collect();
    assert_eq!(cells, [r#""""#, r#""1""#, r#""5.50""#, r#""2.50""#, r#""0.50""#, r#""3000000""#]);
}
