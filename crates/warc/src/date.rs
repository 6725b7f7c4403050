//! Dates of records: W3C date-times, cut short or with fractions, and the digits of ARC files.

use chrono::NaiveDate;

/// Milliseconds since 1970 UTC. Takes `2008`, `2008-04`, `2008-04-30`, `2008-04-30T20:48Z`,
/// `2008-04-30T20:48:25.123456Z`, offsets such as `+01:00`, and 4 to 17 digits (`20080430204825`, the
/// rest being milliseconds). What is left out is the earliest it can be.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut fields = Fields {
        rest: text.as_bytes(),
    };
    let moment = if digits > 4 {
        fields.compact(digits)?
    } else {
        fields.separated()?
    };
    moment.to_millis()
}

struct Moment {
    year: i64,
    month: i64,
    day: i64,
    /// Milliseconds into the day.
    time: i64,
    /// Minutes east of Greenwich.
    east: i64,
}

struct Fields<'a> {
    rest: &'a [u8],
}

impl Fields<'_> {
    /// A number of exactly `width` digits.
    fn number(&mut self, width: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(width)?;
        let number = std::str::from_utf8(digits)
            .ok()
            .filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
        self.rest = rest;
        number.parse().ok()
    }

    /// Whether the next byte is one of `any`, which is then passed.
    fn eat(&mut self, any: &[u8]) -> bool {
        let found = self.rest.first().is_some_and(|byte| any.contains(byte));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn compact(&mut self, digits: usize) -> Option<Moment> {
        if digits > 18 {
            return None;
        }
        let mut left = digits;
        let mut take = |fields: &mut Self, width: usize, default: i64| {
            if left < width {
                return Some(default);
            }
            left -= width;
            fields.number(width)
        };
        let year = take(self, 4, 1)?;
        let month = take(self, 2, 1)?;
        let day = take(self, 2, 1)?;
        let (hour, minute, second) = (take(self, 2, 0)?, take(self, 2, 0)?, take(self, 2, 0)?);
        let milli = take(self, 3, 0)?;
        Some(Moment {
            year,
            month,
            day,
            time: clock(hour, minute, second)? + milli,
            east: 0,
        })
    }

    fn separated(&mut self) -> Option<Moment> {
        let mut moment = Moment {
            year: self.number(4)?,
            month: 1,
            day: 1,
            time: 0,
            east: 0,
        };
        if self.eat(b"-/") {
            moment.month = self.number(2)?;
        }
        if self.eat(b"-/") {
            moment.day = self.number(2)?;
        }
        if self.eat(b"Tt ") {
            moment.time = self.time()?;
            moment.east = self.zone()?;
        }
        self.eat(b"Zz");
        self.rest.is_empty().then_some(moment)
    }

    fn time(&mut self) -> Option<i64> {
        let hour = self.number(2)?;
        let minute = if self.eat(b":") { self.number(2)? } else { 0 };
        let second = if self.eat(b":") { self.number(2)? } else { 0 };
        Some(clock(hour, minute, second)? + self.fraction())
    }

    /// Milliseconds of a fraction of a second, cut, not rounded.
    fn fraction(&mut self) -> i64 {
        if !self.eat(b".,") {
            return 0;
        }
        let mut millis = 0;
        let mut unit = 100;
        while let Some(digit) = self.rest.first().filter(|byte| byte.is_ascii_digit()) {
            millis += i64::from(digit - b'0') * unit;
            unit /= 10;
            self.rest = &self.rest[1..];
        }
        millis
    }

    fn zone(&mut self) -> Option<i64> {
        let sign = match self.rest.first() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Some(0),
        };
        self.rest = &self.rest[1..];
        let hours = self.number(2)?;
        self.eat(b":");
        let minutes = if self.rest.is_empty() { 0 } else { self.number(2)? };
        Some(sign * (hours * 60 + minutes))
    }
}

/// Milliseconds into the day; a leap second counts as the second after it.
fn clock(hour: i64, minute: i64, second: i64) -> Option<i64> {
    (hour < 24 && minute < 60 && second <= 60).then_some((hour * 3600 + minute * 60 + second) * 1000)
}

impl Moment {
    fn to_millis(&self) -> Option<i64> {
        let (year, month, day) = (self.year.try_into(), self.month.try_into(), self.day.try_into());
        let date = NaiveDate::from_ymd_opt(year.ok()?, month.ok()?, day.ok()?)?;
        Some(i64::from(date.to_epoch_days()) * 86_400_000 + self.time - self.east * 60_000)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates_of_every_length_and_form() {
        let day = 1_209_513_600_000;
        let exact = day + ((20 * 60 + 48) * 60 + 25) * 1000;
        for (text, millis) in [
            ("1970", 0),
            ("2008-04-30", day),
            ("2008-04", day - 29 * 86_400_000),
            ("2008-04-30T20:48:25Z", exact),
            ("2008-04-30t20:48:25z", exact),
            ("2008-04-30T20:48:25.1239Z", exact + 123),
            ("2008-04-30T22:48:25+02:00", exact),
            ("2008-04-30T20:48Z", exact - 25_000),
            ("20080430204825", exact),
            ("20080430204825123", exact + 123),
            ("20080430", day),
            ("1996-02-29", 825_552_000_000),
            ("1969-12-31T23:59:59Z", -1000),
        ] {
            assert_eq!(parse(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_date() {
        for text in [
            "",
            "soon",
            "2008-13-01",
            "2008-02-30",
            "2008-04-30T25:00:00Z",
            "20081301000000",
            "1997-02-29",
            "-1",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
