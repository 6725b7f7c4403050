//! Dates of records: W3C date-times, cut short or with fractions, and the digits of ARC files.

use chrono::{FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};

/// Milliseconds since 1970 UTC. Takes `2008`, `2008-04`, `2008-04-30`, `2008-04-30T20:48Z`,
/// `2008-04-30T20:48:25.123456Z`, offsets such as `+01:00`, and 4 to 17 digits (`20080430204825`, the
/// rest being milliseconds). What is left out is the earliest it can be. A leap second counts as the second after it.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let moment = match digits {
        0..4 => return None,
        4 => separated(text)?,
        _ => compact(&text[..digits])?,
    };
    Some(moment.and_utc().timestamp_millis())
}

fn compact(digits: &str) -> Option<NaiveDateTime> {
    if digits.len() > 18 {
        return None;
    }
    // Fields begin at every second digit, milliseconds at the last three; half a field is left out.
    let length = digits.len().min(14) / 2 * 2;
    let millis = digits.get(14..17).unwrap_or("000");
    let text = format!("{}{}.{millis}", &digits[..length], &"00000101000000"[length..]);
    NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%S%.3f").ok()
}

fn separated(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim_end_matches(['Z', 'z']);
    let (date, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, ""));
    let (time, zone) = time.split_at(time.find(['+', '-']).unwrap_or(time.len()));
    let date = NaiveDate::parse_from_str(&filled(date, "0000-01-01")?.replace('/', "-"), "%Y-%m-%d").ok()?;
    let time = NaiveTime::parse_from_str(&filled(time, "00:00:00")?.replace(',', "."), "%H:%M:%S%.f").ok()?;
    let zone: FixedOffset = match zone.len() {
        0 => "+00:00".parse().ok()?,
        3 => format!("{zone}:00").parse().ok()?,
        _ => zone.parse().ok()?,
    };
    date.and_time(time).checked_sub_offset(zone)
}

/// A text with the rest of `whole`, if it ends with a field.
fn filled(text: &str, whole: &str) -> Option<String> {
    let rest = whole.get(text.len()..).unwrap_or_default();
    let ends = rest.is_empty() || text.is_empty() || rest.starts_with(['-', ':']);
    ends.then(|| format!("{text}{rest}"))
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
            ("2008/04/30 20:48:25,5", exact + 500),
            ("2008-04-30T20:48:25.123456789123Z", exact + 123),
            ("2008-04-30T22+02", exact - 48 * 60_000 - 25_000),
            ("2008-04-30T22:48:25+0200", exact),
            ("2008-04-30T20:48:60Z", exact + 35_000),
            ("200804302", day),
            ("200804302048251", exact),
            ("20080430204825 more", exact),
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
            "2008-4-30",
            "2008-04-3",
            "2008-04-30T2",
            "2008-04-30T20:48:25Z and more",
            "2008-04-30T20:48:25+2",
            "2008000000",
            "1234567890123456789",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
