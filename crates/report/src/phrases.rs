//! Short phrases that several formats share: what a scope, a group of regions, a source or a device is called.
//!
//! All of them are already safe to show; a format that has its own special characters escapes them once more.

use indexmap::{IndexMap, IndexSet};
use rangescope_analyze::insight::limit_noun;
use rangescope_model::document::{
    Basis, Family, MetricSummary, Outlier, Region, RegionDocument, RuleSummary, ScopeKind,
    ScopeReport,
};
use rangescope_model::number::{count, time, weight};
use rangescope_model::region::{DEFAULT_DOMAIN, RangeKind};

use rangescope_model::text::{clip, visible, visible_name};

/// Columns of the name of a kernel in a sentence.
const LONGEST_KERNEL: usize = 60;

/// `process:41 (python, host n1, rank 0)`, `device:0`, `aggregate`; whole-range results say so.
pub(crate) fn scope(report: &ScopeReport) -> String {
    let scope = &report.scope;
    let mut facts = Vec::new();
    if scope.kind == ScopeKind::Process {
        facts.extend(scope.process_name.as_deref().map(|name| visible(name).into_owned()));
        facts.extend(scope.host.as_deref().map(|host| format!("host {}", visible(host))));
        facts.extend(scope.rank.map(|rank| format!("rank {rank}")));
    }
    if report.basis == Basis::Range {
        facts.push("whole ranges".to_owned());
    }
    let id = visible(&scope.id);
    if facts.is_empty() { id.into_owned() } else { format!("{id} ({})", facts.join(", ")) }
}

/// `domain LLM, start/end ranges`; nothing for push/pop ranges of the default domain, which need no words.
pub(crate) fn group(domain: &str, kind: RangeKind) -> Option<String> {
    let default = domain.is_empty() || domain == DEFAULT_DOMAIN;
    match (default, kind) {
        (true, RangeKind::PushPop) => None,
        (true, RangeKind::StartEnd) => Some("default domain, start/end ranges".to_owned()),
        (false, RangeKind::PushPop) => Some(format!("domain {}", visible(domain))),
        (false, RangeKind::StartEnd) => {
            Some(format!("domain {}, start/end ranges", visible(domain)))
        }
    }
}

/// The kind of a range in words.
pub(crate) fn range_kind(kind: RangeKind) -> &'static str {
    match kind {
        RangeKind::PushPop => "push/pop",
        RangeKind::StartEnd => "start/end",
    }
}

/// The kind of results that a report was made from, as the JSON spells it.
pub(crate) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Kernel => "kernel",
        Basis::Range => "range",
    }
}

/// What the results of a report are, as the head of a column that counts them.
pub(crate) fn results(basis: Basis) -> &'static str {
    match basis {
        Basis::Kernel => "Kernels",
        Basis::Range => "Ranges",
    }
}

/// `12 launches`, `1 range`.
pub(crate) fn counted(results: u64, basis: Basis) -> String {
    match basis {
        Basis::Kernel => count(results, "launch", "launches"),
        Basis::Range => count(results, "range", "ranges"),
    }
}

/// The names of the devices, each once, with how many there are.
pub(crate) fn devices(document: &RegionDocument) -> Vec<String> {
    let mut names: IndexMap<String, usize> = IndexMap::new();
    for device in &document.devices {
        let name = device
            .name
            .as_deref()
            .map_or_else(|| format!("device {}", device.id), |name| visible(name).into_owned());
        *names.entry(name).or_default() += 1;
    }
    names
        .into_iter()
        .map(|(name, number)| if number > 1 { format!("{number} × {name}") } else { name })
        .collect()
}

/// The versions of the profiler, each once.
pub(crate) fn profilers(document: &RegionDocument) -> Vec<String> {
    let versions: IndexSet<&str> =
        document.sources.iter().filter_map(|source| source.profiler.as_deref()).collect();
    versions
        .into_iter()
        .map(|version| {
            let version = visible(version);
            // Some producers write the bare version and some their own name before it.
            if version.starts_with(|first: char| first.is_ascii_digit()) {
                format!("ncu {version}")
            } else {
                version.into_owned()
            }
        })
        .collect()
}

/// What a rule is called: by its message, else by itself.
pub(crate) fn rule_title(rule: &RuleSummary) -> &str {
    let titles = [rule.title.trim(), rule.name.trim(), rule.rule.trim()];
    titles.into_iter().find(|title| !title.is_empty()).unwrap_or_default()
}

