//! A file of rows, read: which inputs and metrics it tells of, and its groups.

use std::path::{Path, PathBuf};

use rangescope_model::partial::{Fact, Group, Tally};
use rangescope_read::parquet_table::{ParquetTable, Values};
use rangescope_report::tables::Kind;
use rangescope_report::tables::schema::PARTIALS;
use rustc_hash::{FxHashMap, FxHashSet};

use super::rows::{GROUP_COLUMNS, GroupTexts, INPUT, METRIC, count, fact, group, total};
use super::{InputFacts, VERSION};
use crate::RunError;

/// What a file tells before its groups are looked at.
pub(super) struct Contents {
    /// By identity.
    pub(super) inputs: Vec<(String, InputFacts)>,
    pub(super) metrics: Vec<String>,
}

/// The rows of one group of one input.
pub(super) struct GroupRows {
    /// Empty where inputs were merged.
    pub(super) input: Option<String>,
    pub(super) group: Group,
    pub(super) rows: Vec<(Fact, Tally)>,
}

impl GroupRows {
    /// Where the first result of the group is, over all inputs.
    pub(super) fn appeared(&self) -> &str {
        let launches = self.rows.iter().find(|(fact, _)| *fact == Fact::Launches);
        launches.and_then(|(_, tally)| tally.first.as_deref()).unwrap_or_default()
    }
}

pub(super) struct Table {
    path: PathBuf,
    columns: FxHashMap<&'static str, Values>,
    rows: usize,
}

impl Table {
    /// Reads those of the columns that are wanted.
    pub(super) fn open(path: &Path, wanted: impl Fn(&str) -> bool) -> Result<Self, RunError> {
        let table = ParquetTable::open(path).map_err(|error| refused(path, error.reason))?;
        let mut columns = FxHashMap::default();
        for column in PARTIALS.columns.iter().filter(|column| wanted(column.name)) {
            let values = table.column(column.name).map_err(|error| refused(path, error.reason))?;
            let fits = |values: &Values| match values {
                Values::Text(..) => column.kind == Kind::Text,
                // A column of which every cell is empty may be of any type.
                Values::Whole(list) => {
                    matches!(column.kind, Kind::Integer | Kind::Whole)
                        || list.iter().all(Option::is_none)
                }
                Values::Number(_) => column.kind == Kind::Number,
            };
            match values.filter(fits) {
                Some(values) => columns.insert(column.name, values),
                None => {
                    let (name, kind) = (column.name, column.kind.as_str());
                    return Err(refused(path, format!("it has no column `{name}` of type {kind}")));
                }
            };
        }
        Ok(Self { path: path.to_owned(), columns, rows: table.rows() })
    }

    fn text(&self, column: &str, row: usize) -> Option<&str> {
        match self.columns.get(column)? {
            Values::Text(list, texts) => texts.get((*list.get(row)?)? as usize).map(String::as_str),
            _ => None,
        }
    }

    fn whole(&self, column: &str, row: usize) -> Option<i128> {
        match self.columns.get(column)? {
            Values::Whole(list) => *list.get(row)?,
            _ => None,
        }
    }

    fn number(&self, column: &str, row: usize) -> Option<f64> {
        match self.columns.get(column)? {
            Values::Number(list) => *list.get(row)?,
            _ => None,
        }
    }

    /// A number that is the same for equal cells of a column.
    fn symbol(&self, column: &str, row: usize) -> i128 {
        match self.columns.get(column) {
            Some(Values::Text(list, _)) => list.get(row).copied().flatten().map_or(-1, i128::from),
            Some(Values::Whole(list)) => list.get(row).copied().flatten().unwrap_or(-1),
            _ => -1,
        }
    }

