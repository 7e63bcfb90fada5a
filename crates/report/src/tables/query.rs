//! Tables in memory, asked in SQL.
//!
//! A query is prepared on empty tables first, which tells a mistake before anything is read, and which tables and columns it needs: only those are filled.
//! It can read and nothing else; its time and memory are bounded.

use super::sqlite::create;
use super::{Batch, Cell, Sink, Table, checked};
use indexmap::IndexMap;
use rangescope_model::nearest::nearest;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Operations of SQLite's machine between two looks at the clock.
const OPERATIONS: i32 = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    pub time: Duration,
    /// Of the database and everything that the query sorts and groups.
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    #[error("{message}")]
    Sql { message: String, hint: Option<String> },
    #[error("the query can only read: one SELECT, without PRAGMA or ATTACH")]
    NotReading,
    #[error("the query took longer than {} s", .0.as_secs_f64())]
    Time(Duration),
    #[error("the query needs more than {} MB of memory", .0 / 1_000_000)]
    Memory(u64),
    #[error("cannot fill the tables: {0}")]
    Fill(io::Error),
    #[error("cannot write the answer: {0}")]
    Answer(io::Error),
}

/// A query that was understood, on tables that are still empty.
#[derive(Debug)]
pub struct Query {
    connection: Connection,
    sql: String,
    limits: QueryLimits,
    /// By table, the columns that are read.
    needed: BTreeMap<String, BTreeSet<String>>,
    /// When the answer was asked for.
    begun: Arc<OnceLock<Instant>>,
}

/// A value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Unknown,
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Query {
    pub fn new(
        sql: &str,
        tables: &[&'static Table],
        limits: QueryLimits,
    ) -> Result<Self, QueryError> {
        let failed = |error| failure(&error, tables, limits);
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        create(&connection, tables).map_err(failed)?;
        let bytes = i64::try_from(limits.bytes).unwrap_or(i64::MAX);
        connection.pragma_update(None, "hard_heap_limit", bytes).map_err(failed)?;
        // What is sorted stays in memory too, where the limit holds.
        connection.pragma_update(None, "temp_store", "MEMORY").map_err(failed)?;
        let seen = Arc::new(Mutex::new((false, BTreeMap::<String, BTreeSet<String>>::new())));
        let noted = Arc::clone(&seen);
        let authorize = move |context: AuthContext<'_>| {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            match context.action {
                AuthAction::Read { table_name, column_name } => {
                    let columns = noted.1.entry(table_name.to_owned()).or_default();
                    columns.insert(column_name.to_owned());
                }
                AuthAction::Select | AuthAction::Recursive => {}
                AuthAction::Function { function_name } if function_name != "load_extension" => {}
                _ => {
                    noted.0 = true;
                    return Authorization::Deny;
                }
            }
            Authorization::Allow
        };
        connection.authorizer(Some(authorize)).map_err(failed)?;
        let prepared = connection.prepare(sql).map(|statement| statement.column_count());
        connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(failed)?;
        let (is_denied, mut needed) = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if is_denied {
            return Err(QueryError::NotReading);
        }
        if prepared.map_err(failed)? == 0 {
            return Err(QueryError::NotReading);
        }
        // SQLite does not count as read what tables are joined by under one name.
        if says(sql, "using") || says(sql, "natural") {
            for table in tables.iter().filter(|table| says(sql, table.name)) {
                let names = table.columns.iter().map(|column| column.name.to_owned());
                needed.entry(table.name.to_owned()).or_default().extend(names);
            }
        }
        let begun: Arc<OnceLock<Instant>> = Arc::default();
        let clock = Arc::clone(&begun);
        let is_over = move || clock.get().is_some_and(|begun| begun.elapsed() > limits.time);
        connection.progress_handler(OPERATIONS, Some(is_over)).map_err(failed)?;
        Ok(Self { connection, sql: sql.to_owned(), limits, needed, begun })
    }

    /// Whether it reads a table.
    pub fn needs(&self, table: &Table) -> bool {
        self.needed.contains_key(table.name)
    }

    /// What came in the way of filling the tables.
    pub fn not_filled(&self, error: io::Error) -> QueryError {
        let of_sqlite = error.get_ref().and_then(|cause| cause.downcast_ref::<rusqlite::Error>());
        match of_sqlite.map(|cause| failure(cause, &[], self.limits)) {
            Some(limit @ QueryError::Memory(_)) => limit,
            _ => QueryError::Fill(error),
        }
    }

    /// Where the rows of its tables go.
    pub fn sink(&self) -> io::Result<QuerySink<'_>> {
        self.connection.execute_batch("BEGIN").map_err(io::Error::other)?;
        Ok(QuerySink { query: self, statements: IndexMap::new() })
    }

    /// Answers it: first the names of the columns, then row by row.
    pub fn run(
        &self,
        columns: impl FnOnce(&[&str]) -> io::Result<()>,
        mut row: impl FnMut(&[Answer]) -> io::Result<()>,
    ) -> Result<(), QueryError> {
        let failed = |error| failure(&error, &[], self.limits);
        self.begun.get_or_init(Instant::now);
        let mut statement = self.connection.prepare(&self.sql).map_err(failed)?;
        let names: Vec<&str> = statement.column_names().collect();
        columns(&names).map_err(QueryError::Answer)?;
        let count = statement.column_count();
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(found) = rows.next().map_err(failed)? {
            let value = |at| found.get_ref(at).map(answer);
            let values: Vec<Answer> =
                (0..count).map(value).collect::<Result<_, _>>().map_err(failed)?;
            row(&values).map_err(QueryError::Answer)?;
        }
        Ok(())
    }
}

