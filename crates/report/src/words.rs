//! Numbers in words.

/// A number with groups: `12,345,678`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its unit: `1 page`, `1,234 pages`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// A share in percent: `63.8%`. Nothing of nothing is 0.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (0, _) | (_, 0) => "0%".to_owned(),
        (part, whole) if part == whole => "100%".to_owned(),
        (part, whole) => {
            // What is not all is never rounded to all, and what is there not to nothing.
            let share = 100.0 * part as f64 / whole as f64;
            match share {
                ..0.05 => "<0.1%".to_owned(),
                99.95.. => ">99.9%".to_owned(),
                share => format!("{share:.1}%"),
            }
        }
    }
}

/// A limit or a value of a measure: `100,000`, `0.12`.
pub(crate) fn number(number: f64) -> String {
    match number.fract() == 0.0 && (0.0..1e15).contains(&number) {
        true => grouped(number as u64),
        // What was computed may have more digits: 0.3, not 0.30000000000000004.
        false => ((number * 1e9).round() / 1e9).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(
            [0, 12, 123, 1234, 1_234_567].map(grouped),
            ["0", "12", "123", "1,234", "1,234,567"]
        );
        assert_eq!(
            [0.06, 0.1 + 0.2, 50.0, 100_000.0, -1.5].map(number),
            ["0.06", "0.3", "50", "100,000", "-1.5"]
        );
        let shares = [(0, 0), (0, 5), (1, 3), (1, 9999), (9999, 10_000), (3, 3)];
        let shares = shares.map(|(part, whole)| percent(part, whole));
        assert_eq!(shares, ["0%", "0%", "33.3%", "<0.1%", ">99.9%", "100%"]);
    }
}
