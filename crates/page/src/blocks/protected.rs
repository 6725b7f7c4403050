//! Words that a proxy has hidden from harvesters of mail addresses: the page has them in numbers, and a script shows them.
//!
//! Whatever has an `@` is taken for an address, a version in a command as well.

use gleaner_html::{Attr, NONE, Tag, Tree};

/// The address of such a link, behind which the numbers stand.
const PLACE: &str = "/cdn-cgi/l/email-protection";
/// What a page shows instead, as long as no script has run.
const SHOWN: &str = "[email";
/// Maximum digits per address.
const LONGEST: usize = 1024;

/// The words that an element has in place of its own, if it has some.
pub(super) fn words(tree: Tree<'_>, node: u32) -> Option<String> {
    if let Some(coded) = tree.attribute(node, Attr::DataCfemail) {
        return decoded(coded);
    }
    let href = (tree.tag(node) == Tag::A).then(|| tree.attribute(node, Attr::Href));
    let coded = coded_of(href.flatten()?)?;
    let text = tree.first_child(node);
    let is_instead = text != NONE && tree.text(text).trim_start().starts_with(SHOWN);
    decoded(coded).filter(|_| is_instead)
}

/// The mail address that a link leads to, if it is hidden so: `None` within where the link has none.
pub fn address(href: &str) -> Option<Option<String>> {
    let is_without = href.ends_with(PLACE);
    coded_of(href).map(decoded).or(is_without.then_some(None))
}

/// The numbers in the address of a link.
fn coded_of(href: &str) -> Option<&str> {
    // Most links have no such part, which is seen sooner than what they have.
    let at = memchr::memrchr(b'#', href.as_bytes())?;
    href[..at].ends_with(PLACE).then(|| href[at + 1..].trim_end())
}

/// Each letter is written as two digits; the first two are the key that all others are combined with.
fn decoded(coded: &str) -> Option<String> {
    let digits = coded.trim().as_bytes();
    if digits.len() > LONGEST || digits.len() < 4 {
        return None;
    }
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair)
            .ok()
            .filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        u8::from_str_radix(pair, 16).ok().filter(|_| pair.len() == 2)
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    let (key, letters) = bytes.as_deref()?.split_first()?;
    let text = String::from_utf8(letters.iter().map(|letter| letter ^ key).collect()).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(text: &str, key: u8) -> String {
        let digits = |byte: u8| format!("{byte:02x}");
        digits(key) + &text.bytes().map(|byte| digits(byte ^ key)).collect::<String>()
    }

    #[test]
    fn words_are_read_with_their_key() {
        for (text, key) in [
            ("a@b.example", 0),
            ("j\u{e4}ger@wald.example", 0xc3),
            ("tool@1.2.3", 0x7f),
        ] {
            assert_eq!(decoded(&coded(text, key)).as_deref(), Some(text));
            assert_eq!(decoded(&coded(text, key).to_uppercase()).as_deref(), Some(text));
            let href = format!("https://a.example{PLACE}#{}", coded(text, key));
            assert_eq!(address(&href), Some(Some(text.to_owned())));
        }
    }

    #[test]
    fn what_is_no_such_number_is_left() {
        for odd in [
            "",
            "7a",
            "7a1",
            "7a1g",
            "+a+b",
            "é1",
            "00ff",
            "0001",
            &"00".repeat(1000),
        ] {
            assert_eq!(decoded(odd), None, "{odd}");
        }
        assert_eq!(address("/cdn-cgi/l/email-protection"), Some(None));
        assert_eq!(address("/cdn-cgi/l/email-protection#x"), Some(None));
        assert_eq!(address("/about#0041"), None);
    }
}