/// Whether a word is in a query.
fn says(sql: &str, wanted: &str) -> bool {
    let mut words = sql.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
    words.any(|word| word.eq_ignore_ascii_case(wanted))
}

fn answer(value: ValueRef<'_>) -> Answer {
    match value {
        ValueRef::Null => Answer::Unknown,
        ValueRef::Integer(value) => Answer::Integer(value),
        ValueRef::Real(value) => Answer::Number(value),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Answer::Text(String::from_utf8_lossy(text).into_owned())
        }
    }
}

/// Fills the tables that a query reads; columns that it does not read stay empty.
pub struct QuerySink<'q> {
    query: &'q Query,
    /// By table: how a row is added, and which columns it has.
    statements: IndexMap<&'static str, (Statement<'q>, Vec<usize>)>,
}

impl<'q> QuerySink<'q> {
    fn statement(
        &mut self,
        table: &'static Table,
    ) -> rusqlite::Result<&mut (Statement<'q>, Vec<usize>)> {
        let place = match self.statements.get_index_of(table.name) {
            Some(place) => place,
            None => {
                let needed = self.query.needed.get(table.name);
                let is_needed = |name: &str| needed.is_some_and(|columns| columns.contains(name));
                let columns = table.columns.iter().enumerate();
                let mut columns: Vec<(usize, &str)> = columns
                    .filter(|(_, column)| is_needed(column.name))
                    .map(|(at, column)| (at, column.name))
                    .collect();
                // Rows are counted although nothing of them is read.
                if columns.is_empty() {
                    columns.extend(table.columns.first().map(|column| (0, column.name)));
                }
                let names = columns.iter().map(|(_, name)| format!("\"{name}\""));
                let sql = format!(
                    "INSERT INTO \"{}\" ({}) VALUES ({})",
                    table.name,
                    names.collect::<Vec<_>>().join(","),
                    vec!["?"; columns.len()].join(",")
                );
                let statement = self.query.connection.prepare(&sql)?;
                let columns = columns.into_iter().map(|(at, _)| at).collect();
                self.statements.insert_full(table.name, (statement, columns)).0
            }
        };
        let (_, statement) =
            self.statements.get_index_mut(place).ok_or(rusqlite::Error::InvalidQuery)?;
        Ok(statement)
    }
}

impl Sink for QuerySink<'_> {
    fn row(&mut self, table: &'static Table, cells: &[Cell<'_>]) -> io::Result<()> {
        checked(table, cells)?;
        if !self.query.needs(table) {
            return Ok(());
        }
        let (statement, columns) = self.statement(table).map_err(io::Error::other)?;
        let values = columns.iter().map(|at| &cells[*at]);
        statement.execute(params_from_iter(values)).map(drop).map_err(io::Error::other)
    }

    fn batch(&mut self, table: &'static Table, batch: Batch) -> io::Result<()> {
        if !self.query.needs(table) {
            return Ok(());
        }
        let (statement, columns) = self.statement(table).map_err(io::Error::other)?;
        for row in 0..batch.rows {
            let values = columns.iter().map(|at| batch.columns[*at].at(row));
            statement.execute(params_from_iter(values)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.query.connection.execute_batch("COMMIT").map_err(io::Error::other)
    }
}

/// What went wrong, with the name that was probably meant.
fn failure(error: &rusqlite::Error, tables: &[&'static Table], limits: QueryLimits) -> QueryError {
    let code = error.sqlite_error_code();
    match code {
        Some(ErrorCode::OperationInterrupted) => return QueryError::Time(limits.time),
        Some(ErrorCode::OutOfMemory | ErrorCode::DiskFull) => {
            return QueryError::Memory(limits.bytes);
        }
        _ => {}
    }
    let message = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    let after = |start: &str| message.strip_prefix(start).map(str::to_owned);
    let hint = if let Some(column) = after("no such column: ") {
        let column = column.rsplit('.').next().unwrap_or_default().to_owned();
        let columns = tables.iter().flat_map(|table| table.columns).map(|column| column.name);
        nearest(&column, columns).map(|meant| meaning(&meant, tables))
    } else if let Some(table) = after("no such table: ") {
        let names = || tables.iter().map(|table| table.name);
        let meant = nearest(&table, names()).map(|meant| format!("did you mean {meant}? "));
        let all = names().collect::<Vec<_>>().join(", ");
        Some(format!("{}tables are {all}", meant.unwrap_or_default()))
    } else {
        None
    };
    QueryError::Sql { message, hint }
}

/// Where the column is that was probably meant.
fn meaning(column: &str, tables: &[&'static Table]) -> String {
    let has = |table: &&&Table| table.columns.iter().any(|one| one.name == column);
    let names: Vec<&str> = tables.iter().filter(has).map(|table| table.name).collect();
    format!("did you mean `{column}` of {}?", names.join(", "))
}
