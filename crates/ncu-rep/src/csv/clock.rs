//! The time stamps of the older pages' `Kernel Time` column, such as `2022-Nov-21 15:45:04`.
//!
//! ncu prints them in UTC whatever the time zone. Only that one spelling is read; anything else is no time.

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY: u64 = 86_400;
/// Days from 1 March of the year 0 to 1 January 1970.
const EPOCH_SHIFT: u64 = 719_468;
/// Days in 400 years.
const ERA: u64 = 146_097;
/// The end of the year 9999; ncu prints four digits.
const LATEST: u64 = 253_402_300_799;

/// The text of a Unix time, or `Unknown` for none.
pub(super) fn print(time: Option<u64>) -> String {
    let Some(time) = time.filter(|time| *time <= LATEST) else { return "Unknown".to_owned() };
    // Years are counted from March, so that the leap day is the last day of a year.
    let days = time / DAY + EPOCH_SHIFT;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march_month = (5 * day + 2) / 153;
    let day = day - (153 * march_month + 2) / 5 + 1;
    let month = (march_month + 2) % 12;
    let year = era * 400 + year + u64::from(month < 2);
    let name = usize::try_from(month)
        .ok()
        .and_then(|month| MONTHS.get(month))
        .copied()
        .unwrap_or_default();
    let second = time % DAY;
    format!(
        "{year:04}-{name}-{day:02} {:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

pub(super) fn parse(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(' ')?;
    let mut date = date.splitn(3, '-');
    let year: u64 = date.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let month = date.next()?;
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))? as u64;
    let day: u64 = date.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let mut seconds = 0;
    let mut parts = 0;
    for part in time.split(':') {
        seconds = seconds * 60 + part.parse::<u64>().ok().filter(|part| *part < 60)?;
        parts += 1;
    }
    (parts == 3).then_some(())?;

    let march_month = (month + 10) % 12;
    let march_year = year - u64::from(month < 2);
    let (era, year) = (march_year / 400, march_year % 400);
    let day = (153 * march_month + 2) / 5 + day - 1 + 365 * year + year / 4 - year / 100;
    (era * ERA + day).checked_sub(EPOCH_SHIFT).map(|days| days * DAY + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_ncu_does() {
        assert_eq!(print(Some(1_669_045_504)), "2022-Nov-21 15:45:04");
        assert_eq!(print(Some(0)), "1970-Jan-01 00:00:00");
        assert_eq!(print(Some(951_782_400)), "2000-Feb-29 00:00:00");
        assert_eq!(print(None), "Unknown");
        assert_eq!(print(Some(u64::MAX)), "Unknown");
    }

    #[test]
    fn reads_what_it_prints() {
        for time in (0..LATEST).step_by(86_400 * 13 + 3_601).take(20_000).chain([LATEST]) {
            assert_eq!(parse(&print(Some(time))), Some(time));
        }
        assert_eq!(parse("Unknown"), None);
        assert_eq!(parse("2022-Nov-21 99:45:04"), None);
        assert_eq!(parse("2022-11-21 15:45"), None);
    }
}
