//! Personal data in a text: e-mail addresses, public IP addresses, telephone numbers, IBANs and numbers of payment cards.
//!
//! In: a text. Out: the places of what looks like one, and the text with these masked. IBANs and cards have checksums that must be
//! right. E-mail addresses must end with a domain of the public suffix list. IP addresses must be public. Telephone numbers have no
//! checksum: they are [patterns](phone) of several countries, so some are other numbers, and others are missed.
//!
//! # The cost
//!
//! Only places with `@`, a digit, or two colons are looked at.

mod card;
mod email;
mod iban;
mod ip;
mod numbers;
mod phone;

#[cfg(test)]
mod tests;

/// What kind of personal data it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PersonalKind {
    /// An e-mail address.
    Email,
    /// A public IP address, of version 4 or 6.
    IpAddress,
    /// A telephone number.
    Phone,
    /// An International Bank Account Number.
    Iban,
    /// The number of a payment card.
    PaymentCard,
}

impl PersonalKind {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            PersonalKind::Email => "email",
            PersonalKind::IpAddress => "ip_address",
            PersonalKind::Phone => "phone",
            PersonalKind::Iban => "iban",
            PersonalKind::PaymentCard => "payment_card",
        }
    }
}

/// A place with personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonalSpan {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// What stands there.
    pub kind: PersonalKind,
}

/// How often each kind occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonalCounts {
    /// E-mail addresses.
    pub emails: u32,
    /// Public IP addresses.
    pub ip_addresses: u32,
    /// Telephone numbers.
    pub phones: u32,
    /// IBANs with a right checksum.
    pub ibans: u32,
    /// Numbers of payment cards with a right checksum.
    pub payment_cards: u32,
}

/// The places of a text with personal data, in order and without overlaps.
///
/// ```
/// use gleaner_curate::{PersonalCounts, PersonalKind, mask_personal_data, personal_data};
///
/// let text = "Write to anna@example.org or call +49 30 1234567.";
/// let spans = personal_data(text);
/// assert_eq!(PersonalCounts::of(&spans).emails, 1);
/// assert_eq!(&text[spans[1].start..spans[1].end], "+49 30 1234567");
/// let masked = mask_personal_data(text, &spans, |kind| match kind {
///     PersonalKind::Email => "<email>",
///     _ => "<number>",
/// });
/// assert_eq!(masked, "Write to <email> or call <number>.");
/// ```
pub fn personal_data(text: &str) -> Vec<PersonalSpan> {
    let mut spans = Vec::new();
    email::find(text, &mut spans);
    ip::find_v6(text, &mut spans);
    numbers::find(text, &mut spans);
    // A number in an address belongs to it, also one at its beginning.
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    spans.retain(|span| {
        let is_free = span.start >= end;
        end = if is_free { span.end } else { end };
        is_free
    });
    spans
}

/// A text with something else in place of each span. The spans are those of the text.
pub fn mask_personal_data<'a>(
    text: &str,
    spans: &[PersonalSpan],
    mask: impl Fn(PersonalKind) -> &'a str,
) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        masked.push_str(&text[end..span.start]);
        masked.push_str(mask(span.kind));
        end = span.end;
    }
    masked.push_str(&text[end..]);
    masked
}

impl PersonalCounts {
    /// Counts spans.
    pub fn of(spans: &[PersonalSpan]) -> PersonalCounts {
        let mut counts = PersonalCounts::default();
        for span in spans {
            *match span.kind {
                PersonalKind::Email => &mut counts.emails,
                PersonalKind::IpAddress => &mut counts.ip_addresses,
                PersonalKind::Phone => &mut counts.phones,
                PersonalKind::Iban => &mut counts.ibans,
                PersonalKind::PaymentCard => &mut counts.payment_cards,
            } += 1;
        }
        counts
    }
}

/// Whether a character that is part of a word or number ends before a place.
fn is_joined_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(is_word)
}

/// Whether a character that is part of a word or number begins at a place.
fn is_joined_after(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_some_and(is_word)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
