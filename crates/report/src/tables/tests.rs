use std::collections::BTreeSet;
use std::fmt::Write as _;

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use rangescope_testing::documents::tree::{of_rows, row};

use super::schema::{METRICS, PARTIALS, REGIONS, TABLES};
use super::{Batch, Cell, Cells, Ending, Sink, TABLE_FORMATS, Table, TableFormat, document_rows};

fn format(name: &str) -> &'static TableFormat {
    TABLE_FORMATS.iter().find(|format| format.name == name).unwrap()
}

/// Rows with what is easily lost: the largest counter, no value at all, quotes and line breaks.
fn odd_rows() -> Vec<Vec<Cell<'static>>> {
    let row = |result: u64, value: Cell<'static>, integer: Cell<'static>, text: &'static str| {
        vec![
            "a.ncu-rep".into(),
            result.into(),
            "m\"1\n".into(),
            value,
            integer,
            text.into(),
            "".into(),
        ]
    };
    vec![
        row(0, Cell::Number(-0.5), Cell::Empty, "ß\u{1F680}, \"quoted\"\r\nnew line"),
        row(1, f64::NAN.into(), Cell::Integer(u64::MAX), "=1+1"),
        row(u64::MAX, Cell::Empty, Cell::Integer(0), ""),
    ]
}

/// The same by columns.
fn odd_batch() -> Batch {
    let text = |text: &str| Some(text.into());
    let columns = vec![
        Cells::Same("a.ncu-rep".into()),
        Cells::Integers(vec![Some(0), Some(1), Some(u64::MAX)]),
        Cells::Among(["other".into(), "m\"1\n".into()].into(), vec![1; 3]),
        Cells::Numbers(vec![Some(-0.5), None, None]),
        Cells::Integers(vec![None, Some(u64::MAX), Some(0)]),
        Cells::Texts(vec![text("ß\u{1F680}, \"quoted\"\r\nnew line"), text("=1+1"), text("")]),
        Cells::Same("".into()),
    ];
    Batch { rows: 3, columns }
}

fn written(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    written_as(name, |sink| {
        for row in odd_rows() {
            sink.row(&METRICS, &row).unwrap();
        }
    })
}

fn written_as(
    name: &str,
    write: impl Fn(&mut dyn Sink),
) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    if let Ending::FileForEach = format(name).ending {
        fs_err::create_dir(&out).unwrap();
    }
    let mut sink = (format(name).open)(&out, &[&METRICS]).unwrap();
    write(&mut *sink);
    // A table that was not asked for is left out.
    sink.row(&REGIONS, &vec![Cell::Empty; REGIONS.columns.len()]).unwrap();
    sink.finish().unwrap();
    (folder, out)
}

#[test]
fn names_of_tables_and_columns_are_each_others_once() {
    let tables: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
    assert_eq!(tables.len(), TABLES.len());
    for table in TABLES {
        let columns: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
        assert_eq!(columns.len(), table.columns.len(), "{}", table.name);
    }
}

#[test]
fn the_documentation_has_the_tables() {
    let page = |name: &str| format!("{}/../../docs/{name}.md", env!("CARGO_MANIFEST_DIR"));
    for (path, tables) in [(page("exports"), TABLES), (page("scale"), &[&PARTIALS])] {
        tables_in(&path, tables);
    }
}

/// Compares the tables in a page of the documentation, or writes them anew.
fn tables_in(path: &str, tables: &[&Table]) {
    let document = fs_err::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- tables: written by a test -->\n", "<!-- end of tables -->");
    let (before, rest) = document.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let mut text = String::new();
    for table in tables {
        let is_asked = table.on_demand && tables.len() > 1;
        let on_demand = if is_asked { " Only if it is named." } else { "" };
        let about = table.about;
        let _ = writeln!(text, "\n### `{}`\n\n{}.{on_demand}\n", table.name, about);
        text += "| column | type | what it is |\n|---|---|---|\n";
        for column in table.columns {
            let kind = column.kind.as_str();
            let _ = writeln!(text, "| `{}` | {kind} | {} |", column.name, column.about);
        }
    }
    let expected = format!("{before}{begin}{text}\n{end}{after}");
    if std::env::var_os("RANGESCOPE_BLESS").is_some() {
        fs_err::write(path, expected).unwrap();
    } else {
        assert!(document == expected, "{path}: RANGESCOPE_BLESS=1 writes its tables anew");
    }
}

