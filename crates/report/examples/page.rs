//! Makes a page: from a report (`page report.json > report.html`), or from a document made up for tests.
//!
//! ```text
//! page FILE.json           the page of this report (- for standard input)
//! page FILE.json COMPARISON.json   the same with the differences from a base
//! page --regions N         N regions in a tree with a few kernels each
//! page --kernels N R       R regions that each hold N kernels
//! page --ranks N R         R regions, over N ranks
//! page --families          layers in families, one of which stands out
//! page --layers N          N layers, one like the other
//! page --kernels-only      no region at all
//! page --hostile           names that would do harm in a careless page
//! page --document …        the document itself
//! page --source …          the page with lines of source under its regions
//! page --charts …          the page with charts of regions and kernels, and samples of two launches
//! page --compared N        N regions with a roofline, compared with a base
//! ```

use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_analyze::insight::kernel::{LongestLaunch, PmSampling, PmSeries, opcodes};
use rangescope_model::comparison::{CompareNote, Comparison, NoteSeverity};
use rangescope_model::document::RegionDocument;
use rangescope_model::source::SourceDocument;
use rangescope_report::ExportOptions;
use rangescope_report::page::{KernelCharts, write, write_comparison};
use rangescope_testing::documents::charts::{with_charts, with_kernel_charts};
use rangescope_testing::documents::families::{identical_layers, kernels_only, layered};
use rangescope_testing::documents::ranks::with_ranks;
use rangescope_testing::documents::tree::{
    many_kernels, many_regions, two_sides, with_counters, with_work,
};
use rangescope_testing::documents::{each_region, hostile, metric, source};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match made(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "page: {error}");
            ExitCode::from(2)
        }
    }
}

fn made(arguments: &[&str]) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let has = |flag: &str| arguments.contains(&flag);
    let of: Vec<&str> =
        arguments.iter().copied().filter(|one| !["--charts", "--source"].contains(one)).collect();
    let charts = match () {
        () if has("--charts") => Some(Arc::new(charts(document(&of)?))),
        () if has("--hostile") => Some(Arc::new(hostile_charts(document(&of)?))),
        () => None,
    };
    let source = match () {
        () if has("--source") => Some(Arc::new(source::of(&document(&of)?, 4, 60))),
        () if has("--hostile") => Some(Arc::new(hostile_source(&document(&of)?))),
        () => None,
    };
    let arguments = of.as_slice();
    let options = ExportOptions { source, charts: charts.clone(), ..ExportOptions::default() };
    if let [file, comparison] = arguments
        && !file.starts_with("--")
    {
        let comparison: Comparison = serde_json::from_str(&fs_err::read_to_string(comparison)?)?;
        write_comparison(&comparison, &[document(&[file])?], &options, &mut out)?;
    } else if let ["--document", of @ ..] = arguments {
        serde_json::to_writer(&mut out, &document(of)?)?;
    } else if let ["--compared", regions] = arguments {
        let (base, new) = two_sides(with_work(document(&["--regions", regions])?));
        let comparison = compared(&base, &new)?;
        write_comparison(&comparison, &[new], &options, &mut out)?;
    } else {
        let document = document(arguments)?;
        let document = if charts.is_some() { with_charts(document) } else { document };
        write(&document, &options, &mut out)?;
    }
    out.flush()
}

/// The charts of the heaviest kernels of a document, as a report of ncu would give them.
fn charts(document: RegionDocument) -> KernelCharts {
    let document = with_kernel_charts(document, 200);
    let kernels = document.reports.first().into_iter().flat_map(|report| &report.totals.kernels);
    let launches = kernels.take(2).zip(0_u64..).map(|(kernel, at)| launch(&kernel.kernel_name, at));
    let launches = launches.collect();
    KernelCharts { document, launches }
}

