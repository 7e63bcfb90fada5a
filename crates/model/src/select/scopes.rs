//! Which scopes a report is made for.

use super::error::SelectError;

/// A scope that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeRequest {
    /// A report for each process.
    EveryProcess,
    /// A report for each device.
    EveryDevice,
    /// One report over everything.
    Aggregate,
    /// The identifier of one process or device, as it stands in the report.
    One(String),
}

impl ScopeRequest {
    /// Reads `process`, `device`, `aggregate`, `process:PID[@HOST]` or `device:ID`.
    pub fn parse(text: &str) -> Result<Self, SelectError> {
        let wrong = || SelectError::Scope { scope: text.to_owned() };
        match text.split_once(':') {
            None => match text {
                "process" => Ok(Self::EveryProcess),
                "device" => Ok(Self::EveryDevice),
                "aggregate" => Ok(Self::Aggregate),
                _ => Err(wrong()),
            },
            Some(("process", process)) => {
                let pid = process.split_once('@').map_or(process, |(pid, _)| pid);
                if is_number_or_unknown(pid) {
                    Ok(Self::One(text.to_owned()))
                } else {
                    Err(wrong())
                }
            }
            Some(("device", device)) if is_number_or_unknown(device) => {
                Ok(Self::One(text.to_owned()))
            }
            Some(_) => Err(wrong()),
        }
    }
}

fn is_number_or_unknown(text: &str) -> bool {
    text == "unknown" || text.parse::<u32>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::ScopeRequest;

    #[test]
    fn scopes_are_understood_or_refused() {
        for text in [
            "process",
            "device",
            "aggregate",
            "process:12",
            "process:12@node",
            "process:unknown",
            "device:0",
        ] {
            assert!(ScopeRequest::parse(text).is_ok(), "{text}");
        }
        for text in ["", "rank", "process:", "process:x", "device:-1", "device:0@h"] {
            assert!(ScopeRequest::parse(text).is_err(), "{text}");
        }
    }
}
