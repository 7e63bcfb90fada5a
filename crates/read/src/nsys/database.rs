//! An SQLite export of nsys, opened for reading alone.
//!
//! nsys leaves out tables that would be empty, and columns come and go between its versions, so everything is looked up before it is asked for. The file is
//! opened as one that nobody changes: no lock is taken and no file is made beside it. Nothing in it is trusted: views and virtual tables are not read, and a
//! table that claims to hold more than fits into the file is damage, so that a small file cannot make this run for ever.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::nsys::error::NsysError;

pub(crate) const SQLITE_START: &[u8] = b"SQLite format 3\0";
const REPORT_START: &[u8] = b"NVIDIA Tegra Profiler Report";
const HEADER_BYTES: usize = 100;
/// No row takes less room in a file: its length, its number, its header and the pointer to it.
const SMALLEST_ROW: u64 = 4;
/// Both names that nsys has had for the table about the export.
const EXPORT_TABLES: [&str; 2] = ["META_DATA_EXPORT", "EXPORT_META_DATA"];

#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    length: u64,
    connection: Connection,
    /// The columns of every ordinary table.
    tables: BTreeMap<String, Vec<String>>,
    export: BTreeMap<String, String>,
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
    let read = fs_err::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == SQLITE_START
}

impl Database {
    /// Opens an export and looks at its tables.
    pub fn open(path: &Path) -> Result<Self, NsysError> {
        let read = |cause| NsysError::Read { path: path.to_owned(), cause };
        let mut file = fs_err::File::open(path).map_err(read)?;
        let metadata = file.metadata().map_err(read)?;
        if metadata.is_dir() {
            return Err(NsysError::NotSqlite { path: path.to_owned(), found: "it is a folder" });
        }
        let mut header = Vec::with_capacity(HEADER_BYTES);
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(read)?;
        check_header(path, &header, metadata.len())?;
        check_neighbours(path)?;

        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let damaged = |cause: &rusqlite::Error| damaged(path, cause);
        let connection = Connection::open_with_flags(uri(path), flags).map_err(|e| damaged(&e))?;
        connection.pragma_update(None, "trusted_schema", false).map_err(|e| damaged(&e))?;
        let mut database = Self {
            path: path.to_owned(),
            length: metadata.len(),
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
        let mut query = "SELECT rowid".to_owned();
        for (index, &column) in columns.iter().enumerate() {
            query.push_str(", ");
            if present.iter().any(|name| name == column) {
                query.extend(["\"", column, "\""]);
            } else if index < required {
                return Err(NsysError::NoColumn { path: self.path.clone(), table, column });
            } else {
                query.push_str("NULL");
            }
        }
        query.extend([" FROM \"", table, "\""]);

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

    fn read_tables(&self) -> Result<BTreeMap<String, Vec<String>>, rusqlite::Error> {
        let mut list =
            self.connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'")?;
        let mut names = Vec::new();
        let mut rows = list.query([])?;
        while let Some(row) = rows.next()? {
            if let (Ok(name), Ok(sql)) = (row.get::<_, String>(0), row.get::<_, String>(1))
                && sql.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("CREATE TABLE"))
            {
                names.push(name);
            }
        }
        let mut columns_of = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        names
            .into_iter()
            .map(|table| {
                let columns = columns_of.query_map([&table], |row| row.get(0))?;
                let columns = columns.collect::<Result<Vec<String>, _>>()?;
                Ok((table, columns))
            })
            .collect()
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
