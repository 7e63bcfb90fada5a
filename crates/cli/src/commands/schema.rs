//! `rangescope schema`: JSON Schemas, generated from the types that the documents are written from.

use rangescope_analyze::insight::advice::AdviceReport;
use rangescope_analyze::insight::kernel::KernelReport;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_model::recorded::RecordedRegions;
use rangescope_model::source::SourceDocument;

use crate::args::SchemaOf;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(of: SchemaOf) -> Result<(), Failure> {
    let schema = match of {
        SchemaOf::Report => schemars::schema_for!(RegionDocument),
        SchemaOf::Compare => schemars::schema_for!(Comparison),
        SchemaOf::Advice => schemars::schema_for!(AdviceReport),
        SchemaOf::Kernel => schemars::schema_for!(KernelReport),
        SchemaOf::Regions => schemars::schema_for!(RecordedRegions),
        SchemaOf::Source => schemars::schema_for!(SourceDocument),
    };
    Ui::print_json(&schema)
}
