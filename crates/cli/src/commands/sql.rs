//! `rangescope sql`: questions to the tables of reports, in SQL.

use std::io::Write;
use std::time::Duration;

use rangescope_report::tables::answer::{write_csv, write_json, write_table};
use rangescope_report::tables::query::{Query, QueryError, QueryLimits};
use rangescope_report::tables::schema::TABLES;
use rangescope_run::{load_for_export, query_tables};

use crate::args::{AnswerFormat, SqlArgs};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &SqlArgs, ui: &Ui) -> Result<(), Failure> {
    let Some((sql, paths)) = args.words.split_last() else {
        return Ui::print(list);
    };
    let Some(sql) = sql.to_str() else {
        return Err(Failure::Usage {
            message: "the query is no UTF-8".to_owned(),
            hint: "the last word is the query, in quotes".to_owned(),
        });
    };
    if paths.is_empty() {
        return Err(Failure::Usage {
            message: "the last word is the query, and there is none before it to be a report"
                .to_owned(),
            hint: "rangescope sql REPORT \"select region, total_ms from regions\"".to_owned(),
        });
    }
    let limits = QueryLimits {
        time: Duration::from_secs(args.timeout),
        bytes: args.memory.saturating_mul(1_000_000),
    };
    let query = Query::new(sql, TABLES, limits)?;
    let paths: Vec<_> = paths.iter().map(Into::into).collect();
    let progress = ui.progress("reading");
    let exported = load_for_export(&paths, &|done, of| progress.update(done, of))?;
    let damaged = query_tables(&exported, &query, &|done, of| progress.update(done, of))?;
    drop(progress);
    let mut failed = None;
    let mut more = 0;
    Ui::print(|out| {
        let written = match args.format {
            AnswerFormat::Table => write_table(&query, args.rows, out).map(|left| more = left),
            AnswerFormat::Csv => write_csv(&query, out),
            AnswerFormat::Json => write_json(&query, out),
        };
        match written {
            Err(QueryError::Answer(error)) => Err(error),
            Err(error) => {
                failed = Some(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    exported.loaded.inputs.iter().for_each(|input| ui.input_notes(input));
    if damaged > 0 {
        ui.warn(&format!("{damaged} damaged results were skipped"));
    }
    if more > 0 {
        ui.say(&format!("{more} more rows: --rows shows more, --format csv all of them"));
    }
    Ok(())
}

/// A line for each table and each of its columns.
fn list(out: &mut dyn Write) -> std::io::Result<()> {
    for (at, table) in TABLES.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}: {}", table.name, table.about)?;
        for column in table.columns {
            writeln!(out, "  {} ({}): {}", column.name, column.kind.as_str(), column.about)?;
        }
    }
    Ok(())
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let hint = match &error {
            QueryError::Sql { hint, .. } => hint.clone(),
            QueryError::Time(_) => Some("--timeout SECONDS gives it more".to_owned()),
            QueryError::Memory(_) => Some("--memory MB gives it more".to_owned()),
            QueryError::NotReading | QueryError::Fill(_) | QueryError::Answer(_) => None,
        };
        let hint =
            hint.unwrap_or_else(|| "rangescope sql --tables lists tables and columns".to_owned());
        Self::Usage { message: format!("{error}"), hint }
    }
}
