//! Files that are not what they should be: errors that say so, and never a panic.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rangescope_read::nsys::{
    Database, Grouping, NsysError, Summary, TopRequest, Trace, top_kernels,
};
use rangescope_testing::nsys::{Export, sample};

/// Everything that can be done with a file.
fn all_of(path: &Path) -> Result<Summary, NsysError> {
    let database = Database::open(path)?;
    top_kernels(&database, &TopRequest { top: 3, by_region: true, selectors: Vec::new() })?;
    Summary::of(&Trace::read(&database)?, Grouping::default())
}

fn said(path: &Path) -> String {
    let error = all_of(path).unwrap_err();
    format!("{error} | {}", error.hint().unwrap_or_default())
}

/// A file with these bytes.
pub(super) fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs_err::write(&path, bytes).unwrap();
    path
}

#[test]
fn what_is_no_export_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let report = file(folder, "run.nsys-rep", b"NVIDIA Tegra Profiler Report 1.\n\x0b");
    let text = said(&report);
    assert!(text.contains("is a report of nsys, not its SQLite export"), "{text}");
    assert!(text.contains("nsys export --type=sqlite --output='") && text.contains("run.sqlite'"));
    let renamed = file(folder, "run.sqlite", b"NVIDIA Tegra Profiler Report 1.\n");
    assert!(said(&renamed).contains("is a report of nsys"));

    assert!(said(&file(folder, "a.sqlite", b"")).contains("it is empty"));
    assert!(said(&file(folder, "b.sqlite", b"a,b\n1,2\n")).contains("does not begin like one"));
    assert!(said(&folder.join("missing")).contains("check the path"));
    assert!(said(folder).contains("it is a folder"));
    assert!(said(&file(folder, "c", b"SQLite format 3\0")).contains("it ends after 16 bytes"));

    let other = folder.join("other.sqlite");
    let db = rusqlite::Connection::open(&other).unwrap();
    db.execute_batch("CREATE TABLE people (name TEXT)").unwrap();
    db.close().unwrap();
    assert!(said(&other).contains("but no export of nsys"));

    let cut = file(folder, "cut.sqlite", &sample()[..9_000]);
    assert!(said(&cut).contains("is damaged: it has 9000 of"), "{}", said(&cut));
    let unfinished = file(folder, "u.sqlite", &sample());
    file(folder, "u.sqlite-journal", b"x");
    assert!(said(&unfinished).contains("is not complete"));
}

#[test]
fn a_schema_can_set_no_traps() {
    let cases = [
        // A view that never ends.
        "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
             SELECT i AS start, i AS end, 59 AS eventType, i AS globalTid FROM n;",
        // A table whose rows code would have to make.
        "CREATE VIRTUAL TABLE NVTX_EVENTS USING rtree_i32(eventType, start, globalTid);
         INSERT INTO NVTX_EVENTS VALUES (59, 1, 2);",
        "CREATE TABLE NVTX_EVENTS (start INTEGER);",
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, globalTid, text, textId, domainId);
         INSERT INTO NVTX_EVENTS VALUES ('x', x'00', 59, 1.5, 7, 'y', 'z'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             (5, 'late', 59, -1, x'ff', NULL, 1e300), (9223372036854775807, -9223372036854775808, 60, 3, NULL, -1, -1);",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName, deviceId);
         INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (-9223372036854775808, 9223372036854775807, 1, -1), (5, 1, 2, 1e9);",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER PRIMARY KEY, end, demangledName) WITHOUT ROWID;",
        // Columns that would have SQLite make something large of nothing, under the names that are asked for.
        "CREATE TABLE NVTX_EVENTS (start, eventType, globalTid, RowID AS (hex(zeroblob(400000000))));
         INSERT INTO NVTX_EVENTS VALUES (1, 59, 7);",
        "CREATE TABLE NVTX_EVENTS (start, eventType, globalTid, text AS (hex(zeroblob(400000000))));
         INSERT INTO NVTX_EVENTS VALUES (1, 59, 7);",
        "CREATE TABLE NVTX_EVENTS (start, eventType, globalTid, rowid, _rowid_, oid);",
        // What an index would answer need not be what the table holds.
        "CREATE TABLE NVTX_EVENTS (start, eventType, globalTid);
         CREATE INDEX traps ON NVTX_EVENTS (eventType, globalTid, start, abs(start));
         CREATE TRIGGER trap AFTER INSERT ON NVTX_EVENTS BEGIN DELETE FROM NVTX_EVENTS; END;
         INSERT INTO NVTX_EVENTS VALUES (1, 59, 7);",
    ];
    let outcomes: Vec<String> = cases
        .iter()
        .map(|case| {
            let export = Export::new(false);
            export.batch(case);
            let (path, _folder) = export.close();
            match all_of(&path) {
                Ok(summary) => {
                    format!("{} ranges, {} kernels", summary.ranges.len(), summary.kernels.len())
                }
                Err(error) => error.to_string().rsplit("sqlite`").next().unwrap().to_owned(),
            }
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            "0 ranges, 0 kernels",
            "0 ranges, 0 kernels",
            ": table NVTX_EVENTS has no column eventType",
            "2 ranges, 0 kernels",
            "0 ranges, 2 kernels",
            " is damaged: table CUPTI_ACTIVITY_KIND_KERNEL: no such column: rowid",
            "1 ranges, 0 kernels",
            " is damaged: table NVTX_EVENTS: column text is not stored but computed",
            " is damaged: table NVTX_EVENTS hides the numbers of its rows",
            "0 ranges, 0 kernels",
        ]
    );
}

