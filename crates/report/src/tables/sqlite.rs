//! Tables in one SQLite database. Whole numbers from 2^63 on do not fit its integers and are rounded.

use std::io;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{Cell, Kind, Sink, Table, checked};

struct Database {
    connection: Connection,
    tables: Vec<&'static str>,
}

pub(super) fn open(path: &Path, tables: &[&'static Table]) -> io::Result<Box<dyn Sink>> {
    let connection = Connection::open(path).map_err(io::Error::other)?;
    // Nobody reads the file before it has its name, so that there is nothing to keep safe on the way.
    let unsafe_and_fast = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;";
    connection.execute_batch(unsafe_and_fast).map_err(io::Error::other)?;
    create(&connection, tables).map_err(io::Error::other)?;
    connection.set_prepared_statement_cache_capacity(tables.len());
    Ok(Box::new(Database { connection, tables: tables.iter().map(|table| table.name).collect() }))
}

/// Makes the tables, without rows.
pub(super) fn create(connection: &Connection, tables: &[&Table]) -> rusqlite::Result<()> {
    let mut sql = String::new();
    for table in tables {
        let columns = table.columns.iter().map(|column| {
            let kind = match column.kind {
                Kind::Text => "TEXT",
                Kind::Integer | Kind::Whole | Kind::Flag => "INTEGER",
                Kind::Number => "REAL",
            };
            format!("\"{}\" {kind}", column.name)
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        sql.extend(["CREATE TABLE \"", table.name, "\" (", &columns, ");"]);
    }
    connection.execute_batch(&sql)
}

impl Sink for Database {
    fn row(&mut self, table: &'static Table, cells: &[Cell<'_>]) -> io::Result<()> {
        checked(table, cells)?;
        if !self.tables.contains(&table.name) {
            return Ok(());
        }
        let places = vec!["?"; cells.len()].join(",");
        let sql = format!("INSERT INTO \"{}\" VALUES ({places})", table.name);
        let mut statement = self.connection.prepare_cached(&sql).map_err(io::Error::other)?;
        statement.execute(params_from_iter(cells)).map(|_| ()).map_err(io::Error::other)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.connection.execute_batch("COMMIT").map_err(io::Error::other)
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Empty => ToSqlOutput::Owned(Value::Null),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Integer(number) => match i64::try_from(*number) {
                Ok(number) => number.into(),
                Err(_) => (*number as f64).into(),
            },
            Self::Whole(number) => match i64::try_from(*number) {
                Ok(number) => number.into(),
                Err(_) => (*number as f64).into(),
            },
            Self::Number(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
        })
    }
}
