//! `rangescope schema`: the JSON Schema of report.json, generated from the types that it is written from.

use std::io::Write;

use rangescope_regions::model::RegionDocument;

use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run() -> Result<(), Failure> {
    let schema = schemars::schema_for!(RegionDocument);
    let mut out = Ui::raw_data();
    serde_json::to_writer_pretty(&mut out, &schema).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}
