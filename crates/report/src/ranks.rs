//! What is shown of the ranks of a run where there is little room.

use rangescope_analyze::View;
use rangescope_model::imbalance::{Imbalance, ImbalanceRow, RowKind, Verdict};
use rangescope_model::number::{count, thousands};

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
    let is_uneven = |row: &&ImbalanceRow| {
        row.missing > 0 || !matches!(row.verdict, Verdict::Alike | Verdict::Unknown)
    };
    let cost =
        |row: &ImbalanceRow| row.time.as_ref().map_or(0.0, |time| time.max.value - time.mean);
    let mut rows: Vec<&ImbalanceRow> =
        imbalance.rows.iter().filter(is_shown).filter(is_uneven).collect();
    rows.sort_by(|left, right| cost(right).total_cmp(&cost(left)));
    rows
}

/// Where a row is slow, in a word or two.
pub(crate) fn place(imbalance: &Imbalance, row: &ImbalanceRow) -> String {
    let (one, many) = imbalance.members.words();
    let slow = row.slow.as_ref().map_or(0, |slow| slow.members);
    let mut words = match row.verdict {
        Verdict::Alike => "all alike".to_owned(),
        Verdict::OneMember => format!("one {one}"),
        Verdict::FewMembers => count(slow, one, many),
        Verdict::OneHost => "one host".to_owned(),
        Verdict::Spread => "spread".to_owned(),
        Verdict::OnlyOne => format!("only one {one}"),
        Verdict::Unknown => "no time".to_owned(),
    };
    if row.missing > 0 && row.verdict != Verdict::OnlyOne {
        words.extend([", ", &thousands(row.missing), " missing"]);
    }
    words
}
