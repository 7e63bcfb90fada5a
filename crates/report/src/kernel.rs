//! One kernel in detail, for people: the words that terminal, Markdown and drawings share.

use std::io::{self, Write};

use rangescope_analyze::insight::details::model::{
    Counted, Extremes, Flow, MemoryChart, MemoryLink, Occupancy, Reading,
};
use rangescope_analyze::insight::kernel::{Durations, KernelReport, KernelTime};
use rangescope_analyze::insight::model::{BoundClass, MemoryLevel, RooflinePoint};
use rangescope_analyze::insight::{compute_word, limited_by, of_which_sms};
use rangescope_model::document::LaunchShape;
use rangescope_model::number::{
    self, ABSENT, INEXACT, dimensions, percent, percentage, time, with_unit,
};

use crate::formats::{markdown, terminal};
use crate::phrases;

/// Parts below this are left to the formats that show everything.
pub(crate) const LEAST: f64 = 0.001;

/// Writes it for a terminal of so many columns.
pub fn write_terminal(
    report: &KernelReport,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    terminal::kernel::write(report, columns, out)
}

/// Writes it as Markdown, the charts as tables.
pub fn write_markdown(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    markdown::kernel::write(report, out)
}

/// The number for people, `~` before it when it is not exact, `–` when there is none.
pub(crate) fn shown(reading: Option<&Reading>) -> String {
    let Some(reading) = reading else { return ABSENT.to_owned() };
    let mark = if reading.exact { String::new() } else { INEXACT.to_string() };
    // What is counted is said by the column.
    let is_said = reading.unit != "%" && !reading.unit.starts_with("byte");
    mark + &if is_said { amount(reading.value) } else { in_unit(reading.value, &reading.unit) }
}

/// `12.3 %`, `1.23 MB`, `456 cycle`.
pub(crate) fn in_unit(value: f64, unit: &str) -> String {
    if unit == "%" { percentage(value) } else { with_unit(value, unit) }
}

/// `1.23 M`, `456`.
pub(crate) fn amount(value: f64) -> String {
    if value.abs() >= 1e4 {
        return number::rate(value, "").trim_end().to_owned();
    }
    if value.fract() == 0.0 { number::plain(value) } else { number::three_digits(value) }
}

/// `L2 → L1/TEX`.
pub(crate) fn ends(link: &MemoryLink) -> String {
    format!("{} → {}", link.from.name(), link.to.name())
}

/// `12.3 MB`, `1.2 M requests`.
pub(crate) fn carried(link: &MemoryLink) -> String {
    let shown = shown(link.amount.as_ref());
    match (link.counted, &link.amount) {
        (Counted::Bytes, _) | (_, None) => shown,
        (counted, Some(_)) => format!("{shown} {}", counted.name()),
    }
}

/// What stands behind an amount above a line: what is counted, and by what where that is not plain loading and storing.
pub(crate) fn suffix(link: &MemoryLink) -> String {
    let unit = match link.counted {
        Counted::Bytes => "",
        Counted::Instructions => " inst",
        Counted::Requests => " req",
        Counted::Wavefronts => " wf",
    };
    let flow = match link.flow {
        Flow::Load | Flow::Store => "",
        Flow::Atomic => " atomic",
        Flow::AsyncCopy => " async",
        Flow::Tma => " TMA",
    };
    format!("{unit}{flow}")
}

/// The links that carry something or are not known, and how many were measured to carry nothing.
pub(crate) fn busy_links(chart: &MemoryChart) -> (Vec<&MemoryLink>, usize) {
    let is_idle = |link: &&MemoryLink| {
        let values = [&link.amount, &link.rate].into_iter().flatten();
        let mut values = values.map(|reading| reading.value).peekable();
        values.peek().is_some() && values.all(|value| value <= 0.0)
    };
    let busy: Vec<&MemoryLink> = chart.links.iter().filter(|link| !is_idle(link)).collect();
    let idle = chart.links.len() - busy.len();
    (busy, idle)
}

/// `5 blocks per SM, limited by registers`, `occupancy 38.1 % of 41.7 % possible`, `3.01 waves`.
pub(crate) fn occupancy_words(occupancy: &Occupancy) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(tightest) = occupancy.block_limits.first() {
        let blocks = extremes(tightest.blocks, number::plain);
        let noun = if tightest.blocks.most <= 1.0 { "block" } else { "blocks" };
        words.push(format!(
            "{blocks} {noun} per SM, limited by {}",
            occupancy.limited_by.join(" and ")
        ));
    }
    if let Some(achieved) = &occupancy.achieved {
        let possible = occupancy
            .possible
            .map(|possible| format!(" of {} possible", extremes(possible, percentage)));
        words.push(format!("occupancy {}{}", shown(Some(achieved)), possible.unwrap_or_default()));
    } else if let Some(possible) = occupancy.possible {
        words.push(format!("the launch allows an occupancy of {}", extremes(possible, percentage)));
    }
    if let Some(waves) = occupancy.waves {
        words.push(format!("{} waves", extremes(waves, number::three_digits)));
    }
    words
}

