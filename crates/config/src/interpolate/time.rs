//! Writing a moment as Python's `strftime` writes it, with names in English.

use jiff::civil::DateTime;
use jiff::fmt::strtime;

/// What Python writes differently: six digits, the C locale, and nothing for an unknown time zone.
const AS_PYTHON: [(&str, &str); 7] = [
    ("%c", "%a %b %e %H:%M:%S %Y"),
    ("%r", "%I:%M:%S %p"),
    ("%x", "%m/%d/%y"),
    ("%X", "%H:%M:%S"),
    ("%z", ""),
    ("%Z", ""),
    ("%f", "%6f"),
];

pub(super) fn format(now: DateTime, format: &str) -> Result<String, String> {
    // An escaped percent sign does not begin a directive.
    let pieces = format.split("%%").map(|piece| {
        let replace =
            |text: String, (directive, other): (&str, &str)| text.replace(directive, other);
        AS_PYTHON.into_iter().fold(piece.to_owned(), replace)
    });
    let format = pieces.collect::<Vec<_>>().join("%%");
    strtime::format(format, now).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    #[test]
    fn moments_are_written_as_strftime_writes_them() {
        let now = date(2026, 11, 5).at(14, 3, 9, 42_000);
        let format = |format: &str| super::format(now, format).unwrap();
        assert_eq!(format("%Y%m%d-%H%M%S"), "20261105-140309");
        assert_eq!(format("%a %A %b %B %j %p %I %u %w"), "Thu Thursday Nov November 309 PM 02 4 4");
        assert_eq!(format("%F %T %f %e %y%%"), "2026-11-05 14:03:09 000042  5 26%");
        assert_eq!(
            format("%%f%%%f %c|%x %X %r%z%Z"),
            "%f%000042 Thu Nov  5 14:03:09 2026|11/05/26 14:03:09 02:03:09 PM"
        );
        assert!(super::format(now, "%E").is_err() && super::format(now, "a%").is_err());
    }
}
