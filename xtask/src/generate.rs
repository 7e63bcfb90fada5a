//! Files of the repository that are made from the code.

use rangescope_analyze::insight::advice::AdviceReport;
use rangescope_analyze::insight::kernel::KernelReport;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_model::recorded::RecordedRegions;
use rangescope_model::source::SourceDocument;

use crate::{Done, say};

pub(crate) fn run(check: bool) -> Done {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut stale = Vec::new();
    let files = [
        ("schema/report.schema.json", text(&schemars::schema_for!(RegionDocument))?),
        ("schema/compare.schema.json", text(&schemars::schema_for!(Comparison))?),
        ("schema/advice.schema.json", text(&schemars::schema_for!(AdviceReport))?),
        ("schema/kernel.schema.json", text(&schemars::schema_for!(KernelReport))?),
        ("schema/regions.schema.json", text(&schemars::schema_for!(RecordedRegions))?),
        ("schema/source.schema.json", text(&schemars::schema_for!(SourceDocument))?),
    ];
    for (path, text) in files {
        let file = format!("{root}/{path}");
        if fs_err::read_to_string(&file).is_ok_and(|current| current == text) {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            if let Some(folder) = std::path::Path::new(&file).parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::write(&file, text)?;
            say(&format!("{path} written"));
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("not up to date, run `cargo xtask generate`: {}", stale.join(", ")).into())
    }
}

fn text(schema: &schemars::Schema) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(schema)? + "\n")
}
