//! What is shown of the ranks of a run where there is little room.

use rangescope_analyze::View;
use rangescope_model::imbalance::{
    Imbalance, ImbalanceRow, RowKind, Slow, Spread, StageRow, Verdict,
};
use rangescope_model::number::{count, thousands};

/// A region that one rank alone has is listed if it takes this part of the longest rank's time.
const WORTH: f64 = 0.005;

/// The rows of the totals.
pub(crate) fn totals(imbalance: &Imbalance) -> impl Iterator<Item = &ImbalanceRow> {
    imbalance.rows.iter().filter(|row| row.what == RowKind::Total)
}

/// Regions in which ranks differ, those that cost most first; families in place of their members unless these are shown, kernels where there are no regions.
pub(crate) fn uneven<'i>(imbalance: &'i Imbalance, view: &View) -> Vec<&'i ImbalanceRow> {
    let has_regions = imbalance.rows.iter().any(|row| row.what == RowKind::Region);
    let is_shown = |row: &&ImbalanceRow| match row.what {
        RowKind::Total => false,
        RowKind::Region => view.unfold || !row.in_family,
        RowKind::Family => !view.unfold,
        RowKind::Kernel => !has_regions,
    };
    let differs = |verdict| !matches!(verdict, Verdict::Alike | Verdict::Unknown);
    let stage_differs = |stage: &StageRow| match stage.verdict {
        Verdict::OnlyOne => stage.missing > 0,
        verdict => differs(verdict),
    };
    let longest = |row: &ImbalanceRow| row.time.as_ref().map_or(0.0, |time| time.max.value);
    let whole = totals(imbalance).map(longest).fold(0.0, f64::max);
    let is_uneven = |row: &&ImbalanceRow| match row.verdict {
        Verdict::Stages => row.stages.iter().any(stage_differs),
        // Names that hold an identifier are of one rank each, and say nothing about it.
        Verdict::OnlyOne => {
            (row.missing > 0 || row.elsewhere == 0) && longest(row) >= WORTH * whole
        }
        verdict => row.missing > 0 || differs(verdict),
    };
    let beyond_mean =
        |time: &Option<Spread>| time.as_ref().map_or(0.0, |time| time.max.value - time.mean);
    let cost = |row: &ImbalanceRow| match row.verdict {
        Verdict::Stages => {
            row.stages.iter().map(|stage| beyond_mean(&stage.time)).fold(0.0, f64::max)
        }
        _ => beyond_mean(&row.time),
    };
    let mut rows: Vec<&ImbalanceRow> =
        imbalance.rows.iter().filter(is_shown).filter(is_uneven).collect();
    rows.sort_by(|left, right| cost(right).total_cmp(&cost(left)));
    rows
}

/// Where a row is slow, in a word or two.
pub(crate) fn place(imbalance: &Imbalance, row: &ImbalanceRow) -> String {
    let mut words = match row.verdict {
        Verdict::Stages => {
            let is_slow = |stage: &&StageRow| stage.slow.is_some();
            let slow = row.stages.iter().filter(is_slow).map(|stage| {
                let words = verdict_words(imbalance, stage.verdict, stage.slow.as_ref());
                format!("stage {}: {words}", stage.stage)
            });
            let slow = slow.collect::<Vec<_>>().join(", ");
            if slow.is_empty() { count(row.stages.len() as u64, "stage", "stages") } else { slow }
        }
        verdict => verdict_words(imbalance, verdict, row.slow.as_ref()),
    };
    if row.missing > 0 && row.verdict != Verdict::OnlyOne {
        words.extend([", ", &thousands(row.missing), " missing"]);
    }
    words
}

fn verdict_words(imbalance: &Imbalance, verdict: Verdict, slow: Option<&Slow>) -> String {
    let (one, many) = imbalance.members.words();
    match verdict {
        Verdict::Alike => "all alike".to_owned(),
        Verdict::OneMember => format!("one {one}"),
        Verdict::FewMembers => count(slow.map_or(0, |slow| slow.members), one, many),
        Verdict::OneHost => "one host".to_owned(),
        Verdict::Spread => "spread".to_owned(),
        Verdict::Stages => "several stages".to_owned(),
        Verdict::OnlyOne => format!("only one {one}"),
        Verdict::Unknown => "no time".to_owned(),
    }
}
