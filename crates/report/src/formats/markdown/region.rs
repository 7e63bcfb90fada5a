//! The section of one region: metrics, ncu sections, kernels, rules, and how it does in each process and on each device.

use std::io::{self, Write};

use rangescope_model::document::{KernelSummary, Region, ResultSet, RuleSummary, ScopeReport};

use super::escape::{NAME_COLUMNS, cell_code, code, name, text};
use super::metrics;
use super::summary::key_metrics;
use crate::formats::ExportOptions;
use crate::phrases;
use crate::regions::{Found, of_kernel};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{
    ELLIPSIS, shorten, shorten_kernel, shorten_kernels, visible, visible_name,
};

/// Kernels that get a section of their own where there are no regions.
const MAX_KERNEL_SECTIONS: usize = 30;

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
        let what = What::Region(region);
        let (set, share) = (&*region.set, region.share);
        Body { what, set, share, milliseconds, level }.write(options, out)?;
    }
    write_scopes(others, out)
}

/// What no region shows: the results outside of all regions, and everything together.
pub(super) fn write_rest(
    report: &ScopeReport,
    names_scope: bool,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let scope = if names_scope { format!(", {}", phrases::scope(report)) } else { String::new() };
    let whole = report.totals.total_ms.map(|_| 1.0);
    let outside = (report.unlabeled_name(), &report.unlabeled, report.unlabeled_share());
    // Without regions, everything is outside of them.
    let outside = Some(outside).filter(|_| !report.regions.is_empty());
    // Of a single kernel everything has been said.
    let is_one_kernel = report.regions.is_empty() && report.totals.kernels.len() == 1;
    let all = Some(("(all)", &report.totals, whole)).filter(|_| !is_one_kernel);
    for (title, totals, share) in outside.into_iter().chain(all) {
        let is_told = !(totals.metrics.is_empty() && totals.kernels.is_empty());
        if is_told {
            writeln!(out, "## {}{}\n", text(title), text(&scope))?;
            let what = What::Totals(title);
            Body { what, set: totals, share, milliseconds, level: "###" }.write(options, out)?;
        }
    }
    Ok(())
}

/// A section for each kernel of a report without regions: all of its sections, metrics and rules.
pub(super) fn write_kernels(
    report: &ScopeReport,
    names_scope: bool,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let totals = &report.totals;
    let milliseconds = Milliseconds::for_total(totals.total_ms);
    let scope = if names_scope { format!(", {}", phrases::scope(report)) } else { String::new() };
    // No region has a report of its own in which the rest could be.
    let options = ExportOptions { max_metrics: None, ..options.clone() };
    for at in 0..totals.kernels.len().min(MAX_KERNEL_SECTIONS) {
        let (Some(kernel), Some(set)) = (totals.kernels.get(at), of_kernel(totals, at)) else {
            continue;
        };
        let title = shorten_kernel(&visible_name(&kernel.kernel_name), NAME_COLUMNS).into_owned();
        writeln!(out, "## Kernel: {}{}\n", text(&title), text(&scope))?;
        let (what, share) = (What::Kernel(kernel), kernel.share);
        Body { what, set: &set, share, milliseconds, level: "###" }.write(&options, out)?;
    }
    if let Some(more) = totals.kernels.len().checked_sub(MAX_KERNEL_SECTIONS + 1) {
        let more = number::count(more as u64 + 1, "lighter kernel is", "lighter kernels are");
        writeln!(out, "… {more} in the JSON.\n")?;
    }
    Ok(())
}

/// Path, kind and domain, because two regions may have the same display name.
fn write_identity(region: &Region, out: &mut dyn Write) -> io::Result<()> {
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

/// Whose results they are.
#[derive(Clone, Copy)]
enum What<'a> {
    Region(&'a Region),
    /// A kernel of a report without regions.
    Kernel(&'a KernelSummary),
    /// What no region shows, by its title.
    Totals(&'a str),
}

impl<'a> What<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Region(region) => &region.name,
            Self::Kernel(kernel) => &kernel.kernel_name,
            Self::Totals(title) => title,
        }
    }
}

/// A set of results in one scope.
struct Body<'a> {
    what: What<'a>,
    set: &'a ResultSet,
    share: Option<f64>,
    milliseconds: Milliseconds,
    level: &'static str,
}