/// Lets every pointer of an inner page of a table lead to the page `child`.
fn redirect(page: &mut [u8], child: u32) {
    let cells = u16::from_be_bytes([page[3], page[4]]);
    page[8..12].copy_from_slice(&child.to_be_bytes());
    for cell in 0..usize::from(cells) {
        let at = usize::from(u16::from_be_bytes([page[12 + 2 * cell], page[13 + 2 * cell]]));
        page[at..at + 4].copy_from_slice(&child.to_be_bytes());
    }
}

#[test]
fn a_table_cannot_be_larger_than_its_file() {
    const PAGE: usize = 512;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small pages.sqlite");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "PRAGMA page_size = 512; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
         CREATE TABLE NVTX_EVENTS (start INTEGER, eventType INTEGER, globalTid INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO NVTX_EVENTS SELECT i, 59, 7 FROM n;",
    )
    .unwrap();
    let query = "SELECT rootpage FROM sqlite_master WHERE name = 'NVTX_EVENTS'";
    let root: u32 = db.query_row(query, [], |row| row.get(0)).unwrap();
    let root = root as usize;
    db.close().unwrap();
    assert_eq!(Trace::read(&Database::open(&path).unwrap()).unwrap().ranges().len(), 20_000);

    // Inner pages in a row, each with all its pointers to the next: every step multiplies the rows.
    let mut bytes = fs_err::read(&path).unwrap();
    let is_inner = |page: &usize| *page + 1 != root && bytes[page * PAGE] == 5;
    let mut chain: Vec<usize> = (1..bytes.len() / PAGE).filter(is_inner).take(12).collect();
    let leaf = (1..bytes.len() / PAGE).rfind(|page| bytes[page * PAGE] == 13);
    chain.insert(0, root - 1);
    chain.push(leaf.unwrap());
    for pair in chain.windows(2) {
        let child = u32::try_from(pair[1] + 1).unwrap();
        redirect(&mut bytes[pair[0] * PAGE..][..PAGE], child);
    }
    let text = said(&file(folder.path(), "bomb.sqlite", &bytes));
    assert!(text.contains("table NVTX_EVENTS is larger than the file"), "{text}");
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = sample();
    let folder = tempfile::tempdir().unwrap();
    for length in (0..bytes.len()).step_by(337) {
        let path = file(folder.path(), "cut.sqlite", &bytes[..length]);
        assert!(all_of(&path).is_err(), "{length} of {} bytes", bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any outcome is right but a panic, a hang, or a crash.
    #[test]
    fn flipped_bits_do_no_harm(flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8, any::<bool>()), 1..12)) {
        thread_local!(static SAMPLE: (Vec<u8>, tempfile::TempDir) = (sample(), tempfile::tempdir().unwrap()));
        SAMPLE.with(|(bytes, folder)| {
            let mut bytes = bytes.clone();
            for (place, bit, is_early) in flips {
                // Half of them hit the pages with the schema and the heads of tables.
                let room = if is_early { bytes.len().min(4_096) } else { bytes.len() };
                bytes[place.index(room)] ^= 1 << bit;
            }
            if let Err(error) = all_of(&file(folder.path(), "flipped.sqlite", &bytes)) {
                let text = error.to_string();
                assert!(!text.is_empty() && !text.contains(char::is_control));
            }
        });
    }
}
