//! Ranks beside each other in a document made by hand: all take the same but one, which is slow in every other region and never runs the last.

use rangescope_model::document::{Region, RegionDocument};
use rangescope_model::imbalance::{
    Cause, Extreme, HeatBin, HeatMap, HeatRow, Imbalance, ImbalanceRow, Member, MemberKind,
    RowKind, RowRegion, Slow, Spread, StandingOut, Verdict,
};
use rangescope_model::number::weight;

const MOST_ROWS: usize = 200;
const MOST_BINS: u32 = 256;
/// How much longer the slow rank takes.
const TIMES: f64 = 1.8;

/// The document with so many ranks, eight a host; the host of the first has this name.
pub fn with_ranks(mut document: RegionDocument, ranks: u32, host: &str) -> RegionDocument {
    let ranks = ranks.clamp(2, 1_000_000);
    let slow = ranks * 3 / 4;
    let Some(report) = document.reports.last() else { return document };
    let member = |rank: u32| Member {
        rank: Some(rank),
        process_id: Some(100 + rank),
        host: Some(if rank < 8 { host.to_owned() } else { format!("node{}", rank / 8) }),
    };
    let bins = ranks.min(MOST_BINS);
    let first = |bin: u32| (bin * ranks).div_ceil(bins);
    let mut rows = Vec::new();
    let mut heat = Vec::new();
    let regions: Vec<&Region> = report.regions.iter().take(MOST_ROWS).collect();
    let all = std::iter::once(None).chain(regions.iter().map(Some));
    for (at, region) in all.enumerate() {
        let usual = weight(region.map_or(report.totals.total_ms, |region| region.set.total_ms))
            / f64::from(ranks);
        let runs = at == 0 || at < regions.len();
        let is_slow = runs && at % 2 == 0;
        let time = |rank: u32| match rank == slow {
            true if !runs => None,
            true if is_slow => Some(usual * TIMES),
            _ => Some(usual),
        };
        let extreme =
            |rank: u32| Extreme { value: time(rank).unwrap_or(usual), member: member(rank) };
        let (mean, n) = match (runs, is_slow) {
            (false, _) => (usual, ranks - 1),
            (true, false) => (usual, ranks),
            (true, true) => (usual * (f64::from(ranks - 1) + TIMES) / f64::from(ranks), ranks),
        };
        let max = extreme(if is_slow { slow } else { 0 });
        let name = max.member.name_and_host(MemberKind::Ranks);
        heat.push(HeatRow {
            row: u32::try_from(at).unwrap_or(u32::MAX),
            mean_ms: (0..bins)
                .map(|bin| {
                    let in_bin = first(bin)..first(bin + 1);
                    let times: Vec<f64> = in_bin.filter_map(time).collect();
                    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
                })
                .collect(),
            max: if bins == ranks {
                Vec::new()
            } else {
                let longest = |bin: u32| {
                    let in_bin = first(bin)..first(bin + 1);
                    let rank = if in_bin.contains(&slow) && runs { slow } else { in_bin.start };
                    Some((time(rank)?, Some(rank)))
                };
                (0..bins).map(longest).collect()
            },
        });
        rows.push(ImbalanceRow {
            what: if at == 0 { RowKind::Total } else { RowKind::Region },
            basis: report.basis,
            name: region.map(|region| region.name.clone()).unwrap_or_default(),
            region: region.map(|region| RowRegion {
                domain: region.domain.clone(),
                kind: region.kind,
                path: region.path.clone(),
            }),
            in_family: false,
            verdict: if is_slow { Verdict::OneMember } else { Verdict::Alike },
            sentence: if is_slow {
                format!("slow on {name}: {TIMES} × the mean of the others")
            } else {
                format!("equally slow on all {n} ranks")
            },
            time: Some(Spread {
                n: u64::from(n),
                min: extreme(0),
                mean,
                max_over_mean: Some(max.value / mean),
                max,
            }),
            missing: u64::from(!runs),
            missing_members: if runs { Vec::new() } else { vec![member(slow)] },
            untimed: 0,
            elsewhere: 0,
            stages: Vec::new(),
            slow: is_slow.then(|| Slow {
                members: 1,
                named: vec![member(slow)],
                mean_ms: usual * TIMES,
                others: u64::from(ranks - 1),
                others_mean_ms: usual,
                times: Some(TIMES),
                cause: Cause::Unknown,
                counter: None,
                compared: Vec::new(),
            }),
            outliers: Vec::new(),
            counters: Vec::new(),
        });
    }
    let standing_out = rows.iter().filter(|row| row.slow.is_some()).count() as u64;
    document.ranks = Some(Imbalance {
        members: MemberKind::Ranks,
        count: u64::from(ranks),
        absent: None,
        hosts: u64::from(ranks.div_ceil(8)),
        stages: Vec::new(),
        rule: format!("made by hand {host}"),
        rows,
        rows_left_out: 0,
        standing_out: vec![StandingOut { member: member(slow), rows: standing_out }],
        heat_map: HeatMap {
            bins: (0..bins)
                .map(|bin| {
                    let members = first(bin + 1) - first(bin);
                    HeatBin {
                        first: member(first(bin)),
                        last: (members > 1).then(|| member(first(bin + 1) - 1)),
                        members: u64::from(members),
                    }
                })
                .collect(),
            rows: heat,
        },
        results_left_out: 0,
    });
    document
}