fn extremes(found: Extremes, show: fn(f64) -> String) -> String {
    if found.most > found.least {
        format!("{} … {}", show(found.least), show(found.most))
    } else {
        show(found.least)
    }
}

/// In the place of samples over time that ncu tried and failed to take.
pub(crate) const NO_SAMPLE: &str = "none of its samples is a number: ncu counted nothing";

/// The ends of the bins of a histogram, `71.2 µs – 71.4 µs` each.
pub(crate) fn bins(durations: &Durations) -> Vec<String> {
    let bins = &durations.histogram;
    let ends = bins.iter().map(|bin| bin.from_ms).chain(bins.last().map(|bin| bin.to_ms));
    let ends = number::times_apart(&ends.collect::<Vec<_>>());
    ends.windows(2).map(|ends| format!("{} – {}", ends[0], ends[1])).collect()
}

/// `12 launches, 1.23 ms, 45.6 % of process:1`.
pub(crate) fn size(report: &KernelReport) -> String {
    let launches = phrases::counted(report.launches, report.basis);
    let untimed = report.launches - report.timed.min(report.launches);
    let untimed = match untimed {
        0 => String::new(),
        _ if report.timed == 0 => " without a duration".to_owned(),
        untimed => format!(" ({untimed} without a duration)"),
    };
    let regions = &report.selection.regions;
    let of = if !regions.is_empty() {
        format!("the time of {}", regions.join("; "))
    } else if report.scope == "aggregate" {
        "the GPU time".to_owned()
    } else {
        format!("the time of {}", report.scope)
    };
    format!("{launches}{untimed}, {}, {} of {of}", time(report.total_ms), percent(report.share))
}

/// `limited by memory (DRAM): SMs busy to 31.2 %, memory to 72.4 %`.
pub(crate) fn limit(report: &KernelReport) -> String {
    let bound = &report.bound;
    if bound.class == BoundClass::Unknown {
        return "what limits it is not known: SM and memory throughput were not collected"
            .to_owned();
    }
    let unit = compute_word(bound);
    let parts = [
        (format!("{unit} busy to"), bound.compute_pct, of_which_sms(bound)),
        ("memory to".to_owned(), bound.memory_pct, ""),
    ];
    let parts = parts
        .into_iter()
        .filter_map(|(what, pct, of)| Some(format!("{what} {}{of}", percentage(pct?))));
    let parts: Vec<String> = parts.collect();
    let said = format!("limited by {}", limited_by(bound));
    if parts.is_empty() { said } else { format!("{said}: {}", parts.join(", ")) }
}

/// `grid 64x8x1, block 128x1x1`; `–` for what has neither.
pub(crate) fn shape(shape: &LaunchShape) -> String {
    if shape.grid.is_none() && shape.block.is_none() {
        return ABSENT.to_owned();
    }
    format!("grid {}, block {}", dimensions(shape.grid), dimensions(shape.block))
}

/// Names and numbers of the distribution, in order.
pub(crate) fn spread(durations: &Durations) -> [(&'static str, String); 7] {
    [
        ("min", durations.min_ms),
        ("25 %", durations.lower_quartile_ms),
        ("median", durations.median_ms),
        ("75 %", durations.upper_quartile_ms),
        ("95 %", durations.p95_ms),
        ("max", durations.max_ms),
        ("mean", durations.mean_ms),
    ]
    .map(|(name, ms)| (name, time(ms)))
}

/// Who else there is, heaviest first.
pub(crate) fn other_sizes(kernel: &KernelTime) -> String {
    format!("{}, {}", time(kernel.total_ms), percent(kernel.share))
}

pub(crate) fn level_name(level: MemoryLevel) -> &'static str {
    match level {
        MemoryLevel::Dram => "DRAM",
        MemoryLevel::L2 => "L2",
        MemoryLevel::L1 => "L1",
    }
}

/// For each level: operations per byte, traffic, and how much of the roof there was reached.
pub(crate) fn roof_rows(point: &RooflinePoint) -> Vec<[String; 4]> {
    let rows = point.traffic.iter().map(|traffic| {
        let reached = traffic.attainable.filter(|roof| *roof > 0.0).map(|roof| point.work / roof);
        [
            level_name(traffic.level).to_owned(),
            number::three_digits(traffic.intensity),
            number::rate(traffic.bytes_per_second, "B/s"),
            percent(reached),
        ]
    });
    rows.collect()
}
