//! `rangescope schema`: JSON Schemas, generated from the types that the documents are written from.

use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_model::recorded::RecordedRegions;

use crate::args::SchemaOf;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(of: SchemaOf) -> Result<(), Failure> {
    let schema = match of {
        SchemaOf::Report => schemars::schema_for!(RegionDocument),
        SchemaOf::Compare => schemars::schema_for!(Comparison),
        SchemaOf::Regions => schemars::schema_for!(RecordedRegions),
    };
    Ui::print_json(&schema)
}
