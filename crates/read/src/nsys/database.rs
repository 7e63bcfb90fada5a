//! An SQLite export of nsys, opened for reading alone.
//!
//! nsys leaves out tables that would be empty, and columns come and go between its versions, so everything is looked up before it is asked for. The file is
//! opened as one that nobody changes: no lock is taken and no file is made beside it. Nothing in it is trusted: only what is stored is read, so that no SQL of
//! the file's own is run (no views, virtual tables, triggers or generated columns), and a table that claims to hold more than fits into the file, or takes
//! more steps to read than its size allows, is damage.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::nsys::error::NsysError;

pub(crate) const SQLITE_START: &[u8] = b"SQLite format 3\0";
const REPORT_START: &[u8] = b"NVIDIA Tegra Profiler Report";
const HEADER_BYTES: usize = 100;
/// No row takes less room in a file: its length, its number, its header and the pointer to it.
const SMALLEST_ROW: u64 = 4;
/// Names for the number of a row; a column may take one of them for itself.
const ROW_NUMBERS: [&str; 3] = ["rowid", "_rowid_", "oid"];
/// Steps of SQLite after which it is asked whether they are still in proportion.
const STEPS: i32 = 10_000;
/// Steps that any file may take, and those for each of its bytes: a row takes about fifteen, and its table is gone through a few times.
const STEPS_ALLOWED: u64 = 10_000_000;
const STEPS_PER_BYTE: u64 = 256;
/// What a file may ask of SQLite's parser; nsys writes nothing near it.
const PARSER_LIMITS: [(Limit, i32); 6] = [
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (Limit::SQLITE_LIMIT_COLUMN, 1_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
];
/// Both names that nsys has had for the table about the export.
const EXPORT_TABLES: [&str; 2] = ["META_DATA_EXPORT", "EXPORT_META_DATA"];

#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    length: u64,
    connection: Connection,
    /// Every ordinary table.
    tables: BTreeMap<String, Table>,
    export: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct Table {
    /// The columns that are stored.
    columns: Vec<String>,
    /// Columns that the file would have SQLite compute.
    computed: Vec<String>,
}

impl Table {
    /// What gives the number of a row, and not a column of that name.
    fn row_number(&self) -> Option<&'static str> {
        let is_column = |name: &&str| {
            self.columns
                .iter()
                .chain(&self.computed)
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        ROW_NUMBERS.into_iter().find(|name| !is_column(name))
    }
}

/// The cells of one row: its number, then the columns that were asked for.
pub(crate) struct Cells<'a> {
    row: &'a rusqlite::Row<'a>,
}

impl Cells<'_> {
    /// The number of the row in its table.
    pub(crate) fn row_number(&self) -> i64 {
        self.row.get_ref(0).ok().and_then(|cell| cell.as_i64().ok()).unwrap_or(0)
    }

    /// A whole number; nothing if the cell holds something else.
    pub(crate) fn integer(&self, column: usize) -> Option<i64> {
        self.row.get_ref(column + 1).ok()?.as_i64().ok()
    }

    /// A text; nothing if the cell holds something else. What is not Unicode in it is replaced.
    pub(crate) fn text(&self, column: usize) -> Option<std::borrow::Cow<'_, str>> {
        match self.row.get_ref(column + 1).ok()? {
            ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    fn text_bytes(&self, columns: usize) -> u64 {
        let length = |column: usize| match self.row.get_ref(column) {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes.len() as u64,
            _ => 0,
        };
        (0..=columns).map(length).sum()
    }
}

/// Recognised by content; what cannot be read is none.
pub(crate) fn is_sqlite(path: &Path) -> bool {
    let mut start = [0; SQLITE_START.len()];
    let read = ncu_rep::file::open(path).and_then(|(mut file, _)| file.read_exact(&mut start));
    read.is_ok() && start == SQLITE_START
}

