//! Slow everywhere or slow on one rank: the answer for the whole run, and the regions in which ranks differ most.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_analyze::View;
use rangescope_model::document::RegionDocument;

use super::HEADING;
use super::table::{Column, Table};
use crate::ranks::{place, totals, uneven};
use rangescope_model::number::{ABSENT, Milliseconds, count, three_digits};
use rangescope_model::text::{shorten, visible, visible_name, wrap};

/// Regions shown; the page and the JSON have more.
const MAX_ROWS: usize = 8;
/// Columns of the name of a rank with its host.
const MEMBER_COLUMNS: usize = 32;

pub(super) fn write(
    document: &RegionDocument,
    view: &View,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(imbalance) = &document.ranks else { return Ok(()) };
    writeln!(out)?;
    for total in totals(imbalance) {
        let all = imbalance.counted();
        let on = match imbalance.hosts {
            0 => String::new(),
            hosts => format!(" on {}", count(hosts, "host", "hosts")),
        };
        let sentence = format!("{all}{on}: {}", visible(&total.sentence));
        for line in wrap(&sentence, screen) {
            writeln!(out, "{HEADING}{line}{HEADING:#}")?;
        }
    }
    let rows = uneven(imbalance, view);
    if rows.is_empty() {
        return Ok(());
    }
    let longest = rows.iter().map(|row| row.time.as_ref().map(|time| time.max.value));
    let milliseconds = Milliseconds::for_all(longest);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .take(MAX_ROWS)
        .map(|row| {
            let time = row.time.as_ref();
            let slowest = time.map(|time| time.max.member.name_and_host(imbalance.members));
            let slowest = slowest.unwrap_or_else(|| ABSENT.to_owned());
            let factor = time.and_then(|time| time.max_over_mean);
            vec![
                milliseconds.show(time.map(|time| time.mean)),
                milliseconds.show(time.map(|time| time.max.value)),
                factor.map_or_else(|| ABSENT.to_owned(), three_digits),
                shorten(&visible(&slowest), MEMBER_COLUMNS).into_owned(),
                place(imbalance, row),
            ]
        })
        .collect();
    let columns = vec![
        Column::number("Mean ms", 2),
        Column::number("Max ms", 0),
        Column::number("Max/mean", 1),
        Column::word("Slowest", 1),
        Column::word("Slow on", 3),
    ];
    let mut table = Table::new("Most uneven", columns, &cells, screen);
    let room = table.room;
    for (row, cells) in rows.iter().zip(cells) {
        table.row(Style::new(), shorten(&visible_name(&row.name), room).into_owned(), cells);
    }
    if let Some(more) = rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        table.text(format!("… {more} more"));
    }
    table.write(out)
}
