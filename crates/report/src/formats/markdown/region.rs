//! The section of one region: metrics, ncu sections, kernels, rules, and how it does in each process and on each device.

use std::io::{self, Write};

use rangescope_model::document::{
    KernelSummary, NCUProfileRegion, NCUProfileRegionReport, RuleSummary,
};

use super::escape::{NAME_COLUMNS, cell_code, code, name, text};
use super::metrics;
use super::summary::key_metrics;
use crate::formats::ExportOptions;
use crate::phrases;
use crate::regions::{Found, of_totals};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{
    ELLIPSIS, shorten, shorten_kernel, shorten_kernels, visible, visible_name,
};

/// Rules shown of each region.
const MAX_RULES: usize = 10;

/// Columns of a rule's message; ncu's own are far shorter.
const MAX_MESSAGE: usize = 1_000;

/// Segments shown of a region's path.
const MAX_SEGMENTS: usize = 16;

/// Writes one region: in full for each of the main reports, in one line for every other scope.
pub(super) fn write(
    found: &[Found<'_>],
    others: &[Found<'_>],
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some((_, first)) = found.first() else { return Ok(()) };
    writeln!(out, "## Region: {}\n", name(&first.name))?;
    write_identity(first, out)?;
    for (report, region) in found {
        let milliseconds = Milliseconds::for_total(report.totals.total_ms);
        let level = if found.len() > 1 {
            writeln!(out, "### Scope: {}\n", text(&phrases::scope(report)))?;
            "####"
        } else {
            "###"
        };
        Body { region, milliseconds, level }.write(options, out)?;
    }
    write_scopes(others, out)
}

/// What no region shows: the results outside of all regions, and everything together.
pub(super) fn write_rest(
    report: &NCUProfileRegionReport,
    names_scope: bool,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let scope = if names_scope { format!(", {}", phrases::scope(report)) } else { String::new() };
    let whole = report.totals.total_ms.map(|_| 1.0);
    let outside = ("(unlabeled)", &report.unlabeled, report.unlabeled_share());
    // Without regions, everything is outside of them.
    let outside = Some(outside).filter(|_| !report.regions.is_empty());
    let all = ("All results", &report.totals, whole);
    for (title, totals, share) in outside.into_iter().chain([all]) {
        let is_told = !(totals.metrics.is_empty() && totals.kernels.is_empty());
        if is_told {
            writeln!(out, "## {}{}\n", text(title), text(&scope))?;
            let region = &of_totals(title, totals, share);
            Body { region, milliseconds, level: "###" }.write(options, out)?;
        }
    }
    Ok(())
}

/// Path, kind and domain, because two regions may have the same display name.
fn write_identity(region: &NCUProfileRegion, out: &mut dyn Write) -> io::Result<()> {
    // A deep path is cut in the middle, because each region of a deep tree would repeat it.
    let path = &region.path;
    let (head, tail) = if path.len() > MAX_SEGMENTS {
        (&path[..MAX_SEGMENTS / 2], &path[path.len() - MAX_SEGMENTS / 2..])
    } else {
        (path.as_slice(), [].as_slice())
    };
    let mut segments: Vec<String> = head.iter().map(|segment| code(segment)).collect();
    if !tail.is_empty() {
        segments.push(ELLIPSIS.to_owned());
        segments.extend(tail.iter().map(|segment| code(segment)));
    }
    write!(out, "Path {}, {} ranges", segments.join(" / "), phrases::range_kind(region.kind))?;
    if !region.domain.is_empty() {
        write!(out, " of domain {}", code(&region.domain))?;
    }
    if let Some(selector) = &region.selection.selector {
        write!(out, ", selected by {}", code(selector))?;
    }
    writeln!(out, ".\n")
}

/// One region in one scope.
struct Body<'a> {
    region: &'a NCUProfileRegion,
    milliseconds: Milliseconds,
    level: &'static str,
}

impl Body<'_> {
    fn write(&self, options: &ExportOptions, out: &mut dyn Write) -> io::Result<()> {
        let Self { region, level, .. } = self;
        self.write_totals(out)?;
        metrics::write(region, level, options.max_metrics, out)?;
        if !region.sections.is_empty() {
            writeln!(out, "{level} Sections\n")?;
            for section in &region.sections {
                metrics::write_section(section, region.kernel_count, &format!("{level}#"), out)?;
            }
        }
        self.write_kernels(options.max_kernels, out)?;
        self.write_rules(out)
    }

    fn write_totals(&self, out: &mut dyn Write) -> io::Result<()> {
        let region = self.region;
        write!(
            out,
            "{} ms in total ({} of the scope), {} ms exclusive; {}, {} of them exclusive",
            self.milliseconds.show(region.total_ms),
            number::percent(region.share),
            self.milliseconds.show(region.exclusive_ms),
            number::count(region.kernel_count, "result", "results"),
            region.exclusive_kernel_count,
        )?;
        if let Some(process) = region.process_id {
            write!(out, "; all of process {process}")?;
        }
        if let Some(device) = region.device {
            write!(out, "; all on device {device}")?;
        }
        write!(out, ".")?;
        if region.timed_count < region.kernel_count {
            write!(out, " Only {} have a duration.", region.timed_count)?;
        }
        let selection = &region.selection;
        if selection.results_selected < selection.results_seen {
            write!(
                out,
                " The kernel selection kept {} of {} results.",
                selection.results_selected, selection.results_seen
            )?;
        }
        writeln!(out, "\n")
    }

    fn write_kernels(&self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        let kernels = &self.region.kernels;
        if kernels.is_empty() {
            return Ok(());
        }
        writeln!(out, "{} Top Kernels\n", self.level)?;
        writeln!(
            out,
            "| Kernel | Calls | Total ms | Share | Mean ms | Min ms | Max ms | Grid, block | SM % | DRAM % |"
        )?;
        writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|")?;
        let (shown, rest) = kernels.split_at(kernels.len().min(most));
        let names =
            shorten_kernels(shown.iter().map(|kernel| kernel.kernel_name.as_str()), NAME_COLUMNS);
        for (kernel, name) in shown.iter().zip(names) {
            let ms = self.milliseconds;
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                cell_code(&name),
                kernel.calls,
                ms.show(kernel.total_ms),
                number::percent(kernel.share),
                ms.show(kernel.mean_ms),
                ms.show(kernel.min_ms),
                ms.show(kernel.max_ms),
                launch_shape(kernel),
                key_metrics(&kernel.metrics),
            )?;
        }
        writeln!(out)?;
        if !rest.is_empty() {
            let time: f64 = rest.iter().map(|kernel| number::weight(kernel.total_ms)).sum();
            writeln!(out, "… {} more, {} ms.\n", rest.len(), self.milliseconds.show(time))?;
        }
        Ok(())
    }

    fn write_rules(&self, out: &mut dyn Write) -> io::Result<()> {
        let rules = &self.region.rules;
        if rules.is_empty() {
            return Ok(());
        }
        writeln!(out, "{} Rules\n", self.level)?;
        for rule in rules.iter().take(MAX_RULES) {
            write_rule(rule, out)?;
        }
        if rules.len() > MAX_RULES {
            writeln!(out, "- … {} more", rules.len() - MAX_RULES)?;
        }
        writeln!(out)
    }
}

