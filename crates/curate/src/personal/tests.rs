use proptest::collection::vec;
use proptest::prelude::*;
use regex::Regex;

use super::*;

fn found(text: &str) -> Vec<(&str, PersonalKind)> {
    personal_data(text)
        .into_iter()
        .map(|span| (&text[span.start..span.end], span.kind))
        .collect()
}

/// Each text has its first part, and nothing else, as personal data.
fn all_are(kind: PersonalKind, texts: &[&str]) {
    for text in texts {
        for (before, after) in [
            ("", ""),
            ("See ", "."),
            ("(", ")"),
            ("»", "«"),
            ("x: ", ", y"),
            ("\n", "\n12"),
        ] {
            let text_in = format!("{before}{text}{after}");
            assert_eq!(found(&text_in), [(*text, kind)], "{text_in}");
        }
    }
}

fn none_is(texts: &[&str]) {
    for text in texts {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn emails_are_found() {
    all_are(
        PersonalKind::Email,
        &[
            "anna@example.org",
            "a.b-c+d@mail.example.co.uk",
            "X_1%y@EXAMPLE.COM",
            "007@agents.example.com",
        ],
    );
    none_is(&[
        "@anna",
        "anna@",
        "anna@localhost",
        "icon@2x.png",
        "a@b.c",
        "a@-b.org",
        "a@b..org",
        "anna @ example.org",
        "a..b@x.org",
        "a.@x.org",
    ]);
    assert_eq!(
        found("..anna@example.org."),
        [("anna@example.org", PersonalKind::Email)]
    );
    assert_eq!(found("a@b.org@c.org").len(), 1);
}

#[test]
fn public_addresses_are_found() {
    all_are(
        PersonalKind::IpAddress,
        &[
            "8.8.8.8",
            "193.99.144.80",
            "2a00:1450:4001:82a::200e",
            "2606:4700:4700::1111",
        ],
    );
    none_is(&[
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.20.1.1",
        "169.254.1.1",
        "100.64.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "0.0.0.1",
        "192.0.2.1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "8.8.8.08",
        "v8.8.8.8",
        "8.8.8.8a",
        "::1",
        "fe80::1",
        "2001:db8::1",
        "12:30:45",
        "a::b",
        "::",
        "std::net::Ip",
        "2a00:1450",
        "10:20 : 30",
    ]);
}

#[test]
fn numbers_with_checksums_are_found() {
    all_are(
        PersonalKind::Iban,
        &[
            "DE89370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "GB82 WEST 1234 5698 7654 32",
            "NO9386011117947",
        ],
    );
    none_is(&[
        "DE88370400440532013000",
        "DE89 3704 0044 0532 0130 01",
        "XX89370400440532013000",
        "de89370400440532013000",
    ]);
    all_are(
        PersonalKind::PaymentCard,
        &[
            "4111111111111111",
            "4111 1111 1111 1111",
            "5500-0000-0000-0004",
            "3782 822463 10005",
            "6011000990139424",
        ],
    );
    none_is(&[
        "4111111111111112",
        "4111 1111-1111 1111",
        "1111111111111117",
        "41 11 11 11 11 11 11 11",
        "x4111111111111111",
        "9780306406157",
    ]);
}

#[test]
fn phones_of_several_countries_are_found() {
    all_are(
        PersonalKind::Phone,
        &[
            "+49 30 1234567",
            "+1 (212) 555-0187",
            "+44 20 7946 0958",
            "+33 1 23 45 67 89",
            "+819012345678",
            "+49 (0)30 1234567",
            "0044 20 7946 0958",
            "(212) 555-0187",
            "212-555-0187",
            "212.555.0187",
            "1-212-555-0187",
            "(030) 1234567",
            "030/1234567",
            "030 1234567",
            "0171-1234567",
            "01 23 45 67 89",
            "01.23.45.67.89",
            "020 7946 0958",
            "03-1234-5678",
            "090-1234-5678",
            "(11) 91234-5678",
        ],
    );
    none_is(&[
        "2026-03-04",
        "01.02.2026",
        "04/05/2026",
        "1,024,000",
        "1.234.567",
        "12:30",
        "100 000 000",
        "2010-2011-2012",
        "$212-555-0187",
        "978-3-16-148410-0",
        "0.123456789",
        "3.14159265",
        "00 12 34",
        "+12",
        "1 2 3 4 5 6 7 8",
        "12345678901",
        "A4 210 297",
        "192.168.100.100",
        "1914-1918",
        "2024-03-04 10",
        "0 1 2 3 4 5 6 7 8 9",
    ]);
}

#[test]
fn masked_texts_keep_the_rest() {
    let text = "Anna (anna@example.org, 8.8.8.8) – ü – 4111 1111 1111 1111!";
    let masked = mask_personal_data(text, &personal_data(text), |_| "█");
    assert_eq!(masked, "Anna (█, █) – ü – █!");
    let counts = PersonalCounts::of(&personal_data(text));
    assert_eq!(
        (
            counts.emails,
            counts.ip_addresses,
            counts.payment_cards,
            counts.phones,
            counts.ibans
        ),
        (1, 1, 1, 0, 0)
    );
}

/// Emails and addresses by expressions over the whole text.
fn slow_emails_and_addresses(text: &str) -> Vec<(usize, usize)> {
    let name = Regex::new(r"[A-Za-z0-9_%+-]([A-Za-z0-9._%+-]*[A-Za-z0-9_%+-])?$").expect("an expression");
    let domain = Regex::new(r"^[A-Za-z0-9.-]*[A-Za-z0-9]").expect("an expression");
    let four = Regex::new(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+").expect("an expression");
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let free = spans.last().map_or(0, |span| span.1);
        let (Some(name), Some(domain)) = (name.find(&text[free..at]), domain.find(&text[at + 1..])) else {
            continue;
        };
        let domain = domain.as_str();
        let is_known = gleaner_domain::is_below_known_suffix(domain.to_ascii_lowercase().as_bytes());
        let is_label = |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
        if is_known && domain.split('.').all(is_label) && !name.as_str().contains("..") {
            spans.push((free + name.start(), at + 1 + domain.len()));
        }
    }
    let is_joined = |letter: Option<char>| letter.is_some_and(is_word);
    for found in four.find_iter(text) {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let continues = before.ends_with('.')
            || after
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()));
        let is_part = is_joined(before.chars().next_back()) || is_joined(after.chars().next());
        let is_in_email = spans
            .iter()
            .any(|(start, end)| *start < found.end() && found.start() < *end);
        if !continues && !is_part && !is_in_email && ip::is_v4(found.as_str()) {
            spans.push((found.start(), found.end()));
        }
    }
    spans.sort_unstable();
    spans
}

