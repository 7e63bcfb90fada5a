//! One line of ncu's, whole or as far as it has come.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NcuLine {
    Connected { pid: Option<u32>, program: String },
    Disconnected { pid: Option<u32> },
    Profiling(Workload),
    Report { path: String },
    Other(String),
    Warning(String),
    Error(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Of a kernel as ncu shows it, or `range` and the like.
    pub name: String,
    pub number: Option<u64>,
    pub percent: u8,
    /// Known once it is done.
    pub passes: Option<u32>,
}

/// Reads a line, which may be cut anywhere; `None` if it is not ncu's.
pub fn parse_line(line: &str) -> Option<NcuLine> {
    let line = line.trim_end();
    let rest = line.strip_prefix("==")?;
    let (channel, said) = rest.split_once("==")?;
    let said = said.trim_start();
    match channel {
        "PROF" => Some(progress(said)),
        "WARNING" => Some(NcuLine::Warning(said.to_owned())),
        "ERROR" => Some(NcuLine::Error(said.to_owned())),
        _ => None,
    }
}

fn progress(said: &str) -> NcuLine {
    if let Some(rest) = said.strip_prefix("Connected to process ") {
        let (pid, program) = rest.split_once(' ').unwrap_or((rest, ""));
        let program = program.trim_start_matches('(').trim_end_matches(')').to_owned();
        return NcuLine::Connected { pid: pid.parse().ok(), program };
    }
    if let Some(rest) = said.strip_prefix("Disconnected from process ") {
        return NcuLine::Disconnected { pid: rest.trim().parse().ok() };
    }
    if let Some(path) = said.strip_prefix("Report: ") {
        return NcuLine::Report { path: path.to_owned() };
    }
    match said.strip_prefix("Profiling ") {
        Some(rest) => NcuLine::Profiling(workload(rest)),
        None => NcuLine::Other(said.to_owned()),
    }
}

/// `"name" - 3: 0%....50%....100% - 9 passes`, in older versions with ` - 3 (4/10)` and without the number in the oldest.
fn workload(text: &str) -> Workload {
    // A name may hold quotes; what follows it never does.
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.rsplit_once('"').unwrap_or((quoted, "")),
        None => text.find(':').and_then(|end| text.split_at_checked(end)).unwrap_or((text, "")),
    };
    let (head, bar) = rest.split_once(':').unwrap_or((rest, ""));
    let number = head
        .trim_start_matches([' ', '-'])
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    let (bar, end) = match bar.rsplit_once(" - ") {
        Some((bar, end)) => (bar, Some(end)),
        None => (bar, None),
    };
    let passes = end.and_then(|end| end.split_once(" pass")?.0.trim().parse().ok());
    Workload { name: name.to_owned(), number, percent: percent(bar), passes }
}

/// The last number before a per cent sign, and a little for the dots after it.
fn percent(bar: &str) -> u8 {
    let Some((before, after)) = bar.rsplit_once('%') else { return 0 };
    let digits =
        before.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
    let stated: usize = digits.parse().unwrap_or_default();
    // Four dots lead from one number to the next, fifty per cent further on.
    let dots = after.bytes().take_while(|byte| *byte == b'.').count();
    u8::try_from((stated + dots * 10).min(100)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::{NcuLine, Workload, parse_line};

    fn profiling(line: &str) -> Workload {
        match parse_line(line) {
            Some(NcuLine::Profiling(workload)) => workload,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_kernel_is_followed_to_its_end() {
        let line = "==PROF== Profiling \"daxpy\" - 3: 0%....50%....100% - 9 passes";
        let expected =
            |percent, passes| Workload { name: "daxpy".into(), number: Some(3), percent, passes };
        assert_eq!(profiling(line), expected(100, Some(9)));
        assert_eq!(profiling(&line[..line.len() - 9]), expected(100, None));
        assert_eq!(profiling("==PROF== Profiling \"daxpy\" - 3: 0%....50%.."), expected(70, None));
        assert_eq!(profiling("==PROF== Profiling \"daxpy\" - 3: "), expected(0, None));
        assert_eq!(
            profiling("==PROF== Profiling \"daxpy\" - 3: 0%....50%....100% - 1 pass").passes,
            Some(1)
        );
    }

    #[test]
    fn names_and_older_forms() {
        assert_eq!(
            profiling("==PROF== Profiling \"op\"\"<int>: 5%\" - 0: 0%").name,
            "op\"\"<int>: 5%"
        );
        assert_eq!(profiling("==PROF== Profiling \"k\" - 1 (2/10): 0%....50%").number, Some(1));
        assert_eq!(
            profiling("==PROF== Profiling \"k\": 0%....50%....100% - 4 passes").passes,
            Some(4)
        );
        let range = profiling("==PROF== Profiling range 0: 0%....50%....100% - 12 passes");
        assert_eq!((range.name.as_str(), range.passes), ("range 0", Some(12)));
    }

    #[test]
    fn other_lines() {
        assert_eq!(
            parse_line("==PROF== Connected to process 74 (/usr/bin/app (x))"),
            Some(NcuLine::Connected { pid: Some(74), program: "/usr/bin/app (x".into() })
        );
        assert_eq!(
            parse_line("==PROF== Disconnected from process 74\r\n"),
            Some(NcuLine::Disconnected { pid: Some(74) })
        );
        assert_eq!(
            parse_line("==WARNING== No kernels were profiled."),
            Some(NcuLine::Warning("No kernels were profiled.".into()))
        );
        assert_eq!(parse_line("==ERROR== x"), Some(NcuLine::Error("x".into())));
        assert_eq!(
            parse_line("==PROF== Report: a.ncu-rep"),
            Some(NcuLine::Report { path: "a.ncu-rep".into() })
        );
        assert_eq!(parse_line("== heading =="), None);
        assert_eq!(parse_line("plain"), None);
    }
}