/// A launch with two sampled counters, one of which has a gap, and a few opcodes.
fn launch(kernel: &str, launch: u64) -> LongestLaunch {
    let series = |label: &str, unit: &str, value: fn(u32) -> Option<f64>| PmSeries {
        metric: format!("pmsampling:{label}"),
        label: label.to_owned(),
        unit: unit.to_owned(),
        origin_ns: 0,
        end_ns: Some(200_000),
        end_unknown: None,
        uncut: None,
        at_ns: (0..100).map(|step| step * 2_000).collect(),
        values: (0..100).map(value).collect(),
    };
    let rises = |step: u32| Some(f64::from(step.min(30)) * 3.0);
    let pauses = |step: u32| (!(40..50).contains(&step)).then(|| f64::from(step % 7) * 1e9);
    LongestLaunch {
        kernel: kernel.to_owned(),
        opcodes: opcodes(
            [("HMMA", 4e6), ("LDGSTS", 1e6), (kernel, 5e5)]
                .map(|(name, count)| (name.to_owned(), count))
                .into(),
        ),
        sampled: PmSampling {
            launch,
            duration_ms: Some(0.2),
            series: vec![
                series("SM Active", "%", rises),
                series("DRAM Read Throughput", "byte/s", pauses),
                series(kernel, "%", |_| None),
            ],
        },
    }
}

/// Charts whose reasons, pipes and counters are hostile names.
fn hostile_charts(document: RegionDocument) -> KernelCharts {
    let mut made = charts(document);
    for (name, at) in hostile::names().into_iter().zip(0_u64..) {
        let reason = format!("smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio");
        let pipe = format!("sm__pipe_{name}_cycles_active.avg.pct_of_peak_sustained_active");
        each_region(&mut made.document, |region| {
            for kernel in &mut region.set.kernels {
                kernel.metrics.insert(reason.clone(), metric(1.0));
                kernel.metrics.insert(pipe.clone(), metric(50.0));
            }
        });
        made.launches.push(launch(&name, at));
    }
    made
}

/// A comparison with a gate that fails and a note that would be markup in a careless page.
fn compared(base: &RegionDocument, new: &RegionDocument) -> io::Result<Comparison> {
    let gate = Gate::parse("time > 5%").map_err(io::Error::other)?;
    let options = CompareOptions { gates: vec![gate], ..CompareOptions::default() };
    let mut comparison = compare(std::slice::from_ref(base), std::slice::from_ref(new), &options);
    comparison.notes.push(CompareNote {
        severity: NoteSeverity::Warning,
        code: "clocks".to_owned(),
        message: "The clocks were not locked <i>.".to_owned(),
    });
    Ok(comparison)
}

/// Lines whose texts, files and reasons are all hostile names.
fn hostile_source(document: &RegionDocument) -> SourceDocument {
    let mut source = source::of(document, 2, 60);
    source::rename(&mut source, &hostile::names());
    source
}

fn document(arguments: &[&str]) -> io::Result<RegionDocument> {
    let full = |made| RegionDocument { simulated: true, ..with_counters(made, 60) };
    match arguments {
        ["--hostile"] => Ok(hostile::document()),
        ["--families"] => Ok(full(layered())),
        ["--layers", layers] => Ok(full(identical_layers(number(layers)?))),
        ["--kernels-only"] => Ok(kernels_only()),
        ["--regions", regions] => Ok(full(many_regions(number(regions)?))),
        ["--ranks", ranks, regions] => {
            Ok(with_ranks(full(many_regions(number(regions)?)), number(ranks)?, "node0"))
        }
        ["--kernels", kernels, regions] => {
            Ok(full(many_kernels(number(kernels)?, number(regions)?)))
        }
        [file] => {
            let mut json = String::new();
            if *file == "-" {
                io::stdin().read_to_string(&mut json)?;
            } else {
                json = fs_err::read_to_string(file)?;
            }
            serde_json::from_str(&json).map_err(io::Error::from)
        }
        _ => Err(io::Error::other(
            "expected FILE.json, --regions N, --kernels N R, --families, --layers N, --kernels-only, --hostile or --compared N",
        )),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> io::Result<N> {
    text.parse().map_err(|_| io::Error::other(format!("`{text}` is no number")))
}