proptest! {
    #[test]
    fn emails_and_addresses_are_those_of_the_slow_way(pieces in vec(prop_oneof![
        Just("anna"), Just("@"), Just("example.org"), Just("."), Just("-"), Just("+"), Just(" "), Just("8.8.8.8"), Just("1.1"), Just(".99"), Just("ü"), Just("\n"), Just("co.uk"), Just("1x"),
    ], 0..14)) {
        let text = pieces.concat();
        let kinds = [PersonalKind::Email, PersonalKind::IpAddress];
        let spans: Vec<(usize, usize)> = personal_data(&text).into_iter().filter(|span| kinds.contains(&span.kind)).map(|span| (span.start, span.end)).collect();
        prop_assert_eq!(spans, slow_emails_and_addresses(&text), "{:?}", text);
    }

    /// Spans are in order, apart, on characters; and what is masked is gone.
    #[test]
    fn masking_removes_all(text in "[0-9 +()./a-fDE:@-]{0,60}|\\PC{0,40}") {
        let spans = personal_data(&text);
        prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(spans.iter().all(|span| span.start < span.end && text.get(span.start..span.end).is_some()));
        let masked = mask_personal_data(&text, &spans, |_| "█");
        prop_assert_eq!(masked.matches('█').count(), spans.len() + text.matches('█').count());
    }
}
