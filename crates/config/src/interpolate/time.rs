//! A moment, and writing it by a format of `strftime`.

/// A moment in the user's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day, 1 to 31.
    pub day: u32,
    /// Hour, 0 to 23.
    pub hour: u32,
    /// Minute.
    pub minute: u32,
    /// Second.
    pub second: u32,
    /// Microsecond.
    pub microsecond: u32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Now {
    /// Writes the moment, with names in English.
    pub(super) fn format(&self, format: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            match c {
                '%' => out.push_str(&self.directive(rest.next().unwrap_or(' '))?),
                other => out.push(other),
            }
        }
        Ok(out)
    }

    fn directive(&self, directive: char) -> Result<String, String> {
        let name = |names: &'static [&'static str], index: u32| {
            names.get(index as usize).copied().unwrap_or("?")
        };
        let month = || name(&MONTHS, self.month.saturating_sub(1));
        let day = || name(&DAYS, self.weekday());
        let short = |name: &str| name.chars().take(3).collect::<String>();
        let hour12 = (self.hour + 11) % 12 + 1;
        Ok(match directive {
            'Y' => self.year.to_string(),
            'y' => format!("{:02}", self.year.rem_euclid(100)),
            'm' => format!("{:02}", self.month),
            'd' => format!("{:02}", self.day),
            'e' => format!("{:2}", self.day),
            'H' => format!("{:02}", self.hour),
            'I' => format!("{hour12:02}"),
            'M' => format!("{:02}", self.minute),
            'S' => format!("{:02}", self.second),
            'f' => format!("{:06}", self.microsecond),
            'p' => if self.hour < 12 { "AM" } else { "PM" }.to_owned(),
            'j' => format!("{:03}", self.day_of_year()),
            'a' => short(day()),
            'A' => day().to_owned(),
            'b' | 'h' => short(month()),
            'B' => month().to_owned(),
            'u' => ((self.weekday() + 6) % 7 + 1).to_string(),
            'w' => self.weekday().to_string(),
            'F' => self.format("%Y-%m-%d")?,
            'T' => self.format("%H:%M:%S")?,
            'R' => self.format("%H:%M")?,
            'D' => self.format("%m/%d/%y")?,
            '%' => "%".to_owned(),
            other => return Err(format!("the directive `%{other}` is not supported")),
        })
    }

    fn day_of_year(&self) -> u32 {
        const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let before = BEFORE.get(self.month.saturating_sub(1) as usize).copied().unwrap_or(0);
        before + self.day + u32::from(self.month > 2 && self.is_leap_year())
    }

    fn is_leap_year(&self) -> bool {
        self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0)
    }

    /// 0 for Sunday, counted from the days since the year 0.
    fn weekday(&self) -> u32 {
        let years = i64::from(self.year) - 1;
        let leap_days = years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
        let days = years * 365 + leap_days + i64::from(self.day_of_year());
        u32::try_from(days.rem_euclid(7)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_strftime_writes_them() {
        let now =
            Now { year: 2026, month: 11, day: 5, hour: 14, minute: 3, second: 9, microsecond: 42 };
        let format = |format: &str| now.format(format).unwrap();
        assert_eq!(format("%Y%m%d-%H%M%S"), "20261105-140309");
        assert_eq!(format("%a %A %b %B %j %p %I %u %w"), "Thu Thursday Nov November 309 PM 02 4 4");
        assert_eq!(format("%F %T %f %e %y%%"), "2026-11-05 14:03:09 000042  5 26%");
        assert_eq!(now.format("%Q").unwrap_err(), "the directive `%Q` is not supported");
    }
}
