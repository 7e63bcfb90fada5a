//! The merge in SQL, for engines that have the rows of many machines at hand.

use rangescope_model::words;
use rangescope_report::tables::schema::PARTIALS;
use rangescope_report::tables::{Column, Kind};

words! {
    /// Whose SQL it is.
    Engine {
        #[default]
        Duckdb = "duckdb",
        Spark = "spark",
        Polars = "polars",
    }
}

/// How columns are merged; rows that agree in all others become one.
const FOLDS: [(&str, &str); 12] = [
    ("count", "SUM"),
    ("part", "SUM"),
    ("total", "SUM"),
    ("high", "SUM"),
    ("low", "SUM"),
    ("weight_total", "SUM"),
    ("weight_high", "SUM"),
    ("weight_low", "SUM"),
    ("min", "MIN"),
    ("max", "MAX"),
    ("first", "MIN"),
    ("last", "MAX"),
];

impl Engine {
    /// How the table `partials`, of which the statement speaks, is made, and where the outcome goes.
    fn usage(self) -> &'static str {
        match self {
            Self::Duckdb => {
                "-- CREATE VIEW partials AS FROM read_parquet('DIR/*.parquet');
-- COPY (this statement) TO 'merged.parquet' (FORMAT parquet);"
            }
            Self::Spark => {
                "-- spark.read.parquet('DIR').createOrReplaceTempView('partials')
-- spark.sql(this statement).coalesce(1).write.parquet('merged')"
            }
            Self::Polars => {
                "-- polars.SQLContext(partials=polars.scan_parquet('DIR/*.parquet'))
--     .execute(this statement).sink_parquet('merged.parquet', compression='snappy')"
            }
        }
    }

    /// A statement that merges the rows of the table `partials`. Rows that a task wrote twice count once.
    pub fn sql(self) -> String {
        let (quote, text) = if self == Self::Spark { ('`', "STRING") } else { ('"', "VARCHAR") };
        let quoted = |column: &Column| format!("{quote}{}{quote}", column.name);
        let columns = || PARTIALS.columns.iter().filter(|column| column.name != "input");
        let fold = |column: &Column| {
            FOLDS.iter().find(|(name, _)| *name == column.name).map(|(_, fold)| *fold)
        };
        let shown = |column: &Column| {
            let name = quoted(column);
            let Some(fold) = fold(column) else { return name };
            let value = format!("{fold}({name})");
            // Engines widen what they add, each in its own way.
            match column.kind {
                Kind::Integer => format!("CAST({value} AS BIGINT) AS {name}"),
                Kind::Whole => format!("CAST({value} AS DECIMAL(38, 0)) AS {name}"),
                _ => format!("{value} AS {name}"),
            }
        };
        let keys: Vec<String> =
            columns().filter(|column| fold(column).is_none()).map(quoted).collect();
        let shown: Vec<String> = columns().map(shown).collect();
        format!(
            "-- Merges what `rangescope partial` wrote; `rangescope report` takes the outcome.\n{}\nSELECT CAST(NULL AS {text}) AS {quote}input{quote},\n  {}\nFROM (SELECT DISTINCT * FROM partials) AS once\nGROUP BY {}\n",
            self.usage(),
            shown.join(",\n  "),
            keys.join(", "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Engine, FOLDS, PARTIALS};

    #[test]
    fn every_column_is_a_key_or_is_folded() {
        for (name, fold) in FOLDS {
            let column = PARTIALS.columns.iter().find(|column| column.name == name);
            assert!(column.is_some_and(|column| column.about.starts_with(fold)), "{name}");
        }
        let folded = PARTIALS.columns.iter().filter(|column| {
            ["SUM", "MIN", "MAX"].iter().any(|fold| column.about.starts_with(fold))
        });
        assert_eq!(folded.count(), FOLDS.len());
    }

    #[test]
    fn spark_quotes_names_in_its_own_way() {
        assert!(Engine::Spark.sql().contains("SUM(`low`)"));
        assert!(Engine::Duckdb.sql().contains("SUM(\"low\")"));
    }
}