impl Body<'_> {
    fn write(&self, options: &ExportOptions, out: &mut dyn Write) -> io::Result<()> {
        let Self { set, level, .. } = self;
        self.write_totals(out)?;
        self.write_kernels(options.max_kernels, out)?;
        self.write_rules(options.max_metrics.map_or(usize::MAX, |_| MAX_RULES), out)?;
        if !set.sections.is_empty() {
            writeln!(out, "{level} Sections\n")?;
            for section in &set.sections {
                metrics::write_section(section, set.kernel_count, &format!("{level}#"), out)?;
            }
        }
        let exclusive = match self.what {
            What::Region(region) => region.exclusive_metrics.as_deref(),
            What::Kernel(_) | What::Totals(_) => None,
        };
        metrics::write(&set.metrics, exclusive, level, options.max_metrics, out)
    }

    fn write_totals(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { set, what, .. } = self;
        write!(
            out,
            "{} ms in total ({} of the scope)",
            self.milliseconds.show(set.total_ms),
            number::percent(self.share),
        )?;
        let results = number::count(set.kernel_count, "result", "results");
        match what {
            // Nothing is below them.
            What::Kernel(_) | What::Totals(_) => write!(out, "; {results}.")?,
            What::Region(region) => {
                write!(
                    out,
                    ", {} ms exclusive; {results}, {} of them exclusive",
                    self.milliseconds.show(region.exclusive_ms),
                    number::thousands(region.exclusive_kernel_count),
                )?;
                if let Some(process) = region.process_id {
                    write!(out, "; all of process {process}")?;
                }
                if let Some(device) = region.device {
                    write!(out, "; all on device {device}")?;
                }
                write!(out, ".")?;
            }
        }
        if set.timed_count < set.kernel_count {
            let timed = number::count(set.timed_count, "has", "have");
            write!(out, " Only {timed} a duration.")?;
        }
        if let What::Region(Region { selection, .. }) = what
            && selection.results_selected < selection.results_seen
        {
            write!(
                out,
                " The kernel selection kept {} of {}.",
                number::thousands(selection.results_selected),
                number::count(selection.results_seen, "result", "results"),
            )?;
        }
        writeln!(out, "\n")
    }

    fn write_kernels(&self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        let kernels = &self.set.kernels;
        if kernels.is_empty() {
            return Ok(());
        }
        let is_kernel = matches!(self.what, What::Kernel(_));
        writeln!(out, "{} {}\n", self.level, if is_kernel { "Launches" } else { "Top Kernels" })?;
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
                number::thousands(kernel.calls),
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
            let more = number::count(rest.len() as u64, "more", "more");
            writeln!(out, "… {more}, {} ms.\n", self.milliseconds.show(time))?;
        }
        Ok(())
    }

    fn write_rules(&self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        let rules = &self.set.rules;
        if rules.is_empty() {
            return Ok(());
        }
        writeln!(out, "{} Rules\n", self.level)?;
        for rule in rules.iter().take(most) {
            write_rule(rule, self.what.name(), out)?;
        }
        if rules.len() > most {
            writeln!(out, "- … {} more", rules.len() - most)?;
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

/// `own` is the name of the kernel around it, which needs not be said again.
pub(super) fn write_rule(rule: &RuleSummary, own: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "- **{}** ({}", name(phrases::rule_title(rule)), text(&rule.kind))?;
    if let Some(gain) = rule.region_speedup_pct {
        let kind = text(&phrases::speedup_kind(rule));
        write!(out, ", may gain {} of the time here{kind}", number::percentage(gain))?;
    }
    if let Some(gain) = rule.max_speedup_pct.filter(|_| rule.results > 1) {
        write!(out, ", at most {} for one result", number::percentage(gain))?;
    }
    // Line breaks of the message become spaces, so that it stays inside its list item.
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    write!(out, ", {}", number::count(rule.results, "result", "results"))?;
    if rule.kernel_name != own {
        write!(
            out,
            ", heaviest in {}",
            code(&shorten_kernel(&visible_name(&rule.kernel_name), 100))
        )?;
    }
    writeln!(out, "): {}", text(&shorten(&visible(&message), MAX_MESSAGE)))
}

/// One line for each process and device.
fn write_scopes(found: &[Found<'_>], out: &mut dyn Write) -> io::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let milliseconds = Milliseconds::for_all(found.iter().map(|(_, region)| region.set.total_ms));
    writeln!(out, "### Scopes\n")?;
    writeln!(out, "| Scope | Total ms | Results | Exclusive ms | Share | SM % | DRAM % |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|")?;
    for (report, region) in found {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            text(&phrases::scope(report)),
            milliseconds.show(region.set.total_ms),
            number::thousands(region.set.kernel_count),
            milliseconds.show(region.exclusive_ms),
            number::percent(region.share),
            key_metrics(&region.set.metrics),
        )?;
    }
    writeln!(out)
}