/// `, local` behind an estimate that speaks of one unit only, `, global` behind one of run time.
pub(crate) fn speedup_kind(rule: &RuleSummary) -> String {
    let kind = rule.speedup_kind.as_deref().filter(|kind| *kind != "unknown");
    match kind {
        None => String::new(),
        // The rule itself makes none.
        Some("counted") => ", by the counters".to_owned(),
        Some(kind) => format!(", {}", visible(kind)),
    }
}

/// Whether a metric has something to show.
pub(crate) fn has_value(metric: &MetricSummary) -> bool {
    metric.value.is_some() || metric.min.is_some()
}

/// How to get regions, for a report that has none.
pub(crate) fn no_regions(report: &ScopeReport) -> &'static str {
    let selection = &report.selection;
    if selection.regions.is_empty() && selection.regions_exclude.is_empty() {
        "No NVTX range was open in any result: mark the parts of your program with NVTX ranges, then `rangescope profile -- PROGRAM` reports by region."
    } else {
        "No result was in a selected NVTX range: `rangescope regions -- PROGRAM` lists the ranges that there are."
    }
}

/// ` ×32` behind the name of a family.
pub(crate) fn members(region: &Region) -> String {
    region.family.as_ref().map_or_else(String::new, |family| format!(" ×{}", family.members.len()))
}

/// Members of families that are named as standing out.
const NAMED_OUTLIERS: usize = 5;

/// What a member takes more or less than the others, or takes at all where something else tells it apart, is worth a word from this part of the run's time on.
const WORTH_NAMING: f64 = 0.005;

/// Sentences for the members of families that stand out furthest. What is said of a member is not said again of what is inside of it, or around it.
pub(crate) fn outliers(report: &ScopeReport) -> Vec<String> {
    let regions = &report.regions;
    let families = regions.iter().filter_map(|region| Some((region, region.family.as_ref()?)));
    let mut found: Vec<(&Outlier, &Region, &Family)> = families
        .flat_map(|(region, family)| {
            family.outliers.iter().map(move |outlier| (outlier, region, family))
        })
        .collect();
    let distance = |(outlier, _, family): &(&Outlier, &Region, &Family)| {
        let ms = outlier.total_ms.zip(family.mean_ms).filter(|_| outlier.by_time);
        ms.map_or(0.0, |(ms, mean)| (ms - mean).abs())
    };
    if let Some(whole) = report.totals.total_ms {
        found.retain(|one| {
            let at_stake = if one.0.by_time { distance(one) } else { weight(one.0.total_ms) };
            at_stake >= WORTH_NAMING * whole
        });
    }
    found.sort_by(|left, right| {
        distance(right).total_cmp(&distance(left)).then_with(|| left.0.name.cmp(&right.0.name))
    });
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let mut said: Vec<&str> = Vec::new();
    for (outlier, ..) in &found {
        let name = outlier.name.as_str();
        if !said.iter().any(|said| is_inside(name, said) || is_inside(said, name)) {
            said.push(name);
        }
    }
    let named = if said.len() > NAMED_OUTLIERS { NAMED_OUTLIERS - 1 } else { said.len() };
    let more = said.split_off(named).len() as u64;
    let said = found.iter().filter(|(outlier, ..)| said.contains(&outlier.name.as_str()));
    let mut sentences: Vec<String> =
        said.take(named).map(|(one, region, family)| outlier(region, family, one)).collect();
    if more > 0 {
        sentences.push(count(
            more,
            "more member of a family stands out",
            "more members of families stand out",
        ));
    }
    sentences
}

/// What tells a member of a family from the others.
pub(crate) fn outlier(region: &Region, family: &Family, one: &Outlier) -> String {
    let name = visible_name(&region.name);
    let start = match (one.by_time, one.total_ms) {
        (true, Some(ms)) => format!(
            "with {}: {name} take {} to {}, {} on average",
            time(Some(ms)),
            time(family.min_ms),
            time(family.max_ms),
            time(family.mean_ms),
        ),
        _ => format!("among {name}"),
    };
    let kernels = |names: &[String]| {
        let names = names.iter().map(|name| clip(&visible_name(name), LONGEST_KERNEL).into_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    let limit = one.limit.zip(family.usual_limit).map(|(own, usual)| {
        format!("limited by {}, most others by {}", limit_noun(own), limit_noun(usual))
    });
    let more = &one.more_kernels;
    let more =
        (!more.is_empty()).then(|| format!("launches {}, most others do not", kernels(more)));
    let fewer = &one.fewer_kernels;
    let fewer =
        (!fewer.is_empty()).then(|| format!("does not launch {}, most others do", kernels(fewer)));
    let rest: String =
        [limit, more, fewer].iter().flatten().flat_map(|part| ["; ", part]).collect();
    format!("{} stands out {start}{rest}", visible_name(&one.name))
}
