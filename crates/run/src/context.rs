//! What a configuration may know of the world around it.

use std::path::PathBuf;

use rangescope_config::Context;

use crate::RunError;

/// The environment (only through `oc.env`), the time of this call, and the working folder.
pub fn context() -> Result<Context<'static>, RunError> {
    let cwd = std::env::current_dir()
        .map_err(|cause| RunError::Read { path: PathBuf::from("."), cause })?;
    let cwd = cwd.to_string_lossy().into_owned();
    Ok(Context { env: &|name| std::env::var(name).ok(), now: jiff::Zoned::now().datetime(), cwd })
}

/// The variables of this process that are text.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
