//! Numbers: groups of digits with signs between them, of which each can be an IP address, a card, an IBAN or a telephone number.

use super::{PersonalKind, PersonalSpan, card, iban, ip, is_joined_after, is_joined_before, phone};

/// Groups that are looked at together.
const MOST_GROUPS: usize = 8;
/// Bytes between two groups.
const MOST_BETWEEN: usize = 3;

/// Groups of digits that stand close together.
#[derive(Debug, Default)]
pub(super) struct Number<'a> {
    pub(super) text: &'a str,
    /// Where each group begins and ends in the text.
    pub(super) groups: Vec<(usize, usize)>,
}

pub(super) fn find(text: &str, spans: &mut Vec<PersonalSpan>) {
    let mut number = Number {
        text,
        groups: Vec::new(),
    };
    let mut at = 0;
    while let Some(digit) = next_digit(text.as_bytes(), at) {
        number.read(digit);
        let found = iban::find(text, digit).or_else(|| number.kind());
        at = match found {
            Some(span) => {
                spans.push(span);
                span.end
            }
            None => number.groups[0].1,
        };
    }
}

/// The next digit. Most texts have few: bytes without one are passed by sixteen.
fn next_digit(bytes: &[u8], from: usize) -> Option<usize> {
    let (blocks, _) = bytes[from..].as_chunks::<16>();
    let has_digit = |block: &[u8; 16]| block.iter().fold(false, |has, byte| has | byte.is_ascii_digit());
    let blocks = blocks.iter().take_while(|block| !has_digit(block)).count();
    let from = from + 16 * blocks;
    bytes[from..]
        .iter()
        .position(u8::is_ascii_digit)
        .map(|at| from + at)
}

impl<'a> Number<'a> {
    /// Reads the groups from a digit on.
    fn read(&mut self, digit: usize) {
        let bytes = self.text.as_bytes();
        self.groups.clear();
        let mut start = digit;
        while self.groups.len() < MOST_GROUPS {
            let end = start
                + bytes[start..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
            self.groups.push((start, end));
            let between = bytes[end..]
                .iter()
                .take_while(|byte| b" -./()".contains(byte))
                .count();
            start = end + between;
            let continues =
                (1..=MOST_BETWEEN).contains(&between) && bytes.get(start).is_some_and(u8::is_ascii_digit);
            if !continues {
                break;
            }
        }
    }

    /// What the number is, or its first groups are.
    fn kind(&self) -> Option<PersonalSpan> {
        let first = self.groups[0].0;
        if is_joined_before(self.text, first) {
            return None;
        }
        if let Some(span) = self.address() {
            return Some(span);
        }
        for count in (1..=self.groups.len()).rev() {
            let end = self.groups[count - 1].1;
            if is_joined_after(self.text, end) {
                continue;
            }
            let groups = &self.groups[..count];
            let kind = match () {
                () if card::is_card(self, groups) => PersonalKind::PaymentCard,
                () => match phone::start(self, groups) {
                    Some(start) => return Some(span(start, end, PersonalKind::Phone)),
                    None => continue,
                },
            };
            return Some(span(first, end, kind));
        }
        None
    }

    /// The address that the first four groups are.
    fn address(&self) -> Option<PersonalSpan> {
        let (start, end) = (self.groups[0].0, self.groups.get(3)?.1);
        let is_alone = !self.is_in_numbers(end) && !is_joined_after(self.text, end);
        let is_address = is_alone && ip::is_v4(&self.text[start..end]);
        is_address.then(|| span(start, end, PersonalKind::IpAddress))
    }

    /// Whether a dot is before the number, or a dot and a digit behind it: more than four numbers are no address.
    fn is_in_numbers(&self, end: usize) -> bool {
        let (before, after) = (
            &self.text.as_bytes()[..self.groups[0].0],
            &self.text.as_bytes()[end..],
        );
        before.ends_with(b".")
            || (after.first() == Some(&b'.') && after.get(1).is_some_and(u8::is_ascii_digit))
    }

    /// The digits of groups, one behind the other.
    pub(super) fn digits(&self, groups: &[(usize, usize)]) -> impl Iterator<Item = u8> + Clone {
        let bytes = self.text.as_bytes();
        groups
            .iter()
            .flat_map(move |(start, end)| bytes[*start..*end].iter().map(|digit| digit - b'0'))
    }

    /// What stands between groups.
    pub(super) fn between(&self, groups: &'a [(usize, usize)]) -> impl Iterator<Item = &'a str> {
        let text = self.text;
        groups
            .array_windows()
            .map(move |[one, next]| &text[one.1..next.0])
    }
}

fn span(start: usize, end: usize, kind: PersonalKind) -> PersonalSpan {
    PersonalSpan { start, end, kind }
}