impl Database {
    /// Opens an export and looks at its tables.
    pub fn open(path: &Path) -> Result<Self, NsysError> {
        let read = |cause| NsysError::Read { path: path.to_owned(), cause };
        let (file, length) = ncu_rep::file::open(path).map_err(read)?;
        let mut header = Vec::with_capacity(HEADER_BYTES);
        file.take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(read)?;
        check_header(path, &header, length)?;
        check_neighbours(path)?;

        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let damaged = |cause: &rusqlite::Error| damaged(path, cause);
        let mut connection =
            Connection::open_with_flags(uri(path), flags).map_err(|e| damaged(&e))?;
        bound(&mut connection, length).map_err(|e| damaged(&e))?;
        let mut database = Self {
            path: path.to_owned(),
            length,
            connection,
            tables: BTreeMap::new(),
            export: BTreeMap::new(),
        };
        database.tables = database.read_tables().map_err(|e| damaged(&e))?;
        database.export = database.read_export()?;
        let is_known = database.export.contains_key("EXPORT_SCHEMA_VERSION")
            || (database.has("StringIds")
                && (database.has("NVTX_EVENTS") || database.has("CUPTI_ACTIVITY_KIND_KERNEL")));
        if !is_known {
            return Err(NsysError::NotNsys { path: path.to_owned() });
        }
        Ok(database)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version of the nsys that made the export, if it says so.
    pub fn nsys_version(&self) -> Option<&str> {
        self.export.get("EXPORT_PRODUCT_VERSION").map(String::as_str)
    }

    /// The version of the tables, if the export says it.
    pub fn schema_version(&self) -> Option<&str> {
        self.export.get("EXPORT_SCHEMA_VERSION").map(String::as_str)
    }

    /// nsys leaves out tables that would be empty.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    pub(crate) fn damaged(&self, cause: impl Into<String>) -> NsysError {
        NsysError::Damaged { path: self.path.clone(), cause: cause.into() }
    }

    /// Calls `visit` for every row of a table, in the table's order; a table that is missing has no rows.
    ///
    /// The first `required` of the columns have to be there; others read as if they held nothing.
    pub(crate) fn rows(
        &self,
        table: &'static str,
        columns: &[&'static str],
        required: usize,
        mut visit: impl FnMut(&Cells<'_>),
    ) -> Result<(), NsysError> {
        let Some(present) = self.tables.get(table) else { return Ok(()) };
        let number = present
            .row_number()
            .ok_or_else(|| self.damaged(format!("table {table} hides the numbers of its rows")))?;
        let mut query = format!("SELECT {number}");
        for (index, &column) in columns.iter().enumerate() {
            query.push_str(", ");
            if present.computed.iter().any(|name| name == column) {
                let cause = format!("table {table}: column {column} is not stored but computed");
                return Err(self.damaged(cause));
            } else if present.columns.iter().any(|name| name == column) {
                query.extend(["\"", column, "\""]);
            } else if index < required {
                return Err(NsysError::NoColumn { path: self.path.clone(), table, column });
            } else {
                query.push_str("NULL");
            }
        }
        query.extend([" FROM \"", table, "\" NOT INDEXED"]);

        let in_table =
            |cause: rusqlite::Error| self.damaged(format!("table {table}: {}", one_line(&cause)));
        let mut statement = self.connection.prepare(&query).map_err(in_table)?;
        let mut rows = statement.query([]).map_err(in_table)?;
        // Text may grow by half when it is stored as UTF-16.
        let mut room = self.length.saturating_mul(2);
        while let Some(row) = rows.next().map_err(in_table)? {
            let cells = Cells { row };
            room = room
                .checked_sub(SMALLEST_ROW + cells.text_bytes(columns.len()))
                .ok_or_else(|| self.damaged(format!("table {table} is larger than the file")))?;
            visit(&cells);
        }
        Ok(())
    }

    fn read_tables(&self) -> Result<BTreeMap<String, Table>, rusqlite::Error> {
        let mut list = self.connection.prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'",
        )?;
        let names = list.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        let mut columns_of =
            self.connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")?;
        let mut tables = BTreeMap::new();
        for name in names {
            let mut table = Table::default();
            let mut columns = columns_of.query([&name])?;
            while let Some(column) = columns.next()? {
                let is_stored = column.get::<_, i64>(1)? == 0;
                let list = if is_stored { &mut table.columns } else { &mut table.computed };
                list.push(column.get(0)?);
            }
            tables.insert(name, table);
        }
        Ok(tables)
    }

    fn read_export(&self) -> Result<BTreeMap<String, String>, NsysError> {
        let mut export = BTreeMap::new();
        for table in EXPORT_TABLES {
            self.rows(table, &["name", "value"], 2, |cells| {
                if let (Some(name), Some(value)) = (cells.text(0), cells.text(1)) {
                    export.insert(name.into_owned(), value.into_owned());
                }
            })?;
        }
        Ok(export)
    }
}

/// Bounds what the file can have SQLite do.
fn bound(connection: &mut Connection, length: u64) -> Result<(), rusqlite::Error> {
    for (limit, value) in PARSER_LIMITS {
        connection.set_limit(limit, value)?;
    }
    // A value is stored in the file, as text of one encoding or the other.
    let longest = i32::try_from(length.saturating_mul(2)).unwrap_or(i32::MAX).max(1_000_000);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    let mut left = STEPS_ALLOWED.saturating_add(length.saturating_mul(STEPS_PER_BYTE));
    let is_too_long = move || {
        left = left.saturating_sub(STEPS.unsigned_abs().into());
        left == 0
    };
    connection.progress_handler(STEPS, Some(is_too_long))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    for feature in [
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
    ] {
        connection.set_db_config(feature, false)?;
    }
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)
}

