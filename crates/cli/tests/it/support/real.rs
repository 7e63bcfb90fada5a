//! NVIDIA's own programs, where the environment says they are.

use std::path::PathBuf;

/// The program that a variable names, or nothing with a visible word where it is not set. On CI it must be.
pub(crate) fn tool(variable: &str, what: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{variable} is needed on CI for {what}");
        eprintln!("SKIPPED: {what}, because {variable} is not set");
    }
    path
}

/// A command on the path, or nothing with a visible word where it is absent. On CI it must be there.
pub(crate) fn command(name: &str, what: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is needed on CI for {what}");
        eprintln!("SKIPPED: {what}, because there is no {name}");
    }
    found
}