/// The most used launch shape, and how many others there are.
fn launch_shape(kernel: &KernelSummary) -> String {
    let Some(shape) = kernel.launch_shapes.first() else { return number::ABSENT.to_owned() };
    if shape.grid.is_none() && shape.block.is_none() {
        return number::ABSENT.to_owned();
    }
    let more = match kernel.launch_shapes.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}, {}{more}", number::dimensions(shape.grid), number::dimensions(shape.block))
}

fn write_rule(rule: &RuleSummary, out: &mut dyn Write) -> io::Result<()> {
    let titles = [rule.title.trim(), rule.name.trim(), rule.rule.trim()];
    let title = titles.into_iter().find(|title| !title.is_empty()).unwrap_or_default();
    write!(out, "- **{}** ({}", name(title), text(&rule.kind))?;
    if let Some(gain) = rule.region_speedup_pct {
        write!(out, ", may gain {gain:.1} % of the region's time")?;
    }
    if let Some(gain) = rule.max_speedup_pct {
        write!(out, ", at most {gain:.1} % for one result")?;
        if let Some(kind) = rule.speedup_kind.as_deref().filter(|kind| *kind != "unknown") {
            write!(out, " ({})", text(kind))?;
        }
    }
    // Line breaks of the message become spaces, so that it stays inside its list item.
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(
        out,
        ", {}, heaviest in {}): {}",
        number::count(rule.results, "result", "results"),
        code(&shorten_kernel(&visible_name(&rule.kernel_name), 100)),
        text(&shorten(&visible(&message), MAX_MESSAGE)),
    )
}

/// One line for each process and device.
fn write_scopes(found: &[Found<'_>], out: &mut dyn Write) -> io::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let milliseconds = Milliseconds::for_all(found.iter().map(|(_, region)| region.total_ms));
    writeln!(out, "### Scopes\n")?;
    writeln!(out, "| Scope | Total ms | Kernels | Exclusive ms | Share | SM % | DRAM % |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|")?;
    for (report, region) in found {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            text(&phrases::scope(report)),
            milliseconds.show(region.total_ms),
            region.kernel_count,
            milliseconds.show(region.exclusive_ms),
            number::percent(region.share),
            key_metrics(&region.metrics),
        )?;
    }
    writeln!(out)
}
