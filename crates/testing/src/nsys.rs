//! Small exports of Nsight Systems, written with the tables and columns that nsys writes.

#![expect(clippy::unwrap_used, reason = "a table that cannot be written is a failed test")]

use std::path::PathBuf;

use rusqlite::{Connection, Params};
use tempfile::TempDir;

pub const PROCESS: i64 = (1 << 48) + (100 << 24);
pub const OTHER_PROCESS: i64 = (1 << 48) + (200 << 24);

/// An export that is being written.
pub struct Export {
    db: Connection,
    path: PathBuf,
    folder: TempDir,
    strings: i64,
    correlations: i64,
}

impl Export {
    /// An export without any data; `old` is that of 2022.
    pub fn new(old: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run 1%.sqlite");
        let db = Connection::open(&path).unwrap();
        let (table, version) =
            if old { ("EXPORT_META_DATA", "3.0.0") } else { ("META_DATA_EXPORT", "3.7.2") };
        let export = Self { db, path, folder, strings: 0, correlations: 0 };
        export.batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN");
        export.batch(&format!(
            "CREATE TABLE {table} (name TEXT NOT NULL, value TEXT);
             INSERT INTO {table} VALUES ('EXPORT_SCHEMA_VERSION', '{version}');
             INSERT INTO {table} VALUES ('EXPORT_PRODUCT_VERSION', '2023.4.4.54');
             CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        ));
        export
    }

    /// With the tables for ranges, calls and kernels.
    pub fn with_tables(old: bool) -> Self {
        let export = Self::new(old);
        let green = if old { "" } else { "greenContextId INTEGER," };
        export.batch(&format!(
            "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
                 category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER,
                 globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
                 contextId INTEGER, {green} streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
                 demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER);"
        ));
        export
    }

    pub fn batch(&self, sql: &str) {
        self.db.execute_batch(sql).unwrap();
    }

    pub fn insert(&self, into: &str, values: impl Params) {
        let marks = vec!["?"; into.matches(',').count() + 1].join(", ");
        self.db.execute(&format!("INSERT INTO {into} VALUES ({marks})"), values).unwrap();
    }

    pub fn string(&mut self, value: &str) -> i64 {
        self.strings += 1;
        self.insert("StringIds (id, value)", (self.strings, value));
        self.strings
    }

    pub fn range(&self, event: i64, name: &str, domain: i64, thread: i64, start: i64, end: i64) {
        let into = "NVTX_EVENTS (eventType, text, domainId, globalTid, start, end)";
        self.insert(into, (event, name, domain, thread, start, end));
    }

    pub fn push(&self, name: &str, thread: i64, start: i64, end: i64) {
        self.range(59, name, 0, PROCESS + thread, start, end);
    }

    pub fn domain(&self, name: &str, domain: i64, process: i64) {
        let into = "NVTX_EVENTS (eventType, text, domainId, globalTid, start)";
        self.insert(into, (75, name, domain, process + 1, 0));
    }

    /// Where it was made: the host, and a variable of the program's environment.
    pub fn origin(&self, host: &str, variable: &str, value: &str) {
        self.batch(
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
             CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);",
        );
        self.insert("TARGET_INFO_SYSTEM_ENV (name, value)", ("Hostname", host));
        let row = ("PROCESS_0:ENVIRONMENT_VARIABLE", format!("{variable}=\"{value}\""));
        self.insert("META_DATA_CAPTURE (name, value)", row);
    }

    /// A call from `start` to `end` that launches a kernel which runs for `ns`.
    pub fn kernel(&mut self, name: &str, thread: i64, start: i64, end: i64, ns: i64) {
        self.correlations += 1;
        let number = self.correlations;
        let into = "CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId)";
        self.insert(into, (start, end, PROCESS + thread, number));
        let long = self.string(&format!("void {name}<int>(T1)"));
        let short = self.string(name);
        let into = "CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, correlationId, globalPid, demangledName, shortName)";
        let begin = end + 1_000;
        self.insert(into, (begin, begin + ns, 0, number, PROCESS, long, short));
    }

    /// Writes everything to the disk. The file is gone with the folder.
    pub fn close(self) -> (PathBuf, TempDir) {
        self.batch("COMMIT");
        self.db.close().unwrap();
        (self.path, self.folder)
    }
}

/// Ranges of two domains with kernels in them, as bytes.
pub fn sample() -> Vec<u8> {
    let mut export = Export::with_tables(false);
    export.domain("LLM", 1, PROCESS);
    for step in 0..60 {
        export.push(&format!("step {}", step % 7), 1, step * 100, step * 100 + 90);
        export.range(60, "window", 1, PROCESS + 1, step * 100, step * 100 + 500);
        export.kernel("gemm", 1, step * 100 + 10, step * 100 + 20, 5);
    }
    let (path, _folder) = export.close();
    fs_err::read(path).unwrap()
}
