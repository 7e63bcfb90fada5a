//! What a configuration may know of the world around it.

use std::path::PathBuf;

use rangescope_config::{Context, Now};

use crate::RunError;

/// The environment (only through `oc.env`), the time of this call, and the working folder.
pub fn context() -> Result<Context<'static>, RunError> {
    let cwd = std::env::current_dir()
        .map_err(|cause| RunError::Read { path: PathBuf::from("."), cause })?;
    let cwd = cwd.to_string_lossy().into_owned();
    Ok(Context { env: &|name| std::env::var(name).ok(), now: now(), cwd })
}

fn now() -> Now {
    let time = jiff::Zoned::now();
    Now {
        year: time.year().into(),
        month: time.month().unsigned_abs().into(),
        day: time.day().unsigned_abs().into(),
        hour: time.hour().unsigned_abs().into(),
        minute: time.minute().unsigned_abs().into(),
        second: time.second().unsigned_abs().into(),
        microsecond: u32::try_from(time.subsec_nanosecond() / 1000).unwrap_or(0),
    }
}
