//! Files of the repository that are made from the code.

use rangescope_regions::model::RegionDocument;

use crate::{Done, say};

pub(crate) fn run(check: bool) -> Done {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut stale = Vec::new();
    for (path, text) in [("schema/report.schema.json", schema()?)] {
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

fn schema() -> Result<String, serde_json::Error> {
    let schema = schemars::schema_for!(RegionDocument);
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}
