//! Numbers of payment cards: 13 to 19 digits with the first digits of an issuer and a right check digit (Luhn), in one group or
//! in groups of at least four with the same sign between.

use super::numbers::Number;

/// First digits, from and to, with the lengths of the numbers: American Express, Diners, JCB, Visa, Mastercard, UnionPay, Discover.
const ISSUERS: [(u32, u32, &[usize]); 12] = [
    (3400, 3499, &[15]),
    (3700, 3799, &[15]),
    (3000, 3059, &[14]),
    (3600, 3699, &[14]),
    (3800, 3999, &[14]),
    (3528, 3589, &[16, 17, 18, 19]),
    (4000, 4999, &[13, 16, 19]),
    (5100, 5599, &[16]),
    (2221, 2720, &[16]),
    (6200, 6299, &[16, 17, 18, 19]),
    (6011, 6011, &[16, 17, 18, 19]),
    (6440, 6599, &[16, 17, 18, 19]),
];

pub(super) fn is_card(number: &Number<'_>, groups: &[(usize, usize)]) -> bool {
    let length: usize = groups.iter().map(|(start, end)| end - start).sum();
    if !(13..=19).contains(&length) {
        return false;
    }
    let mut between = number.between(groups);
    let sign = between.next();
    let is_even = sign.is_none_or(|sign| matches!(sign, " " | "-") && between.all(|other| other == sign));
    let (last, others) = groups.split_last().expect("a number has a group");
    let is_grouped =
        others.iter().all(|(start, end)| end - start >= 4) && (groups.len() == 1 || last.1 - last.0 >= 3);
    let first = number
        .digits(groups)
        .take(4)
        .fold(0, |first, digit| 10 * first + u32::from(digit));
    let is_issued = ISSUERS
        .iter()
        .any(|(from, to, lengths)| (*from..=*to).contains(&first) && lengths.contains(&length));
    is_even && is_grouped && is_issued && has_check_digit(number.digits(groups), length)
}

/// Every second digit from the end is doubled, and the digits of all are ten or a multiple together.
fn has_check_digit(digits: impl Iterator<Item = u8>, length: usize) -> bool {
    let sum: u32 = digits
        .enumerate()
        .map(|(at, digit)| {
            let is_doubled = (length - at).is_multiple_of(2);
            let doubled = 2 * u32::from(digit);
            if is_doubled {
                doubled / 10 + doubled % 10
            } else {
                u32::from(digit)
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
