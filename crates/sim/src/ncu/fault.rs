//! Faults on request, for tests of everything built on top: `RANGESCOPE_SIM_FAULT`.

use std::time::Duration;

pub(super) const VARIABLE: &str = "RANGESCOPE_SIM_FAULT";
/// The default of `slow`.
const SLOW: Duration = Duration::from_millis(100);
/// The longest pause that is accepted.
const SLOWEST_MS: u64 = 600_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `permission`: access to the counters is denied.
    Permission,
    /// `no-kernels`: the program seems to launch none.
    NoKernels,
    /// `hang`: the first collective never ends.
    Hang,
    /// `crash`: the profiler aborts halfway.
    Crash,
    /// `truncated`: the report is cut short.
    Truncated,
    /// `slow` or `slow:MS`: every pass takes that long.
    Slow(Duration),
}

impl Fault {
    /// Reads the value of the variable; an empty one asks for nothing.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, String> {
        Ok(Some(match text {
            "" => return Ok(None),
            "permission" => Self::Permission,
            "no-kernels" => Self::NoKernels,
            "hang" => Self::Hang,
            "crash" => Self::Crash,
            "truncated" => Self::Truncated,
            "slow" => Self::Slow(SLOW),
            other => other
                .strip_prefix("slow:")
                .and_then(|ms| ms.parse().ok())
                .filter(|ms| *ms <= SLOWEST_MS)
                .map(|ms| Self::Slow(Duration::from_millis(ms)))
                .ok_or_else(|| {
                    format!("{VARIABLE} is '{other}' and not permission, no-kernels, hang, crash, truncated or slow[:MS]")
                })?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_names() {
        assert_eq!(Fault::parse(""), Ok(None));
        assert_eq!(Fault::parse("hang"), Ok(Some(Fault::Hang)));
        assert_eq!(Fault::parse("slow:5"), Ok(Some(Fault::Slow(Duration::from_millis(5)))));
        assert!(Fault::parse("slow:x").is_err() && Fault::parse("fire").is_err());
    }
}
