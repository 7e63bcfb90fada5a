//! Cells of a record.
//!
//! ncu quotes every cell and escapes nothing, so that a kernel name, a payload or a text may hold quotes and even the separator itself. A record is first split by the rules of CSV;
//! if it breaks them it is split wherever one cell seems to end and the next to begin, and the caller gives back what was cut off too much. Records of files that another program wrote
//! again, with quotes only where they are needed, are split by the rules of CSV alone.

use std::borrow::Cow;

/// Between two cells when all cells are quoted.
const BETWEEN: &str = "\",\"";

/// How the cells of a table are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Every cell, as ncu does.
    Quoted,
    /// Only cells that need it, as spreadsheets and scripts do.
    Plain,
}

/// One cell, without the quotes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell<'t> {
    /// As it stands in the file: quotes may be doubled.
    pub(super) raw: &'t str,
    /// Its offset in its record.
    start: usize,
}

impl<'t> Cell<'t> {
    /// The cell's text, with doubled quotes made single.
    pub(super) fn text(self) -> Cow<'t, str> {
        if self.raw.contains("\"\"") {
            Cow::Owned(self.raw.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(self.raw)
        }
    }
}

/// Splits a record into `cells`, which are cleared first. Gives whether the record keeps the rules of CSV.
pub(super) fn split<'t>(record: &'t str, dialect: Dialect, cells: &mut Vec<Cell<'t>>) -> bool {
    if by_the_rules(record, dialect, cells) {
        return true;
    }
    if dialect == Dialect::Quoted {
        cells.clear();
        let inner = record.strip_prefix('"').unwrap_or(record);
        let mut start = record.len() - inner.len();
        let inner = inner.strip_suffix("\",").or_else(|| inner.strip_suffix('"')).unwrap_or(inner);
        for raw in inner.split(BETWEEN) {
            cells.push(Cell { raw, start });
            start += raw.len() + BETWEEN.len();
        }
    }
    false
}

fn by_the_rules<'t>(record: &'t str, dialect: Dialect, cells: &mut Vec<Cell<'t>>) -> bool {
    cells.clear();
    let mut rest = record;
    loop {
        let start = record.len() - rest.len();
        let after = match rest.strip_prefix('"') {
            Some(quoted) => {
                let Some(end) = closing_quote(quoted) else { return false };
                let (raw, after) = (quoted.get(..end), quoted.get(end + 1..));
                let (Some(raw), Some(after)) = (raw, after) else { return false };
                cells.push(Cell { raw, start: start + 1 });
                after
            }
            // The one cell without quotes in ncu's tables is the empty one after the comma that ends a metric row.
            None if dialect == Dialect::Quoted => return rest.is_empty() && !cells.is_empty(),
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (raw, after) = rest.split_at(end);
                cells.push(Cell { raw, start });
                after
            }
        };
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => return after.is_empty(),
        }
    }
}

/// The position of the quote that closes a cell: the first that is not one of a pair.
fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let quote = from + bytes.get(from..)?.iter().position(|byte| *byte == b'"')?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

/// Joins the cells `first..=last` of a record into one, with what stood between them.
pub(super) fn join<'t>(record: &'t str, cells: &mut Vec<Cell<'t>>, first: usize, last: usize) {
    let joined = cells.get(first).zip(cells.get(last)).and_then(|(first, last)| {
        let raw = record.get(first.start..last.start + last.raw.len())?;
        Some(Cell { raw, start: first.start })
    });
    if let Some(cell) = joined {
        cells.splice(first..=last, [cell]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(record: &str, dialect: Dialect) -> (bool, Vec<String>) {
        let mut cells = Vec::new();
        let regular = split(record, dialect, &mut cells);
        (regular, cells.iter().map(|cell| cell.text().into_owned()).collect())
    }

    #[track_caller]
    fn check(record: &str, dialect: Dialect, regular: bool, expected: &[&str]) {
        assert_eq!(
            cells(record, dialect),
            (regular, expected.iter().map(|text| (*text).to_owned()).collect())
        );
    }

    #[test]
    fn regular_records() {
        check(r#""0","a, b","""q"" x""#, Dialect::Quoted, true, &["0", "a, b", "\"q\" x"]);
        check(r#""0","","","#, Dialect::Quoted, true, &["0", "", ""]);
        check("0,a,\"b, \"\"c\"\"\",", Dialect::Plain, true, &["0", "a", "b, \"c\"", ""]);
        check("\"0\",\"two\nlines\"", Dialect::Quoted, true, &["0", "two\nlines"]);
        check(r#""0","say ""x"", ""y""""#, Dialect::Quoted, true, &["0", "say \"x\", \"y\""]);
    }

    #[test]
    fn unescaped_quotes() {
        check(r#""0","a"b","c""#, Dialect::Quoted, false, &["0", "a\"b", "c"]);
        check(
            r#""0","x ""n:{"a":1}"" ","c""#,
            Dialect::Quoted,
            false,
            &["0", "x \"n:{\"a\":1}\" ", "c"],
        );
        check(r#""0","f("y","z")","1","#, Dialect::Quoted, false, &["0", "f(\"y", "z\")", "1"]);
        check(r#""0","cut"#, Dialect::Quoted, false, &["0", "cut"]);
    }

    #[test]
    fn joining_gives_back_what_was_between() {
        let record = r#""0","f("y","z")","1""#;
        let mut cells = Vec::new();
        split(record, Dialect::Quoted, &mut cells);
        join(record, &mut cells, 1, 2);
        assert_eq!(
            cells.iter().map(|cell| cell.raw).collect::<Vec<_>>(),
            ["0", "f(\"y\",\"z\")", "1"]
        );
    }
}