#[test]
fn parquet_keeps_every_cell() {
    let (_folder, out) = written("parquet");
    assert!(!out.join("regions.parquet").exists());
    assert_eq!(read_parquet(&out), odd_rows());
    // In any order, rows and columns become row groups of one table.
    let (_folder, out) = written_as("parquet", |sink| {
        sink.row(&METRICS, &odd_rows()[0]).unwrap();
        sink.batch(&METRICS, odd_batch()).unwrap();
        sink.row(&METRICS, &odd_rows()[1]).unwrap();
    });
    let all = [&odd_rows()[..1], &odd_rows(), &odd_rows()[1..2]].concat();
    assert_eq!(read_parquet(&out), all);
}

/// Batches with few and many different texts, empty cells, and runs.
fn large_batches() -> Vec<Batch> {
    let texts = |number: u32| -> std::sync::Arc<[Box<str>]> {
        (0..number).map(|text| format!("text {}", text % 300).into()).collect()
    };
    let batch = |rows: usize, number: u32| Batch {
        rows,
        columns: vec![
            Cells::Same(format!("{number}").into()),
            Cells::Runs(vec![(3, rows / 2), (u64::MAX, 0), (4, rows - rows / 2)]),
            Cells::Among(texts(number), (0..number).cycle().take(rows).collect()),
            Cells::Numbers((0..rows).map(|row| (row % 3 > 0).then_some(row as f64)).collect()),
            Cells::Integers((0..rows).map(|row| (row % 2 > 0).then_some(row as u64)).collect()),
            Cells::Texts((0..rows).map(|row| (row % 7 == 0).then(|| "few".into())).collect()),
            Cells::Texts(vec![None; rows]),
        ],
    };
    vec![batch(1, 1), batch(9, 2), batch(1_001, 300), batch(2_000, 400), batch(7, 7)]
}

#[test]
fn parquet_keeps_every_cell_of_batches() {
    for many in [false, true] {
        let batches = || large_batches().into_iter().take(if many { 5 } else { 1 });
        let (_folder, out) = written_as("parquet", |sink| {
            batches().for_each(|batch| sink.batch(&METRICS, batch).unwrap());
        });
        let mut expected = Vec::new();
        for batch in batches() {
            let (rows, columns) = (0..batch.rows, &batch.columns);
            expected
                .extend(rows.map(|row| columns.iter().map(|one| owned(&one.at(row))).collect()));
        }
        let expected: Vec<Vec<Cell<'static>>> = expected;
        assert_eq!(read_parquet(&out), expected);
    }
}

fn owned(cell: &Cell<'_>) -> Cell<'static> {
    match cell {
        Cell::Empty => Cell::Empty,
        Cell::Text(text) => text.to_string().into(),
        Cell::Integer(number) => (*number).into(),
        Cell::Number(number) => (*number).into(),
        Cell::Whole(_) | Cell::Flag(_) => unreachable!(),
    }
}

#[test]
fn rows_by_columns_are_the_same_rows() {
    for (name, file) in [("csv", "metrics.csv"), ("arrow", "metrics.arrows")] {
        let (_one, rows) = written(name);
        let (_other, columns) = written_as(name, |sink| {
            sink.batch(&METRICS, odd_batch()).unwrap();
        });
        let read = |out: &std::path::Path| fs_err::read(out.join(file)).unwrap();
        assert_eq!(read(&rows), read(&columns), "{name}");
    }
    let (_folder, out) = written_as("sqlite", |sink| {
        sink.batch(&METRICS, odd_batch()).unwrap();
    });
    let database = rusqlite::Connection::open(out).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT COUNT(*) FROM metrics WHERE value IS NULL"), 2);
    assert_eq!(count("SELECT COUNT(*) FROM metrics WHERE unit = ''"), 3);
}

fn read_parquet(out: &std::path::Path) -> Vec<Vec<Cell<'static>>> {
    let file = fs_err::File::open(out.join("metrics.parquet")).unwrap();
    let reader = SerializedFileReader::new(file.into_file()).unwrap();
    reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            let row = row.unwrap();
            let cells = row.get_column_iter().map(|(_, field)| match field {
                Field::Null => Cell::Empty,
                Field::Str(text) => text.clone().into(),
                Field::ULong(number) => (*number).into(),
                Field::Double(number) => (*number).into(),
                other => panic!("{other:?}"),
            });
            cells.collect()
        })
        .collect()
}

