//! Telephone numbers, by how they are written:
//!
//! | pattern | digits | example | where |
//! |---|---|---|---|
//! | `+` or `00` and a country | 8 to 15 | +49 30 1234567, 0044 20 7946 0958 | all |
//! | area of three and seven digits | 10 | (212) 555-0187, 212-555-0187, 1-212-555-0187 | North America |
//! | area in brackets | 8 to 11 | (030) 1234567, (11) 91234-5678 | Europe, Brazil, India |
//! | `0` and pairs | 10 | 01 23 45 67 89, 01.23.45.67.89 | France |
//! | `0` and an area, then one to three groups | 9 to 12 | 030/1234567, 020 7946 0958, 03-1234-5678 | Europe, Japan, Australia |
//!
//! Between groups there is a space, `-`, `.`, `/`, or a bracket and a space. What could be a date, a price or a number with
//! thousands is none of them.

use super::numbers::Number;

/// Where a telephone number begins that ends with groups of digits, if they are one: before them may stand `+` or `(`.
pub(super) fn start(number: &Number<'_>, groups: &[(usize, usize)]) -> Option<usize> {
    let first = groups[0].0;
    let before = &number.text.as_bytes()[..first];
    let written = Written::new(number, groups);
    let (start, is_phone) = match before {
        [.., b'+'] => (first - 1, written.is_international()),
        [.., b'+', b'('] => (first - 2, written.is_international()),
        [.., b'('] if written.is_bracketed() => (first - 1, true),
        _ if written.starts_with("00") => (first, written.is_international_by_zeros()),
        _ => (first, written.is_national()),
    };
    let is_alone = before.ends_with(b"+") || !is_number_before(&number.text.as_bytes()[..start]);
    (is_phone && is_alone).then_some(start)
}

/// Whether a number continues from before: a digit with a sign that numbers have.
fn is_number_before(before: &[u8]) -> bool {
    match before {
        [.., digit, b'.' | b',' | b'-' | b'/' | b':'] => digit.is_ascii_digit(),
        // Between the groups of a longer number.
        [.., digit, b' '] => digit.is_ascii_digit(),
        [.., b'$' | b'='] => true,
        _ => false,
    }
}

/// How a number is written.
struct Written<'a> {
    /// The digits of each group.
    lengths: Vec<usize>,
    signs: Vec<&'a str>,
    digits: usize,
    first: &'a str,
    second: &'a str,
}

impl<'a> Written<'a> {
    fn new(number: &Number<'a>, groups: &[(usize, usize)]) -> Written<'a> {
        let lengths: Vec<usize> = groups.iter().map(|(start, end)| end - start).collect();
        let text = number.text;
        let group = |at: usize| groups.get(at).map_or("", |(start, end)| &text[*start..*end]);
        Written {
            digits: lengths.iter().sum(),
            lengths,
            signs: groups
                .array_windows()
                .map(|[one, next]| &text[one.1..next.0])
                .collect(),
            first: group(0),
            second: group(1),
        }
    }

    fn starts_with(&self, digits: &str) -> bool {
        self.first.starts_with(digits)
    }

    fn is_international(&self) -> bool {
        !self.starts_with("0")
            && (8..=15).contains(&self.digits)
            && self
                .signs
                .iter()
                .all(|sign| is_sign(sign) || *sign == " (" || *sign == "(")
    }

    fn is_international_by_zeros(&self) -> bool {
        let has_country = self.first.len() > 2 && !self.starts_with("000");
        has_country && (11..=17).contains(&self.digits) && self.signs.len() > 1 && self.has_one_sign()
    }

    /// An area in brackets, and the rest.
    fn is_bracketed(&self) -> bool {
        let Some((sign, rest)) = self.signs.split_first() else {
            return false;
        };
        let is_closed = matches!(*sign, ")" | ") " | ")-" | ") -" | ")/");
        let is_area = (2..=5).contains(&self.first.len());
        is_closed
            && is_area
            && (8..=12).contains(&self.digits)
            && rest.iter().all(|sign| is_sign(sign))
            && self.lengths[1] >= 2
    }

    fn is_national(&self) -> bool {
        self.is_north_american() || self.is_in_pairs() || self.has_area()
    }

    fn is_north_american(&self) -> bool {
        let is_code = |group: &str| group.starts_with(|digit| ('2'..='9').contains(&digit));
        let codes = match self.lengths.as_slice() {
            [3, 3, 4] => is_code(self.first) && is_code(self.second),
            [1, 3, 3, 4] => self.first == "1" && is_code(self.second),
            _ => false,
        };
        codes && (self.has_one_sign() || self.signs == [" ", "-"]) && !self.signs.contains(&"/")
    }

    /// Five pairs, the first with a zero.
    fn is_in_pairs(&self) -> bool {
        self.lengths == [2; 5]
            && self.starts_with("0")
            && self.first != "00"
            && self.has_one_sign()
            && self.signs[0] != "/"
    }

    /// A zero, an area, and one to three groups.
    fn has_area(&self) -> bool {
        let (area, rest) = self.lengths.split_first().expect("a number has a group");
        let is_area = self.starts_with("0") && !self.starts_with("00") && (2..=5).contains(area);
        let is_rest = (1..=3).contains(&rest.len())
            && rest.iter().all(|length| (2..=8).contains(length))
            && rest[0] >= 3;
        let signs = self.signs.iter().enumerate();
        let are_signs = signs.clone().all(|(at, sign)| {
            matches!(*sign, " " | "-") || (at == 0 && matches!(*sign, "/" | " / " | " - "))
        });
        is_area && is_rest && are_signs && (9..=12).contains(&self.digits)
    }

    fn has_one_sign(&self) -> bool {
        self.signs
            .iter()
            .all(|sign| is_sign(sign) && *sign == self.signs[0])
    }
}

fn is_sign(sign: &str) -> bool {
    matches!(sign, " " | "-" | "." | "/" | ")" | ") " | " - ")
}