fn check_header(path: &Path, header: &[u8], length: u64) -> Result<(), NsysError> {
    let other = |found| NsysError::NotSqlite { path: path.to_owned(), found };
    if header.is_empty() {
        return Err(other("it is empty"));
    }
    if header.starts_with(REPORT_START) {
        return Err(NsysError::IsReport { path: path.to_owned() });
    }
    if !header.starts_with(SQLITE_START) {
        let has_name = path.extension().is_some_and(|extension| extension == "nsys-rep");
        return Err(if has_name {
            NsysError::IsReport { path: path.to_owned() }
        } else {
            other("it does not begin like one")
        });
    }
    if header.len() < HEADER_BYTES {
        let cause = format!("it ends after {} bytes", header.len());
        return Err(NsysError::Damaged { path: path.to_owned(), cause });
    }
    let number = |at: usize| {
        header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
    };
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => u64::from(size),
    };
    let stated = u64::from(number(28)) * page_size;
    // The size is only kept up by writers that also note their change here.
    if number(24) == number(92) && length < stated {
        let cause = format!("it has {length} of {stated} bytes");
        return Err(NsysError::Damaged { path: path.to_owned(), cause });
    }
    Ok(())
}

/// An interrupted writer leaves a journal; without it the file is not what was written.
fn check_neighbours(path: &Path) -> Result<(), NsysError> {
    for ending in ["-journal", "-wal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        let beside = PathBuf::from(beside);
        if fs_err::metadata(&beside).is_ok_and(|found| found.len() > 0) {
            return Err(NsysError::Unfinished { path: path.to_owned(), beside });
        }
    }
    Ok(())
}

fn damaged(path: &Path, cause: &rusqlite::Error) -> NsysError {
    NsysError::Damaged { path: path.to_owned(), cause: one_line(cause) }
}

/// The message of SQLite, without the statements of the file that it may quote.
fn one_line(cause: &rusqlite::Error) -> String {
    if cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
        return "it takes more steps to read than a file of its size can need".to_owned();
    }
    let text = match cause {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(visible).take(160).collect()
}

/// The file as SQLite takes it together with options.
fn uri(path: &Path) -> String {
    // Two slashes before an absolute path, so that none of its own is taken for the start of a host.
    let mut uri = if path.is_absolute() { "file://" } else { "file:" }.to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing into a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    uri
}

#[cfg(test)]
mod tests {
    use super::{bound, one_line};
    use rusqlite::Connection;

    #[test]
    fn what_a_file_can_have_sqlite_do_is_bounded() {
        let mut connection = Connection::open_in_memory().unwrap();
        bound(&mut connection, 1_000).unwrap();
        let refused = |sql: &str| {
            let outcome = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            one_line(&outcome.unwrap_err())
        };
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT count(*) FROM n";
        assert!(refused(endless).contains("more steps to read"), "{}", refused(endless));
        assert!(refused("SELECT length(hex(zeroblob(1000000)))").contains("too big"));
        assert!(refused("CREATE TABLE t (a)").contains("readonly"));
    }
}