#[test]
fn sqlite_keeps_every_cell() {
    let (_folder, out) = written("sqlite");
    let database = rusqlite::Connection::open(out).unwrap();
    let sum: i64 = database
        .query_row("SELECT COUNT(*) FROM metrics WHERE value IS NULL", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sum, 2);
    let largest: f64 = database
        .query_row("SELECT integer FROM metrics WHERE result = 1", [], |row| row.get(0))
        .unwrap();
    assert_eq!(largest.to_string(), (u64::MAX as f64).to_string());
    let text: String = database
        .query_row("SELECT text FROM metrics WHERE result = 0", [], |row| row.get(0))
        .unwrap();
    assert_eq!(text, "ß\u{1F680}, \"quoted\"\r\nnew line");
}

#[test]
fn nothing_in_csv_is_run_by_a_spreadsheet() {
    let (_folder, out) = written("csv");
    let mut reader = csv::Reader::from_path(out.join("metrics.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(&rows[1][5], "'=1+1");
    assert_eq!((&rows[1][3], &rows[1][4]), ("", "18446744073709551615"));
}

#[test]
fn a_row_of_another_table_is_refused() {
    for format in TABLE_FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let out = match format.ending {
            Ending::OneFile(ending) => folder.path().join(ending),
            Ending::FileForEach => folder.path().to_owned(),
        };
        let mut sink = (format.open)(&out, TABLES).unwrap();
        assert!(sink.row(&METRICS, &[Cell::Integer(1)]).is_err(), "{}", format.name);
        let mut wrong = odd_rows().remove(0);
        wrong[0] = Cell::Flag(true);
        assert!(sink.row(&METRICS, &wrong).is_err(), "{}", format.name);
        let columns = odd_batch().columns.into_iter().rev().collect();
        assert!(sink.batch(&METRICS, Batch { rows: 3, columns }).is_err(), "{}", format.name);
    }
}

#[test]
fn a_document_gives_rows_for_regions_kernels_and_what_is_outside() {
    let document = of_rows(&[
        row(&["step"], "gemm", 2, 1.5),
        row(&["step", "norm"], "norm", 1, 0.5),
        row(&[], "copy", 3, 0.125),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    let mut sink = (format("sqlite").open)(&path, TABLES).unwrap();
    document_rows(&document, &mut *sink).unwrap();
    sink.finish().unwrap();
    let database = rusqlite::Connection::open(path).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    // Its process and its device hold the same, and say so.
    assert_eq!(count("SELECT COUNT(*) FROM scopes WHERE same_as = 'aggregate'"), 2);
    assert_eq!(count("SELECT results FROM scopes WHERE scope = 'process:42'"), 6);
    assert_eq!(count("SELECT COUNT(*) FROM regions WHERE scope = 'aggregate'"), 3);
    assert_eq!(count("SELECT COUNT(*) FROM regions"), 3);
    assert_eq!(count("SELECT results FROM regions WHERE path = '[\"step\"]'"), 3);
    assert_eq!(count("SELECT calls FROM kernels WHERE path IS NULL"), 3);
    let metrics = "SELECT COUNT(*) FROM region_metrics WHERE exclusive AND path = '[\"step\"]'";
    assert!(count(metrics) > 0);
}