    pub(super) fn contents(&self) -> Result<Contents, RunError> {
        let mut contents = Contents { inputs: Vec::new(), metrics: Vec::new() };
        for row in 0..self.rows {
            let name = || self.text("name", row).unwrap_or_default();
            match self.text("item", row) {
                Some(METRIC) => contents.metrics.push(name().to_owned()),
                Some(INPUT) => {
                    let text = self.text("by", row).unwrap_or_default();
                    let facts: InputFacts =
                        serde_json::from_str(text).map_err(|error| self.refused(row, &error))?;
                    if facts.version != VERSION {
                        let reason = format!(
                            "its rows are of version {}, and this is version {VERSION}",
                            facts.version
                        );
                        return Err(refused(&self.path, reason));
                    }
                    contents.inputs.push((name().to_owned(), facts));
                }
                _ => {}
            }
        }
        if contents.inputs.is_empty() {
            return Err(refused(&self.path, "no row says what was read".to_owned()));
        }
        Ok(contents)
    }

    /// The groups, in the order in which they appeared. A row that stands there twice counts once.
    pub(super) fn groups(&self) -> Result<Vec<GroupRows>, RunError> {
        let mut positions: FxHashMap<[i128; GROUP_COLUMNS.len() + 1], usize> = FxHashMap::default();
        let mut groups: Vec<GroupRows> = Vec::new();
        let mut seen: FxHashSet<(usize, [i128; 3])> = FxHashSet::default();
        for row in 0..self.rows {
            let item = self.text("item", row).unwrap_or_default();
            if item == METRIC || item == INPUT {
                continue;
            }
            let mut key = [self.symbol("input", row); GROUP_COLUMNS.len() + 1];
            for (symbol, column) in key.iter_mut().zip(GROUP_COLUMNS) {
                *symbol = self.symbol(column, row);
            }
            let position = match positions.get(&key) {
                Some(position) => *position,
                None => {
                    let cells = GroupTexts {
                        whole: &|column| self.whole(column, row),
                        text: &|column| self.text(column, row),
                    };
                    let group = group(&cells).ok_or_else(|| self.refused(row, &"no such group"))?;
                    let input = self.text("input", row).map(str::to_owned);
                    groups.push(GroupRows { input, group, rows: Vec::new() });
                    positions.insert(key, groups.len() - 1);
                    groups.len() - 1
                }
            };
            if !seen
                .insert((position, ["item", "name", "by"].map(|column| self.symbol(column, row))))
            {
                continue;
            }
            let (name, by) = (self.text("name", row), self.text("by", row));
            let fact = fact(item, name.unwrap_or_default(), by.unwrap_or_default())
                .ok_or_else(|| self.refused(row, &format!("no such item as `{item}`")))?;
            let tally = self.tally(row)?;
            if let Some(group) = groups.get_mut(position) {
                group.rows.push((fact, tally));
            }
        }
        groups.sort_by(|left, right| left.appeared().cmp(right.appeared()));
        Ok(groups)
    }

    fn tally(&self, row: usize) -> Result<Tally, RunError> {
        let count = |column: &str| {
            count(self.whole(column, row))
                .ok_or_else(|| self.refused(row, &format!("`{column}` is no count")))
        };
        let total = |[whole, high, low]: [&str; 3]| {
            total(self.whole(whole, row), self.number(high, row), self.number(low, row))
        };
        let text = |column: &str| self.text(column, row).map(str::to_owned);
        Ok(Tally {
            count: count("count")?,
            part: count("part")?,
            sum: total(["total", "high", "low"]),
            weight: total(["weight_total", "weight_high", "weight_low"]),
            min: self.number("min", row).filter(|min| !min.is_nan()),
            max: self.number("max", row).filter(|max| !max.is_nan()),
            first: text("first"),
            last: text("last"),
        })
    }

    fn refused(&self, row: usize, why: &dyn std::fmt::Display) -> RunError {
        refused(&self.path, format!("row {row}: {why}"))
    }
}

fn refused(path: &Path, reason: String) -> RunError {
    RunError::NotAPartial { path: path.to_owned(), reason }
}
