//! What several fuzz targets need.

use std::path::PathBuf;
use std::sync::LazyLock;

use rangescope_config::Context;

/// A folder of this process alone. The fuzzer ends without a chance to tidy up, so what is left is at most one file of each name.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("rangescope-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the input");
    folder
});

/// The bytes as a file of that name, for readers that take a path.
pub fn as_file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.join(name);
    std::fs::write(&path, bytes).expect("room for the input");
    path
}

/// A world in which every variable has a value and it is always the same moment.
pub fn context() -> Context<'static> {
    let now = jiff::civil::date(2024, 2, 29).at(23, 59, 58, 7_000);
    Context { env: &|name| Some(name.to_lowercase()), now, cwd: "/work".to_owned() }
}
