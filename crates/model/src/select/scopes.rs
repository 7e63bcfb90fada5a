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
    /// The identifier of one process or device, as it stands in the report; without what follows an `@` it names all that only differ in that.
    One(String),
    /// The processes of one rank.
    Rank(u32),
}

impl ScopeRequest {
    /// Reads `process`, `device`, `aggregate`, `process:PID[@HOST]`, `rank:N` or `device:ID[@PCI[@HOST]]`.
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
            Some(("rank", rank)) => rank.parse().map(Self::Rank).map_err(|_| wrong()),
            Some(("device", device)) => {
                let (index, place) =
                    device.split_once('@').map_or((device, None), |(index, at)| (index, Some(at)));
                let is_place = |place: &str| {
                    is_address(place.split_once('@').map_or(place, |(address, _)| address))
                };
                if is_number_or_unknown(index) && place.is_none_or(is_place) {
                    Ok(Self::One(text.to_owned()))
                } else {
                    Err(wrong())
                }
            }
            Some(_) => Err(wrong()),
        }
    }
}

/// Whether a text is a PCI address as scopes have it, or says that there is none.
fn is_address(text: &str) -> bool {
    let is_hexadecimal =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text == "unknown" || (text.split(':').count() == 3 && text.split(':').all(is_hexadecimal))
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
            "rank:7",
            "device:0",
            "device:0@0000:3b:00",
            "device:0@0000:3b:00@node",
            "device:0@unknown",
        ] {
            assert!(ScopeRequest::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "rank",
            "rank:",
            "rank:-1",
            "process:",
            "process:x",
            "device:-1",
            "device:0@h",
            "device:0@3b:00",
            "device:x@0:0:0",
        ] {
            assert!(ScopeRequest::parse(text).is_err(), "{text}");
        }
    }
}
